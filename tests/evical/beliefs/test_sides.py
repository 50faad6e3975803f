"""Masses of columns without a mass function a column: the same numbers, the same errors."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, MassFunction
from evical import EvidentialClassifier
from evical.beliefs.listed import sides
from evical.calibrators import (
    AdaptiveCalibrator,
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    VennAbersCalibrator,
)
from evical.multiclass import OneVsRestCalibrator
from tests.support.each import each

KINDS = [
    BinningCalibrator(n_bins=3, model="dempster"),
    IsotonicCalibrator(model="likelihood"),
    LogisticCalibrator(model="bayesian"),
    LogisticCalibrator(model="confidence", transform="logit"),
    VennAbersCalibrator(),
    AdaptiveCalibrator(),
]


class Doubtful(BinningCalibrator):
    """With beliefs of its own."""

    def beliefs(self, scores):
        return super().beliefs(np.zeros_like(scores))


def fitted(calibrator):
    rng = np.random.default_rng(0)
    scores = rng.random(60)
    return calibrator.fit(scores, (scores + rng.normal(0, 0.3, 60) > 0.5).astype(int))


def test_masses_are_those_of_predict_mass():
    calibrators = [fitted(calibrator) for calibrator in [*KINDS, Doubtful(n_bins=3)]]
    scores = np.random.default_rng(1).random((40, len(calibrators)))
    found = sides(calibrators, scores)
    assert found.shape == (3, len(calibrators), 40)
    for calibrator, column, masses in zip(calibrators, scores.T, found.swapaxes(0, 1), strict=True):
        m = calibrator.predict_mass(column)
        np.testing.assert_array_equal(masses, [m.mass(mask=mask) for mask in (1, 2, 3)])


@each("calibrator", KINDS)
def test_scores_that_are_not_usable_are_refused_as_by_the_calibrator(calibrator):
    calibrator = fitted(calibrator)
    with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
        sides([calibrator] * 2, np.array([[0.5, 0.5], [0.5, np.nan]]))
    with pytest.raises(ValueError, match="scores are empty"):
        sides([calibrator], np.empty((0, 1)))


def test_probabilities_are_checked_where_the_calibrator_reads_them():
    with pytest.raises(ValueError, match=r"scores\[0\] is 2.0"):
        sides([fitted(LogisticCalibrator(model="bayesian", transform="logit"))], np.array([[2.0]]))


def test_a_calibrator_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        sides([BinningCalibrator(n_bins=3)], np.array([[0.5]]))


class OwnCalibrator:
    """A calibrator of somebody else's: the least that is asked of one."""

    def __init__(self, doubt=0.5):
        self.doubt = doubt

    def get_params(self, deep=True):
        return {"doubt": self.doubt}

    def set_params(self, **params):
        vars(self).update(params)
        return self

    def fit(self, scores, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_mass(self, scores):
        p = (1 - self.doubt) / (1 + np.exp(-np.ravel(scores)))
        masses = np.stack([1 - self.doubt - p, p, np.full_like(p, self.doubt)], axis=1)
        return MassFunction(Frame(self.classes_), [1, 2, 3], masses)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_calibrators_of_somebody_else(n_classes):
    rng = np.random.default_rng(5)
    y = np.arange(30) % n_classes
    X = rng.normal(size=(30, 2)) + y[:, np.newaxis]
    clf = EvidentialClassifier(GaussianNB(), calibrator=OwnCalibrator(), cv=3).fit(X, y)
    m = clf.predict_mass(X)
    assert m.frame == Frame(range(n_classes))
    assert (m.mass(m.frame) > 0).all()
    np.testing.assert_allclose(
        clf.predict_interval(X).reshape(30, -1, 2)[..., -1, 1], m.pl(n_classes - 1)
    )


def test_one_vs_rest_reads_the_scores_that_its_calibrator_reads():
    """Probabilities, where the calibrator takes log-odds of them."""
    y = np.arange(60) % 3
    X = np.random.default_rng(5).normal(size=(60, 2)) + y[:, np.newaxis]
    inner = LogisticCalibrator(model="bayesian", transform="logit")
    whole = OneVsRestCalibrator(inner, coupling="dempster")
    found, wanted = (
        EvidentialClassifier(GaussianNB(), calibrator=one, cv=3).fit(X, y).predict_proba(X)
        for one in (whole, inner)
    )
    np.testing.assert_array_equal(found, wanted)
