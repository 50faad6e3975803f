"""Several scores, one a class: what commands write is what Python computes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import has_fit_parameter

from dstheory import combine
from evical import metrics, multiclass
from evical.beliefs.bounded import Bounded
from evical.calibrators.by_name import by_name
from evical.cli import main
from evical.cli._model import load_model
from evical.evaluation import Evaluation, check_calibration, compare
from evical.multiclass import AutoMulticlassCalibrator, OneVsRestCalibrator, SoftmaxCalibrator
from evical.report import build_explorer
from tests.evical.report.outline import check_page
from tests.support.each import each
from tests.support.tables import read_csv

CLASSES = ["cat", "dog", "wild_cat"]
N = 150
SCORES = "--score score_wild_cat --score score_cat --score score_dog --target kind"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_animals(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_animals(path):
    """Probabilities of three classes, and the classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    z = rng.normal(size=(N, 3))
    z[np.arange(N), y] += 1.5
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    table = pd.DataFrame(p, columns=[f"score_{name}" for name in CLASSES]).iloc[:, ::-1]
    table.assign(kind=np.array(CLASSES)[y], w=rng.integers(0, 3, N)).to_csv(
        path / "a.csv", index=False
    )


def data():
    table = read_csv("a.csv")
    return table[[f"score_{name}" for name in CLASSES]].to_numpy(), table["kind"].to_numpy()


def run(words, code=0):
    assert main(words.split()) == code


def columns(table, kind):
    return table[[f"{kind}_{name}" for name in CLASSES]].to_numpy()


def test_fit_and_predict_are_those_of_python(folder, capfd):
    run(f"fit a.csv {SCORES} -o m.json --json")
    told = json.loads(capfd.readouterr().out)
    assert told["scores"] == {name: f"score_{name}" for name in CLASSES}
    p, y = data()
    expected = AutoMulticlassCalibrator().fit(p, y)
    run("predict m.json a.csv -o out.csv")
    found = read_csv("out.csv")
    bounds = expected.predict_interval(p)
    np.testing.assert_allclose(columns(found, "bel"), bounds[..., 0], atol=1e-12)
    np.testing.assert_allclose(columns(found, "pl"), bounds[..., 1], atol=1e-12)
    np.testing.assert_allclose(columns(found, "p"), expected.predict_proba(p), atol=1e-12)
    assert found["decision"].tolist() == expected.predict(p).tolist()


@pytest.mark.parametrize("method", [*by_name(multiclass), "isotonic --model laplace"])
def test_every_method_is_saved_and_read(folder, method):
    if method == "shallow_net" and not has_fit_parameter(MLPClassifier, "sample_weight"):
        pytest.skip("networks take weights from scikit-learn 1.7 on")
    run(f"fit a.csv {SCORES} --weight w --method {method} -o m.json")
    model = load_model("m.json")
    p, _ = data()
    assert model.labels == tuple(CLASSES)
    run("predict m.json a.csv -o out.csv")
    found = columns(read_csv("out.csv"), "p")
    np.testing.assert_allclose(found, model.calibrator.predict_proba(p))


def test_weights_and_options(folder):
    run(f"fit a.csv {SCORES} --weight w --method softmax --option parameters=vector -o m.json")
    p, y = data()
    weight = read_csv("a.csv")["w"]
    expected = SoftmaxCalibrator(parameters="vector").fit(p, y, weight)
    np.testing.assert_allclose(load_model("m.json").calibrator.weights_, expected.weights_)


def test_classes_are_named_where_columns_do_not_say(folder):
    table = read_csv("a.csv").rename(columns={"score_cat": "x", "score_dog": "y=1"})
    table.to_csv("b.csv", index=False)
    run("fit b.csv --score x=cat --score y=1=dog --score score_wild_cat --target kind -o b.json")
    run(f"fit a.csv {SCORES} -o m.json")
    assert load_model("b.json").scores == {"cat": "x", "dog": "y=1", "wild_cat": "score_wild_cat"}
    a, b = (load_model(name).calibrator for name in ("m.json", "b.json"))
    np.testing.assert_array_equal(a.predict_proba(data()[0]), b.predict_proba(data()[0]))


