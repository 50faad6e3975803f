"""Structured scaling as it is defined, on lists: standard library only.

Berta, Holzmueller, Jordan & Bach (2025), and what their package adds: the share of equal ones.
"""

import math
from collections.abc import Sequence

Row = Sequence[float]


def softmax(row: Row) -> list[float]:
    powers = [math.exp(value - max(row)) for value in row]
    return [power / sum(powers) for power in powers]


def cross_entropy(p: Sequence[Row], targets: Sequence[Row], weights: Row) -> float:
    """Mean over samples."""
    total = 0.0
    for row, target, weight in zip(p, targets, weights, strict=True):
        total -= weight * sum(t * math.log(q) for t, q in zip(target, row, strict=True) if t)
    return total / sum(weights)


def temperature_loss(
    inverse: float, logs: Sequence[Row], targets: Sequence[Row], weights: Row
) -> float:
    """What the first step minimizes."""
    p = [softmax([inverse * value for value in row]) for row in logs]
    return cross_entropy(p, targets, weights)


def tempered(inverse: float, logs: Sequence[Row], n: float) -> list[list[float]]:
    """Logarithms of probabilities after the first step, for n samples."""
    share = 1 / (n + 1)
    return [
        [
            math.log((1 - share) * q + share / len(row))
            for q in softmax([inverse * value for value in row])
        ]
        for row in logs
    ]


def probabilities(x: Sequence[Row], matrix: Sequence[Row], intercepts: Row) -> list[list[float]]:
    """After the second step."""
    return [
        softmax(
            [
                sum(w * value for w, value in zip(line, row, strict=True)) + b
                for line, b in zip(matrix, intercepts, strict=True)
            ]
        )
        for row in x
    ]


def objective(
    x: Sequence[Row],
    targets: Sequence[Row],
    weights: Row,
    matrix: Sequence[Row],
    intercepts: Row,
    penalties: tuple[float, float, float],
    rho: float,
    tau: float,
) -> float:
    """What the second step minimizes: mean loss and ridge."""
    k, n = len(intercepts), sum(weights)
    intercept, diagonal, off = penalties
    scale = k**rho / n**tau
    value = cross_entropy(probabilities(x, matrix, intercepts), targets, weights)
    value += intercept * scale * sum(b * b for b in intercepts)
    for i, line in enumerate(matrix):
        for j, w in enumerate(line):
            if i == j:
                value += diagonal * scale * (w - 1) ** 2
            else:
                value += off * (k * (k - 1)) ** rho / n**tau * w * w
    return value


def most_evident(
    curvature: Sequence[float], seen: Sequence[float], total: float, first: float, steps: int
) -> float:
    """MacKay's fixed point for the precision of coefficients around 0, one class more as first.

    A coefficient has a normal likelihood of this curvature, per sample, whose slope at 0 is -seen.
    """
    now = first
    for _ in range(steps):
        away = [s / (c + now) for s, c in zip(seen, curvature, strict=True)]
        known = sum(c / (c + now) for c in curvature)
        now = (known + 1) / (total * sum(a * a for a in away) + 1 / first)
    return now
