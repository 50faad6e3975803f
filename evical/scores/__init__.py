"""Sorted, counted, weighted scores, and pure functions on them."""

from evical.scores._counts import ScoreCounts, midpoints
from evical.scores._platt import PlattFit, fit_platt, platt_targets
from evical.scores._profile import LogisticProfile, fit_profile
from evical.scores._scale import log_odds

__all__ = [
    "LogisticProfile",
    "PlattFit",
    "ScoreCounts",
    "fit_platt",
    "fit_profile",
    "log_odds",
    "midpoints",
    "platt_targets",
]
