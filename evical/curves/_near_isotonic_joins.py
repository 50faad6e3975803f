"""When neighboring runs join on the near-isotonic path: the work of a heap.

A boundary between two blocks falls (left value above the right one) or rises, and keeps
doing so until the blocks meet and the boundary vanishes. A block of sum k and weight n
between boundaries of which the left one falls (f = 1, else 0) and the right one falls
(g = 1, else 0) is therefore at (k + lambda (f - g)) / n all its life (Naeini 2016,
eq. 3.18), and the next meeting of two blocks is a quotient of their sums: no slopes to
update, no values to carry along, no rounding that adds up over many breakpoints.
"""

from heapq import heapify, heappop, heappush
from math import inf

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.jit import compiled
from evical._typing import Floats

__all__ = ["EQUAL", "join_lambdas"]


# Sums of some thousand terms err by less than 64 units in the last place.
EQUAL = 2.0**-46


@compiled
def _meeting(
    k1: float, n1: float, k2: float, n2: float, before: int, between: int, after: int, tol: float
) -> tuple[float, float]:
    """Lambda at which two blocks meet, and how far rounding may have moved it.

    The three boundaries fall (1) or rise (0). Where neither block moves, blocks of equal
    means have met already (0), others never do (infinity).
    """
    left, right = k1 * n2, k2 * n1
    # The left block moves by before - between, the right one by between - after: never apart.
    speed = abs(before - between) * n2 + abs(between - after) * n1
    error = tol * (left + right)
    if speed > 0:
        return (left - right if between else right - left) / speed, error / speed
    return (0.0 if abs(left - right) <= error else inf), 0.0


@compiled
def join_lambdas(sums: Floats, weights: Floats, falls: NDArray[np.int64], tol: float) -> Floats:
    """Lambda at which each run joins the one before it, infinity for never.

    Parameters
    ----------
    sums, weights : (r,) arrays
        Non-negative sums k and weights n of runs whose neighbors differ in k / n.
    falls : (r + 1,) array of 0 and 1
        Whether the value falls from run i - 1 to run i; 0 at both ends.
    tol : float
        Relative error of sums, 0 where their cross products are exact.

    Returns
    -------
    (r,) array
        Meetings that differ by rounding only have one and the same lambda; the first entry
        is infinity.

    Examples
    --------
    >>> ones = np.ones(4)
    >>> join_lambdas(np.array([1.0, 0.0, 1.0, 0.0]), ones, np.array([0, 1, 0, 1, 0]), 0.0)
    array([inf, 0.5, 0.5, 0.5])
    """
    size = len(sums)
    k, n = sums.copy(), weights.copy()
    previous, following = np.arange(-1, size), np.arange(1, size + 1)
    due, slack, joins = np.full(size, inf), np.zeros(size), np.full(size, inf)
    for i in range(1, size):
        due[i], slack[i] = _meeting(
            k[i - 1], n[i - 1], k[i], n[i], falls[i - 1], falls[i], falls[i + 1], tol
        )
    heap = [(due[i], i) for i in range(1, size)]
    heapify(heap)
    lam = 0.0
    while len(heap) > 0:
        time, i = heappop(heap)
        if time != due[i]:
            continue  # a neighbor has changed since
        if time == inf:
            break
        if time > lam + slack[i]:
            lam = time
        joins[i], due[i] = lam, -1.0
        left, right = previous[i], following[i]
        k[left] += k[i]
        n[left] += n[i]
        following[left] = right
        previous[right] = left
        for b in (left, right):
            if 0 < b < size:
                a, c = previous[b], following[b]
                due[b], slack[b] = _meeting(
                    k[a], n[a], k[b], n[b], falls[a], falls[b], falls[c], tol
                )
                heappush(heap, (due[b], b))
    return joins
