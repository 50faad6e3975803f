"""Experiments as data: protocols and studies of papers, their runners, and their summaries."""

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
from evical.experiments._reproduce import Outcome, Plan, plan_study, reproduce, run_plan
from evical.experiments._runner import Results, Round, check_dataset, run, run_round
from evical.experiments._split import draw_halves, share_sizes
from evical.experiments._studies import STUDIES
from evical.experiments._study import (
    Curve,
    Finding,
    McNemar,
    PrintedTable,
    Study,
    round_rng,
)
from evical.experiments._summary import Estimate, estimates, paired_difference, reliability_data

__all__ = [
    "GEBEL_DATASETS",
    "MEASURES",
    "METRICS",
    "STUDIES",
    "TEN_CLASSIFIERS",
    "CalibrationCheck",
    "CalibrationSample",
    "CheckedTest",
    "Comparison",
    "Contender",
    "Contrast",
    "Curve",
    "DataSetComparison",
    "Difference",
    "EnsembleEvaluation",
    "Estimate",
    "Evaluation",
    "Finding",
    "GebelProtocol",
    "GebelRow",
    "Interval",
    "McNemar",
    "Method",
    "Metric",
    "Outcome",
    "Plan",
    "PrintedTable",
    "Protocol",
    "Quality",
    "Recommendation",
    "Results",
    "Round",
    "Study",
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
    "plan_study",
    "quality_study",
    "reliability_data",
    "reproduce",
    "round_rng",
    "run",
    "run_gebel",
    "run_plan",
    "run_round",
    "share_sizes",
]
