"""Butterflies that the kernels lack: sums over the sets that meet a set, and quotients.

A set avoids or meets another, label by label, so that both kinds of sums come out of one
sweep without any subtraction; the same sweep multiplies. Tables are set-major.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["meeting_products", "meeting_sums", "superset_quotients"]


def meeting_sums(table: NDArray[Any]) -> NDArray[Any]:
    """For each set the sum over the sets that meet it: mass to plausibility.

    Examples
    --------
    >>> meeting_sums(np.array([0.25, 0.5, 0.0, 0.25]))
    array([0.  , 0.75, 0.25, 0.75])
    """
    return _meeting(table, np.add, np.zeros_like(table))


def meeting_products(table: NDArray[Any]) -> NDArray[Any]:
    """For each set the product over the sets that meet it.

    Examples
    --------
    >>> meeting_products(np.array([7, 2, 3, 5]))
    array([ 1, 10, 15, 30])
    """
    return _meeting(table, np.multiply, np.ones_like(table))


def superset_quotients(table: NDArray[Any]) -> NDArray[Any]:
    """`superset_differences` of logarithms, without logarithms: exact on fractions.

    Examples
    --------
    >>> superset_quotients(np.array([8.0, 4.0, 2.0, 2.0]))
    array([2., 2., 1., 2.])
    """
    result = table.copy()
    stride = 1
    while stride < len(result):
        halves = result.reshape(len(result) // (2 * stride), 2, stride, *result.shape[1:])
        halves[:, 0] = halves[:, 0] / halves[:, 1]
        stride *= 2
    return result


def _meeting(table: NDArray[Any], add: np.ufunc, meet: NDArray[Any]) -> NDArray[Any]:
    """Sweep two tables: what avoids, and what meets, as far as the labels seen so far tell."""
    avoid = table.copy()
    stride = 1
    while stride < len(table):
        shape = (len(table) // (2 * stride), 2, stride, *table.shape[1:])
        a, p = avoid.reshape(shape), meet.reshape(shape)
        p[:, 0] = add(p[:, 0], p[:, 1])
        p[:, 1] = add(p[:, 0], a[:, 1])
        without = a[:, 0].copy()
        a[:, 0] = add(without, a[:, 1])
        a[:, 1] = without
        stride *= 2
    return meet
