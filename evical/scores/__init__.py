"""Sorted, counted, weighted scores: what calibrators learn from."""

from evical.scores.counts import ScoreCounts, midpoints
from evical.scores.scale import log_odds

__all__ = [
    "ScoreCounts",
    "log_odds",
    "midpoints",
]
