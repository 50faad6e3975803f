"""Ties of conformal scores: ranks break them, and the promise stays exact with and without."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from evical.conformal import ConformalClassifier, ConformalScores, p_values
from evical.conformal.nonconformity import aps_scores, raps_scores
from tests.naive import conformal as naive

ADAPTIVE = {"aps": aps_scores, "raps": raps_scores}
each = pytest.mark.parametrize("name", ADAPTIVE)


# ---- the promise, by enumeration


def _bags():
    """Bags of five samples (row of probabilities, class), sure ones and unsure ones, with ties."""
    rows = [(4, 0, 0), (0, 4, 0), (2, 1, 1), (2, 2, 0)]
    for number, chosen in enumerate(product(rows, repeat=5)):
        if number % 41 == 0:
            yield [(row, (number + i * i) % 3) for i, row in enumerate(chosen)]


@each
def test_the_promise_is_exact_for_each_bag_of_samples(name):
    """Exchangeable samples: any of a bag is the new one with equal probability."""
    for bag in _bags():
        table = np.array([row for row, _ in bag]) / 4
        own = ADAPTIVE[name](table)[np.arange(5), [label for _, label in bag]]
        plain = [p_values(np.delete(own, i), own[i : i + 1])[0] for i in range(5)]
        for k in range(1, 6):
            assert sum(p <= k / 5 for p in plain) <= k, (bag, k)
        # Smoothed by tau, uniform in [0, 1]: the chance of p <= alpha is alpha, without slack.
        scores = own.tolist()
        for alpha in (Fraction(1, 10), Fraction(1, 3), Fraction(3, 4)):
            chances = []
            for i, score in enumerate(scores):
                others = scores[:i] + scores[i + 1 :]
                low, high = (naive.p_value(others, score, tau=Fraction(t)) for t in (0, 1))
                chances.append(min(max((alpha - low) / (high - low), 0), 1))
                for tau in (0.0, 0.5, 1.0):
                    found = p_values(np.array(others), np.array([score]), tau=np.array([tau]))
                    assert found[0] == pytest.approx(float(low + Fraction(tau) * (high - low)))
            assert sum(chances) / 5 == alpha, (bag, alpha)


# ---- a class of a lower rank is stranger


@each
def test_less_likely_classes_are_stranger(name):
    """Down to probabilities whose sums round to 1, of up to 1,000 classes."""
    rng = np.random.default_rng(0)
    for k in (2, 3, 10, 100, 1000):
        rows = [np.eye(k)[rng.integers(k, size=5)]]
        for heat in (1.0, 30.0, 300.0):
            z = heat * rng.normal(size=(5, k))
            p = np.exp(z - z.max(axis=1, keepdims=True))
            rows.append(p / p.sum(axis=1, keepdims=True))
        table = np.concatenate(rows)
        for u in (None, rng.uniform(size=len(table))):
            scores = ADAPTIVE[name](table, u)
            for row, score in zip(table, scores, strict=True):
                order = np.argsort(-row, kind="stable")
                falls, rises = np.diff(row[order]) < 0, np.diff(score[order]) > 0
                np.testing.assert_array_equal(falls, rises, err_msg=f"{k} classes, u {u}")


@each
def test_sums_that_differ_by_rounding_are_decided_by_ranks(name):
    """A class of probability 0 is not less strange than a sure one because a sum rounds down."""
    rng = np.random.default_rng(1)
    for k in (3, 10, 1000):
        noise = rng.dirichlet(np.ones(k), size=40) * 1e-15
        table = noise + np.eye(k)[rng.integers(min(k, 10), size=40)]
        table /= table.sum(axis=1, keepdims=True)
        y = table.argmax(axis=1)
        assert len(set(table.sum(axis=1).tolist())) > 1
        scores = ConformalScores.from_samples(
            table[:30], y[:30], classes=range(k), nonconformity=name
        )
        sets = scores.predict_set(table[30:], 0.1)
        assert sets.sum(axis=1).tolist() == [1] * 10, k
        assert scores.predict(table[30:]).tolist() == y[30:].tolist()


@each
def test_a_perfect_classifier_has_sets_of_one_class(name):
    for k in (2, 3, 10, 1000):
        y = np.arange(30) % min(k, 10)
        table = np.eye(k)[y]
        scores = ConformalScores.from_samples(table, y, classes=range(k), nonconformity=name)
        p = scores.predict_p(table)
        assert (p[np.arange(30), y] == 1).all()
        assert (np.sort(p, axis=1)[:, :-1] == 1 / 31).all()
        assert scores.predict(table).tolist() == y.tolist()
        np.testing.assert_array_equal(scores.predict_set(table, 0.1), table > 0)


# ---- digits and iris


def _judged(load, classifier, name):
    """Mean size and coverage of sets at 10 %, and accuracy, over three splits."""
    found = []
    for seed in range(3):
        X, new, y, truth = train_test_split(
            *load(return_X_y=True), test_size=0.4, random_state=seed
        )
        clf = ConformalClassifier(classifier, nonconformity=name, random_state=seed).fit(X, y)
        sets = clf.predict_set(new, alpha=0.1)
        held = sets[np.arange(len(truth)), truth]
        found.append((sets.sum(axis=1).mean(), held.mean(), (clf.predict(new) == truth).mean()))
    return np.mean(found, axis=0)


@pytest.mark.parametrize(
    ("load", "classifier", "most", "accuracy"),
    [
        (load_digits, GaussianNB(), 2.0, 0.8),
        (load_digits, KNeighborsClassifier(), 1.1, 0.97),
        (load_iris, RandomForestClassifier(20, random_state=0), 1.43, 0.93),
        (load_iris, DecisionTreeClassifier(random_state=0), 1.43, 0.92),
    ],
    ids=["digits-naive-Bayes", "digits-neighbors", "iris-forest", "iris-tree"],
)
def test_sets_of_sure_classifiers(load, classifier, most, accuracy):
    for name in ADAPTIVE:
        size, coverage, right = _judged(load, classifier, name)
        assert size <= most, name
        assert coverage >= 0.88, name  # 0.9 less chance
        assert right >= accuracy, name


# ---- saved models


def test_saved_before_ranks_it_predicts_as_it_did():
    data = {
        "format": "evical.conformal",
        "version": 1,
        "classes": ["a", "b", "c"],
        "nonconformity": "aps",
        "parameters": {},
        "conditional": None,
        "samples": [{"scores": [0.75, 1.0, 1.0, 1.0], "weight_from": None}],
    }
    scores = ConformalScores.from_dict(data)
    found = scores.predict_p([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
    assert found.tolist() == [[0.8, 0.8, 0.8], [1.0, 1.0, 1.0]]
    assert scores.to_dict() == data
    later = ConformalScores.from_samples(np.eye(3), ["a", "b", "c"], nonconformity="aps")
    assert later.to_dict()["version"] == 2
    assert later.predict_p([[1.0, 0.0, 0.0]]).tolist() == [[1.0, 0.25, 0.25]]
