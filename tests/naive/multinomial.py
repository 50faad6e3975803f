"""Belief functions from counts of categories, as defined, on exact numbers and frozensets.

Only the standard library. Square roots are the only rounding.
"""

from fractions import Fraction
from itertools import combinations
from math import sqrt
from statistics import NormalDist

from tests.naive import inference as naive_inference


def bayesian(counts):
    """Masses of the categories, a dict from frozenset to number."""
    return {frozenset([k]): Fraction(n) / sum(counts) for k, n in enumerate(counts)}


def laplace(counts):
    return bayesian([n + 1 for n in counts])


def dempster(counts, strength=1):
    """Walley's imprecise Dirichlet model."""
    total = sum(counts) + strength
    masses = {frozenset([k]): Fraction(n) / total for k, n in enumerate(counts)}
    return {**masses, frozenset(range(len(counts))): Fraction(strength) / total}


def goodman(counts, confidence):
    """The roots p of (N + q) p^2 - (q + 2 n) p + n^2 / N = 0 for each category."""
    total = sum(counts)
    q = NormalDist().inv_cdf(1 - (1 - confidence) / (2 * len(counts))) ** 2
    roots = [sqrt(q * (q + 4 * n * (total - n) / total)) for n in counts]
    return [
        [(q + 2 * n + sign * r) / (2 * (total + q)) for n, r in zip(counts, roots, strict=True)]
        for sign in (-1, 1)
    ]


def lower_by_confidence(counts, confidence):
    """Smallest probability of each set of categories within the intervals."""
    low, high = goodman(counts, confidence)
    frame = range(len(counts))
    return {
        event: max(sum(low[k] for k in event), 1 - sum(high[k] for k in frame if k not in event))
        for event in _events(frame)
    }


def isopignistic(p):
    """Contour of the least committed belief function of a pignistic probability (consonant)."""
    return [sum(min(x, y) for y in p) for x in p]


def lower_by_likelihood(counts, confidence=None):
    """Belief in "the next one is in the set", from the binomial likelihood, exactly."""
    total = sum(counts)
    frame = frozenset(range(len(counts)))
    return {
        event: 1
        if event == frame
        else naive_inference.likelihood(sum(counts[k] for k in event), total)[0]
        for event in _events(frame)
    }


def inverse(table):
    """Masses from beliefs, by inclusion and exclusion."""
    return {
        event: sum(
            (-1) ** (len(event) - len(part)) * value
            for part, value in table.items()
            if part <= event
        )
        for event in table
    }


def intervals(table, size):
    """Masses of intervals [i, j] from their lower probabilities (Denoeux 2006)."""

    def value(i, j):
        return table[frozenset(range(i, j + 1))] if i <= j else 0

    return {
        frozenset(range(i, j + 1)): value(i, j)
        - value(i + 1, j)
        - value(i, j - 1)
        + value(i + 1, j - 1)
        for j in range(size)
        for i in range(j + 1)
    }


def _events(frame):
    return [frozenset(c) for size in range(1, len(frame) + 1) for c in combinations(frame, size)]
