"""Zadrozny's studies: the learner by definition, tables as printed, and quick repeats."""

import os
from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from evical.datasets import Dataset, load
from examples.studies.parts.boosted_bayes import BoostedNaiveBayes, DiscreteBayes
from examples.studies.parts.calibration_samples import GivenSplit
from examples.studies.parts.categories import indicators
from examples.studies.zadrozny._condition import COUPLINGS, CodeCondition
from examples.studies.zadrozny.calibration_2002 import ZADROZNY2002
from examples.studies.zadrozny.couplings_2001 import ZADROZNY2001
from tests.support.each import each

DATA = Path(
    os.environ.get("EVICAL_DATA") or Path(__file__).resolve().parents[5] / "shared" / "data"
)
needs_data = pytest.mark.skipif(not DATA.exists(), reason="data sets are not here")

CONDITION = CodeCondition(
    key="toy",
    source=GivenSplit("toy", "train", "test"),
    base="Gaussian",
    boosting=(0, 3),
    codes=("all_pairs", "one_vs_rest", "sparse"),
    methods=("none", "PAV"),
    couplings=tuple(COUPLINGS),
    labels=("learner", "code", "method", "coupling", "steps"),
    measures=("mse", "error", "log_loss", "auc"),
    steps=(0, 2),
    multiclass=True,
)


def toy(n_classes=4):
    X, y = make_classification(
        600,
        6,
        n_informative=5,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=0,
    )
    names = tuple("abcdef"), tuple("pqrstuvw"[:n_classes])
    return {
        "train": Dataset("train", X[:400], y[:400], *names),
        "test": Dataset("test", X[400:], y[400:], *names),
    }


