"""Gaussian random fuzzy numbers as defined: means over the normal mode, by Simpson's rule.

Only the standard library. `number` is (mu, sigma, h) with sigma > 0 and finite h.
"""

from itertools import pairwise
from math import exp, inf, pi, sqrt

REACH = 9.0  # standard deviations; what lies outside has probability 2e-19


def membership(x, mode, h):
    return exp(-h * (x - mode) ** 2 / 2)


def mean(function, number, breaks=()):
    """E function(M), smooth between breaks."""
    mu, sigma, _ = number

    def weighted(m):
        return function(m) * exp(-(((m - mu) / sigma) ** 2) / 2) / (sigma * sqrt(2 * pi))

    low, high = mu - REACH * sigma, mu + REACH * sigma
    ends = sorted({low, high, *(b for b in breaks if low < b < high)})
    return sum(simpson(weighted, a, b) for a, b in pairwise(ends))


def simpson(f, a, b, n=4000):
    """Integral over the open interval (a, b)."""
    step = (b - a) / n
    tiny = 1e-12 * (b - a)
    values = [f(min(max(a + i * step, a + tiny), b - tiny)) for i in range(n + 1)]
    return step / 3 * (values[0] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]) + values[-1])


def contour(x, number):
    return mean(lambda m: membership(x, m, number[2]), number)


def pl(x, y, number):
    """Mean of the largest membership within [x, y]."""

    def largest(m):
        return membership(min(max(m, x), y), m, number[2])

    return mean(largest, number, (x, y))


def bel(x, y, number):
    """Mean of one minus the largest membership outside [x, y]."""

    def least(m):
        if not x <= m <= y:
            return 0.0
        outside = [membership(end, m, number[2]) for end in (x, y) if abs(end) != inf]
        return 1 - max(outside, default=0.0)

    middle = (x + y) / 2 if max(abs(x), abs(y)) != inf else 0.0
    return mean(least, number, (x, middle, y))


def combine(one, two, n=200):
    """Mean and variance of the mode and conflict, conditioned on agreement (soft)."""
    gap = 1 / one[2] + 1 / two[2]
    share = one[2] / (one[2] + two[2])
    total = [0.0, 0.0, 0.0]
    for m1, p1 in _grid(one, n):
        for m2, p2 in _grid(two, n):
            weight = p1 * p2 * exp(-((m1 - m2) ** 2) / (2 * gap))
            mode = share * m1 + (1 - share) * m2
            for power in range(3):
                total[power] += weight * mode**power
    first = total[1] / total[0]
    return first, total[2] / total[0] - first**2, 1 - total[0]


def _grid(number, n):
    """Modes and probabilities; the trapezoidal rule is exact to rounding for such functions."""
    mu, sigma, _ = number
    step = 2 * REACH / n
    points = [-REACH + i * step for i in range(n + 1)]
    return [(mu + sigma * z, step * exp(-z * z / 2) / sqrt(2 * pi)) for z in points]
