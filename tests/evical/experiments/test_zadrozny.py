"""Zadrozny's comparison: its learner by definition, and quick rounds."""

from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from evical.datasets import Dataset, load_csv
from evical.experiments import ZadroznyProtocol, run_zadrozny
from evical.experiments._boosted_bayes import BoostedNaiveBayes, discretized

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
QUICK = ZadroznyProtocol(bases=("gaussian",), n_rounds=3, n_steps=(1, 5), max_iter=40, seeds=(0,))


def toy(seed=0):
    X, y = make_classification(
        600, 6, n_informative=5, n_redundant=0, n_classes=4, n_clusters_per_class=1, random_state=0
    )
    part = np.random.default_rng(seed).permutation(600)
    names = tuple("abcdef"), tuple("pqrs")
    return [Dataset("toy", X[rows], y[rows], *names) for rows in (part[:400], part[400:])]


def test_two_rounds_by_hand():
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
    found = BoostedNaiveBayes("gaussian", 2, 0).fit(X, y).predict_positive(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("base", ["gaussian", "discrete"])
def test_no_rounds_are_naive_bayes(base):
    """Also in the smoothing of counts, which must not see weights of sum 1."""
    X, y = make_classification(50, 4, random_state=0)
    X, _ = discretized(X, X, 4) if base == "discrete" else (X, X)
    bayes = CategoricalNB() if base == "discrete" else GaussianNB()
    expected = bayes.fit(X, y).predict_proba(X)[:, 1]
    found = BoostedNaiveBayes(base, 0, 4).fit(X, y).predict_positive(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_perfect_hypothesis_ends_boosting():
    X, y = np.array([[0.0], [1.0], [100.0], [101.0]]), np.array([0, 0, 1, 1])
    model = BoostedNaiveBayes("gaussian", 10, 0).fit(X, y)
    np.testing.assert_allclose(model.predict_positive(X), y, atol=1e-6)


def test_bins_hold_equally_many():
    train = np.column_stack([np.arange(20.0), np.r_[np.zeros(15), np.arange(5)]])
    seen, new = discretized(train, np.array([[-1.0, 9.0], [99.0, 0.0]]), 4)
    np.testing.assert_array_equal(np.unique(seen[:, 0], return_counts=True)[1], [5, 5, 5, 5])
    assert new[0, 0] == 0
    assert new[1, 0] == 3
    assert seen[:, 1].max() == new[0, 1] <= 3


def test_a_quick_round():
    train, test = toy()
    rows = run_zadrozny(train, test, QUICK)
    keys = {(r.learner, r.code, r.scores, r.method) for r in rows}
    assert len(keys) == len(rows)
    # Six methods and two looks for three codes, normalization for one; learners and scores.
    assert len(rows) == 1 + 4 * (3 * 8 + 1)
    assert all(0 <= r.error < 0.6 for r in rows)
    assert all(np.isnan(r.mse) == r.method.startswith("loss") for r in rows)
    assert rows[0].error == np.mean(GaussianNB().fit(train.X, train.y).predict(test.X) != test.y)
    mse = {(r.learner, r.code, r.scores, r.method): r.mse for r in rows}
    for key, value in mse.items():
        if key[-1] == "iterative":
            assert value < mse[(*key[:-1], "non-iterative")]


@pytest.mark.skipif(not DATA.exists(), reason="data sets are not here")
def test_a_part_of_pendigits():
    train, test = (load_csv(DATA / f"pendigits_{part}.csv", "target") for part in ("train", "test"))
    few = [
        Dataset(d.name, d.X[::4], d.y[::4], d.feature_names, d.class_names) for d in (train, test)
    ]
    protocol = replace(QUICK, codes=("one_vs_rest",), n_steps=(), max_iter=40)
    mse = {(r.learner, r.scores, r.method): r.mse for r in run_zadrozny(*few, protocol)}
    for learner in ("naive Bayes", "boosted naive Bayes"):
        assert mse[learner, "raw", "iterative"] < mse[learner, "raw", "non-iterative"] / 2
        for method in ("iterative", "least squares", "least divergence", "normalization"):
            assert mse[learner, "PAV", method] < mse[learner, "raw", method]


def test_other_classes_are_refused():
    train, test = toy()
    other = Dataset("other", test.X, test.y, test.feature_names, tuple("wxyz"))
    with pytest.raises(ValueError, match="toy and other differ in their features or classes"):
        run_zadrozny(train, other, QUICK)