def test_two_rounds_of_boosting_by_hand():
    """Each error and weight as AdaBoost defines them, for hypotheses in [0, 1]."""
    X, y = make_classification(80, 4, flip_y=0.2, random_state=0)
    weights, power = np.full(80, 1 / 80), np.zeros(80)
    for _ in range(2):
        h = GaussianNB().fit(X, y, weights).predict_proba(X)[:, 1]
        error = sum(w * abs(p - label) for w, p, label in zip(weights, h, y, strict=True))
        beta = error / (1 - error)
        power += [log(1 / beta) * (2 * p - 1) for p in h]
        weights = weights * [beta ** (1 - abs(p - c)) for p, c in zip(h, y, strict=True)]
        weights /= weights.sum()
    expected = [1 / (1 + exp(-v)) for v in power]
    found = BoostedNaiveBayes(2).fit(X, y).predict_positive(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_naive_bayes_of_indicators_is_that_of_categories():
    """Also with weights, and of categories that no sample has."""
    rng = np.random.default_rng(0)
    sizes = np.array([2, 3, 5])
    X, y, weights = rng.integers(0, [2, 3, 4], (60, 3)), rng.integers(0, 3, 60), rng.random(60)
    new = rng.integers(0, sizes, (20, 3))
    for weight in (None, weights):
        peer = CategoricalNB(min_categories=sizes).fit(X, y, weight)
        found = DiscreteBayes(sizes).fit(indicators(X, sizes), y, weight)
        np.testing.assert_allclose(
            found.predict_proba(indicators(new, sizes)), peer.predict_proba(new), rtol=1e-9
        )


def test_no_rounds_are_naive_bayes():
    """The smoothing of counts must not see weights of sum 1."""
    rng = np.random.default_rng(1)
    sizes = np.array([4, 4])
    X, y = rng.integers(0, 4, (50, 2)), rng.integers(0, 2, 50)
    expected = CategoricalNB(min_categories=sizes).fit(X, y).predict_proba(X)[:, 1]
    table = indicators(X, sizes)
    found = BoostedNaiveBayes(0, sizes).fit(table, y).predict_positive(table)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_perfect_hypothesis_ends_boosting():
    X, y = np.array([[0.0], [1.0], [100.0], [101.0]]), np.array([0, 0, 1, 1])
    model = BoostedNaiveBayes(10).fit(X, y)
    np.testing.assert_allclose(model.predict_positive(X), y, atol=1e-6)


def test_rows_of_a_round():
    data = toy()
    rows = dict(CONDITION.run_repeat(data, 0, 0))
    # Seven couplings, of which normalization for one code, and two looks; learners and methods.
    assert len(rows) == 1 + 4 * (3 * 8 + 1)
    error = np.array([values[1] for values in rows.values()])
    assert ((error >= 0) & (error < 0.6)).all()
    for labels, (mse, _, log_loss, auc) in rows.items():
        assert np.isnan(mse) == np.isnan(log_loss) == labels[3].startswith("loss")
        assert np.isnan(auc)
    mse = {labels: values[0] for labels, values in rows.items()}
    for labels, value in mse.items():
        if labels[3] == "iterative":
            assert value < mse[(*labels[:3], "non-iterative", "end")]
            stopped = [mse[(*labels[:3], "iterative, stopped", step)] for step in "02"]
            assert stopped[0] == mse[(*labels[:3], "non-iterative", "end")]
            assert stopped[1] < stopped[0]
    bayes = GaussianNB().fit(data["train"].X, data["train"].y)
    wrong = bayes.predict(data["test"].X) != data["test"].y
    assert rows["naive Bayes", "none", "none", "none", "end"][1] == np.mean(wrong)


def test_a_repeat_depends_on_seed_and_number_only():
    few = replace(CONDITION, boosting=(0,), methods=("none",), couplings=("iterative",), steps=())
    data = toy()
    repeats = {number: few.run_repeat(data, number, 3) for number in (2, 0, 1)}
    for number in (0, 1):
        np.testing.assert_equal(few.run_repeat(data, number, 3), repeats[number])
    errors = [[values[1] for _, values in repeats[number]] for number in (0, 1, 2)]
    assert errors[0] != errors[1] != errors[2]


def test_bases_share_samples_and_codes():
    """So that their answers are compared on the same ground: repeat 0 is the published split."""
    fixed = replace(CONDITION, boosting=(0,), methods=("none",), codes=("one_vs_rest",))
    again = replace(fixed, key="again", couplings=("least squares",))
    rows = dict(fixed.run_repeat(toy(), 1, 0))
    for labels, values in again.run_repeat(toy(), 1, 0):
        np.testing.assert_equal(rows[labels], values)


@pytest.mark.parametrize("base", ["Gaussian", "ten bins"])
def test_a_class_without_training_samples(base):
    """A column of one class knows by the rule of succession only, and the repeat goes on."""
    data = toy()
    train = data["train"]
    kept = train.y != 3
    data["train"] = replace(train, X=train.X[kept], y=train.y[kept])
    few = replace(CONDITION, base=base, couplings=("least squares", "loss -y"), steps=())
    rows = few.run_repeat(data, 0, 0)
    assert all(0 <= values[1] < 0.8 for _, values in rows)


# As in the tables: sums over methods by hand.
SUMS = {
    ("zadrozny2001", "Table 2: satimage, error"): 2 * (0.554 + 0.5985 + 0.567 + 0.204),
    ("zadrozny2001", "Table 3: pendigits, mse"): 2 * (0.0876 + 0.1022 + 0.1005 + 0.0509),
    ("zadrozny2001", "Table 3: soybean, error"): 0.266 + 0.351 + 0.287 + 0.0745,
    ("zadrozny2002", "Table 2: TIC, mse"): 2 * (0.33696 + 0.35274) + 0.33996 + 0.34211,
    ("zadrozny2002", "Table 3: adult, error"): 3 * (0.47035 + 0.47342) + 2 * (0.45461 + 0.45074),
    ("zadrozny2002", "Table 4: pendigits, mse"): 2 * (0.0949 + 0.0761 + 0.0487 + 0.0449),
}


@each(("study", "title"), SUMS)
def test_tables_are_typed_right(study, title):
    printed = {"zadrozny2001": ZADROZNY2001, "zadrozny2002": ZADROZNY2002}[study].published
    (table,) = [table for table in printed if table.title == title]
    assert sum(table.values.values()) == pytest.approx(SUMS[study, title])


def near_printed(study, rows):
    """Pairs of our numbers and the printed ones, in the rows that there are."""
    for table in study.published:
        for cell, printed in table.values.items():
            named = dict(zip((*table.rows, *table.columns), cell, strict=True)) | table.where
            labels = tuple(named[label] for label in study.labels)
            if labels in rows:
                yield rows[labels][study.measures.index(table.measure)], printed


def run(study, key, **changes):
    (condition,) = [condition for condition in study.conditions if condition.key == key]
    data = {name: load(name, DATA) for name in condition.datasets}
    return dict(replace(condition, **changes).run_repeat(data, 0, 0))


@needs_data
def test_the_published_split_of_satimage():
    """Two points are as near as bins come to an unknown way of discretizing."""
    rows = run(ZADROZNY2001, "satimage-ten-bins", codes=("all_pairs",), steps=(0, 35))
    pairs = np.array(list(near_printed(ZADROZNY2001, rows)))
    assert len(pairs) == 8
    np.testing.assert_allclose(*pairs.T, atol=0.02)


@needs_data
def test_the_published_split_of_soybean():
    changes = {"codes": ("one_vs_rest",), "couplings": ("loss -y", "non-iterative")}
    rows = run(ZADROZNY2001, "soybean-codes", **changes)
    mse = {labels[3:5]: values[1] for labels, values in rows.items()}
    assert mse["one_vs_rest", "non-iterative"] == pytest.approx(0.0493, abs=5e-5)
    # The page says why: printed 0.0996, with a zero lost.
    assert mse["none", "none"] == pytest.approx(0.00996, abs=1e-4)


@needs_data
def test_the_published_split_of_tic():
    rows = run(ZADROZNY2002, "tic-naive-bayes-ten-attributes")
    calibrated = {labels: v for labels, v in rows.items() if labels[2] in ("sigmoid", "PAV")}
    pairs = np.array(list(near_printed(ZADROZNY2002, calibrated)))
    assert len(pairs) == 4
    np.testing.assert_allclose(*pairs.T, atol=6e-4)
    for sample in ("training", "test"):
        none, pav = (
            rows["TIC", "naive Bayes, ten attributes", method, "none", sample][0]
            for method in ("none", "PAV")
        )
        assert pav < none


def test_parts_are_told_apart():
    for study in (ZADROZNY2001, ZADROZNY2002):
        keys = [condition.key for condition in study.conditions]
        assert len(set(keys)) == len(keys)
        assert set(study.quick) <= set(keys)
