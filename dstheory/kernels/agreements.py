"""Agreement of sources: sums over pairs of sets that meet, however small the products are.

Dempster's rule needs masses up to a factor only. Where products leave the range of floats
(conflicts of 1 - 1e-600 do, without being total), they are added up as logarithms instead,
relative to their largest term; nothing is subtracted, so every mass keeps its accuracy.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import pairwise

__all__ = ["SMALL_TOTAL", "agreement", "log_agreement", "logarithms"]

Floats = NDArray[np.float64]

# Products below 2.2e-308 lose digits; above this sum they are less than 1e-17 of it.
SMALL_TOTAL = 1e-290
# Sums held at once: 2^17 doubles are 1 MiB.
_BLOCK_VALUES = 1 << 17


def agreement(
    focal1: NDArray[Any], masses1: NDArray[Any], focal2: NDArray[Any], masses2: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Non-empty intersections, masses proportional to their sums of m1(A) m2(B), and totals.

    Parameters
    ----------
    focal1, focal2 : (F1,), (F2,) arrays of masks, ascending
    masses1, masses2 : (F1, *batch1), (F2, *batch2) arrays, set-major

    Returns
    -------
    focal : (T,) masks, ascending
    masses : (T, *batch), set-major
    total : (*batch,), the sums of the masses; zero only where no sets with mass meet

    Examples
    --------
    >>> agreement(np.array([1, 4]), np.array([1.0, 1e-300]),
    ...           np.array([2, 4]), np.array([1.0, 1e-300]))
    (array([4]), array([1.]), array(1.))
    """
    focal, masses = pairwise.combine_pairs(
        focal1, masses1, focal2, masses2, np.bitwise_and, keep_empty=False
    )
    total = np.asarray(masses.sum(axis=0))
    if masses.dtype == object or not len(focal1) or not len(focal2):
        return focal, masses, total
    small = total < SMALL_TOTAL
    if not small.any():
        return focal, masses, total
    parts = (focal1, _rows(masses1, small)), (focal2, _rows(masses2, small))
    sets, logs = log_agreement(*[(own, logarithms(rows)) for own, rows in parts])
    top = logs.max(axis=0, initial=-np.inf)
    scaled = np.zeros((len(sets), *total.shape))
    scaled[np.searchsorted(sets, focal)] = masses  # some sets had no mass, only zeros
    scaled[:, small] = np.exp(logs - np.where(np.isneginf(top), 0, top))
    return sets, scaled, np.asarray(scaled.sum(axis=0))


def logarithms(masses: Floats) -> Floats:
    """Natural logarithms; no mass is -inf, and -1e-17 is no mass."""
    with np.errstate(divide="ignore"):  # ln 0 = -inf is meant
        return np.asarray(np.log(np.maximum(masses, 0)))


def log_agreement(
    one: tuple[NDArray[Any], Floats], two: tuple[NDArray[Any], Floats]
) -> tuple[NDArray[Any], Floats]:
    """Non-empty intersections, and ln of their sums of m1(A) m2(B), from ln of the masses.

    Both parts are masks (F,), ascending, with values (F, *batch) of one batch shape.

    Examples
    --------
    >>> log_agreement((np.array([1, 2]), np.array([-1000.0, 0.0])),
    ...               (np.array([1, 4]), np.array([-1000.0, 0.0])))
    (array([1]), array([-2000.]))
    """
    batch = one[1].shape[1:]
    n_rows = math.prod(batch)
    focal, index = pairwise.pair_targets(one[0], two[0], np.bitwise_and)
    left, right = (logs.reshape(len(logs), n_rows) for logs in (one[1], two[1]))
    order = np.argsort(index, kind="stable")
    i, j = np.divmod(order, len(right))
    logs = np.empty((len(focal), n_rows))
    step = max(1, _BLOCK_VALUES // len(index))
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        logs[:, rows] = _grouped_logaddexp(left[i, rows] + right[j, rows], index[order])
    first = int(focal[0] == 0)
    return focal[first:].copy(), logs[first:].reshape(len(focal) - first, *batch)


def _rows(masses: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Masses (F, n) of the chosen rows of the common batch."""
    missing = chosen.ndim - (masses.ndim - 1)
    aligned = masses.reshape(len(masses), *(1,) * missing, *masses.shape[1:])
    return np.broadcast_to(aligned, (len(masses), *chosen.shape))[:, chosen]


def _grouped_logaddexp(logs: Floats, group: NDArray[np.intp]) -> Floats:
    """ln of the sum of exp over the rows of each group; `group` ascends from 0."""
    starts = np.searchsorted(group, np.arange(group[-1] + 1))
    top = np.maximum.reduceat(logs, starts, axis=0)
    top = np.where(np.isneginf(top), 0, top)  # -inf - -inf is not a number
    with np.errstate(divide="ignore"):  # a group without mass
        return np.asarray(top + np.log(np.add.reduceat(np.exp(logs - top[group]), starts, axis=0)))
