"""Experiments as data: a protocol, one runner, and the summary of its rounds."""

from evical.experiments._check import CalibrationCheck, CheckedTest, check_calibration
from evical.experiments._comparison import Comparison, compare
from evical.experiments._cross_validation import MEASURES
from evical.experiments._data_sets import DataSetComparison, compare_data_sets
from evical.experiments._describe import describe
from evical.experiments._ensemble_evaluation import Contrast, EnsembleEvaluation
from evical.experiments._evaluation import Evaluation, Interval
from evical.experiments._example import CalibrationSample, calibration_samples
from evical.experiments._gebel import (
    GEBEL_DATASETS,
    GebelProtocol,
    GebelRow,
    load_gebel,
    run_gebel,
)
from evical.experiments._methods import calibrator_named, method_names
from evical.experiments._metrics import METRICS, Metric
from evical.experiments._protocol import TEN_CLASSIFIERS, Method, Protocol
from evical.experiments._quality import (
    Contender,
    Quality,
    calibrator_contenders,
    optimum,
    quality_study,
)
from evical.experiments._recommendation import Difference, Recommendation
from evical.experiments._runner import Results, Round, check_dataset, run, run_round
from evical.experiments._split import draw_halves, share_sizes
from evical.experiments._summary import Estimate, estimates, paired_difference, reliability_data
from evical.experiments._zadrozny import ZadroznyProtocol, ZadroznyRow, run_zadrozny

__all__ = [
    "GEBEL_DATASETS",
    "MEASURES",
    "METRICS",
    "TEN_CLASSIFIERS",
    "CalibrationCheck",
    "CalibrationSample",
    "CheckedTest",
    "Comparison",
    "Contender",
    "Contrast",
    "DataSetComparison",
    "Difference",
    "EnsembleEvaluation",
    "Estimate",
    "Evaluation",
    "GebelProtocol",
    "GebelRow",
    "Interval",
    "Method",
    "Metric",
    "Protocol",
    "Quality",
    "Recommendation",
    "Results",
    "Round",
    "ZadroznyProtocol",
    "ZadroznyRow",
    "calibration_samples",
    "calibrator_contenders",
    "calibrator_named",
    "check_calibration",
    "check_dataset",
    "compare",
    "compare_data_sets",
    "describe",
    "draw_halves",
    "estimates",
    "load_gebel",
    "method_names",
    "optimum",
    "paired_difference",
    "quality_study",
    "reliability_data",
    "run",
    "run_gebel",
    "run_round",
    "run_zadrozny",
    "share_sizes",
]
