"""Are predictions calibrated, which calibrator is best, what does an ensemble gain?"""

from evical.evaluation._comparison import Comparison, compare
from evical.evaluation._conformal_evaluation import ConformalEvaluation, LevelCoverage
from evical.evaluation._cross_validation import MEASURES
from evical.evaluation._data_sets import DataSetComparison, compare_data_sets
from evical.evaluation._ensemble_evaluation import Contrast, EnsembleEvaluation
from evical.evaluation._evaluation import Evaluation, Interval
from evical.evaluation.check import CalibrationCheck, CheckedTest, check_calibration
from evical.evaluation.estimate import Estimate
from evical.evaluation.methods import make_calibrator, method_names
from evical.evaluation.promise import BeliefPromise, check_promise
from evical.evaluation.recommendation import Difference, Recommendation

__all__ = [
    "MEASURES",
    "BeliefPromise",
    "CalibrationCheck",
    "CheckedTest",
    "Comparison",
    "ConformalEvaluation",
    "Contrast",
    "DataSetComparison",
    "Difference",
    "EnsembleEvaluation",
    "Estimate",
    "Evaluation",
    "Interval",
    "LevelCoverage",
    "Recommendation",
    "check_calibration",
    "check_promise",
    "compare",
    "compare_data_sets",
    "make_calibrator",
    "method_names",
]
