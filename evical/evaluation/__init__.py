"""Are predictions calibrated, which calibrator is best, what does an ensemble gain?"""

from evical.evaluation._conformal_evaluation import ConformalEvaluation
from evical.evaluation._ensemble_evaluation import EnsembleEvaluation
from evical.evaluation._evaluation import Evaluation
from evical.evaluation.check import check_calibration
from evical.evaluation.comparison import Comparison, compare, compare_data_sets
from evical.evaluation.monitor import CalibrationMonitor
from evical.evaluation.promise import check_promise

__all__ = [
    "CalibrationMonitor",
    "Comparison",
    "ConformalEvaluation",
    "EnsembleEvaluation",
    "Evaluation",
    "check_calibration",
    "check_promise",
    "compare",
    "compare_data_sets",
]


def __dir__() -> list[str]:
    return __all__
