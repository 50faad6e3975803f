"""Classifiers trained on some rows, and values of classes that they may not know."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from evical.estimators.responses import class_values, frozen_classes, trained_on

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
Y = np.array(["a", "b", "c", "a", "b", "c"])


class Fixed(ClassifierMixin, BaseEstimator):
    """A fitted classifier with given probabilities."""

    def __init__(self, classes=("a", "b", "c"), values=((0.5, 0.25, 0.25),)):
        self.classes, self.values = classes, values
        self.classes_ = np.array(classes)

    def predict_proba(self, X):
        """The same for each row."""
        return np.repeat(np.array(self.values), len(X), axis=0)


def test_only_the_rows_are_seen_with_their_parameters():
    rows = np.array([0, 1, 3])
    fitted = trained_on(GaussianNB(), X, Y, rows, {"sample_weight": np.arange(1.0, 7.0)})
    assert fitted.classes_.tolist() == ["a", "b"]
    wanted = GaussianNB().fit(X[rows], Y[rows], sample_weight=[1.0, 2.0, 4.0])
    np.testing.assert_array_equal(fitted.predict_proba(X), wanted.predict_proba(X))


def test_values_are_those_of_the_classifier():
    fitted = GaussianNB().fit(X, Y)
    np.testing.assert_array_equal(class_values(fitted, X, np.unique(Y)), fitted.predict_proba(X))
    ridge = RidgeClassifier().fit(X, Y)
    np.testing.assert_array_equal(class_values(ridge, X, np.unique(Y)), ridge.decision_function(X))
    two = RidgeClassifier().fit(X[:2], Y[:2])
    found = class_values(two, X, np.array(["a", "b"]))
    np.testing.assert_array_equal(found[:, 1], two.decision_function(X))
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])


def test_unknown_classes_come_last():
    classes = np.array(["a", "b", "c", "d"])
    values = class_values(Fixed(), X, classes)
    np.testing.assert_array_equal(values, [[0.5, 0.25, 0.25, 0.0]] * 6)
    ridge = RidgeClassifier().fit(X, Y)
    found = class_values(ridge, X, classes)
    np.testing.assert_array_equal(found[:, 3], ridge.decision_function(X).min(axis=1) - 1)


def test_what_is_refused():
    with pytest.raises(ValueError, match="knows class 'c', but the classes are"):
        class_values(Fixed(), X, np.array(["a", "b"]))
    with pytest.raises(ValueError, match=r"Fixed gives values of shape \(6, 2\) for 3 classes"):
        class_values(Fixed(values=((0.5, 0.5),)), X, np.unique(Y))
    with pytest.raises(TypeError, match="RidgeClassifier has no predict_proba"):
        class_values(RidgeClassifier().fit(X, Y), X, np.unique(Y), unit=True)
    with pytest.raises(TypeError, match="LinearRegression has no classes_ after fit"):
        frozen_classes(FrozenEstimator(LinearRegression().fit(X, X[:, 0])), Y)
    with pytest.raises(ValueError, match="class 'b' of y is unknown to the fitted classifier"):
        frozen_classes(FrozenEstimator(GaussianNB().fit(X[[0, 2]], Y[[0, 2]])), Y)
    with pytest.raises(ValueError, match=r"classes are \[0, 1\]; give y in these labels"):
        frozen_classes(FrozenEstimator(GaussianNB().fit(X[:2], [0, 1])), Y)
