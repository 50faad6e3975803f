"""Near-isotonic regression and its ensemble as the thesis tells them: standard library only.

Naeini (2016), section 3.3: algorithm 2 follows the path from breakpoint to breakpoint with all
slopes (eq. 3.19) and merging values (eq. 3.20) computed anew, exactly on Fractions; ENIR keeps
every model of the path and averages them one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

Fractions = Sequence[Fraction]
Block = tuple[int, int, Fraction]  # first sample, one beyond the last, value


def joined(blocks: list[Block]) -> list[Block]:
    """Neighbors of equal value as one block."""
    result = blocks[:1]
    for first, last, value in blocks[1:]:
        if value == result[-1][2]:
            result[-1] = (result[-1][0], last, value)
        else:
            result.append((first, last, value))
    return result


def slopes(blocks: list[Block], weights: Fractions) -> list[Fraction]:
    """Equation 3.19: (nu_{i-1} - nu_i) / |B_i|."""
    nu = [0, *(a[2] > b[2] for a, b in pairwise(blocks)), 0]
    return [
        Fraction(nu[i] - nu[i + 1]) / sum(weights[first:last])
        for i, (first, last, _) in enumerate(blocks)
    ]


def path(values: Fractions, weights: Fractions) -> list[tuple[Fraction, list[Block]]]:
    """Algorithm 2: lambda and blocks at 0 and at each breakpoint."""
    lam = Fraction(0)
    blocks = joined([(i, i + 1, value) for i, value in enumerate(values)])
    models = [(lam, blocks)]
    while True:
        a = slopes(blocks, weights)
        merging = [
            lam + (blocks[i][2] - blocks[i + 1][2]) / (a[i + 1] - a[i])
            for i in range(len(blocks) - 1)
            if a[i] != a[i + 1]
        ]
        ahead = [value for value in merging if value > lam]
        if not ahead:
            return models
        step = min(ahead) - lam
        lam += step
        blocks = joined([(i, j, p + s * step) for (i, j, p), s in zip(blocks, a, strict=True)])
        models.append((lam, blocks))


def fit(blocks: list[Block]) -> list[Fraction]:
    """Value of each sample."""
    return [value for first, last, value in blocks for _ in range(first, last)]


def bic(blocks: list[Block], positive: Fractions, total: Fractions) -> float:
    """-2 log-likelihood + blocks * log(samples)."""
    score = len(blocks) * math.log(sum(total))
    for first, last, p in blocks:
        k, n = sum(positive[first:last]), sum(total[first:last])
        score -= 2 * (k * math.log(p) if k else 0.0)
        score -= 2 * ((n - k) * math.log(1 - p) if n > k else 0.0)
    return score


def models(positive: Fractions, total: Fractions) -> list[tuple[float, list[Block]]]:
    """Weight and blocks of each model; the data themselves only where nothing else is."""
    shares = [k / n for k, n in zip(positive, total, strict=True)]
    blocks = [model for _, model in path(shares, total)]
    blocks = blocks[1:] or blocks
    scores = [bic(model, positive, total) for model in blocks]
    raw = [math.exp((min(scores) - score) / 2) for score in scores]
    return [(weight / sum(raw), model) for weight, model in zip(raw, blocks, strict=True)]


def smoothed(
    block: Block, scores: Sequence[float], positive: Fractions, total: Fractions, strength: float
) -> float:
    """The released code's value: pseudo-samples at the mean score, fewer where it is far off."""
    first, last, p = block
    n = float(sum(total[first:last]))
    mean = sum(float(t) * s for t, s in zip(total[first:last], scores[first:last], strict=True)) / n
    mean = min(max(mean, 0.005), 0.995)
    size = strength * (1 - abs(float(sum(positive[first:last])) / n - mean))
    return (float(p) * n + size * mean) / (n + size)


def enir(
    scores: Sequence[float], positive: Fractions, total: Fractions, strength: float
) -> list[float]:
    """Averaged probability at each distinct score."""
    average = [0.0] * len(scores)
    for weight, blocks in models(positive, total):
        for block in blocks:
            value = smoothed(block, scores, positive, total, strength)
            for i in range(block[0], block[1]):
                average[i] += weight * value
    return average
