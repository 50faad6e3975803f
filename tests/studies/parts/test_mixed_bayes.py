"""Naive Bayes of categories and normals: by hand, and beside scikit-learn's two classifiers."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from evical.datasets import Dataset
from examples.studies.parts.mixed_bayes import mixed_bayes


@pytest.fixture(scope="module")
def mixed():
    """A number, a feature of two values, and a code of three values."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    number = rng.normal(y)
    two = (rng.random(60) < 0.2 + 0.3 * y).astype(float)
    code = np.eye(3)[(y + rng.integers(0, 2, 60)) % 3]
    X = np.column_stack([number, 5.0 * two, code])
    names = ("number", "two", "code=a", "code=b", "code=c")
    return Dataset("mixed", X, y, names, ("0", "1", "2"), ("code",))


def test_numbers_alone_are_normals(mixed):
    numbers = Dataset("numbers", mixed.X[:, :1], mixed.y, ("number",), mixed.class_names)
    expected = GaussianNB().fit(numbers.X, numbers.y).predict_joint_log_proba(numbers.X)
    np.testing.assert_array_equal(mixed_bayes(numbers)(numbers.X), expected)


def test_all_kinds_are_multiplied(mixed):
    categories = np.column_stack([mixed.X[:, 1] > 0, mixed.X[:, 2:].argmax(axis=1)]).astype(int)
    discrete = CategoricalNB().fit(categories, mixed.y)
    expected = discrete.predict_joint_log_proba(categories)
    for k in range(3):
        column = mixed.X[mixed.y == k, 0]
        expected[:, k] += norm.logpdf(mixed.X[:, 0], column.mean(), column.std())
    np.testing.assert_allclose(mixed_bayes(mixed)(mixed.X), expected, rtol=1e-6)


def test_categories_alone_have_no_density(mixed):
    coded = Dataset(
        "c", mixed.X[:, 2:], mixed.y, mixed.feature_names[2:], ("0", "1", "2"), ("code",)
    )
    found = mixed_bayes(coded)(np.eye(3))
    # Over all values, the densities of a class sum to its share.
    np.testing.assert_allclose(np.exp(found).sum(axis=0), 1 / 3)
