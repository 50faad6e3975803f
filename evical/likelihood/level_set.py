"""Level sets: the probabilities that are at least as plausible as a level.

A plausibility exp(-D) is at least alpha where D is at most -log(alpha). That is an interval, as D
is convex in the log-odds. By Wilks' theorem 2 D of the truth tends to a chi-squared variable with
one degree of freedom: if the form of the curve is right, the interval covers the truth with
probability P(chi2_1 <= -2 log(alpha)).

Source: S. S. Wilks, The large-sample distribution of the likelihood ratio for testing composite
hypotheses, Annals of Mathematical Statistics 9, 1938, 60-62; Xu et al. 2016, equations 11 and 40.
"""

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.errors import ConvergenceError
from evical.likelihood.integrals import NO_PROFILE, ProfileAt

_FAR = 800.0  # log-odds: their probability is 0 or 1, and nothing lies beyond
_STEPS = 200
_CLOSE = 1e-9  # error of D, relative to the level
_LEAST = 1e-12  # log-odds that are told apart
_SERIES = 1e-3


def level_set(
    scores: Floats, mle: Floats, spread: Floats, profile: ProfileAt, level: float
) -> Floats:
    """Least and greatest probability whose deviance is at most the level.

    Parameters
    ----------
    scores : (k,) array
        As `profile` takes them.
    mle, spread : (k,) arrays
        Most plausible log-odds at each score, and their standard error (a first guess only).
    profile : callable
        Profile deviance: convex in the log-odds, 0 at the `mle`; can be infinite.
    level : float
        Minus the logarithm of the plausibility.

    Returns
    -------
    (2, k) array

    Raises
    ------
    ConvergenceError
        If an end is not found.

    Examples
    --------
    >>> zero = np.zeros(1)
    >>> ends = level_set(zero, zero, zero + 1, lambda scores, log_odds: log_odds**2 / 2, 2.0)
    >>> np.log(ends / (1 - ends)).round(9)
    array([[-2.],
           [ 2.]])
    """
    return expit(np.stack([_end(scores, mle, spread, profile, level, s) for s in (-1.0, 1.0)]))


def _end(
    scores: Floats, mle: Floats, spread: Floats, profile: ProfileAt, level: float, sign: float
) -> Floats:
    """Log-odds at one end: secants of the root of D, which is nearly straight, in a bracket."""
    near, far = np.zeros_like(mle), np.full_like(mle, np.inf)
    # Beyond _FAR nothing changes, and powers of the step would overflow.
    step = np.clip(spread * np.sqrt(2.0 * level), _LEAST, np.abs(mle) + _FAR)
    before, root_before = np.zeros((2, len(mle)))
    active = np.arange(len(mle)) if level > 0 else np.arange(0)
    for count in range(_STEPS):
        if not len(active):
            break
        size = step[active]
        value = profile(scores[active], (mle[active] + sign * size)[:, None])[:, 0]
        inside = value <= level
        near[active] = np.where(inside, size, near[active])
        far[active] = np.where(inside, far[active], size)
        gap = far[active] - near[active]
        left = np.abs(value - level) > _CLOSE * level
        left &= gap > _LEAST * (1.0 + size)
        left &= np.abs(mle[active]) + _FAR > near[active]
        near[active] = np.where(np.abs(value - level) <= _CLOSE * level, size, near[active])
        active, size, value = active[left], size[left], value[left]
        root = np.sqrt(value)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (root - root_before[active]) / (size - before[active])
            new = size + (np.sqrt(level) - root) / slope
        new = np.clip(np.where(np.isnan(new), np.inf, new), 0.25 * size, 4.0 * size)
        before[active], root_before[active] = size, root
        low, high = near[active], far[active]
        slow = (count % 5 == 4) & np.isfinite(high)  # at corners, and where D jumps to infinity
        step[active] = np.where((new <= low) | (new >= high) | slow, 0.5 * (low + high), new)
    else:
        raise ConvergenceError(NO_PROFILE)
    return mle + sign * near


def binomial_level_set(positive: Floats, total: Floats, level: float) -> Floats:
    """The same for a probability of which there are samples of its own.

    Parameters
    ----------
    positive, total : (k,) arrays
        Counts, real; nothing is known without samples.
    level : float

    Returns
    -------
    (2, k) array

    Examples
    --------
    Of two samples one is positive: 4 p (1 - p) is 3/4 at the ends; of one it is: p is 3/4.

    >>> binomial_level_set(np.array([1.0, 1.0]), np.array([2.0, 1.0]), -np.log(0.75)).round(9)
    array([[0.25, 0.75],
           [0.75, 1.  ]])
    """
    negative = np.maximum(total - positive, 0.0)
    with np.errstate(divide="ignore"):
        # Without a sample of the other class the likelihood is p^n.
        one_sided = np.exp(-level / np.maximum(total, 1e-300))
    ends = np.stack(
        [np.where(negative > 0, 0.0, one_sided), np.where(positive > 0, 1.0, 1 - one_sided)]
    )
    ends[:, total <= 0] = [[0.0], [1.0]]
    both = np.flatnonzero((positive > 0) & (negative > 0))
    a, b = positive[both], negative[both]
    with np.errstate(over="ignore"):  # of counts below 1e-308
        mle, spread = np.log(a) - np.log(b), np.sqrt(1 / a + 1 / b)

    def deviance(at: Floats, log_odds: Floats) -> Floats:
        place = at.astype(np.intp)
        return _binomial_deviance(a[place, None], b[place, None], mle[place, None], log_odds)

    ends[:, both] = level_set(np.arange(float(len(both))), mle, spread, deviance, level)
    return ends


def _binomial_deviance(a: Floats, b: Floats, mle: Floats, log_odds: Floats) -> Floats:
    """Minus the log relative likelihood of log-odds after a positives and b negatives."""
    t, p, q = log_odds - mle, expit(mle), expit(-mle)
    up = np.logaddexp(0.0, log_odds) - np.logaddexp(0.0, mle)
    down = np.logaddexp(0.0, -log_odds) - np.logaddexp(0.0, -mle)
    series = t * t * (0.5 + t * ((q - p) / 6 + t * (1 - 6 * p * q) / 24))
    return np.where(np.abs(t) < _SERIES, (a + b) * p * q * series, a * down + b * up)
