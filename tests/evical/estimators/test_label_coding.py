"""Classifiers that take no labels but 0, 1, ..., K - 1, as XGBoost's do not."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.calibrators import IsotonicCalibrator

X, Y = load_iris(return_X_y=True)
X = X[:, :2]
OPTIONS = {"cv": 3, "calibrator": IsotonicCalibrator(model="laplace")}


class Strict(ClassifierMixin, BaseEstimator):
    """Refuses labels as XGBoost does."""

    def fit(self, X, y, sample_weight=None):
        """Fit to numbers of classes."""
        found = np.unique(y)
        expected = np.arange(len(found))
        if not np.array_equal(found, expected):
            raise ValueError(
                f"Invalid classes inferred from unique values of `y`.  Expected: {expected}, "
                f"got {found}"
            )
        self.model_ = GaussianNB().fit(X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        """Probabilities."""
        return self.model_.predict_proba(X)

    def predict(self, X):
        """Labels."""
        return self.model_.predict(X)


LABELS = [["a", "b", "c"], [1, 2, 3], [-1, 0, 7], [False, True, True]]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(
    "options", [{}, {"ensemble": False}, {"code": "all_pairs"}, {"calibrator": None}]
)
@pytest.mark.parametrize("kind", [Strict(), make_pipeline(StandardScaler(), Strict())])
def test_strict_classifiers_take_any_labels(labels, options, kind):
    y = np.array(labels)[Y]
    clf = EvidentialClassifier(kind, **{**OPTIONS, **options}).fit(X, y)
    _, codes = np.unique(y, return_inverse=True)
    expected = clone(clf).fit(X, codes)
    np.testing.assert_array_equal(clf.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[expected.predict(X)])
    assert clf.predict_mass(X).frame.labels == tuple(clf.classes_.tolist())
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))


def test_the_classifier_inside_speaks_of_the_labels():
    y = np.array(["a", "b", "c"])[Y]
    inside = (
        EvidentialClassifier(Strict(), **OPTIONS).fit(X, y).calibrated_classifiers_[0].estimator
    )
    assert inside.classes_.tolist() == ["a", "b", "c"]
    assert set(inside.predict(X)) <= {"a", "b", "c"}
    assert type(inside.estimator) is Strict


@pytest.mark.parametrize("rule", ["dempster", "stacked"])
def test_ensembles(rule):
    y = np.array(["a", "b", "c"])[Y]
    members = [Strict(), GaussianNB(var_smoothing=0.1)]
    ensemble = EvidentialEnsemble(members, rule=rule, **OPTIONS)
    named = clone(ensemble).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(named, ensemble.fit(X, Y).predict_proba(X))


def test_what_is_not_about_labels_stays_as_it_is_said():
    for y in (Y, np.array(["a", "b", "c"])[Y]):
        with pytest.raises(ValueError, match="class_weight"):
            EvidentialClassifier(SVC(class_weight={"z": 1}), **OPTIONS).fit(X, y)
