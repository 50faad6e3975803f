"""Sorted, counted, weighted scores, and pure functions on them."""

from evical.scores._counts import ScoreCounts, midpoints
from evical.scores._density import kernel_sums, silverman
from evical.scores._near_isotonic import NearIsotonicPath, near_isotonic_path
from evical.scores._platt import PlattFit, fit_platt, platt_targets
from evical.scores._profile import LogisticProfile, fit_profile
from evical.scores._scale import log_odds
from evical.scores._trend_filter import TrendFilterPath, trend_filter, trend_filter_path

__all__ = [
    "LogisticProfile",
    "NearIsotonicPath",
    "PlattFit",
    "ScoreCounts",
    "TrendFilterPath",
    "fit_platt",
    "fit_profile",
    "kernel_sums",
    "log_odds",
    "midpoints",
    "near_isotonic_path",
    "platt_targets",
    "silverman",
    "trend_filter",
    "trend_filter_path",
]
