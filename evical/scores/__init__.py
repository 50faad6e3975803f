"""Sorted, counted, weighted scores, and pure functions on them."""

from evical.scores._counts import ScoreCounts, midpoints

__all__ = ["ScoreCounts", "midpoints"]
