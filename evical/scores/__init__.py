"""Sorted, counted, weighted scores: what calibrators learn from."""

from evical.scores.counts import ScoreCounts, fit_table

__all__ = [
    "ScoreCounts",
    "fit_table",
]
