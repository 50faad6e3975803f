"""Conformal models of the command line: what it writes is what Python computes."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from evical.cli import main
from evical.cli._model import checksum, load_model
from evical.conformal import ConformalClassifier, ConformalScores
from tests.support.each import each
from tests.support.tables import read_csv

CLASSES = ["cat", "dog", "wild_cat"]
N = 120
MANY = (
    "many.csv --score score_wild_cat --score score_cat --score score_dog --target kind --conformal"
)
ONE = "one.csv --score p --target y --conformal"


class Columns(ClassifierMixin, BaseEstimator):
    """Has the probabilities of a table."""

    def __init__(self, classes=None):
        self.classes = classes

    def fit(self, X, y=None):
        """Know the classes."""
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        """The columns."""
        return X


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    z = rng.normal(size=(N, 3))
    z[np.arange(N), y] += 1.5
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    table = pd.DataFrame(p, columns=[f"score_{name}" for name in CLASSES]).iloc[:, ::-1]
    table.assign(kind=np.array(CLASSES)[y], w=rng.integers(0, 3, N)).to_csv(
        tmp_path / "many.csv", index=False
    )
    s = rng.normal(size=N)
    q = 1 / (1 + np.exp(-s))
    answers = np.where(rng.random(N) < q, "yes", "no")
    pd.DataFrame({"s": s, "p": q, "y": answers}).to_csv(tmp_path / "one.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words, code=0):
    assert main(words.split()) == code


def many():
    table = read_csv("many.csv")
    return table[[f"score_{name}" for name in CLASSES]].to_numpy(), table["kind"].to_numpy()


def columns(table, kind, classes=CLASSES):
    return table[[f"{kind}_{name}" for name in classes]].to_numpy()


def joined(sets, classes):
    return ["|".join(np.array(classes)[row]) for row in sets]


def assert_written(path, clf, X, classes, alpha):
    found = read_csv(path)
    contour = clf.predict_contour(X)
    np.testing.assert_allclose(columns(found, "pl", classes), contour, rtol=1e-14)
    bel = 1 - np.stack([np.delete(contour, k, axis=1).max(axis=1) for k in range(len(classes))], 1)
    np.testing.assert_allclose(columns(found, "bel", classes), bel, atol=1e-14)
    np.testing.assert_allclose(columns(found, "p", classes), clf.predict_proba(X), rtol=1e-12)
    assert found["set"].tolist() == joined(clf.predict_set(X, alpha=alpha), classes)
    assert found["decision"].tolist() == clf.predict(X).tolist()
    assert len(set(found["set"])) > 2


@pytest.mark.parametrize("nonconformity", ["lac", "aps", "raps", "margin"])
@pytest.mark.parametrize("by_class", [False, True])
def test_fit_and_predict_are_those_of_python(folder, nonconformity, by_class):
    words = f"--nonconformity {nonconformity} {'--by-class' if by_class else ''}"
    run(f"fit {MANY} {words} -o m.json")
    run("predict m.json many.csv --alpha 0.2 -o out.csv")
    p, y = many()
    clf = ConformalClassifier(
        FrozenEstimator(Columns(CLASSES).fit(p)),
        nonconformity=nonconformity,
        conditional="class" if by_class else None,
    )
    assert_written("out.csv", clf.fit(p, y), p, CLASSES, 0.2)


@pytest.mark.parametrize("nonconformity", ["lac", "aps"])
def test_smoothed_is_that_of_python(folder, nonconformity):
    run(f"fit {MANY} --nonconformity {nonconformity} --smoothed -o m.json")
    run("predict m.json many.csv --alpha 0.2 -o out.csv")
    p, y = many()
    clf = ConformalClassifier(
        FrozenEstimator(Columns(CLASSES).fit(p)),
        nonconformity=nonconformity,
        smoothed=True,
        random_state=0,
    )
    assert_written("out.csv", clf.fit(p, y), p, CLASSES, 0.2)
    # A row keeps its random number if others lack a score, however decisions are made.
    table = pd.read_csv("many.csv", dtype=str)
    table.loc[[0, 50], "score_dog"] = ""
    table.to_csv("gaps.csv", index=False)
    kept = np.delete(np.arange(N), [0, 50])
    for words in ("", "--criterion maximin"):
        for source in ("many", "gaps"):
            run(
                f"predict m.json {source}.csv --missing vacuous -o {source}_out.csv --force {words}"
            )
        whole, gaps = (pd.read_csv(f"{source}_out.csv") for source in ("many", "gaps"))
        pd.testing.assert_frame_equal(whole.iloc[kept, 4:], gaps.iloc[kept, 4:])


def test_a_row_of_any_chunk_keeps_its_random_number(folder):
    run(f"fit {MANY} --smoothed -o m.json")
    pd.concat([read_csv("many.csv")] * 300).to_csv("long.csv", index=False)  # two chunks
    read_csv("long.csv").to_parquet("long.parquet", index=False)
    for source in ("long.csv", "long.parquet"):
        run(f"predict m.json {source} -o out.csv --force")
        found = read_csv("out.csv")
        values = found[[f"score_{name}" for name in CLASSES]].to_numpy()
        contour = load_model("m.json").calibrator.predict_contour(values)
        np.testing.assert_allclose(columns(found, "pl"), contour, rtol=1e-14, err_msg=source)


def test_one_probability(folder):
    run(f"fit {ONE} -o m.json")
    run("predict m.json one.csv -o out.csv")
    table = read_csv("one.csv")
    p = np.stack([1 - table["p"], table["p"]], axis=1)
    clf = ConformalClassifier(FrozenEstimator(Columns(["no", "yes"]).fit(p))).fit(p, table["y"])
    assert_written("out.csv", clf, p, ["no", "yes"], 0.1)
    new = [*table.columns, *(f"{k}_{c}" for c in ("no", "yes") for k in ("bel", "pl", "p"))]
    assert list(read_csv("out.csv")) == [*new, "set", "decision"]


def test_one_decision_value_with_another_positive_class_and_another_column(folder):
    run("fit one.csv --score s --target y --conformal --nonconformity margin -o m.json")
    table = read_csv("one.csv")
    table.assign(t=-table["s"]).drop(columns="s").to_csv("turned.csv", index=False)
    run(
        "fit turned.csv --score t --target y --positive no --conformal --nonconformity margin "
        "-o turned.json"
    )
    assert load_model("turned.json").labels == ("yes", "no")
    run("predict m.json one.csv -o a.csv")
    run("predict turned.json turned.csv -o b.csv")
    a, b = read_csv("a.csv"), read_csv("b.csv")
    for kind in ("bel", "pl", "p"):
        np.testing.assert_array_equal(
            columns(a, kind, ["no", "yes"]), columns(b, kind, ["no", "yes"])
        )
    assert a["decision"].tolist() == b["decision"].tolist()
    run("predict turned.json turned.csv --score t -o c.csv")
    pd.testing.assert_frame_equal(read_csv("c.csv"), b)


def test_weights_count_rows(folder):
    table = read_csv("many.csv")
    table.loc[table.index.repeat(table["w"])].to_csv("repeated.csv", index=False)
    run(f"fit {MANY} --weight w --by-class -o a.json")
    run(f"fit {MANY.replace('many', 'repeated')} --by-class -o b.json")
    for name in ("a", "b"):
        run(f"predict {name}.json many.csv -o {name}.csv")
    pd.testing.assert_frame_equal(read_csv("a.csv"), read_csv("b.csv"))


def test_what_is_told(folder, capfd):
    run(f"fit {MANY} --nonconformity raps --option penalty=0.5 --by-class -o m.json --json")
    told = json.loads(capfd.readouterr().out)
    assert told["method"] == "ConformalScores"
    assert (told["nonconformity"], told["conditional"]) == ("raps", "class")
    assert told["parameters"] == {"penalty": 0.5, "n_free": 5}
    assert sum(told["training"]["weights"].values()) == told["training"]["rows"] == N
    run(f"fit {ONE} -o n.json")
    out = capfd.readouterr().out
    assert "ConformalScores(lac, 120 samples, 2 classes)" in out
    assert "Least p-value" in out
    assert "0.00826" in out  # 1 / 121
    run("predict n.json one.csv --alpha 0.005 -o out.csv")
    err = capfd.readouterr().err
    assert err.startswith("warning: alpha = 0.005 can reject nothing with 120 calibration samples")
    assert set(read_csv("out.csv")["set"]) == {"no|yes"}


def test_the_file_is_read_in_python(folder):
    run(f"fit {MANY} -o m.json")
    scores = ConformalScores.from_dict(json.loads((folder / "m.json").read_text())["calibrator"])
    p, y = many()
    expected = ConformalScores.from_samples(p, y)
    np.testing.assert_array_equal(scores.predict_p(p), expected.predict_p(p))


def test_decisions(folder):
    run(f"fit {MANY} -o m.json")
    p, y = many()
    clf = ConformalScores.from_samples(p, y)
    run("predict m.json many.csv --reject 0.05 -o r.csv")
    sure = clf.predict_proba(p).max(axis=1) > 0.95
    np.testing.assert_array_equal(read_csv("r.csv")["decision"] != "reject", sure)
    assert 0 < sure.sum() < N
    run("predict m.json many.csv --criterion interval_dominance -o i.csv")
    bounds = clf.predict_interval(p)
    kept = bounds[..., 1] >= bounds[..., 0].max(axis=1, keepdims=True)
    assert read_csv("i.csv")["decision"].tolist() == joined(kept, CLASSES)


def test_missing_scores(folder, capfd):
    run(f"fit {MANY} -o m.json")
    text = read_csv("many.csv").astype({"score_dog": object})
    text.loc[[1, 7], "score_dog"] = ["", "NA"]
    text.to_csv("gaps.csv", index=False)
    run("predict m.json gaps.csv", 2)
    run("predict m.json gaps.csv --missing vacuous -o v.csv")
    empty = read_csv("v.csv").iloc[[1, 7]]
    assert (columns(empty, "bel") == 0).all()
    assert (columns(empty, "pl") == 1).all()
    assert empty["set"].tolist() == ["|".join(CLASSES)] * 2
    capfd.readouterr()
    run(f"fit {MANY.replace('many', 'gaps')} --missing drop -o d.json --json")
    training = json.loads(capfd.readouterr().out)["training"]
    assert (training["rows"], training["missing"]) == (N - 2, 2)


def test_judging(folder, capfd):
    run(f"fit {ONE} -o m.json")
    run("predict m.json one.csv -o out.csv")
    table = read_csv("one.csv").rename(columns={"p": "q"})
    table.to_csv("renamed.csv", index=False)
    capfd.readouterr()
    found = []
    for words in ("m.json one.csv", "m.json renamed.csv --score q", "out.csv --target y"):
        run(f"evaluate {words} --json")
        found.append(json.loads(capfd.readouterr().out)["measures"])
    assert found[0] == found[1]
    width = read_csv("out.csv").eval("pl_yes - bel_yes").mean()
    assert found[0]["mean_imprecision"]["value"] == pytest.approx(width)
    assert found[2]["mean_imprecision"]["value"] == pytest.approx(width)
    run("report m.json one.csv -o page.html", 2)
    assert "the model is conformal" in capfd.readouterr().err


WRONG = [
    ("fit one.csv --score s --target y --conformal", "line 2, column 's': found"),
    ("fit one.csv --score s --target y --conformal --nonconformity aps", "from 0 to 1"),
    (f"fit {ONE} --positive maybe", "no class 'maybe'"),
    ("fit one.csv --score p=yes --target y --conformal --positive no", "--positive is 'no', but"),
    ("fit many.csv --score score_cat --target kind --conformal", "'cat' is a third class, besides"),
    ("fit none.csv --score p --target y --conformal", "one class only (all 'no')"),
    (f"fit {MANY} --positive cat", "--positive is for one score"),
    (f"fit {MANY.replace('--score score_cat', '')}", "class 'cat' has no column"),
    (f"fit {MANY} --score zero=cow", "there is no class 'cow'"),
    (f"fit {MANY} --method isotonic", "are not for --conformal"),
    (f"fit {MANY} --model laplace", "are not for --conformal"),
    (f"fit {MANY} --option penalty=1", "nonconformity 'lac' has no option 'penalty'"),
    (f"fit {MANY} --nonconformity raps --option penalty=-1", "penalty is -1"),
    (f"fit {MANY} --weight zero", "all weights are zero"),
    ("fit one.csv --score p --target y --by-class", "are for --conformal"),
    ("fit one.csv --score p --target y --nonconformity lac", "are for --conformal"),
    ("predict m.json many.csv --alpha 0", "alpha is 0"),
    ("predict m.json many.csv --alpha 1.5", "alpha is 1.5"),
    ("predict m.json many.csv --score score_dog", "--score is for one score"),
    ("predict m.json many.csv --threshold 0.5", "are for two classes"),
    ("predict m.json one.csv", "no column 'score_cat'"),
    ("predict n.json many.csv", "no column 'p', the score of the model"),
    ("predict plain.json one.csv --alpha 0.1", "--alpha is for models of evical fit --conformal"),
]


@pytest.fixture
def fitted(folder, capfd):
    """Models of three kinds, and tables that lack something."""
    table = read_csv("one.csv")
    table[table["y"] == "no"].to_csv("none.csv", index=False)
    read_csv("many.csv").assign(zero=0).to_csv("many.csv", index=False)
    run(f"fit {MANY} -o m.json")
    run(f"fit {ONE} -o n.json")
    run("fit one.csv --score p --target y --method logistic -o plain.json")
    capfd.readouterr()
    return folder


@each(("words", "message"), WRONG)
def test_what_is_wrong_is_said_in_a_line(fitted, capfd, words, message):
    run(f"{words} -o out.{'json' if words.startswith('fit') else 'csv'}", 2)
    err = capfd.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not list(fitted.glob("out.*"))


def places(value, path=()):
    """Paths to what stands in nested dicts and lists; of a list, to its first part only."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


@pytest.mark.parametrize("value", [None, "x", -1, [], {}, [[1.0]], 1e308])
def test_damage_is_refused_though_the_checksum_is_right(folder, value):
    run(f"fit {MANY} --weight w --nonconformity raps -o m.json")
    path = folder / "m.json"
    data = json.loads(path.read_text())
    del data["checksum"]
    refused = []
    for place in places(data):
        changed = copy.deepcopy(data)
        owner = changed
        for key in place[:-1]:
            owner = owner[key]
        owner[place[-1]] = value
        changed["checksum"] = checksum(changed)
        path.write_text(json.dumps(changed))
        try:
            load_model(path)
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > 10
    assert [text for text in refused if not text.startswith("m.json ")] == []


def test_any_change_by_hand_is_noticed(folder):
    run(f"fit {ONE} -o m.json")
    path = folder / "m.json"
    data = json.loads(path.read_text())
    data["calibrator"]["samples"][0]["scores"][0] = 0.0
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match="changed by hand"):
        load_model(path)
