"""Beliefs with a guarantee: conformal p-values are plausibilities, for any classifier and size.

Source: Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World; Cella & Martin
(2022), Validity, consonant plausibility measures, and conformal prediction, Int. J. Approx.
Reasoning 141, 110-130.
"""

from evical.conformal._classifier import ConformalClassifier
from evical.conformal._martingale import ExchangeabilityTest, online_p_values
from evical.conformal._risk_control import RiskControl
from evical.conformal._scores import ConformalScores
from evical.conformal.contour import coverage_bound
from evical.conformal.nonconformity import lac_scores
from evical.conformal.ranks import p_values

__all__ = [
    "ConformalClassifier",
    "ConformalScores",
    "ExchangeabilityTest",
    "RiskControl",
    "coverage_bound",
    "lac_scores",
    "online_p_values",
    "p_values",
]


def __dir__() -> list[str]:
    return __all__
