"""The band of rising maps, by its definition: all pairs of scores, exact binomial tails.

Dimitriadis, Duembgen, Henzi, Puke & Ziegel (2023), Biometrika 110, 663-680: limits of Clopper &
Pearson for each run of neighboring scores, at the level alpha / (N (N + 1)) for N scores. Scores
are gathered by the caller.
"""

from fractions import Fraction
from functools import cache
from math import comb

_BITS = 45


def is_rare(successes, trials, share, level):
    """Whether so many successes or more have at most this probability, in whole numbers."""
    one = 2**_BITS
    paths = sum(
        comb(trials, k) * share**k * (one - share) ** (trials - k)
        for k in range(successes, trials + 1)
    )
    return paths * level.denominator <= level.numerator * one**trials


@cache
def lower_limit(successes, trials, level):
    """Greatest share (to 2^-45, from below) at which that probability is at most the level."""
    low, high = 0, 2**_BITS
    while successes and high - low > 1:
        middle = (low + high) // 2
        if is_rare(successes, trials, middle, level):
            low = middle
        else:
            high = middle
    return Fraction(low, 2**_BITS)


def upper_limit(successes, trials, level):
    """The same for failures, seen from above."""
    return 1 - lower_limit(trials - successes, trials, level)


def band(groups, alpha):
    """Lower and upper limits at groups (successes, trials) of one score each, ascending."""
    size = len(groups)
    level = Fraction(alpha) / (size * (size + 1))
    runs = [
        (j, k, sum(y for y, _ in groups[j : k + 1]), sum(n for _, n in groups[j : k + 1]))
        for j in range(size)
        for k in range(j, size)
    ]
    lower = [max(lower_limit(y, n, level) for j, k, y, n in runs if k <= i) for i in range(size)]
    upper = [min(upper_limit(y, n, level) for j, k, y, n in runs if j >= i) for i in range(size)]
    return lower, upper


def step_limits(scores, lower, upper, score):
    """Limits at any score: those of the last score up to it, and of the first one from it on."""
    before = [limit for s, limit in zip(scores, lower, strict=True) if s <= score]
    after = [limit for s, limit in zip(scores, upper, strict=True) if s >= score]
    return (before[-1] if before else Fraction(0)), (after[0] if after else Fraction(1))
