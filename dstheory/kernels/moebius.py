"""Sums over subsets and supersets of dense tables, in place, by butterflies.

A table holds one number for each of the 2^K subsets, set-major: shape (2^K, *batch).
Each of the K sweeps adds one half of the table to the other, which costs K 2^(K-1)
additions instead of the 3^K of the definition (Yates' algorithm; Kennes 1992,
"Computational aspects of the Moebius transformation of graphs"). The functions work on floats and,
exactly, on objects. A single large table goes through `kernels.sweeps` if numba is installed;
batches gain nothing from compiled code.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import sweeps
from dstheory.kernels.jit import HAVE_NUMBA

__all__ = ["subset_differences", "subset_sums", "superset_differences", "superset_sums"]


# Below 2^8 sets, calling compiled code costs more than it saves.
_MIN_COMPILED = 1 << 8


def _sweep(table: NDArray[Any], *, to_superset: bool, inverse: bool) -> NDArray[Any]:
    n_sets = table.shape[0]
    if HAVE_NUMBA and table.dtype == np.float64 and table.size == n_sets >= _MIN_COMPILED:
        sweeps.sweep(table.reshape(-1), to_superset=to_superset, inverse=inverse)
        return table
    return _butterfly(table, to_superset=to_superset, inverse=inverse)


def _butterfly(table: NDArray[Any], *, to_superset: bool, inverse: bool) -> NDArray[Any]:
    n_sets = table.shape[0]
    stride = 1
    while stride < n_sets:
        halves = table.reshape(n_sets // (2 * stride), 2, stride, *table.shape[1:])
        without, with_bit = halves[:, 0], halves[:, 1]
        target, source = (with_bit, without) if to_superset else (without, with_bit)
        if inverse:
            target -= source
        else:
            target += source
        stride *= 2
    return table


def _owned(table: NDArray[Any]) -> NDArray[Any]:
    return np.array(table, order="C", copy=True)


def subset_sums(table: NDArray[Any]) -> NDArray[Any]:
    """For each set the sum over its subsets: mass to implicability.

    Examples
    --------
    >>> subset_sums(np.array([0.0, 0.5, 0.0, 0.5]))
    array([0. , 0.5, 0. , 1. ])
    """
    return _sweep(_owned(table), to_superset=True, inverse=False)


def subset_differences(table: NDArray[Any]) -> NDArray[Any]:
    """Inverse of `subset_sums`: implicability to mass.

    Examples
    --------
    >>> subset_differences(np.array([0.0, 0.5, 0.0, 1.0]))
    array([0. , 0.5, 0. , 0.5])
    """
    return _sweep(_owned(table), to_superset=True, inverse=True)


def superset_sums(table: NDArray[Any]) -> NDArray[Any]:
    """For each set the sum over its supersets: mass to commonality.

    Examples
    --------
    >>> superset_sums(np.array([0.0, 0.5, 0.0, 0.5]))
    array([1. , 1. , 0.5, 0.5])
    """
    return _sweep(_owned(table), to_superset=False, inverse=False)


def superset_differences(table: NDArray[Any]) -> NDArray[Any]:
    """Inverse of `superset_sums`: commonality to mass.

    Examples
    --------
    >>> superset_differences(np.array([1.0, 1.0, 0.5, 0.5]))
    array([0. , 0.5, 0. , 0.5])
    """
    return _sweep(_owned(table), to_superset=False, inverse=True)
