"""Sorted, counted, weighted scores, and pure functions on them."""

from evical.scores._counts import ScoreCounts, midpoints
from evical.scores._platt import PlattFit, fit_platt, platt_targets
from evical.scores._profile import LogisticProfile, fit_profile

__all__ = [
    "LogisticProfile",
    "PlattFit",
    "ScoreCounts",
    "fit_platt",
    "fit_profile",
    "midpoints",
    "platt_targets",
]