def test_decisions(folder):
    run(f"fit a.csv {SCORES} --model confidence -o m.json")
    run("predict m.json a.csv --reject 0.3 -o r.csv")
    table = read_csv("r.csv")
    sure = columns(table, "p").max(axis=1) > 0.7
    np.testing.assert_array_equal(table["decision"] != "reject", sure)
    run("predict m.json a.csv --criterion interval_dominance -o i.csv")
    chosen = read_csv("i.csv")["decision"].str.split("|")
    best = columns(table, "bel").max(axis=1, keepdims=True)
    expected = [
        [name for name, kept in zip(CLASSES, row, strict=True) if kept]
        for row in columns(table, "pl") >= best
    ]
    assert chosen.tolist() == expected
    assert {len(names) for names in expected} > {1}


def test_missing_scores(folder, capfd):
    run(f"fit a.csv {SCORES} -o m.json")
    text = read_csv("a.csv").astype({"score_dog": object})
    text.loc[[1, 7], "score_dog"] = ["", "NA"]
    text.to_csv("gaps.csv", index=False)
    for criterion in ("", "--criterion interval_dominance"):
        run(f"predict m.json gaps.csv --missing vacuous -o v.csv --force {criterion}")
        assert "2 of 150 rows have no number" in capfd.readouterr().err
        empty = read_csv("v.csv").iloc[[1, 7]]
        assert (columns(empty, "bel") == 0).all()
        assert (columns(empty, "pl") == 1).all()
        np.testing.assert_allclose(columns(empty, "p"), 1 / 3)
        if not criterion:
            assert empty["decision"].isna().all()
    assert empty["decision"].tolist() == ["|".join(CLASSES)] * 2
    run("predict m.json gaps.csv --missing vacuous -o v.csv --force")
    assert "undecided 2)" in capfd.readouterr().out
    run(f"fit gaps.csv {SCORES} --missing drop -o d.json --json")
    training = json.loads(capfd.readouterr().out)["training"]
    assert (training["rows"], training["missing"]) == (148, 2)
    run("evaluate m.json gaps.csv --missing drop --json")
    assert json.loads(capfd.readouterr().out)["samples"] == 148


def test_judging(folder, capfd):
    run(f"fit a.csv {SCORES} -o m.json")
    run("predict m.json a.csv -o out.csv")
    table, (_, y) = read_csv("out.csv"), data()
    p = columns(table, "p")
    capfd.readouterr()
    found = []
    for words in ("evaluate m.json a.csv --json", "evaluate out.csv --target kind --json"):
        run(words)
        found.append(json.loads(capfd.readouterr().out)["measures"])
    for measures in found:
        error = metrics.expected_calibration_error(y, p, "classwise")
        assert measures["classwise_calibration_error"]["value"] == pytest.approx(error)
        assert measures["brier_score"]["value"] == pytest.approx(metrics.brier_score(y, p))
    run("evaluate out.csv --target kind")
    assert "classwise calibration error" in capfd.readouterr().out


@pytest.mark.parametrize("level", [0.05, 0.9])
def test_check_tests_each_class(folder, capfd, level):
    run(f"fit a.csv {SCORES} --method softmax -o m.json")
    run("predict m.json a.csv -o out.csv")
    table, (_, y) = read_csv("out.csv"), data()
    capfd.readouterr()
    checks = [
        check_calibration(Evaluation.from_predictions(y == name, table[f"p_{name}"],
        bel=table[f"bel_{name}"], pl=table[f"pl_{name}"]), level=level / 3)
        for name in CLASSES
    ]  # fmt: skip
    passed = all(one.passed for one in checks)
    for words in ("m.json a.csv", "out.csv --target kind"):
        run(f"check {words} --level {level} --json", 0 if passed else 1)
        told = json.loads(capfd.readouterr().out)
        assert told["passed"] == passed
        for name, one in zip(CLASSES, checks, strict=True):
            assert told["classes"][name]["tests"][0]["pvalue"] == one.tests[0].pvalue
    run(f"check out.csv --target kind --level {level}", 0 if passed else 1)
    assert capfd.readouterr().out.count("\n") == len(CLASSES) + 1


