"""Distances between samples in the place of features, as scikit-learn's `metric="precomputed"`."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from evical._typing import Floats, SamplesLike
from evical.learners._features import read_features, refuse_huge

Metric: TypeAlias = Literal["euclidean", "precomputed"]
_GREATEST = 1e100  # products of its square are floats


def read_samples(
    estimator: BaseEstimator, X: SamplesLike, metric: str = "euclidean", *, reset: bool
) -> Floats:
    """Features, or distances to the training samples.

    Parameters
    ----------
    estimator : object
    X : (n, n_features) array or data frame, or array of distances
        Distances are (n, n) between training samples, or (m, n) from new samples to these.
    metric : {"euclidean", "precomputed"}
    reset : bool
        Whether these are the training samples.

    Returns
    -------
    (n, n_features), (n, n) or (m, n) array

    Raises
    ------
    TypeError, ValueError
        If they are no table of finite numbers, or no distances.
    """
    X = read_features(estimator, X, reset=reset)
    if metric == "precomputed":
        _check_each(X, X < 0, "expected distances from 0 (Negative values in data)")
        _check_each(X, X > _GREATEST, f"expected distances of at most {_GREATEST:g}")
        if reset:
            _check_square(X)
    else:
        refuse_huge(X)
    return np.asarray(X)


def _check_square(D: Floats) -> None:
    n = len(D)
    if D.shape != (n, n):
        raise ValueError(
            f"X has the shape {D.shape}, expected the (n, n) distances of n samples, as metric "
            "is 'precomputed'; X should be a square matrix"
        )
    scale = 1e-8 * float(np.abs(D).max())
    _check_each(D, np.diag(np.abs(np.diag(D)) > scale), "expected 0: a sample and itself")
    gap = np.abs(D - D.T) > scale
    if gap.any():
        i, j = np.argwhere(gap)[0]
        raise ValueError(
            f"X[{i}, {j}] is {D[i, j]:g}, but X[{j}, {i}] is {D[j, i]:g}; distances are symmetric"
        )


def _check_each(D: Floats, wrong: NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(f"X[{i}, {j}] is {D[i, j]:g}, {expected}")
