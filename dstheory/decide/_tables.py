"""Values of acts in focal sets: the worst, best or mean utility over the classes of the set.

Every expectation in this package is the mean of such a table over the focal sets. Within a set
nothing is known, so a criterion under ignorance (worst, best, average) values the act. All
functions take utilities (A, K) and non-empty focal masks (F,), and return (A, F).
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import bits


def _extreme(utilities: NDArray[Any], focal: NDArray[Any], ufunc: np.ufunc) -> NDArray[Any]:
    n_acts, n_classes = utilities.shape
    start = np.inf if ufunc is np.minimum else -np.inf
    table = np.full((n_acts, len(focal)), start, dtype=utilities.dtype)
    for column, inside in zip(utilities.T, bits.members(focal, n_classes), strict=True):
        table[:, inside] = ufunc(table[:, inside], column[:, np.newaxis])
    return table


def worst_table(utilities: NDArray[Any], focal: NDArray[Any]) -> NDArray[Any]:
    """Smallest utility of each act within each focal set.

    >>> worst_table(np.eye(2), np.array([1, 3]))
    array([[1., 0.],
           [0., 0.]])
    """
    return _extreme(utilities, focal, np.minimum)


def best_table(utilities: NDArray[Any], focal: NDArray[Any]) -> NDArray[Any]:
    """Largest utility of each act within each focal set.

    >>> best_table(np.eye(2), np.array([1, 3]))
    array([[1., 1.],
           [0., 1.]])
    """
    return _extreme(utilities, focal, np.maximum)


def mean_table(utilities: NDArray[Any], focal: NDArray[Any]) -> NDArray[Any]:
    """Mean utility of each act within each focal set.

    >>> mean_table(np.eye(2), np.array([1, 3]))
    array([[1. , 0.5],
           [0. , 0.5]])
    """
    inside = bits.members(focal, utilities.shape[1])
    sizes = bits.cardinality(focal)
    if utilities.dtype == object:
        shares = np.array([Fraction(1, int(size)) for size in sizes], dtype=object)
        return np.asarray(utilities @ inside.astype(int).astype(object) * shares)
    return np.asarray(utilities @ inside.astype(np.float64) / sizes)
