"""Expert opinion on a parameter, as the contour of a consonant belief function.

An expert states the possible and the most plausible values; in between, plausibility follows a
straight line or a bell curve (Dubois and Prade 1988, Possibility Theory). `combine_contours`
combines such contours with each other and with likelihoods.
"""

import numpy as np

from dstheory._typing import Floats
from dstheory.inference.contours.checks import numbers
from dstheory.inference.contours.likelihood_contour import LikelihoodContour, normal_curve


def trapezoidal_contour(
    low: float, core_low: float, core_high: float, high: float
) -> LikelihoodContour:
    """Plausibility that is 1 on [core_low, core_high] and falls to 0 at `low` and `high`.

    Parameters
    ----------
    low, core_low, core_high, high : float
        In ascending order, with low < high; a side of length 0 is a step. Two steps make the
        categorical statement "in [low, high]"; a core of one value makes a triangle.

    Returns
    -------
    LikelihoodContour
        On the parameter space [low, high]; 0 outside. Its `mode` is the middle of the core.

    Raises
    ------
    ValueError
        If a number is not finite, or the numbers are not in order.
    TypeError
        If one is not a number.

    Examples
    --------
    >>> expert = trapezoidal_contour(0, 1, 2, 4)
    >>> expert.contour([0.5, 1.5, 3])
    array([0.5, 1. , 0.5])
    >>> expert.bel(0.5, 3.0)
    0.5
    """
    points = _ascending(low, core_low, core_high, high)
    left, core_left, core_right, right = points.tolist()

    def log_contour(x: Floats) -> Floats:
        height = np.ones_like(x)
        if left < core_left:
            height = np.minimum(height, (x - left) / (core_left - left))
        if core_right < right:
            height = np.minimum(height, (right - x) / (right - core_right))
        return np.asarray(np.log(height))

    # Halves of the smallest floats round to 0.
    middle = min(max(core_left / 2 + core_right / 2, core_left), core_right)
    return LikelihoodContour(log_contour, (left, right), mode=middle, scale=right - left)


def gaussian_contour(mean: float, deviation: float) -> LikelihoodContour:
    """Plausibility exp(-(x - mean)^2 / (2 deviation^2)) on the real line.

    Parameters
    ----------
    mean : float
        The most plausible value.
    deviation : float
        Distance at which the plausibility is exp(-1/2), about 0.61; positive.

    Returns
    -------
    LikelihoodContour

    Raises
    ------
    ValueError
        If a number is not finite, or the deviation is not positive.
    TypeError
        If one is not a number.

    Examples
    --------
    >>> gaussian_contour(3, 2).contour([1, 3]).round(4)
    array([0.6065, 1.    ])
    """
    center, scale = _finite(mean, deviation).tolist()
    if scale <= 0:
        raise ValueError(f"deviation is {scale:g}; expected a positive number")
    return normal_curve(center, scale)


def _ascending(*points: float) -> Floats:
    array = _finite(*points)
    if (np.diff(array) < 0).any() or array[0] == array[-1]:
        raise ValueError(
            f"points {array.tolist()} do not ascend; give low <= core <= high, with low < high"
        )
    return array


def _finite(*points: float) -> Floats:
    array = numbers("point", points)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"points {array.tolist()} are not finite numbers")
    return array
