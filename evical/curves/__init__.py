"""Fits of one curve to scores and labels: pure functions, from which calibrators are made."""

from evical.curves._near_isotonic import NearIsotonicPath, near_isotonic_path
from evical.curves._trend_filter import TrendFilterPath, trend_filter, trend_filter_path
from evical.curves.density import kernel_sums, silverman
from evical.curves.logistic_profile import LogisticProfile, fit_profile
from evical.curves.platt import PlattFit, fit_platt, platt_targets

__all__ = [
    "LogisticProfile",
    "NearIsotonicPath",
    "PlattFit",
    "TrendFilterPath",
    "fit_platt",
    "fit_profile",
    "kernel_sums",
    "near_isotonic_path",
    "platt_targets",
    "silverman",
    "trend_filter",
    "trend_filter_path",
]
