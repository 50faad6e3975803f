"""Quantiles of beta distributions, for parameters of any size, and the limits that they are.

SciPy's inverse is NaN for some parameters from 1e10 on in its versions before 1.17, and in later
ones twice the quantile where the first parameter is 1000 and the second is above 1e8. Its
distribution function is right there, so each quantile is put into it, and found by bisection where
that does not give back the probability. Between large parameters, where older versions of the
distribution function lose digits too, the quantile is that of a normal distribution with four
moments corrected.

Source: E. A. Cornish and R. A. Fisher, Moments and cumulants in the specification of distributions,
Revue de l'Institut International de Statistique 5, 1938.

The Clopper-Pearson limit is the smallest probability that is not rejected by the counts. At the
lower limit, the probability of the observed number of successes or more equals `tail`, so the limit
is a quantile of a beta distribution. The upper limit of success is one minus the lower limit of
failure.

Source: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the
case of the binomial, Biometrika 26, 1934.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats

# From here on for both parameters: the terms left out are below 1e-10 standard deviations, and
# SciPy 1.15 errs by 2e-9 of the probability.
_MANY = 1e7
_WRONG = 1e-6
# Halvings of the 62 bits that tell apart the floats from 0 to 1.
_BISECTIONS = 62


def beta_quantile(a: ArrayLike, b: ArrayLike, probability: ArrayLike) -> Floats:
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


def _excess(a: Floats, b: Floats, x: Floats, p: Floats) -> Floats:
    """P(X <= x) - p, by the smaller of both tails."""
    from scipy.special import betainc, betaincc

    lower = p <= 0.5
    if lower.all():  # as all lower limits do; half the work
        return np.asarray(betainc(a, b, x) - p)
    return np.where(lower, betainc(a, b, x) - p, (1 - p) - betaincc(a, b, x))


def _bisected(a: Floats, b: Floats, p: Floats) -> Floats:
    """The least float whose probability is not below p; floats are ordered as their bits."""
    low = np.full(p.shape, -1, dtype=np.int64)
    high = np.full(p.shape, np.float64(1).view(np.int64))
    for _ in range(_BISECTIONS):
        middle = (low + high) // 2
        below = _excess(a, b, np.maximum(middle, 0).view(np.float64), p) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high.view(np.float64)


def _expanded(a: Floats, b: Floats, p: Floats) -> Floats:
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


# Below this count the limit, under 2^(-1 / a), is 0 in floats.
_LEAST_COUNT = 1e-4
_NEGLIGIBLE = math.log(2.0**-60)


def lower_limit(successes: Floats, failures: Floats, tail: float) -> Floats:
    """Lower Clopper-Pearson limit (Xu et al. 2016, eq. 28), 0 without successes by definition.

    Parameters
    ----------
    successes, failures : (n,) arrays
        Counts from 0, real, of up to 1e15.
    tail : float
        Probability of at least so many successes at the limit, below 1/2.

    Returns
    -------
    (n,) array

    Notes
    -----
    With a successes and b failures it solves I_x(a, b + 1) = tail for x. As x tends to 0,
    I_x(a, b + 1) tends to x^a / (a B(a, b + 1)), from above by a factor of less than 1 + b x:
    where this factor is 1 to the last bit, logarithms hold down to 1e-323, while betaincinv fails.

    Examples
    --------
    Two successes in two trials have the probability x * x:

    >>> lower_limit(np.array([2.0]), np.array([0.0]), 0.01)
    array([0.1])
    """
    from scipy.special import betaln

    some, b = successes > 0, failures
    a = np.where(some, np.maximum(successes, _LEAST_COUNT), 1)
    log = (math.log(tail) + np.log(a) + betaln(a, b + 1)) / a
    small = log + np.log1p(b) < _NEGLIGIBLE
    limit = beta_quantile(np.where(small, 1, a), b + 1, tail)
    return np.where(some, np.where(small, np.exp(np.minimum(log, 0)), limit), 0.0)
