"""Calibrators of other packages, which take part if they are installed; none is required."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression

from examples.studies.quality.contenders import Contender

__all__ = ["installed"]


class OneColumn:
    """A peer that predicts probabilities of the positive class."""

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


def _isotonic() -> OneColumn:
    return OneColumn(IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip"), "predict")


def _peer(module: str, name: str, predict: str, column: bool = False, **options: Any) -> OneColumn:
    return OneColumn(getattr(import_module(module), name)(**options), predict, column)


# Module, distribution, name in the table, maker.
PEERS: tuple[tuple[str, str, str, Callable[[], Any]], ...] = (
    ("sklearn", "scikit-learn", "isotonic", _isotonic),
    ("netcal", "netcal", "BBQ", partial(_peer, "netcal.binning", "BBQ", "transform")),
    ("netcal", "netcal", "ENIR", partial(_peer, "netcal.binning", "ENIR", "transform")),
    (
        "betacal",
        "betacal",
        "abm",
        partial(_peer, "betacal", "BetaCalibration", "predict", column=True, parameters="abm"),
    ),
    ("venn_abers", "venn-abers", "IVAP", VennAbers),
    (
        "splinecalib",
        "splinecalib",
        "SplineCalib",
        partial(_peer, "splinecalib", "SplineCalib", "predict"),
    ),
)


def installed() -> list[Contender]:
    """Peers that this environment has.

    Returns
    -------
    list of Contender
    """
    return [
        Contender(f"{distribution} {version(distribution)}: {name}", make)
        for module, distribution, name, make in PEERS
        if find_spec(module) is not None
    ]
