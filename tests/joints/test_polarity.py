"""Polarity: which of two classes is called positive is a matter of spelling.

Metamorphic: tables that say the same in other columns, in another order of columns, with one class
or with both, in files of all kinds, by chunks and by DuckDB, give the same combinations and the
same measures. The right values are computed from the masses themselves.
"""

import io
import json
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from dstheory import Frame, MassFunction, dempster
from dstheory.transform import betp
from evical.calibrators import LogisticCalibrator
from evical.cli import main
from evical.metrics import brier_score
from evical.scores.names import belief_names
from tests.joints.seeds import every_seed
from tests.support.each import each, pairs
from tests.support.tables import read_csv

N = 500
CLASSES = ["ham", "spam"]


@cache
def samples():
    """Classes, and scores of two sources that are high for spam."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(N) < 0.5, "spam", "ham")
    sign = np.where(y == "spam", 1, -1)
    return y, sign + rng.normal(size=N) * 1.1, sign + rng.normal(size=N)


@cache
def right():
    """Both sources by Python: masses, their combination, and probabilities of spam."""
    y, *scores = samples()
    masses = [LogisticCalibrator().fit(s, y).predict_mass(s) for s in scores]
    return y, [*masses, dempster(*masses)]


def run(words):
    assert main(words.split()) == 0, words


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Tables of both sources by models of both polarities, and variants of these tables."""
    path = tmp_path_factory.mktemp("polarity")
    y, one, two = samples()
    table = {"id": range(N), "one": one, "two": two, "minus_one": -one, "minus_two": -two, "y": y}
    pd.DataFrame(table).to_csv(path / "s.csv", index=False)
    for source in ("one", "two"):
        for column, positive in ((source, "spam"), (f"minus_{source}", "ham")):
            model, out = path / f"{column}.json", path / f"{column}.csv"
            fit = f"fit {path}/s.csv --score {column} --target y --positive {positive}"
            run(f"{fit} --method logistic -o {model}")
            run(f"predict {model} {path}/s.csv -o {out}")
        plain = read_csv(path / f"{source}.csv")[["id", "y", *belief_names(CLASSES), "decision"]]
        plain[plain.columns[::-1]].to_csv(path / f"{source}_reversed.csv", index=False)
        plain.to_parquet(path / f"{source}.parquet", index=False)
        for label in CLASSES:
            part = plain[["id", "y", *belief_names([label]), "decision"]]
            part.to_csv(path / f"{source}_{label}.csv", index=False)
            bare = part.rename(columns={f"bel_{label}": "bel", f"pl_{label}": "pl"})
            bare.to_csv(path / f"{source}_bare_{label}.csv", index=False)
        named = {name: f"svm_{name}" for name in belief_names(CLASSES)}
        plain.rename(columns=named).to_csv(path / f"{source}_prefixed.csv", index=False)
    return path


@pytest.fixture
def folder(made, monkeypatch):
    monkeypatch.chdir(made)
    return made


def forms(source):
    """Files that say the same about a source; of some, options are needed for one table only."""
    return [f"{source}.csv", f"minus_{source}.csv", f"{source}_reversed.csv", f"{source}.parquet",
            f"{source}_ham.csv", f"{source}_spam.csv"]  # fmt: skip


def check_combination(found, decided=True):
    """The numbers of the combination, by the names of their columns."""
    y, (*_, m) = right()
    names = [name for name in found if name in belief_names(CLASSES)]
    assert names
    numbers = {f"p_{label}": p for label, p in zip(CLASSES, betp(m).T, strict=True)}
    for label in CLASSES:
        numbers |= {f"bel_{label}": m.bel(label), f"pl_{label}": m.pl(label)}
    for name in names:
        np.testing.assert_allclose(found[name], numbers[name], atol=1e-5)
    if decided:
        assert (found["decision"] == np.where(betp(m)[:, 1] > 0.5, "spam", "ham")).all()
        assert (found["decision"] == y).mean() == 0.92


def test_the_right_accuracy():
    """Of both sources, and of their combination."""
    y, masses = right()
    decided = [np.where(betp(m)[:, 1] > 0.5, "spam", "ham") for m in masses]
    assert [(d == y).mean() for d in decided] == [0.824, 0.842, 0.92]


def partners():
    """Each form of the first source with two forms of the second one."""
    ones, twos = forms("one"), forms("two")
    return [(one, twos[(i + step) % 6]) for i, one in enumerate(ones) for step in (1, 4)]


