"""Definitions: isotonic regression by min-max, and Venn-Abers by refitting with the test sample."""

from fractions import Fraction


def isotonic_value(samples, score):
    """Value at `score` of the isotonic regression of (score, label, weight): max of min means."""
    scores = sorted({s for s, _, _ in samples})

    def mean(low, high):
        inside = [(y, w) for s, y, w in samples if low <= s <= high]
        return Fraction(sum(y * w for y, w in inside), sum(w for _, w in inside))

    return max(
        min(mean(low, high) for high in scores if high >= score) for low in scores if low <= score
    )


def venn_abers(samples, score):
    """(p0, p1) of a test score (Vovk, Petej & Fedorova 2015, section 2)."""
    return tuple(isotonic_value([*samples, (score, label, 1)], score) for label in (0, 1))


def centered_isotonic(samples):
    """Pools (mean score, value) of equal isotonic value (Oron & Flournoy 2017)."""
    pools = {}
    for s, _, w in samples:
        pools.setdefault(isotonic_value(samples, s), []).append((s, w))
    return sorted(
        (Fraction(sum(s * w for s, w in pool), sum(w for _, w in pool)), value)
        for value, pool in pools.items()
    )
