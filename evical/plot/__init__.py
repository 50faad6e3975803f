"""Pictures of calibrated beliefs; only this part needs matplotlib."""

from dstheory.optional import require

require("matplotlib", "evical.plot")

from evical.plot._band import BeliefBandDisplay
from evical.plot._contour import ContourDisplay
from evical.plot._corners import SimplexDisplay
from evical.plot._coupling import CouplingDisplay
from evical.plot._credal_partition import CredalPartitionDisplay
from evical.plot._critical_difference import CriticalDifferenceDisplay
from evical.plot._fusion_weights import FusionWeightsDisplay
from evical.plot._interval import BeliefIntervalDisplay
from evical.plot._martingale import MartingaleDisplay
from evical.plot._p_values import PValuesDisplay
from evical.plot._reliability import ReliabilityDisplay
from evical.plot._risk_coverage import RiskCoverageDisplay

__all__ = [
    "BeliefBandDisplay",
    "BeliefIntervalDisplay",
    "ContourDisplay",
    "CouplingDisplay",
    "CredalPartitionDisplay",
    "CriticalDifferenceDisplay",
    "FusionWeightsDisplay",
    "MartingaleDisplay",
    "PValuesDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "SimplexDisplay",
]


def __dir__() -> list[str]:
    return __all__