@each(("one", "two"), partners())
def test_tables_are_combined_class_by_class(folder, one, two):
    alone = all(name.endswith(("_ham.csv", "_spam.csv")) for name in (one, two))
    known = "--classes ham spam" if alone else ""
    run(f"combine --rule dempster {one} {two} {known} --keep id -o out.csv --force")
    check_combination(read_csv("out.csv"))


@each(
    ("order", "out", "engine"),
    pairs(
        ["ham spam", "spam ham"],
        ["out.csv", "out.parquet", "-"],
        ["", "--key id", "--key id --engine duckdb"],
    ),
)
def test_the_order_of_classes_changes_nothing(folder, order, out, engine, monkeypatch):
    if out == "-" and "duckdb" in engine:
        return
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8"))
    options = f"--classes {order} {engine} --keep id -o {out} --force --rule dempster"
    run(f"combine one.csv minus_two.csv {options}")
    sys.stdout.flush()
    found = read_csv(io.BytesIO(written.getvalue())) if out == "-" else None
    if found is None:
        found = pd.read_parquet(out) if out.endswith("parquet") else read_csv(out)
    assert found.columns.tolist()[1] == f"bel_{order.split()[0]}"
    found = found.assign(id=found["id"].astype(int)).sort_values("id", ignore_index=True)
    check_combination(found)


ODD = ["yes", "no", "1", "0", "a|b", "p_no", "bel_no", "other", "reject!", "\u00e9"]


def in_some_form(rng, m, classes, prefix):
    """Columns that say what a mass function says: of one class or of both, in any order."""
    numbers = {f"{prefix}decision": np.array(classes)[(betp(m)[:, 1] > 0.5).astype(int)]}
    told = [classes, classes[::-1], classes[:1], classes[1:]][rng.integers(4)]
    for label in told:
        numbers[f"{prefix}bel_{label}"], numbers[f"{prefix}pl_{label}"] = m.bel(label), m.pl(label)
    names = [name for name in numbers if rng.random() < 0.5 or "decision" not in name]
    return {name: numbers[name] for name in rng.permutation(names).tolist()}


