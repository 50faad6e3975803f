"""Quantiles of beta distributions, for parameters of any size.

SciPy's inverse is NaN for some parameters from 1e10 on in its versions before 1.17, and in later
ones twice the quantile where the first parameter is 1000 and the second is above 1e8. Its
distribution function is right there, so each quantile is put into it, and found by bisection where
that does not give back the probability. Between large parameters, where older versions of the
distribution function lose digits too, the quantile is that of a normal distribution with four
moments corrected.

Source: E. A. Cornish and R. A. Fisher, Moments and cumulants in the specification of distributions,
Revue de l'Institut International de Statistique 5, 1938.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# From here on for both parameters: the terms left out are below 1e-10 standard deviations, and
# SciPy 1.15 errs by 2e-9 of the probability.
_MANY = 1e7
_WRONG = 1e-6
# Halvings of the 62 bits that tell apart the floats from 0 to 1.
_BISECTIONS = 62


def beta_quantile(a: ArrayLike, b: ArrayLike, probability: ArrayLike) -> Array:
    """The value that a beta variable does not exceed with a probability.

    Parameters
    ----------
    a, b : arrays
        Parameters above 0 of up to 1e15; broadcast.
    probability : array
        In [0, 1].

    Returns
    -------
    array

    Examples
    --------
    The larger of two uniform variables is at most x with probability x * x:

    >>> beta_quantile([2.0], [1.0], 0.01)
    array([0.1])
    """
    from scipy.special import betaincinv

    a, b, p = np.broadcast_arrays(
        np.asarray(a, float), np.asarray(b, float), np.asarray(probability, float)
    )
    many = np.minimum(a, b) >= _MANY
    few_a, few_b = np.where(many, 1.0, a), np.where(many, 1.0, b)
    found = np.asarray(betaincinv(few_a, few_b, p), dtype=np.float64)
    reached = _excess(few_a, few_b, found, p)
    lost = ~(np.abs(reached) <= _WRONG * np.minimum(p, 1 - p))
    if lost.any():
        found[lost] = _bisected(few_a[lost], few_b[lost], p[lost])
    if many.any():
        found[many] = _expanded(a[many], b[many], p[many])
    return found


def _excess(a: Array, b: Array, x: Array, p: Array) -> Array:
    """P(X <= x) - p, by the smaller of both tails."""
    from scipy.special import betainc, betaincc

    return np.where(p <= 0.5, betainc(a, b, x) - p, (1 - p) - betaincc(a, b, x))


def _bisected(a: Array, b: Array, p: Array) -> Array:
    """The least float whose probability is not below p; floats are ordered as their bits."""
    low = np.full(p.shape, -1, dtype=np.int64)
    high = np.full(p.shape, np.float64(1).view(np.int64))
    for _ in range(_BISECTIONS):
        middle = (low + high) // 2
        below = _excess(a, b, np.maximum(middle, 0).view(np.float64), p) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high.view(np.float64)


def _expanded(a: Array, b: Array, p: Array) -> Array:
    """Mean and standard deviation, corrected by skewness and kurtosis."""
    from scipy.special import ndtri

    n = a + b
    mean, deviation = a / n, np.sqrt(a / n * (b / n) / (n + 1))
    skewness = 2 * (b - a) * np.sqrt(n + 1) / ((n + 2) * np.sqrt(a) * np.sqrt(b))
    ratio = (b - a) / n * ((b - a) / np.sqrt(a * b)) * ((n + 1) / (n + 2)) / np.sqrt(a * b)
    kurtosis = 6 * (ratio * n / (n + 3) - 1 / (n + 3))
    z = np.asarray(ndtri(p))
    inner = np.clip(z, -40, 40)  # 0 and 1 have infinite ones
    shift = (
        (inner**2 - 1) * skewness / 6
        + (inner**3 - 3 * inner) * kurtosis / 24
        - (2 * inner**3 - 5 * inner) * skewness**2 / 36
    )
    return np.clip(mean + deviation * (z + shift), 0.0, 1.0)
