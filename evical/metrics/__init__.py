"""Metrics of probabilities and beliefs.

Proper scores and ranking, calibration errors with and without bins, tests of calibration, Gebel's
measures, profits of decisions, the risk of the answered samples; and for belief functions
imprecision, coverage, set-valued accuracy, and a test whether the intervals are compatible with
calibrated probabilities. A metric of probabilities also takes a mass function and uses its
pignistic transform. `calibration_report` gives all metrics that apply, each with its definition.
"""

from evical.metrics._decomposition import brier_decomposition, corp_decomposition
from evical.metrics._ece import (
    debiased_calibration_error,
    debiased_interval,
    expected_calibration_error,
    maximum_calibration_error,
)
from evical.metrics._profit import decision_cost, decision_profit, solicitation_profit
from evical.metrics._ranking import roc_auc
from evical.metrics._scores import (
    ability_to_separate,
    brier_score,
    calibration_measure,
    correctness_rate,
    log_loss,
    ranked_probability_score,
    root_mean_squared_error,
    spherical_score,
    well_calibration_ratio,
)
from evical.metrics._smooth import smooth_calibration_error
from evical.metrics.beliefs import evidential_log_likelihood, mean_imprecision
from evical.metrics.binned_curve import calibration_curve
from evical.metrics.coverage import coverage_test
from evical.metrics.cumulative import cumulative_calibration_error
from evical.metrics.goodness import binomial_test, calibration_test
from evical.metrics.intervals import interval_calibration_test, nearest_calibrated
from evical.metrics.report import calibration_report
from evical.metrics.selective import aurc, risk_coverage_curve
from evical.metrics.sets import set_coverage, set_score

__all__ = [
    "ability_to_separate",
    "aurc",
    "binomial_test",
    "brier_decomposition",
    "brier_score",
    "calibration_curve",
    "calibration_measure",
    "calibration_report",
    "calibration_test",
    "corp_decomposition",
    "correctness_rate",
    "coverage_test",
    "cumulative_calibration_error",
    "debiased_calibration_error",
    "debiased_interval",
    "decision_cost",
    "decision_profit",
    "evidential_log_likelihood",
    "expected_calibration_error",
    "interval_calibration_test",
    "log_loss",
    "maximum_calibration_error",
    "mean_imprecision",
    "nearest_calibrated",
    "ranked_probability_score",
    "risk_coverage_curve",
    "roc_auc",
    "root_mean_squared_error",
    "set_coverage",
    "set_score",
    "smooth_calibration_error",
    "solicitation_profit",
    "spherical_score",
    "well_calibration_ratio",
]


def __dir__() -> list[str]:
    return __all__
