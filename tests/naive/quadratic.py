"""Quadratic logistic calibration as it is defined, slowly: standard library only.

Log-odds are a + b x + c x**2; the objective is the log-likelihood of labels or of Platt's targets.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from tests.naive.logistic import targets

Numbers = Sequence[float]


def loss(coefficients: Numbers, x: Numbers, t: Numbers, w: Numbers) -> float:
    """Negative log-likelihood of targets."""
    a, b, c = coefficients
    total = 0.0
    for xi, ti, wi in zip(x, t, w, strict=True):
        eta = a + b * xi + c * xi * xi
        total += wi * (max(eta, 0.0) + math.log1p(math.exp(-abs(eta))) - ti * eta)
    return total


def separates(coefficients: Numbers, x: Numbers, y: Sequence[int]) -> bool:
    """Whether no sample of either class is on the other side, and one is off the parabola."""
    a, b, c = coefficients
    sides = [(a + b * xi + c * xi * xi) * (1 if yi else -1) for xi, yi in zip(x, y, strict=True)]
    return min(sides) >= 0 and max(sides) > 0


def separable(x: Sequence[int], y: Sequence[int]) -> bool:
    """Whether a parabola, line or constant separates: roots at scores and halfway between, or none.

    Whatever parabola separates, its roots can be moved to such places without changing sides.
    """
    distinct = sorted(set(x))
    middles = [(left + right) / 2 for left, right in pairwise(distinct)]
    places = sorted({*distinct, *middles, distinct[0] - 1, distinct[-1] + 1})
    candidates = [(1.0, 0.0, 0.0)]
    candidates += [(-r, 1.0, 0.0) for r in places]
    candidates += [(r * q, -(r + q), 1.0) for r in places for q in places]
    return any(
        separates([sign * value for value in candidate], x, y)
        for candidate in candidates
        for sign in (1, -1)
    )


def fit(x: Numbers, y: Sequence[int], w: Numbers, smooth: bool) -> list[float]:
    """Coefficients by Newton's method on 3 by 3 systems, steps halved until they gain."""
    t = targets(y, w) if smooth else [float(label) for label in y]
    found = [0.0, 0.0, 0.0]
    for _ in range(200):
        gradient, hessian = [0.0] * 3, [[0.0] * 3 for _ in range(3)]
        for xi, ti, wi in zip(x, t, w, strict=True):
            h = (1.0, xi, xi * xi)
            p = 1 / (1 + math.exp(-sum(v * k for v, k in zip(found, h, strict=True))))
            for i in range(3):
                gradient[i] += wi * (p - ti) * h[i]
                for j in range(3):
                    hessian[i][j] += wi * p * (1 - p) * h[i] * h[j]
        step, length = solve(hessian, gradient), 1.0
        new = [v - s for v, s in zip(found, step, strict=True)]
        while loss(new, x, t, w) > loss(found, x, t, w) + 1e-12 and length > 1e-6:
            length /= 2
            new = [v - length * s for v, s in zip(found, step, strict=True)]
        found = new
        if sum(g * s for g, s in zip(gradient, step, strict=True)) < 1e-24:
            break
    return found


def solve(matrix: Sequence[Numbers], right: Numbers) -> list[float]:
    """Cramer's rule for three unknowns."""

    def determinant(m: Sequence[Numbers]) -> float:
        (a, b, c), (d, e, f), (g, h, i) = m
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    whole = determinant(matrix)
    result = []
    for k in range(3):
        replaced = [
            [right[i] if j == k else row[j] for j in range(3)] for i, row in enumerate(matrix)
        ]
        result.append(determinant(replaced) / whole)
    return result
