"""Folds of `EvidentialClassifier`: who is trained, and who is calibrated, on which rows."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from evical.calibrators import BinningCalibrator
from evical.classifier import EvidentialClassifier

BINS = BinningCalibrator(n_bins=4, model="dempster")
X2, Y2 = make_classification(120, n_features=4, flip_y=0.2, random_state=0)
FOLDS = StratifiedKFold(3)


def classifier(estimator=None, **options):
    own = {"calibrator": BINS, "cv": 3, "ensemble": True}
    return EvidentialClassifier(
        GaussianNB() if estimator is None else estimator, **{**own, **options}
    )


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it was fitted on, by their first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {float(value) for value in np.asarray(X)[:, 0]}
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 1]


class Rows(BinningCalibrator):
    """Remembers the scores that it was fitted on."""

    def fit(self, scores, y, sample_weight=None):
        self.seen_ = {float(value) for value in scores}
        return super().fit(scores, y, sample_weight)


def numbered(n):
    """Samples whose features are their row numbers."""
    return np.repeat(np.arange(n, dtype=float)[:, np.newaxis], 2, axis=1)


@pytest.mark.parametrize("cv", [2, 3, FOLDS, ShuffleSplit(2, test_size=0.4, random_state=1)])
def test_calibration_rows_are_never_training_rows(cv):
    X, y = numbered(30), np.arange(30) % 2
    clf = classifier(Spy(), calibrator=Rows(2), cv=cv).fit(X, y)
    for pair in clf.calibrated_classifiers_:
        trained, calibrated = pair.estimator.seen_, pair.calibrators[0].seen_
        assert trained
        assert calibrated
        assert not trained & calibrated


def test_pooled_calibration_uses_every_row_once_and_then_trains_on_all():
    X, y = numbered(30), np.arange(30) % 2
    clf = classifier(Spy(), calibrator=Rows(2), ensemble=False).fit(X, y)
    (pair,) = clf.calibrated_classifiers_
    assert pair.estimator.seen_ == pair.calibrators[0].seen_ == set(range(30))
    scores = cross_val_predict(
        SVC(), X2, Y2, cv=StratifiedKFold(3), method="decision_function"
    )  # scikit-learn's own out-of-fold scores
    clf = classifier(SVC(), ensemble=False).fit(X2, Y2)
    expected = clone(BINS).fit(scores, Y2).counts_
    counts = clf.calibrated_classifiers_[0].calibrators[0].counts_
    np.testing.assert_array_equal(counts.scores, expected.scores)
    np.testing.assert_array_equal(counts.positive, expected.positive)


def test_shared_calibration_uses_every_row_once_for_the_classifiers_of_the_folds():
    X, y = numbered(30), np.arange(30) % 2
    clf = classifier(Spy(), calibrator=Rows(2), ensemble="shared").fit(X, y)
    parts = [pair.estimator.seen_ for pair in clf.calibrated_classifiers_]
    assert parts == [{float(row) for row in train} for train, _ in FOLDS.split(X, y)]
    (calibrator,) = {id(c): c for p in clf.calibrated_classifiers_ for c in p.calibrators}.values()
    assert calibrator.seen_ == set(range(30))


def test_shared_calibration_by_its_definition():
    scores = cross_val_predict(SVC(), X2, Y2, cv=FOLDS, method="decision_function")
    calibrator = clone(BINS).fit(scores, Y2)
    trained = [SVC().fit(X2[train], Y2[train]) for train, _ in FOLDS.split(X2, Y2)]
    expected = [calibrator.predict_interval(one.decision_function(X2)) for one in trained]
    found = classifier(SVC(), ensemble="shared").fit(X2, Y2).predict_interval(X2)
    np.testing.assert_allclose(found, np.mean(expected, axis=0), rtol=0, atol=1e-14)


def test_a_fold_that_calibrates_on_training_rows_is_refused():
    folds = [(np.arange(20), np.arange(15, 30))]
    with pytest.raises(ValueError, match="both trains and calibrates on row 15"):
        classifier(cv=folds).fit(X2[:30], np.arange(30) % 2)


def test_a_frozen_classifier_is_only_calibrated():
    X, y = numbered(40), np.arange(40) % 2
    base = Spy().fit(X[:20], y[:20])
    clf = classifier(FrozenEstimator(base), calibrator=Rows(2), ensemble="auto").fit(X[20:], y[20:])
    (pair,) = clf.calibrated_classifiers_
    assert base.seen_ == set(range(20))
    assert pair.calibrators[0].seen_ == set(range(20, 40))
    folds = classifier(FrozenEstimator(base), calibrator=Rows(2), ensemble=True).fit(X, y)
    assert [len(p.calibrators[0].seen_) for p in folds.calibrated_classifiers_] == [14, 13, 13]
    shared = classifier(FrozenEstimator(base), calibrator=Rows(2), ensemble="shared").fit(X, y)
    assert len(shared.calibrated_classifiers_) == 1


def test_folds_that_are_no_partition_are_calibrated_one_by_one():
    for ensemble in ("shared", "auto"):
        clf = classifier(calibrator=Rows(2), cv=ShuffleSplit(3, random_state=0), ensemble=ensemble)
        pairs = clf.fit(X2, Y2).calibrated_classifiers_
        assert [len(pair.calibrators[0].seen_) for pair in pairs] == [12, 12, 12]
