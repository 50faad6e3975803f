"""Inductive Venn-Abers prediction: isotonic regression with the test sample in it, twice.

A test sample is put among the calibration samples with label 0 and with label 1; isotonic
regression of each set gives it the values p0 <= p1 (Vovk, Petej & Fedorova 2015, section 2).
The cumulative sums of weights and of positives are points; isotonic values are the slopes of
their lower convex hull. A test sample of label 1 moves all points to its left by (-1, -1),
one of label 0 by (-1, 0), so that its value is the slope of the bridge between the hull of
the points on its left and that on its right. The walk to a bridge passes few corners: the
slopes on its way differ by at least one over the product of two weights, so for n unweighted
samples it takes at most some n^(1/3) steps, whatever the data.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory.kernels.jit import HAVE_NUMBA, compiled
from evical._typing import Floats


def venn_abers_table(positive: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Values p0 and p1 at and between all calibration scores.

    Parameters
    ----------
    positive, total : (m,) arrays
        Weight of the positive and of all samples at each distinct score, ascending.

    Returns
    -------
    p0, p1 : (2 m + 1,) arrays
        Entry ``2 i + 1`` is for a test score equal to score i, entry ``2 i`` for one between
        its predecessor and itself.

    Examples
    --------
    >>> p0, p1 = venn_abers_table(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    >>> p0.tolist()
    [0.0, 0.0, 0.0, 0.5, 0.5]
    >>> p1.tolist()
    [0.5, 0.5, 1.0, 1.0, 1.0]
    """
    x, y = (np.concatenate([[0.0], np.cumsum(part)]) for part in (total, positive))
    before, after = np.arange(len(x)), np.arange(len(x))
    p0, p1 = np.empty(2 * len(x) - 1), np.empty(2 * len(x) - 1)
    arrays = x, y, before, after, p0, p1
    if HAVE_NUMBA:
        _fill(*arrays)
        return p0, p1
    # Python reads lists ten times as fast as arrays.
    lists = [array.tolist() for array in arrays]
    _fill(*lists)
    return np.array(lists[4]), np.array(lists[5])


@compiled
def _fill(x: ArrayLike, y: ArrayLike, before: Any, after: Any, p0: Any, p1: Any) -> None:
    _hulls(x, y, before, after)
    _bridges(x, y, before, after, 0.0, p0)
    _bridges(x, y, before, after, 1.0, p1)


@compiled
def _hulls(x: Any, y: Any, before: Any, after: Any) -> None:
    """Each point's neighbor on the lower hull of all points up to it, and of all from it on.

    An end is its own neighbor.
    """
    last = len(x) - 1
    for i in range(1, last + 1):
        j = i - 1
        k = before[j]
        while k < j and (y[j] - y[k]) * (x[i] - x[j]) >= (y[i] - y[j]) * (x[j] - x[k]):
            j = k
            k = before[j]
        before[i] = j
    for i in range(last - 1, -1, -1):
        j = i + 1
        k = after[j]
        while k > j and (y[k] - y[j]) * (x[j] - x[i]) <= (y[j] - y[i]) * (x[k] - x[j]):
            j = k
            k = after[j]
        after[i] = j


@compiled
def _bridges(x: Any, y: Any, before: Any, after: Any, label: float, slopes: Any) -> None:
    """Slope of each bridge from the points on the left, moved by (-1, -label), to the right."""
    for entry in range(len(slopes)):
        left = entry // 2
        right = (entry + 1) // 2  # beyond a tied score, whose step then lies under the bridge
        while True:
            rise = y[right] - y[left] + label
            run = x[right] - x[left] + 1.0
            k = before[left]
            if (y[left] - y[k]) * run > rise * (x[left] - x[k]):
                left = k
                continue
            k = after[right]
            if (y[k] - y[right]) * run >= rise * (x[k] - x[right]):
                break
            right = k
        slopes[entry] = rise / run
