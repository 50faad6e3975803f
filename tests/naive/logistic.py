"""Evidential logistic calibration as it is defined, slowly: standard library only.

Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 2-4, 22-23 and 33-40, on lists of samples.
The profile is a bracketed search, and the integrals are adaptive Simpson sums over tau itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Numbers = Sequence[float]


def targets(y: Sequence[int], weights: Numbers) -> list[float]:
    """Platt's targets, equation 4, one a sample."""
    positive = sum(w for w, label in zip(weights, y, strict=True) if label)
    negative = sum(w for w, label in zip(weights, y, strict=True) if not label)
    return [(positive + 1) / (positive + 2) if label else 1 / (negative + 2) for label in y]


def log_likelihood(theta: tuple[float, float], x: Numbers, t: Numbers, w: Numbers) -> float:
    """Logarithm of equation 3 with targets."""
    total = 0.0
    for xi, ti, wi in zip(x, t, w, strict=True):
        u = theta[0] + theta[1] * xi  # minus the log-odds
        softplus = max(u, 0.0) + math.log1p(math.exp(-abs(u)))
        total -= wi * (softplus - (1 - ti) * u)
    return total


def maximize(slope_of: Callable[[float], tuple[float, float]], start: float) -> float:
    """Zero of a decreasing function, given with its derivative: Newton inside a bracket."""
    low, high, step = start, start, 1.0
    while slope_of(low)[0] < 0:
        low, step = low - step, 2 * step
    step = 1.0
    while slope_of(high)[0] > 0:
        high, step = high + step, 2 * step
    point = start
    for _ in range(200):
        value, derivative = slope_of(point)
        if value == 0:
            break
        low, high = (point, high) if value > 0 else (low, point)
        new = point - value / derivative if derivative < 0 else math.inf
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - point) <= 1e-14 * (1 + abs(point)):
            break
        point = new
    return point


def profile(
    s: float, log_odds: float, x: Numbers, t: Numbers, w: Numbers, start: float
) -> tuple[float, float]:
    """Supremum over theta1 of the log-likelihood on the line of equation 39, and where it is."""

    def slope_of(theta1: float) -> tuple[float, float]:
        first = second = 0.0
        for xi, ti, wi in zip(x, t, w, strict=True):
            u = -log_odds + theta1 * (xi - s)
            p = 1 / (1 + math.exp(u)) if u < 700 else 0.0
            first += wi * (p - ti) * (xi - s)
            second -= wi * p * (1 - p) * (xi - s) ** 2
        return first, second

    theta1 = maximize(slope_of, start)
    return log_likelihood((-log_odds - theta1 * s, theta1), x, t, w), theta1


def platt(x: Numbers, y: Sequence[int], w: Numbers) -> tuple[float, float]:
    """Maximum of the likelihood: of its profile over the log-odds at the mean score."""
    t = targets(y, w)
    middle = sum(xi * wi for xi, wi in zip(x, w, strict=True)) / sum(w)
    start = [0.0]

    def slope_of(log_odds: float) -> tuple[float, float]:
        theta1 = start[0] = profile(middle, log_odds, x, t, w, start[0])[1]
        first = h00 = h01 = h11 = 0.0
        for xi, ti, wi in zip(x, t, w, strict=True):
            p = 1 / (1 + math.exp(-log_odds + theta1 * (xi - middle)))
            first += wi * (ti - p)
            h00, h01 = h00 + wi * p * (1 - p), h01 + wi * p * (1 - p) * (xi - middle)
            h11 += wi * p * (1 - p) * (xi - middle) ** 2
        return first, -(h00 - h01 * h01 / h11)

    log_odds = maximize(slope_of, 0.0)
    return -log_odds - start[0] * middle, start[0]


def masses(
    s: float, x: Numbers, y: Sequence[int], w: Numbers, tolerance: float = 1e-9
) -> tuple[float, float]:
    """m({1}) and m({0}) at a score: equations 22, 23 and 40."""
    t = targets(y, w)
    theta = platt(x, y, w)
    best = log_likelihood(theta, x, t, w)
    tau_hat = 1 / (1 + math.exp(theta[0] + theta[1] * s))
    start = [theta[1]]

    def contour(tau: float) -> float:
        if tau <= 0 or tau >= 1:
            return 0.0
        value, start[0] = profile(s, math.log(tau / (1 - tau)), x, t, w, start[0])
        return math.exp(value - best)

    below = simpson(contour, 0.0, tau_hat, tolerance)
    above = simpson(contour, tau_hat, 1.0, tolerance)
    return tau_hat - below, 1 - tau_hat - above


def simpson(f: Callable[[float], float], a: float, b: float, tolerance: float) -> float:
    """Adaptive Simpson rule."""

    def refine(a: float, b: float, fa: float, fm: float, fb: float, tolerance: float) -> float:
        m = 0.5 * (a + b)
        fl, fr = f(0.5 * (a + m)), f(0.5 * (m + b))
        whole = (b - a) / 6 * (fa + 4 * fm + fb)
        halves = (b - a) / 12 * (fa + 4 * fl + 2 * fm + 4 * fr + fb)
        if abs(halves - whole) < 15 * tolerance or b - a < 1e-12:
            return halves + (halves - whole) / 15
        left = refine(a, m, fa, fl, fm, 0.5 * tolerance)
        return left + refine(m, b, fm, fr, fb, 0.5 * tolerance)

    return refine(a, b, f(a), f(0.5 * (a + b)), f(b), tolerance)
