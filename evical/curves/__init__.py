"""Fits of one curve to scores and labels: pure functions, from which calibrators are made."""

from evical.curves._trend_filter import TrendFilterPath, trend_filter, trend_filter_path
from evical.curves.density import kernel_sums, silverman
from evical.curves.logistic_profile import LogisticProfile, fit_profile
from evical.curves.near_isotonic_blocks import NearIsotonicPath, near_isotonic_path
from evical.curves.platt import PlattFit, fit_platt, platt_targets
from evical.curves.quadratic import QuadraticFit, fit_quadratic

__all__ = [
    "LogisticProfile",
    "NearIsotonicPath",
    "PlattFit",
    "QuadraticFit",
    "TrendFilterPath",
    "fit_platt",
    "fit_profile",
    "fit_quadratic",
    "kernel_sums",
    "near_isotonic_path",
    "platt_targets",
    "silverman",
    "trend_filter",
    "trend_filter_path",
]