WRONG = [
    (
        "fit a.csv --score score_cat --score score_dog --target kind -o x.json",
        "'wild_cat' has no column",
    ),
    (f"fit a.csv {SCORES} --score w -o x.json", "there is no class for column 'w'"),
    (f"fit a.csv {SCORES} --score score_cat -o x.json", "column 'score_cat' is given twice"),
    (f"fit a.csv {SCORES} --score w=cat -o x.json", "class 'cat' has columns score_cat, w"),
    (f"fit a.csv {SCORES} --positive cat -o x.json", "--positive is for one score"),
    (f"fit a.csv {SCORES} --method softmx -o x.json", "did you mean 'softmax'"),
    (f"fit a.csv {SCORES} --method softmax --model likelihood -o x.json", "leave out the model"),
    (f"fit a.csv {SCORES} --score none=x -o x.json", "a.csv has no column 'none'"),
    (
        "fit a.csv --score score_cat --target kind --method softmax -o x.json",
        "a score for each class",
    ),
    ("predict m.json a.csv --threshold 0.5", "--threshold and --costs are for two classes"),
    ("predict m.json a.csv --score score_cat", "--score is for one score"),
    ("predict m.json other.csv", "other.csv has no column 'score_cat'"),
    ("evaluate m.json a.csv --positive cat", "--positive is for two classes"),
    ("evaluate m.json new.csv", "'kind': 'owl' is none of the classes 'cat', 'dog' and"),
    ("evaluate m.json typo.csv", "typo.csv, line 4, column 'kind': 'Dog' is none of the classes"),
    (f"fit typo.csv {SCORES} -o x.json", "line 4, column 'kind': class 'Dog' has no column; did"),
    ("fit a.csv --score score_cat=cat --target kind -o x.json", "one column is of two. Of more"),
    ("evaluate m.json a.csv --score score_cat", "--score is for two classes"),
    (
        "fit a.csv --score p_cat=dog --score score_cat --score w=wild_cat --target kind -o x.json",
        "column 'p_cat' is about class 'cat', but this score is to support 'dog'",
    ),
    (
        "predict m.json out.csv",
        "has a column 'bel_cat' already; write new names with --prefix",
    ),
    ("evaluate turned.csv --target kind", "are larger; are the classes exchanged?"),
    ("check turned.csv --target kind", "are larger; are the classes exchanged?"),
    ("evaluate beyond.csv --target kind", "bel_dog is 0.9, above p_dog, 0.5; are columns exch"),
    ("evaluate decided.csv --target kind", "'DOG' is chosen, but beliefs are about "),
    ("evaluate lacking.csv --target kind", "there is a column 'bel_dog', but no 'pl_dog'"),
    ("check m.json a.csv --level 2", "level is 2"),
]


@pytest.fixture
def fitted(folder, capfd):
    """A model, and tables that are not for it."""
    run(f"fit a.csv {SCORES} -o m.json")
    read_csv("a.csv").replace("dog", "owl").to_csv("new.csv", index=False)
    typo = read_csv("a.csv")
    typo.loc[2, "kind"] = "Dog"
    typo.to_csv("typo.csv", index=False)
    (folder / "other.csv").write_text("score_dog\n0.5\n")
    run("predict m.json a.csv -o out.csv")
    out = read_csv("out.csv")
    turned = {f"{kind}_{a}": f"{kind}_{b}" for kind in ("bel", "pl", "p")
              for a, b in (("cat", "dog"), ("dog", "cat"))}  # fmt: skip
    out.rename(columns=turned).to_csv("turned.csv", index=False)
    out.assign(bel_dog=0.9, p_dog=0.5, pl_dog=0.95).to_csv("beyond.csv", index=False)
    out.replace({"decision": {"dog": "DOG"}}).to_csv("decided.csv", index=False)
    out.drop(columns="pl_dog").to_csv("lacking.csv", index=False)
    read_csv("a.csv").assign(p_cat=0.5, w=0.5).to_csv("a.csv", index=False)
    capfd.readouterr()
    return folder


