"""Calibrators of other packages, for the comparison in calibrator_quality.md; none is required."""

from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression

from evical.studies import Contender


class OneColumn:
    """A peer that predicts probabilities of the positive class from a column of scores."""

    def __init__(self, peer: Any, predict: str, column: bool = False) -> None:
        self.peer = peer
        self.predict = predict
        self.column = column

    def _shaped(self, scores: Any) -> Any:
        return scores[:, np.newaxis] if self.column else scores

    def fit(self, scores: Any, y: Any) -> None:
        self.peer.fit(self._shaped(scores), y)

    def predict_proba(self, scores: Any) -> Any:
        return np.ravel(getattr(self.peer, self.predict)(self._shaped(scores)))


class VennAbers:
    """Venn-Abers of the package venn-abers, which takes two columns."""

    def __init__(self) -> None:
        self.peer = import_module("venn_abers").VennAbers()

    def fit(self, scores: Any, y: Any) -> None:
        self.peer.fit(np.stack([1 - scores, scores], axis=1), y)

    def predict_proba(self, scores: Any) -> Any:
        return self.peer.predict_proba(np.stack([1 - scores, scores], axis=1))[0]


def isotonic() -> OneColumn:
    return OneColumn(IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip"), "predict")


def netcal_bbq() -> OneColumn:
    return OneColumn(import_module("netcal.binning").BBQ(), "transform")


def netcal_enir() -> OneColumn:
    return OneColumn(import_module("netcal.binning").ENIR(), "transform")


def betacal() -> OneColumn:
    return OneColumn(
        import_module("betacal").BetaCalibration(parameters="abm"), "predict", column=True
    )


def splinecalib() -> OneColumn:
    return OneColumn(import_module("splinecalib").SplineCalib(), "predict")


# Module, distribution, name in the table, maker.
PEERS = (
    ("sklearn", "scikit-learn", "isotonic", isotonic),
    ("netcal", "netcal", "BBQ", netcal_bbq),
    ("netcal", "netcal", "ENIR", netcal_enir),
    ("betacal", "betacal", "abm", betacal),
    ("venn_abers", "venn-abers", "IVAP", VennAbers),
    ("splinecalib", "splinecalib", "SplineCalib", splinecalib),
)


def installed() -> list[Contender]:
    """Peers that this environment has."""
    return [
        Contender(f"{distribution} {version(distribution)}: {name}", make)
        for module, distribution, name, make in PEERS
        if find_spec(module) is not None
    ]