@every_seed
def test_any_beliefs_in_any_form(tmp_path, monkeypatch, seed):
    """Names of classes that look like those of columns, and any way to read the tables."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(seed)
    classes = rng.choice(ODD, 2, replace=False).tolist()
    prefix = ["", "svm_", "a "][rng.integers(3)]
    key = ["", " --key id", " --key id --engine duckdb"][rng.integers(3)]
    masses, files = [], []
    for i in range(rng.integers(2, 4)):
        bel, pl = np.sort(rng.random((2, 30)), axis=0)
        store = np.stack([1 - pl, bel, pl - bel], axis=1)
        masses.append(MassFunction(Frame(classes), [1, 2, 3], store))
        table = pd.DataFrame({"id": range(30), **in_some_form(rng, masses[-1], classes, prefix)})
        table = table.sample(frac=1, random_state=seed + i) if key else table
        files.append(str(i) + [".csv", ".tsv", ".parquet"][rng.integers(3)])
        if files[-1].endswith("parquet"):
            table.to_parquet(files[-1], index=False)
        else:
            table.to_csv(files[-1], index=False, sep="\t" if "tsv" in files[-1] else ",")
    words = f"combine --rule dempster {' '.join(files)}{key} --keep id -o out.csv --force"
    assert main([*words.split(), "--classes", *rng.permutation(classes), "--prefix", prefix]) == 0
    found = read_csv("out.csv").sort_values("id", ignore_index=True)
    m = dempster(*masses)
    for label in classes:
        np.testing.assert_allclose(found[f"bel_{label}"], m.bel(label), atol=1e-9)
        np.testing.assert_allclose(found[f"pl_{label}"], m.pl(label), atol=1e-9)
    wanted = np.array(classes)[(betp(m)[:, 1] > 0.5).astype(int)]
    assert (found["decision"].astype(str) == wanted).all()


@each("label", CLASSES)
def test_a_bare_belief_is_named_by_an_option(folder, label):
    bare = f"combine --rule dempster one_bare_{label}.csv two_bare_{label}.csv"
    run(f"{bare} --positive {label} -o out.csv --force")
    found = read_csv("out.csv")
    assert found.columns.tolist() == [*belief_names([label]), "conflict"]
    check_combination(found, decided=False)
    other = CLASSES[label == "ham"]
    run(f"{bare} --classes {other} {label} -o out.csv --force")
    check_combination(read_csv("out.csv"))
    # Beside it, columns that name their class.
    options = f"--positive {label} -o out.csv --force --rule dempster"
    run(f"combine one_bare_{label}.csv two.csv {options}")
    check_combination(read_csv("out.csv"))


def test_columns_with_a_prefix(folder):
    options = "--prefix svm_ -o out.csv --force --rule dempster"
    run(f"combine one_prefixed.csv two_prefixed.csv {options}")
    check_combination(read_csv("out.csv"))


SAME = ["one.csv", "minus_one.csv", "one_reversed.csv", "one.parquet", "one_ham.csv",
        "one_spam.csv", "one.csv --positive ham", "one_prefixed.csv --prefix svm_",
        "one_bare_ham.csv --positive ham", "one_bare_spam.csv --positive spam",
        "one.csv --probability p_spam", "one.csv --probability p_ham",
        "one_prefixed.csv --probability svm_p_ham",
        "one.json s.csv", "minus_one.json s.csv"]  # fmt: skip


@each("words", SAME)
def test_tables_are_judged_class_by_class(folder, words, capfd):
    """Measures that do not depend on which class is positive are the same, to the last table."""
    y, (m, *_) = right()
    target = "" if ".json" in words else "--target y"
    run(f"evaluate {words} {target} --json")
    found = json.loads(capfd.readouterr().out)["measures"]
    p = betp(m)[:, 1]
    values = {
        "brier_score": brier_score(y == "spam", p),
        "log_loss": -np.log(np.where(y == "spam", p, 1 - p)).mean(),
        "roc_auc": (p[y == "spam"][:, None] > p[y == "ham"]).mean(),
    }
    for name, value in values.items():
        assert found[name]["value"] == pytest.approx(value, abs=1e-5)
    assert round(values["brier_score"], 3) == 0.121
    assert main(f"check {words} {target}".split()) == 0
    out, err = capfd.readouterr()
    assert (out.count("\n"), err) == (1, "")  # no second line, which a broken promise has


@each(
    ("words", "brier"),
    [
        ("one_bare_ham.csv --positive ham", ["0.1206"]),
        ("minus_one.csv two_ham.csv", ["0.1206", "0.1109", "combined 0.0830"]),
    ],
)
def test_pages_have_the_right_measures(folder, words, brier, capfd):
    run(f"report {words} --target y -o page.html --force")
    assert "rror" not in capfd.readouterr().err
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert all(value in text for value in brier)


def test_learned_weights_do_not_depend_on_the_polarity(folder, capfd):
    weights = []
    for words in ("one.csv two.csv", "minus_one.csv two_ham.csv", "one_spam.csv minus_two.csv"):
        run(f"combine {words} --fit y -o f.json --force --json")
        weights.append(list(json.loads(capfd.readouterr().out)["learned"]["weights"].values()))
        run(f"combine {words} --rule f.json -o out.csv --force")
        assert capfd.readouterr().err == ""  # nothing is assumed of the sources
        y = samples()[0]
        assert (read_csv("out.csv")["decision"] == y).mean() == 0.922
    np.testing.assert_allclose(weights[1:], [weights[0]] * 2, atol=1e-4)


WRONG = [
    ("combine one.csv two.csv --classes no yes", "about class 'ham', but --classes are 'no' and"),
    ("combine one.csv two.csv --positive yes", "--positive is 'yes', but one.csv is about 'ham'"),
    ("combine one.csv two.csv --classes ham spam --positive ham", "--positive is 'ham', but the"),
    ("combine one.csv two.csv --classes ham ham", "--classes are both 'ham'"),
    ("combine one_ham.csv two_spam.csv", "if there are only these, name them with --classes"),
    ("combine one_bare_spam.csv two_bare_ham.csv --positive spam", "is lower here than wherever"),
    ("combine one.csv two_bare_ham.csv", "name it with --positive"),
    ("combine one.csv foreign.csv", "foreign.csv has beliefs about class 'no', but one.csv is"),
    ("combine one.csv three.csv", "all tables need the same classes"),
    ("combine one.csv half.csv", "there is a column 'bel_ham', but no 'pl_ham'"),
    ("combine one.csv decided.csv", "decided.csv, line 2, column 'decision': 'yes' is chosen"),
    ("combine one.csv turned.csv", "belief in 'spam' is lower here than wherever it is 'ham'"),
    ("combine one.csv crossed.csv", "of two classes they add up to 1; are columns exchanged?"),
    ("combine one.csv s.csv", "s.csv has no columns of beliefs, such as 'bel_yes'"),
    ("combine one_prefixed.csv two_prefixed.csv", "did you mean --prefix 'svm_'?"),
    (
        "combine one.csv two.csv --rule foreign.json",
        "but the fusion was learned for 'no' and 'yes'",
    ),
    ("combine one.csv two.csv --fit id -o x.json", "column 'id' has 500 classes"),
    (
        "combine foreign.csv foreign.csv --fit y -o x.json",
        "about 'no' and 'yes', but column",
    ),
    ("JUDGE foreign.csv --target y", "column 'y': 'ham' is none of the classes 'no' and"),
    ("JUDGE turned.csv --target y", "but belief in 'ham' is lower here than wherever"),
    ("JUDGE turned.csv --target y --positive ham", "belief in 'ham' is lower here than wherever"),
    ("JUDGE one_bare_ham.csv --target y", "name it with --positive"),
    ("JUDGE one_bare_ham.csv --target y --positive spam", "is lower here than wherever"),
    ("JUDGE one.csv --target y --positive yes", "--positive is 'yes', but one.csv is about 'ham'"),
    ("JUDGE one.csv --target y --probability p_ham --positive spam", "is about class 'ham', but"),
    ("JUDGE one_bare_ham.csv --target y --probability bel", "name it with --positive"),
    ("JUDGE one.json s.csv --score p_ham", "s.csv has no column 'p_ham'"),
    ("JUDGE one.json foreign.csv --score bel_no --target z", "'no' is none of the classes"),
    ("evaluate three.csv --target y", "line 2: beliefs of all classes add up to 1.5"),
    ("explore one.json one.csv --score p_ham -o x.html", "is about class 'ham', but this score"),
    ("card one.json one.csv --score p_ham", "is about class 'ham', but this score"),
    ("predict one.json one.csv --score p_ham --prefix a_", "is about class 'ham', but this score"),
    ("compare one.csv --score p_ham --target y --positive spam", "is about class 'ham', but this"),
    ("fit one.csv --score p_ham --target y --positive spam -o x.json", "is about class 'ham', but"),
    ("fit one.csv --score p_ham=spam --score p_spam=ham --target y -o x.json", "about class 'ham'"),
    ("predict one.json one.csv", "has a column 'bel_ham' already; write new names with --prefix"),
]


@pytest.fixture(scope="module")
def wrong(made):
    """Tables and a fusion that speak of other classes, or in which columns are exchanged."""
    one = read_csv(made / "one.csv")
    plain = one[["id", "y", *belief_names(CLASSES), "decision"]]
    exchanged = {f"{kind}_ham": f"{kind}_spam" for kind in ("bel", "pl", "p")}
    exchanged |= {new: old for old, new in exchanged.items()}
    names = {name: name.replace("_ham", "_no").replace("_spam", "_yes") for name in plain}
    no_yes = {"ham": "no", "spam": "yes"}
    foreign = plain.rename(columns=names).replace({"decision": no_yes})
    tables = {
        "foreign": foreign.assign(z=plain["y"].replace(no_yes)),
        "three": plain[["id", "y"]].assign(**dict.fromkeys(belief_names("abc"), 0.5)),
        "half": plain.drop(columns="pl_ham"),
        "decided": plain.assign(decision=foreign["decision"]),
        "turned": plain.rename(columns=exchanged),
        "crossed": plain.assign(bel_ham=plain["bel_spam"], pl_ham=plain["pl_spam"]),
    }
    for name, table in tables.items():
        table.to_csv(made / f"{name}.csv", index=False)
    fit = f"combine {made}/foreign.csv {made}/foreign.csv --fit z -o {made}/foreign.json"
    run(fit)
    return made


@each(("words", "message"), WRONG)
def test_what_does_not_fit_is_refused(wrong, words, message, monkeypatch, capfd):
    monkeypatch.chdir(wrong)
    for judge in ("evaluate", "check", "report") if "JUDGE" in words else ("",):
        line = words.replace("JUDGE", judge)
        assert main([*line.split(), *(["-o", "x.html"] if judge == "report" else [])]) == 2
        out, err = capfd.readouterr()
        assert message in err
        assert (out, err.count("\n")) == ("", 1)


@each("words", ["one.csv decided.csv", "one.csv turned.csv", "one.csv crossed.csv"])
def test_duckdb_refuses_the_same(wrong, words, monkeypatch, capfd):
    monkeypatch.chdir(wrong)
    found = []
    for engine in ("", "--engine duckdb"):
        assert main(f"combine --rule dempster {words} --key id -o x.csv {engine}".split()) == 2
        found.append(capfd.readouterr().err)
    assert found[0] == found[1]
    assert not (wrong / "x.csv").exists()