@each(("words", "message"), WRONG)
def test_wrong_calls_are_one_line(fitted, capfd, words, message):
    run(words, 2)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert not (fitted / "x.json").exists()


@pytest.mark.parametrize("part", ["columns", "training", "calibrator"])
def test_a_damaged_model_is_refused(folder, capfd, part):
    run(f"fit a.csv {SCORES} -o m.json")
    saved = json.loads((folder / "m.json").read_text())
    saved[part] = {"columns": {"scores": {"cat": "a"}, "target": "y"}}.get(part, {})
    (folder / "m.json").write_text(json.dumps(saved))
    capfd.readouterr()
    run("predict m.json a.csv", 2)
    assert "m.json is damaged" in capfd.readouterr().err


def predictions(folder):
    """Tables of two sources about the same rows, with an id, and the class in the first one."""
    run(f"fit a.csv {SCORES} -o m.json")
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        table = read_csv("a.csv").assign(id=np.arange(N))
        scores = [f"score_{label}" for label in CLASSES]
        table[scores] *= np.exp(rng.normal(0, 0.7, size=(N, 3)))
        table[scores] /= table[scores].sum(axis=1).to_numpy()[:, np.newaxis]
        table.to_csv("scores.csv", index=False)
        run(f"predict m.json scores.csv -o {name}.csv")
        found = read_csv(f"{name}.csv").drop(columns=[*scores, "w"])
        found.to_csv(f"{name}.csv", index=False)
    return [read_csv(f"{name}.csv") for name in ("one", "two")]


def masses_of(table):
    """Masses of single classes and of sets with the beliefs and plausibilities of a table."""
    bel, pl = columns(table, "bel"), columns(table, "pl")
    return Bounded(np.array(CLASSES), len(table), lambda: (bel, pl)).mass()


def test_beliefs_about_several_classes_are_combined(folder, capfd):
    tables = predictions(folder)
    sources = [masses_of(table) for table in tables]
    for source, table in zip(sources, tables, strict=True):
        for label in CLASSES:
            np.testing.assert_allclose(source.bel(label), table[f"bel_{label}"], atol=1e-12)
            np.testing.assert_allclose(source.pl(label), table[f"pl_{label}"], atol=1e-12)
    tables[1].sample(frac=1, random_state=0).to_csv("two.csv", index=False)
    for name in ("dempster", "pcr6", "yager", "mixing"):
        run(f"combine one.csv two.csv --key id --keep kind --rule {name} -o out.csv --force")
        found, m = read_csv("out.csv"), getattr(combine, name)(*sources).normalize()
        for label in CLASSES:
            np.testing.assert_allclose(found[f"bel_{label}"], m.bel(label), atol=1e-9)
            np.testing.assert_allclose(found[f"pl_{label}"], m.pl(label), atol=1e-9)
        conflict = combine.conjunctive(*sources).mass([])
        np.testing.assert_allclose(found["conflict"], conflict, atol=1e-12)
        best = np.array(CLASSES)[columns(found, "p").argmax(axis=1)]
        assert found["decision"].tolist() == best.tolist()
    run("combine one.csv two.csv --key id -o agreed.csv")
    assert "tables are weighed by how far they agree" in capfd.readouterr().err
    run("combine one.csv two.csv --key id --fit kind -o fusion.json")
    run("combine one.csv two.csv --key id --keep kind --rule fusion.json -o learned.csv")
    learned = read_csv("learned.csv")
    assert (learned["decision"] == learned["kind"]).mean() > 0.6


