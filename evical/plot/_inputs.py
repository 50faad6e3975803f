"""Inputs of displays: predictions of fitted estimators, and the class they show."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import check_instance, check_rows
from evical._typing import SamplesLike
from evical.metrics.inputs import class_codes


def predictions(estimator: BaseEstimator, method: str, X: SamplesLike, y: object) -> Any:
    """Predictions of a fitted estimator by a method that it must have, for samples of labels y."""
    if isinstance(estimator, type) or not hasattr(estimator, method):
        name = getattr(estimator, "__name__", type(estimator).__name__)
        raise TypeError(f"{name} has no {method}; give a fitted estimator that has")
    check_rows(X=X, y=y)
    return getattr(estimator, method)(X)


def known_classes(estimator: BaseEstimator) -> NDArray[Any]:
    """Classes of a fitted estimator."""
    if not hasattr(estimator, "classes_"):
        raise TypeError(f"{type(estimator).__name__} has no classes_; fit it first")
    return np.asarray(estimator.classes_)


def positive_index(classes: NDArray[Any], pos_label: Hashable | None) -> int:
    """Index of the class that a picture shows; by default the second of two.

    >>> positive_index(np.array(["no", "yes"]), None), positive_index(np.array([1, 2, 3]), 3)
    (1, 2)
    """
    names = classes.tolist()
    if pos_label is None:
        if len(names) != 2:
            raise ValueError(f"there are {len(names)} classes; name one of {names} by pos_label")
        return 1
    if pos_label not in names:
        raise ValueError(f"pos_label is {pos_label!r}, expected one of {names}")
    return int(names.index(pos_label))


def positive_outcomes(y: ArrayLike, classes: NDArray[Any], index: int) -> NDArray[np.int64]:
    """1 for labels of the class, else 0; unknown labels are refused."""
    return np.asarray(class_codes(y, classes) == index, dtype=np.int64)


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """At most so many of n rows, evenly chosen."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def display_name(estimator: BaseEstimator, name: str | None) -> str:
    """The name, or that of the estimator's class."""
    if name is None:
        return type(estimator).__name__
    check_instance("name", name, str, "a text")
    return name
