"""Thinning: a few weighted rows that stand for many, for methods whose cost grows too fast."""

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats

__all__ = ["merged", "thinned"]


def merged(
    rows: Floats, codes: NDArray[np.intp], weight: Floats
) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Distinct rows with their classes and total weights, in sorted order.

    Samples with the same scores and class become one with their total weight. The order of the
    samples is lost.

    Examples
    --------
    >>> scores = np.array([[2.0], [1.0], [2.0]])
    >>> rows, codes, weight = merged(scores, np.array([0, 1, 0]), np.ones(3))
    >>> rows.ravel().tolist(), codes.tolist(), weight.tolist()
    ([1.0, 2.0], [1, 0], [1.0, 2.0])
    """
    table, place = np.unique(np.column_stack([codes, rows]), axis=0, return_inverse=True)
    total = np.bincount(place.ravel(), weight).astype(np.float64)
    order = np.lexsort(table.T[::-1][:-1])
    return table[order, 1:], table[order, 0].astype(np.intp), total[order]


def thinned(weight: Floats, size: int) -> tuple[NDArray[np.intp], Floats]:
    """Positions of at most `size` rows, spread evenly by weight, and their new weights.

    Parameters
    ----------
    weight : (n,) array
    size : int

    Returns
    -------
    places, weights : (m,) arrays
        All rows if there are no more than `size`; none if it is 0.

    Examples
    --------
    >>> thinned(np.ones(6), 2)
    (array([1, 4]), array([3., 3.]))
    """
    if size == 0:
        return np.arange(0), weight[:0]
    if len(weight) <= size:
        return np.arange(len(weight)), weight
    ends = np.cumsum(weight)
    middles = (np.arange(size) + 0.5) * (ends[-1] / size)
    places, count = np.unique(np.searchsorted(ends, middles), return_counts=True)
    return places, count * (ends[-1] / size)
