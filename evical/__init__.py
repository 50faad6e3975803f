"""Evidential calibration: the scores of any classifier become belief functions.

`EvidentialClassifier` wraps one scikit-learn classifier, `EvidentialEnsemble` combines several by
a fusion that it learns, or by Dempster's rule; `calibrators` work on plain scores.

Names are imported on first access (PEP 562), so that ``evical --help`` need not wait a second for
scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evical.calibrators import (
        AutoCalibrator,
        BinningCalibrator,
        IsotonicCalibrator,
        LogisticCalibrator,
    )
    from evical.classifier import EvidentialClassifier
    from evical.cross_validation import cross_val_mass
    from evical.ensemble import EvidentialEnsemble
    from evical.fused import EvidentialFusion
    from evical.scores import ScoreCounts
    from evical.source import EvidentialSource

__version__ = "0.1.0"

__all__ = [
    "AutoCalibrator",
    "BinningCalibrator",
    "EvidentialClassifier",
    "EvidentialEnsemble",
    "EvidentialFusion",
    "EvidentialSource",
    "IsotonicCalibrator",
    "LogisticCalibrator",
    "ScoreCounts",
    "__version__",
    "cross_val_mass",
]

_ROOMS = (
    "beliefs",
    "calibrators",
    "causal",
    "classifier",
    "cli",
    "conformal",
    "cross_validation",
    "datasets",
    "ensemble",
    "errors",
    "evaluation",
    "export",
    "fused",
    "fusion",
    "learners",
    "metrics",
    "multiclass",
    "plot",
    "report",
    "scores",
    "significance",
    "source",
)
_HOMES = {
    "AutoCalibrator": "calibrators",
    "BinningCalibrator": "calibrators",
    "EvidentialClassifier": "classifier",
    "EvidentialEnsemble": "ensemble",
    "EvidentialFusion": "fused",
    "EvidentialSource": "source",
    "IsotonicCalibrator": "calibrators",
    "LogisticCalibrator": "calibrators",
    "ScoreCounts": "scores",
    "cross_val_mass": "cross_validation",
}

if not TYPE_CHECKING:  # for whom a function of this name would make every name one of ours

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"evical.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'evical' has no attribute {name!r}")
        # Kept, so that the next look finds it without this function.
        value = globals()[name] = getattr(import_module(f"evical.{_HOMES[name]}"), name)
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
