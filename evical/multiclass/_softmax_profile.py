"""Beliefs from the relative likelihood of a softmax model: expected extremes on level sets.

Bel of class k is the mean of the smallest probability of k over random level sets of the relative
likelihood, and Pl is the mean of the largest one. These are the integrals of Xu et al. (2016, eq.
22-23) of the contour (eq. 40), written over the level. The deviance of a level set is half the
square of a Rayleigh variable r. The extreme log-odds are a smooth function of r and are
interpolated; their sigmoid can be steep, which the quadrature is made for.
"""

import numpy as np
from scipy.fft import dct
from scipy.special import expit

from evical._typing import Floats

__all__ = ["coefficients", "crossing", "expected_probability", "levels"]


_REACH = 6.5  # exp(-6.5^2 / 2) = 7e-10 of all level sets are larger
_BISECTIONS = 60
# Double-exponential quadrature on [0, 1], for functions that are steep at an end: distances of the
# points from 0 and from 1, each with full precision.
_T = np.pi / 2 * np.sinh(np.arange(-32, 33) * 0.1)
_FROM_0, _FROM_1 = expit(2 * _T), expit(-2 * _T)
_WEIGHTS = 0.1 * np.pi * np.cosh(np.arange(-32, 33) * 0.1) * _FROM_0 * _FROM_1


def levels(count: int) -> Floats:
    """Chebyshev points of (0, 6.5]; 0 is a further node, where log-odds are known.

    Examples
    --------
    >>> levels(2).round(9)
    array([3.25, 6.5 ])
    """
    return np.asarray(_REACH / 2 * (1 - np.cos(np.pi * np.arange(1, count + 1) / count)))


def coefficients(start: Floats, values: Floats) -> Floats:
    """Chebyshev coefficients on [0, 6.5] of functions known at 0 and at `levels`.

    Parameters
    ----------
    start : (b,) array
    values : (q, b) array

    Returns
    -------
    (q + 1, b) array

    Examples
    --------
    >>> line = coefficients(np.array([1.0]), 1 + 2 * levels(4)[:, np.newaxis])
    >>> (line[:2, 0].round(9) + 0.0).tolist()
    [7.5, 6.5]
    """
    samples = np.concatenate([start[np.newaxis], values])[::-1]
    found = dct(samples, type=1, axis=0) / len(values)
    found[[0, -1]] /= 2
    return np.asarray(found)


def _at(series: Floats, r: Floats) -> Floats:
    """Values (b, m) of the series at r (b, m)."""
    x = 2 / _REACH * r - 1
    return np.asarray(np.polynomial.chebyshev.chebval(x, series[:, :, np.newaxis], tensor=False))


def crossing(series: Floats, level: Floats) -> Floats:
    """Where each increasing function takes a value, in [0, 6.5]; the nearer end if it does not.

    Parameters
    ----------
    series : (q, b) array
    level : (b,) array

    Returns
    -------
    (b,) array

    Examples
    --------
    >>> line = coefficients(np.array([1.0]), 1 + 2 * levels(4)[:, np.newaxis])
    >>> crossing(line, np.array([4.0])).round(9)
    array([1.5])
    """
    low, high = np.zeros(len(level)), np.full(len(level), _REACH)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = _at(series, middle[:, np.newaxis])[:, 0] < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def expected_probability(series: Floats, sign: Floats) -> Floats:
    """Mean of the sigmoid of an increasing function of a Rayleigh variable, times a sign.

    Parameters
    ----------
    series : (q, b) array
        Chebyshev coefficients on [0, 6.5].
    sign : (b,) array of 1 and -1

    Returns
    -------
    (b,) array

    Examples
    --------
    Log-odds that are 0 everywhere:

    >>> expected_probability(np.zeros((2, 1)), np.array([1.0])).round(12)
    array([0.5])
    """
    middle = crossing(series, np.zeros(series.shape[1]))[:, np.newaxis]
    total = np.exp(-(_REACH**2) / 2) * expit(sign * _at(series, np.full_like(middle, _REACH))[:, 0])
    for start, length in ((np.zeros_like(middle), middle), (middle, _REACH - middle)):
        r = start + length * _FROM_0
        density = r * np.exp(-r * r / 2)
        total += (length * _WEIGHTS * density * expit(sign[:, None] * _at(series, r))).sum(axis=1)
    return np.asarray(total)
