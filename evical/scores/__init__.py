"""Sorted, counted, weighted scores: what calibrators learn from."""

from evical.scores.counts import ScoreCounts, fit_table

__all__ = [
    "ScoreCounts",
    "fit_table",
]


def __dir__() -> list[str]:
    return __all__
