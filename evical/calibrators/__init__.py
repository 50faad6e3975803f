"""Calibrators: from the score of a binary classifier to a belief about the class."""

from evical.calibrators._adaptive import AdaptiveCalibrator
from evical.calibrators._assignment_value import AssignmentValueCalibrator
from evical.calibrators._asymmetric_laplace import AsymmetricLaplaceCalibrator
from evical.calibrators._auto import AutoCalibrator
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._bayesian_binning import ABBCalibrator, BBQCalibrator, SBBCalibrator
from evical.calibrators._beta import BetaCalibrator
from evical.calibrators._binning import BinningCalibrator
from evical.calibrators._dpm import DPMCalibrator
from evical.calibrators._elite import ELiTECalibrator
from evical.calibrators._enir import ENIRCalibrator
from evical.calibrators._gaussian import GaussianCalibrator
from evical.calibrators._isotonic import IsotonicCalibrator
from evical.calibrators._kde import KDECalibrator
from evical.calibrators._logistic import LogisticCalibrator
from evical.calibrators._normalizing import NormalizingCalibrator
from evical.calibrators._piecewise_logistic import PiecewiseLogisticCalibrator
from evical.calibrators._quadratic_logistic import QuadraticLogisticCalibrator
from evical.calibrators._spline import SplineCalibrator
from evical.calibrators._temperature import TemperatureCalibrator
from evical.calibrators._venn_abers import VennAbersCalibrator

__all__ = [
    "ABBCalibrator",
    "AdaptiveCalibrator",
    "AssignmentValueCalibrator",
    "AsymmetricLaplaceCalibrator",
    "AutoCalibrator",
    "BBQCalibrator",
    "BaseCalibrator",
    "BetaCalibrator",
    "BinningCalibrator",
    "DPMCalibrator",
    "ELiTECalibrator",
    "ENIRCalibrator",
    "GaussianCalibrator",
    "IsotonicCalibrator",
    "KDECalibrator",
    "LogisticCalibrator",
    "NormalizingCalibrator",
    "PiecewiseLogisticCalibrator",
    "QuadraticLogisticCalibrator",
    "SBBCalibrator",
    "SplineCalibrator",
    "TemperatureCalibrator",
    "VennAbersCalibrator",
]


def __dir__() -> list[str]:
    return __all__
