"""Pictures of calibrated beliefs; matplotlib is needed here only."""

from evical.plot._band import BeliefBandDisplay
from evical.plot._contour import ContourDisplay
from evical.plot._reliability import ReliabilityDisplay

__all__ = ["BeliefBandDisplay", "ContourDisplay", "ReliabilityDisplay"]
