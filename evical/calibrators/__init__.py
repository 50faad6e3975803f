"""Calibrators: from the score of a binary classifier to a belief about the class."""

from evical.calibrators._base import BaseCalibrator
from evical.calibrators._binning import BinningCalibrator
from evical.calibrators._isotonic import IsotonicCalibrator
from evical.calibrators._logistic import LogisticCalibrator

__all__ = ["BaseCalibrator", "BinningCalibrator", "IsotonicCalibrator", "LogisticCalibrator"]
