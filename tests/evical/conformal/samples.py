"""Samples and classifiers for the tests of `ConformalClassifier`."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from evical.conformal import ConformalClassifier
from evical.conformal.calibration import Calibration

X2, Y2 = make_classification(120, n_features=4, flip_y=0.2, random_state=0)
X3, Y3 = load_iris(return_X_y=True)


def frozen(X, y, **options):
    """Trained on even rows, calibrated on odd ones."""
    fitted = FrozenEstimator(GaussianNB().fit(X[::2], y[::2]))
    return ConformalClassifier(fitted, **options).fit(X[1::2], y[1::2]), fitted


def own(scores, y):
    return scores[np.arange(len(y)), y]


def class_p_values(calibration, y, scores, weights=None):
    """P-values of each class, by the calibration samples of that class."""
    known, new = np.array(calibration, dtype=float), np.array(scores, dtype=float)
    weights = None if weights is None else np.array(weights, dtype=float)
    table, codes = np.tile(known[:, np.newaxis], new.shape[1]), np.array(y, dtype=int)
    samples = Calibration.of(table, codes, weights, by_class=True, groups=None)
    return samples.counts(new, None, ties=False).p_values()


def group_p_values(calibration, groups, scores, new_groups, weights=None, tau=None):
    """P-values by the calibration samples of the same group."""
    known, new = np.array(calibration, dtype=float), np.array(scores, dtype=float)
    weights = None if weights is None else np.array(weights, dtype=float)
    same, codes = np.array(groups), np.zeros(len(known), dtype=int)
    samples = Calibration.of(known[:, np.newaxis], codes, weights, by_class=False, groups=same)
    counts = samples.counts(new, np.array(new_groups), ties=tau is not None)
    return counts.p_values(tau=None if tau is None else np.array(tau)[:, np.newaxis])


def right(X):
    """A group of samples."""
    return np.where(X[:, 1] > 3, "wide", "narrow")


class Recorded(ClassifierMixin, BaseEstimator):
    """Remembers its training rows, which the first column numbers."""

    def fit(self, X, y, sample_weight=None):
        """Remember."""
        self.classes_, self.rows_ = np.unique(y), X[:, 0].astype(int)
        self.weight_ = sample_weight
        self.inner_ = GaussianNB().fit(X[:, 1:], y)
        return self

    def predict_proba(self, X):
        """As the inner classifier, which must not have seen the rows."""
        self.asked_ = [*getattr(self, "asked_", []), X[:, 0].astype(int)]
        return self.inner_.predict_proba(X[:, 1:])


def numbered(X):
    return np.column_stack([np.arange(len(X)), X])
