"""Contours in closed form: of the parameter of simple models, and of an expert's opinion.

A model needs its sufficient statistics, so the cost does not depend on the number of observations.
Log relative likelihoods are functions of the distance from the mode, so large samples lose no
digits.

Source: the relative likelihoods are Xu et al., IJAR 72, 2016, equations 11 and 29, and their
textbook counterparts (Pawitan, In all likelihood, 2001, chapters 2-4).

An expert states the possible and the most plausible values; in between, plausibility follows a
straight line or a bell curve (Dubois and Prade 1988, Possibility Theory). `combine_contours`
combines such contours with each other and with likelihoods.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.checks.arguments import as_array, check_rows
from dstheory.inference.contours.checks import as_data, as_positive, numbers
from dstheory.inference.contours.likelihood_contour import (
    LikelihoodContour,
    normal_curve,
    student_curve,
)
from dstheory.inference.counts.checks import as_counts

_CHUNK = 1 << 16  # closed forms need little memory


def binomial_contour(successes: float, trials: float) -> LikelihoodContour:
    """Contour of a probability after k successes in n trials (eq. 29).

    Parameters
    ----------
    successes, trials : float
        Counts k and n with 0 <= k <= n; sums of sample weights need not be integers. Labels y of
        Bernoulli trials are ``y.sum(), len(y)``.

    Returns
    -------
    LikelihoodContour
        On [0, 1], with mode k / n. Without trials it is vacuous, with mode 1/2.

    Raises
    ------
    ValueError, TypeError
        If a count is not a finite number, or not 0 <= k <= n.

    See Also
    --------
    binomial : the predictive belief function of the next trial, for many counts at once.

    Examples
    --------
    >>> binomial_contour(1, 2).contour([0.0, 0.25, 0.5])
    array([0.  , 0.75, 1.  ])
    """
    if as_array(successes, "successes").ndim or as_array(trials, "trials").ndim:
        raise TypeError("successes and trials are two numbers here; binomial() takes arrays")
    a, b, _ = as_counts(successes, trials, exact=False, needs_trials=False, most=np.inf)
    k, failures = float(a[0]), float(b[0])
    if k + failures == 0:
        return LikelihoodContour(np.zeros_like, (0, 1), mode=0.5, scale=0.5, chunk=_CHUNK)
    p = k / (k + failures)

    def log_relative(tau: Floats) -> Floats:
        return _power(k, tau - p, p) + _power(failures, p - tau, failures / (k + failures))

    total = k + failures + 2
    size = np.sqrt((k + 1) / total * ((failures + 1) / total) / total)
    return LikelihoodContour(log_relative, (0, 1), mode=p, scale=size, chunk=_CHUNK)


def _power(exponent: float, change: Floats, base: float) -> Floats:
    """Logarithm of ((base + change) / base) ** exponent."""
    if not exponent:
        return np.zeros(change.shape)
    with np.errstate(divide="ignore"):  # log 0 = -inf on the bound
        return np.asarray(exponent * np.log1p(np.maximum(change / base, -1.0)))


def poisson_contour(counts: ArrayLike, exposure: ArrayLike = 1.0) -> LikelihoodContour:
    """Contour of the rate of events after counting them, or after waiting for them.

    Parameters
    ----------
    counts : array_like of shape (n,)
        Numbers of events, not negative. Of exponential durations, whether the event was seen: 1, or
        0 where observation ended before (censored).
    exposure : float or array_like of shape (n,)
        Time (or area) over which each was counted, positive. The durations, of these.

    Returns
    -------
    LikelihoodContour
        On [0, inf), with mode ``counts.sum() / exposure.sum()``.

    Raises
    ------
    ValueError, TypeError
        If there are no counts, a count is negative, an exposure is not positive, or a number is
        not finite.

    Examples
    --------
    No event in two hours: the relative likelihood is exp(-2 rate).

    >>> poisson_contour([0, 0]).contour([0.0, 0.5]).round(4)
    array([1.    , 0.3679])

    A part failed after 1 hour, another one still runs after 3.

    >>> poisson_contour([1, 0], exposure=[1.0, 3.0]).mode
    0.25
    """
    events = as_data("counts", counts, low=0)
    time = as_array(exposure, "exposure")
    check_rows(counts=counts, exposure=exposure)
    if time.ndim and time.shape != events.shape:
        raise ValueError(f"exposure has shape {time.shape}, expected {events.shape} as counts")
    time = as_data("exposure", np.broadcast_to(time, events.shape), low=0)
    as_positive("the least exposure", float(time.min()))
    number, total = _total("counts", events), _total("exposure", time)
    mode = number / total

    def log_relative(rate: Floats) -> Floats:
        """Logarithm of (rate / mode)^number exp(-total (rate - mode))."""
        if not number:
            return -total * rate
        u = np.maximum(rate / mode - 1, -1.0)
        with np.errstate(divide="ignore", invalid="ignore"):  # -inf at 0, inf - inf at infinity
            return np.asarray(np.where(np.isinf(u), -np.inf, number * (np.log1p(u) - u)))

    return LikelihoodContour(
        log_relative, (0, np.inf), mode=mode, scale=np.sqrt(number + 1) / total, chunk=_CHUNK
    )


def _total(name: str, values: Floats) -> float:
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if total == np.inf:
        raise ValueError(f"{name} sum to more than 1.8e308, the greatest float")
    return total


def normal_contour(data: ArrayLike, sigma: float | None = None) -> LikelihoodContour:
    """Contour of the mean of a normal distribution.

    Parameters
    ----------
    data : array_like of shape (n,)
        Observations.
    sigma : float, optional
        Standard deviation. If None, it is profiled out: the contour of the mean m is then ``(1 +
        (mean - m)**2 / variance) ** (-n / 2)``, where the variance has divisor n.

    Returns
    -------
    LikelihoodContour
        On the real line, with the sample mean as mode.

    Raises
    ------
    ValueError, TypeError
        If there are no data or they are not finite, sigma is not positive, or sigma is None and all
        data are equal, so that the likelihood is unbounded.

    Examples
    --------
    >>> normal_contour([1.0, 3.0]).contour([2.0, 3.0])
    array([1. , 0.5])
    >>> normal_contour([1.0, 3.0], sigma=1.0).contour(3.0).__round__(4)
    0.3679
    """
    x = as_data("data", data)
    mean = float(x.mean())
    if sigma is not None:
        return normal_curve(mean, as_positive("sigma", sigma) / np.sqrt(x.size), _CHUNK)
    if x.min() == x.max():
        raise ValueError(
            f"all {x.size} observations are {x[0]:g}: the likelihood is unbounded as sigma tends "
            "to 0; give sigma or more observations"
        )
    unit = float(np.abs(x - mean).max())  # whose square may be no float
    return student_curve(mean, unit * np.sqrt(np.mean(((x - mean) / unit) ** 2)), x.size, _CHUNK)


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
