"""Origin and unit of scores: whatever their range, nothing overflows and nothing is lost.

Scores may be next to each other as floats, denormal, or further apart than the greatest float.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "at_share",
    "between",
    "interpolated",
    "location_scale",
    "share_of_range",
    "standardized",
]

Floats = NDArray[np.float64]

_HUGE = 1e300  # differences of numbers of that size may overflow
_LEAST = float(np.finfo(np.float64).smallest_subnormal)


def standardized(scores: Floats, center: float, scale: float) -> Floats:
    """``(scores - center) / scale`` without overflow on the way; infinite if too far.

    Parameters
    ----------
    scores : (m,) array
    center, scale : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> standardized(np.array([-1.5e308, 1.5e308]), 1.5e308, 1.5e308).tolist()
    [-2.0, 0.0]
    """
    with np.errstate(over="ignore"):  # beyond all scores that were fitted
        if scale < _HUGE:
            return np.asarray((scores - center) / scale)
        return np.asarray((scores / 4 - center / 4) / (scale / 4))


def location_scale(scores: Floats, weight: Floats) -> tuple[float, float]:
    """Weighted mean and standard deviation, for use as an origin and a unit.

    Parameters
    ----------
    scores, weight : (m,) arrays
        Ascending scores, and their positive weights.

    Returns
    -------
    center, scale : float
        The scale is 0 for one distinct score only.

    Examples
    --------
    >>> location_scale(np.array([1.0, 3.0]), np.ones(2))
    (2.0, 1.0)
    """
    middle = float(scores[scores.size // 2])
    if scores[0] == scores[-1]:
        return middle, 0.0
    half = float(scores[-1] / 2 - scores[0] / 2)
    unit = max(half, _LEAST)
    t = standardized(scores, middle, unit)  # origin and unit from the data: no cancellation
    total = float(weight.sum())
    mean = float(np.einsum("i,i", weight, t)) / total
    variance = float(np.einsum("i,i", weight, (t - mean) ** 2)) / total
    return middle + mean * unit, max(float(np.sqrt(variance)) * unit, _LEAST)


def share_of_range(scores: Floats, first: float, last: float) -> Floats:
    """Scores on the scale where `first` is 0 and `last`, which is greater, is 1.

    Parameters
    ----------
    scores : (m,) array
    first, last : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> share_of_range(np.array([0.0, 1.7e308]), -1.7e308, 1.7e308).tolist()
    [0.5, 1.0]
    """
    if last / 2 - first / 2 < _HUGE:
        return standardized(scores, first, last - first)
    return standardized(scores / 4, first / 4, last / 4 - first / 4)


def at_share(share: Floats, first: float, last: float) -> Floats:
    """Scores at shares of the way from `first` to `last`: the inverse of `share_of_range`.

    Parameters
    ----------
    share : (m,) array
    first, last : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> at_share(np.array([0.5, 1.0]), -1.7e308, 1.7e308).tolist()
    [0.0, 1.7e+308]
    """
    if last / 2 - first / 2 < _HUGE:
        return np.asarray(first + (last - first) * share)
    return np.asarray(first * (1.0 - share) + last * share)


def between(centers: Floats, values: Floats, scores: Floats) -> Floats:
    """Linear interpolation of rows; by shares, since slopes of near centers may overflow.

    Parameters
    ----------
    centers : (k,) array
        Ascending.
    values : (r, k) array
    scores : (m,) array
        Those outside take the value at the nearest end.

    Returns
    -------
    (r, m) array

    Examples
    --------
    >>> between(np.array([0.0, 5e-323]), np.array([[0.0, 1.0]]), np.array([1e-323, 1.0])).tolist()
    [[0.2, 1.0]]
    """
    right = np.searchsorted(centers[1:-1], scores, side="right") + 1
    right = np.minimum(right, len(centers) - 1)
    left = np.maximum(right - 1, 0)
    inside = np.clip(scores, centers[0], centers[-1]) / 2
    gap = centers[right] / 2 - centers[left] / 2  # halves: the range may exceed all floats
    share = np.divide(inside - centers[left] / 2, gap, out=np.ones_like(gap), where=gap > 0)
    share = np.clip(share, 0, 1)
    return np.asarray(values[:, left] * (1 - share) + values[:, right] * share)


def interpolated(scores: Floats, knots: Floats, values: Floats) -> Floats:
    """`numpy.interp` for knots at any distance, where its slopes may be 0 or infinite.

    Parameters
    ----------
    scores : (m,) array
    knots, values : (k,) arrays
        A polyline, its knots ascending; it is constant outside.

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> interpolated(np.array([0.0]), np.array([-1.7e308, 1.7e308]), np.array([0.0, 1.0])).tolist()
    [0.5]
    """
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        slopes = np.diff(values) / np.diff(knots)
    # Slopes of floats in the middle of their range lose no digit to under- or overflow.
    if (np.abs(slopes[slopes != 0]) < _HUGE).all() and np.abs(knots[[0, -1]]).max() < _HUGE:
        return np.interp(scores, knots, values)
    return np.asarray(between(knots, values[None], scores)[0])
