"""EvidentialEnsemble with members that are alike, perfect, constant, wrong or of other classes."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialSource
from evical.calibrators import LogisticCalibrator
from evical.errors import WrongWayWarning
from tests.support.each import each

RULES = ["stacked", "dempster", "discounted", "likelihood_mixture"]
N = 150
SIGMOID = LogisticCalibrator(model="confidence")


class Oracle(ClassifierMixin, BaseEstimator):
    """Reads the label in the last column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[X[:, -1].astype(int)]


class Never(ClassifierMixin, BaseEstimator):
    """Bayes without the last class."""

    def fit(self, X, y):
        self.inner_ = GaussianNB().fit(X[:, :2], y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        p = self.inner_.predict_proba(X[:, :2]) + 1e-300
        p[:, -1] = 0
        return p / p.sum(axis=1, keepdims=True)


def data(k):
    codes = np.arange(N) % k
    x = np.random.default_rng(0).normal(size=(N, 2)) + 1.8 * np.eye(3)[codes][:, :2]
    return np.column_stack([x, codes]), np.array(list("abc"))[codes]


def fit(members, k, rule, **options):
    X, y = data(k)
    clf = EvidentialEnsemble(members, rule=rule, **{"cv": 2, "calibrator": SIGMOID, **options}).fit(
        X, y
    )
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
    return clf, p, clf.score(X, y)


NB = EvidentialSource(GaussianNB(), columns=[0, 1])


@cache
def alone(k, rule):
    """Probabilities and accuracy of one good member."""
    _, p, score = fit([NB], k, rule)
    return p, score


under_each = each("rule", RULES)
both = each("k", [2, 3])


@under_each
@both
def test_all_alike_are_as_good_as_one(rule, k):
    one, score = alone(k, rule)
    clf, p, alike = fit([NB] * 2, k, rule)
    assert abs(alike - score) < 0.03
    if rule in ("stacked", "likelihood_mixture"):
        np.testing.assert_allclose(p, one, atol=0.02)
        weights = np.array(list(clf.fusion_by_name_["weights_"].values()))
        np.testing.assert_allclose(weights - weights[0], 0, atol=1e-6)


@under_each
@both
def test_a_perfect_member_is_believed(rule, k):
    assert fit([NB, Oracle()], k, rule)[2] == 1


@under_each
@both
def test_a_constant_member_does_no_harm(rule, k):
    _, score = alone(k, rule)
    uniform = DummyClassifier(strategy="uniform")  # of which only the default learns nothing
    clf, _, beside = fit([NB, uniform], k, rule, calibrator=None)
    assert beside > score - 0.03
    if rule == "stacked":
        weight = np.ravel(clf.fusion_by_name_["weights_"]["classifier1"])
        np.testing.assert_array_equal(weight, np.zeros(len(weight)))
    _, p, _ = fit([DummyClassifier(), DummyClassifier()], k, rule)
    np.testing.assert_allclose(p, 1 / k, atol=0.02)


@under_each
@both
def test_wrong_members_are_turned_round_with_a_warning(rule, k):
    X, _ = data(k)
    wrong = np.array(list("abc"))[(np.arange(N) + 1) % k]
    members = [
        EvidentialSource(FrozenEstimator(kind.fit(X[:, :2], wrong)), columns=[0, 1])
        for kind in (GaussianNB(), LogisticRegression())
    ]
    with pytest.warns(WrongWayWarning) as caught:
        _, _, score = fit(members, k, rule)
    assert len(caught) == 1
    assert score > 1 / k + 0.15


@under_each
def test_a_label_that_nobody_predicts(rule):
    np.testing.assert_allclose(fit([Never(), Never()], 2, rule)[1], 0.5, atol=0.02)
    assert fit([Never(), Never()], 3, rule)[2] > 0.6


def test_a_hundred_members():
    X, y = data(2)
    frozen = [
        FrozenEstimator(GaussianNB().fit(X[rows], y[rows]))
        for rows in np.random.default_rng(0).integers(0, N, (100, 40))
    ]
    new, labels = data(2)
    noisy = new + np.random.default_rng(1).normal(size=new.shape)
    calibrator = LogisticCalibrator(model="bayesian")
    clf = EvidentialEnsemble(frozen, calibrator=calibrator).fit(noisy, labels)
    assert clf.score(noisy, labels) > 0.65


@under_each
def test_other_classes_are_refused_by_name(rule):
    X, _ = data(2)
    other = np.array(["x", "y"])[np.arange(N) % 2]
    with pytest.raises(ValueError, match=r"class 'a' of y is unknown .* give y in these") as caught:
        fit([NB, FrozenEstimator(GaussianNB().fit(X, other))], 2, rule)
    assert "while fitting 'classifier1'" in str(caught.value.__notes__)
    with pytest.raises(ValueError, match=r"\['x', 'y'\], but y has \['a', 'b'\].*coarsening"):
        fit([NB, FrozenEstimator(EvidentialClassifier(GaussianNB()).fit(X, other))], 2, rule)


@under_each
def test_folds_without_a_class_are_refused_by_name(rule):
    X, y = data(3)
    clf = EvidentialEnsemble([NB, GaussianNB()], rule=rule, cv=KFold(3))
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match="'a' is missing from the training part of fold 0"):
        clf.fit(X[order], y[order])