def test_a_row_without_a_number_changes_nothing(folder):
    tables = predictions(folder)
    tables[1].loc[3, "bel_dog"] = np.nan
    tables[1].to_csv("two.csv", index=False)
    run("combine one.csv two.csv --missing vacuous --rule dempster -o out.csv")
    found = read_csv("out.csv")
    for kind in ("bel", "pl"):
        expected = columns(tables[0], kind)[3]
        np.testing.assert_allclose(columns(found, kind)[3], expected, atol=1e-9)
    assert found["conflict"][3] == pytest.approx(0, abs=1e-15)  # rounding of the sum of masses


def test_what_does_not_fit_several_classes_is_refused(folder, capfd):
    tables = predictions(folder)
    other = tables[1].rename(columns=lambda name: name.replace("dog", "owl"))
    other.to_csv("owl.csv", index=False)
    tables[1].assign(bel_cat=0.9, pl_cat=0.95).to_csv("sum.csv", index=False)
    exchanged = {"bel_cat": "pl_cat", "pl_cat": "bel_cat"}
    tables[1].drop(columns="decision").rename(columns=exchanged).to_csv("turned.csv", index=False)
    for words, message in (
        ("one.csv owl.csv", "owl.csv has beliefs about 'cat', 'owl' and 'wild_cat', but one.csv"),
        ("one.csv two.csv --positive cat", "--positive is for two classes"),
        ("one.csv turned.csv", "bel_cat is"),
        ("one.csv sum.csv", "line"),
        ("one.csv two.csv --key id --engine duckdb", "combines beliefs about two classes"),
    ):
        run(f"combine {words} --rule dempster -o wrong.csv", 2)
        assert message in capfd.readouterr().err


def test_pages_are_about_any_number_of_classes(folder, capfd):
    tables = predictions(folder)
    capfd.readouterr()
    for words in (
        "report one.csv --target kind -o page.html --force",
        "report m.json a.csv -o page.html --force",
        "evaluate one.csv --target kind -o page.html --force",
    ):
        run(words)
        text = (folder / "page.html").read_text()
        assert text.count("<svg") == len(CLASSES) + 1
        assert "Answer or ask" in text
        assert all(f"class &#39;{label}&#39;" in text or label in text for label in CLASSES)
    wrong = np.array(CLASSES)[columns(tables[0], "p").argmax(axis=1)] != tables[0]["kind"]
    assert f"is wrong for {wrong.mean():.1%} of them" in text
    run("report one.csv two.csv --target kind -o both.html")
    assert "Classifiers combined" in (folder / "both.html").read_text()


def test_pages_of_probabilities_and_of_rows_without_a_class(folder, capfd):
    run(f"fit a.csv {SCORES} --method softmax -o m.json")  # whose beliefs are probabilities
    run("predict m.json a.csv -o out.csv")
    run("report out.csv --target kind -o page.html")
    table = read_csv("out.csv")
    best = np.array(CLASSES)[columns(table, "p").argmax(axis=1)]
    text = check_page((folder / "page.html").read_text()).text
    for name in CLASSES:
        cells = [int(((table["kind"] == name) & (best == other)).sum()) for other in CLASSES]
        assert " ".join([name, *map(str, cells)]) in text
    table[table["kind"] != "dog"].to_csv("some.csv", index=False)
    capfd.readouterr()
    for words in ("report some.csv -o new.html", "check some.csv"):
        run(f"{words} --target kind", 2)
        assert "no row is of class 'dog', but each class is" in capfd.readouterr().err
    run("evaluate some.csv --target kind")


