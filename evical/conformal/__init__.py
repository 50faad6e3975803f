"""Beliefs with a guarantee: conformal p-values are plausibilities, for any classifier and size.

Source: Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World; Cella & Martin
(2022), Validity, consonant plausibility measures, and conformal prediction, Int. J. Approx.
Reasoning 141, 110-130.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evical.conformal._scores import ConformalScores
from evical.conformal.contour import coverage_bound
from evical.conformal.martingale import ExchangeabilityTest, online_p_values
from evical.conformal.nonconformity import lac_scores
from evical.conformal.ranks import p_values

if TYPE_CHECKING:
    from evical.conformal._classifier import ConformalClassifier
    from evical.conformal._risk_control import RiskControl

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

# Imported on first access: classifiers bring much of scikit-learn, for which `evical predict` need
# not wait.
_HOMES = {"ConformalClassifier": "_classifier", "RiskControl": "_risk_control"}

if not TYPE_CHECKING:  # a type checker would take this function to define every name

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'evical.conformal' has no attribute {name!r}")
        return getattr(import_module(f"evical.conformal.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
