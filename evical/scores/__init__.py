"""Sorted, counted, weighted scores: what calibrators learn from."""

from evical.scores.counts import ScoreCounts

__all__ = [
    "ScoreCounts",
]