def test_predictions_of_several_classes_come_from_standard_input(folder, capfd):
    predictions(folder)
    capfd.readouterr()
    run("evaluate one.csv --target kind --json")
    expected = json.loads(capfd.readouterr().out)
    line = [sys.executable, "-c", "from evical.cli import main; raise SystemExit(main())"]
    text = (folder / "one.csv").read_bytes()
    words = ["evaluate", "-", "--target", "kind", "--json"]
    found = subprocess.run([*line, *words], input=text, capture_output=True, check=True)
    assert json.loads(found.stdout)["measures"] == expected["measures"]


def test_columns_of_standard_input_are_not_looked_for_in_another_file(folder, monkeypatch):
    predictions(folder)
    read_csv("one.csv").drop(columns="kind").to_csv("others.csv", index=False)
    with open("one.csv") as file:
        monkeypatch.setattr(sys, "stdin", file)
        run("report - others.csv --target kind -o page.html")


def test_compare(folder, capfd):
    run(f"compare a.csv {SCORES} --methods softmax,binning --folds 3 -o page.html --json")
    assert f"evical compare a.csv {SCORES} --output" in Path("page.html").read_text("utf-8")
    told = json.loads(capfd.readouterr().out)
    p, y = data()
    found = compare(p, y, ["softmax", "binning"], cv=3)
    assert list(told["methods"]) == list(found.ranking())
    assert told["methods"]["binning"]["log_loss"] == found.mean("binning", "log_loss")
    assert told["classes"] == CLASSES
    wrong = (
        ("--score score_cat --target kind", "is a third class, besides"),
        ("--score score_cat --score score_dog --target kind", "class 'wild_cat' has no column"),
        (f"{SCORES} --positive cat", "--positive is for one score"),
        (f"{SCORES} --methods softmx", "did you mean 'softmax'"),
        (f"{SCORES.removesuffix('kind')}score_dog", "'score_dog' is given twice: as the class"),
    )
    for words, message in wrong:
        run(f"compare a.csv {words}", code=2)
        assert message in capfd.readouterr().err
    table = read_csv("a.csv")
    table[table["kind"] != "dog"].to_csv("two.csv", index=False)
    run("compare two.csv --score score_cat --score score_wild_cat --target kind", code=2)
    assert "two classes have one score; write --score score_wild_cat" in capfd.readouterr().err


def test_explore(folder, capfd):
    run(f"fit a.csv {SCORES} --method isotonic --model confidence --answer-error 0.5 -o m.json")
    run("explore m.json a.csv -o page.html")
    html = Path("page.html").read_text(encoding="utf-8")
    page = json.loads(html.partition('id="fitted">')[2].partition("</script>")[0])
    p, y = data()
    calibrator = load_model("m.json").calibrator
    np.testing.assert_allclose(page["rows"]["betp"], calibrator.predict_proba(p), atol=1e-6)
    assert [CLASSES[k] for k in page["rows"]["truth"]] == y.tolist()
    assert page["promise"] == str(load_model("m.json").answers)
    for name, example in page["examples"].items():
        row = int(name.removeprefix("sample")) - 1
        assert example["title"] == f"Sample {row + 1}, truly {y[row]}"
        [mass] = calibrator.predict_mass(p[[row]])
        expected = {str(k): mass.mass(mask=k) for k in range(1, 8) if mass.mass(mask=k)}
        assert {k: v for k, v in example["masses"][0].items() if v} == pytest.approx(expected)
    capfd.readouterr()
    run("explore m.json -o other.html", code=2)
    assert "the page of 3 classes needs samples; name a labeled table" in capfd.readouterr().err
    five = OneVsRestCalibrator("logistic").fit(np.eye(5)[np.arange(50) % 5], np.arange(50) % 5)
    with pytest.raises(ValueError, match="y is empty; at least one sample is needed"):
        build_explorer(calibrator, np.empty((0, 3)), [])
    with pytest.raises(ValueError, match="5 classes, but the page shows up to 4; evical predict"):
        build_explorer(five, np.eye(5), np.arange(5))
