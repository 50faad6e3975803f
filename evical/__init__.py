"""Evidential calibration: the scores of any classifier become belief functions.

`EvidentialClassifier` wraps one scikit-learn classifier, `EvidentialEnsemble` combines
several by Dempster's rule; `calibrators` work on plain scores.
"""

from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.scores import ScoreCounts

__version__ = "0.1.0"

__all__ = [
    "BinningCalibrator",
    "EvidentialClassifier",
    "EvidentialEnsemble",
    "IsotonicCalibrator",
    "LogisticCalibrator",
    "ScoreCounts",
    "__version__",
]
