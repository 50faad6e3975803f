"""Plausibility and belief of intervals under Gaussian random fuzzy numbers, on arrays.

Under a Gaussian fuzzy number exp(-h (x - M)^2 / 2) with a normal mode M, an interval is as
plausible as its point nearest to M. The means of these plausibilities are normal distribution
functions: weighted by exp(-h (x - M)^2 / 2), M is normal again, with mean (mu + h sigma^2 x) / s^2
and deviation sigma / s, where s^2 = 1 + h sigma^2.

Source: T. Denoeux, Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
sets: general framework and practical models, Fuzzy Sets and Systems 453, 2023, 1-36.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dstheory._typing import Floats

__all__ = ["Numbers", "belief", "contour", "plausibility", "radius", "upper_quantile"]


# Enough halvings to shrink a bracket below the last bit of its ends.
STEPS = 60


class Numbers(NamedTuple):
    """Mode mu + sigma N(0, 1) and precision h: arrays that broadcast with the points."""

    mu: Floats
    sigma: Floats
    h: Floats


def contour(numbers: Numbers, x: Floats) -> Floats:
    """Plausibility of points: the mean of exp(-h (x - M)^2 / 2).

    >>> contour(Numbers(*np.array([0.0, 1.0, 3.0])), np.array([0.0]))
    array([0.5])
    """
    mu, sigma, h = numbers
    with np.errstate(invalid="ignore", over="ignore"):  # infinite h and x are settled below
        s2 = 1 + h * sigma**2
        fuzzy = np.exp(-h * (x - mu) ** 2 / (2 * s2)) / np.sqrt(s2)
    point = (sigma == 0) & (x == mu)
    fuzzy = np.where(np.isinf(h) | np.isinf(s2), point, fuzzy)
    return np.asarray(np.where((h == 0) | np.isinf(x), h == 0, fuzzy))


def plausibility(numbers: Numbers, x: Floats, y: Floats) -> Floats:
    """Plausibility of closed intervals [x, y]: M is inside, or an end is near enough to M.

    >>> plausibility(Numbers(*np.array([0.0, 0.0, 2.0])), np.array([1.0]), np.array([2.0]))
    array([0.36787944])
    """
    from scipy.special import ndtr

    below = _at_end(numbers, x, ndtr(_tilted(numbers, x, x)))
    above = _at_end(numbers, y, ndtr(-_tilted(numbers, y, y)))
    total = np.minimum(_mode_within(numbers, x, y) + below + above, 1)
    return np.asarray(np.where(numbers.h == 0, 1.0, total))


def belief(numbers: Numbers, x: Floats, y: Floats) -> Floats:
    """Belief in closed intervals [x, y]: M is inside, and both ends are far enough from M.

    The end nearer to M counts: x below the middle of the interval, y above.

    >>> belief(Numbers(*np.array([0.0, 0.0, 2.0])), np.array([-1.0]), np.array([2.0]))
    array([0.63212056])
    """
    with np.errstate(invalid="ignore"):  # -inf + inf, settled below
        middle = x / 2 + y / 2
    upto = np.where(np.isinf(y), np.inf, _tilted(numbers, x, middle))
    since = np.where(np.isinf(x), -np.inf, _tilted(numbers, y, middle))
    left = _at_end(numbers, x, _normal(_tilted(numbers, x, x), upto))
    right = _at_end(numbers, y, _normal(since, _tilted(numbers, y, y)))
    lost = np.where(np.isinf(numbers.h), 0, left + right)
    total = np.maximum(_mode_within(numbers, x, y) - lost, 0)
    everything = np.isinf(x) & np.isinf(y) & (x < y)
    return np.asarray(np.where(numbers.h == 0, everything, total), dtype=np.float64)


def upper_quantile(numbers: Numbers, p: Floats) -> Floats:
    """Where the lower distribution function Bel((-inf, y]) reaches p, inside (0, 1)."""
    from scipy.special import ndtri

    mu, sigma, _ = numbers

    def reached(y: Floats) -> Floats:
        return belief(numbers, np.full_like(y, -np.inf), y)

    # Bel((-inf, y]) is at most P(M <= y), and `_reach` is far enough.
    return _crossing(reached, mu + sigma * ndtri(p), mu + _reach(numbers, 1 - p), p)


def radius(numbers: Numbers, level: Floats) -> Floats:
    """Half the width of the interval about mu in which the belief is `level`."""
    mu = numbers.mu

    def reached(r: Floats) -> Floats:
        return belief(numbers, mu - r, mu + r)

    return _crossing(reached, np.zeros_like(level), _reach(numbers, 1 - level), level)


def _reach(numbers: Numbers, rest: Floats) -> Floats:
    """A radius that leaves at most `rest` outside: half for M, half for fuzziness."""
    from scipy.special import ndtri

    with np.errstate(divide="ignore"):  # infinitely far for h = 0
        return np.asarray(
            -numbers.sigma * ndtri(rest / 4) + np.sqrt(2 * np.log(2 / rest) / numbers.h)
        )


def _crossing(
    reached: Callable[[Floats], Floats], low: Floats, high: Floats, level: Floats
) -> Floats:
    """Where an increasing function reaches a level, by bisection; inf where `high` is."""
    bounded = np.isfinite(high)
    below, above = np.broadcast_arrays(low, np.where(bounded, high, low))
    for _ in range(STEPS):
        middle = below / 2 + above / 2
        enough = reached(middle) >= level
        below, above = np.where(enough, below, middle), np.where(enough, middle, above)
    return np.asarray(np.where(bounded, above, np.inf))


def _at_end(numbers: Numbers, x: Floats, probability: Floats) -> Floats:
    """Contribution of an end of the interval; 0 at infinity."""
    height = contour(numbers, x)
    return np.asarray(np.where(np.isinf(x) | (height == 0), 0, height * probability))


def _tilted(numbers: Numbers, x: Floats, m: Floats) -> Floats:
    """Standard value of M = m after weighting with exp(-h (x - M)^2 / 2)."""
    mu, sigma, h = numbers
    # With infinite h, only a certain M has a plausible point, and there a is 0 anyway.
    with np.errstate(invalid="ignore", over="ignore"):  # infinite x and m: settled by callers
        a = np.where(np.isinf(h), 0, h) * sigma**2
        return _standard((m - mu) + a * (m - x), sigma * np.sqrt(1 + a))


def _mode_within(numbers: Numbers, x: Floats, y: Floats) -> Floats:
    """P(x <= M <= y). A certain M at an end counts half; that end contributes the other half."""
    mu, sigma, h = numbers
    normal = _normal(_standard(x - mu, sigma), _standard(y - mu, sigma))
    certain = (sigma == 0) & np.isinf(h)
    return np.asarray(np.where(certain, (x <= mu) & (mu <= y), normal))


def _standard(distance: Floats, scale: Floats) -> Floats:
    """Quotient that is 0 at distance 0 and infinite elsewhere on scale 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.where(distance == 0, 0.0, distance / scale))


def _normal(a: Floats, b: Floats) -> Floats:
    """P(a <= Z <= b) of a standard normal Z, in the tail where both are accurate."""
    from scipy.special import ndtr

    flip = a > 0
    return np.asarray(ndtr(np.where(flip, -a, b)) - ndtr(np.where(flip, -b, a)))
