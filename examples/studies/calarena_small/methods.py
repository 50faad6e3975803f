"""Methods of the study by CalArena's contract: ``fit(p_cal, y_cal)``, ``predict_proba(p_test)``.

Those of this package are always there; those of other packages take part if they are installed.
"""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from evical._typing import Floats
from evical.calibrators import (
    AutoCalibrator,
    BetaCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    QuadraticLogisticCalibrator,
    SplineCalibrator,
    TemperatureCalibrator,
    VennAbersCalibrator,
)
from evical.multiclass import (
    AutoMulticlassCalibrator,
    OneVsRestCalibrator,
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
)
from examples.studies.default_classifier.methods import REFERENCES
from examples.studies.parts.quiet import fit_quietly
from examples.studies.quality.peers import installed

__all__ = ["DEFAULT", "PEERS", "RAW", "Method", "methods"]

DEFAULT, RAW = "Auto", "uncalibrated"
PEERS = ("probmetrics", "betacal", "netcal", "splinecalib", "venn-abers")
_FEW = 3  # distinct probabilities; below, splinecalib raises a bare Exception


@dataclass(frozen=True)
class Method:
    """A method that takes part.

    Parameters
    ----------
    name : str
    make : callable
        Without arguments; gives an object that keeps CalArena's contract.
    is_foreign : bool
        Whether it is of another package, and may fail.
    """

    name: str
    make: Callable[[], Any] = field(repr=False)
    is_foreign: bool = False

    def predictions(self, p_cal: Floats, y_cal: NDArray[np.intp], p_test: Floats) -> Floats:
        """Probabilities of the test samples; as they are given, where a foreign method fails.

        Parameters
        ----------
        p_cal : (n, K) array
        y_cal : (n,) array
            Numbers of classes.
        p_test : (m, K) array

        Returns
        -------
        (m, K) array
        """
        try:
            p = self._predictions(p_cal, y_cal, p_test)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            if not self.is_foreign:
                raise
            return p_test
        return p if np.isfinite(p).all() or not self.is_foreign else p_test

    def _predictions(self, p_cal: Floats, y_cal: NDArray[np.intp], p_test: Floats) -> Floats:
        calibrator = self.make()
        with warnings.catch_warnings(action="ignore"):  # of other packages
            calibrator.fit(p_cal, y_cal)
            p = np.asarray(calibrator.predict_proba(p_test), dtype=np.float64)
        return p if p.ndim == 2 else np.stack([1 - p, p], axis=1)


class _Ours:
    """A calibrator of this package, which reads one column of two classes."""

    def __init__(self, calibrator: Any) -> None:
        self.calibrator = calibrator

    def fit(self, p: Floats, y: NDArray[np.intp]) -> None:
        fit_quietly(self.calibrator, _scores(p), y)

    def predict_proba(self, p: Floats) -> Any:
        return self.calibrator.predict_proba(_scores(p))


def _scores(p: Floats) -> Floats:
    return p[:, 1] if p.shape[1] == 2 else p


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """A classifier whose features are its probabilities."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(X, axis=1)]

    def predict_proba(self, X: Any) -> Any:
        return X


class _OfScikitLearn:
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def fit(self, p: Floats, y: NDArray[np.intp]) -> None:
        given = FrozenEstimator(_Given().fit(p, y))
        self.fitted = CalibratedClassifierCV(given, method=self.kind).fit(p, y)

    def predict_proba(self, p: Floats) -> Any:
        return self.fitted.predict_proba(p)


class _Raw:
    def fit(self, p: Floats, y: NDArray[np.intp]) -> None:
        """Nothing is learned."""

    def predict_proba(self, p: Floats) -> Floats:
        return p


def _one_vs_rest(calibrator: Any) -> OneVsRestCalibrator:
    return OneVsRestCalibrator(calibrator, coupling="normalize")


_EITHER: dict[str, Any] = {
    "Quadratic": QuadraticLogisticCalibrator(model="bayesian", transform="logit"),
    "Logistic": LogisticCalibrator(model="bayesian", transform="logit"),
    "Beta": BetaCalibrator(model="bayesian"),
    "Spline": SplineCalibrator(transform="logit"),
    "Isotonic": IsotonicCalibrator(model="bayesian"),
    "VennAbers": VennAbersCalibrator(),
}
_OURS: dict[str, dict[str, Any]] = {
    "two": {
        DEFAULT: AutoCalibrator(),
        **_EITHER,
        "Temperature": TemperatureCalibrator(transform="logit"),
    },
    "more": {
        DEFAULT: AutoMulticlassCalibrator(),
        "Auto, Dempster": OneVsRestCalibrator(),
        "Auto, normalized": _one_vs_rest(AutoCalibrator(model="bayesian")),
        **{f"{name}, one vs rest": _one_vs_rest(one) for name, one in _EITHER.items()},
        "Temperature": SoftmaxCalibrator(parameters="temperature", transform="log"),
        "Vector": SoftmaxCalibrator(parameters="vector", transform="log"),
        "StructuredVector": StructuredVectorCalibrator(),
        "StructuredMatrix": StructuredMatrixCalibrator(),
    },
}


def _probmetrics(name: str, **options: Any) -> Any:
    return getattr(import_module("probmetrics.calibrators"), name)(**options)


_PROBMETRICS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "two": {
        "Quadratic": ("BinaryLogisticCalibrator", {"type": "quadratic"}),
        "Platt-logits": ("BinaryLogisticCalibrator", {"type": "affine"}),
        "TS": ("TemperatureScalingCalibrator", {}),
    },
    "more": {
        "SMS": ("SMSCalibrator", {}),
        "SVS": ("SVSCalibrator", {}),
        "VS": ("VectorScalingCalibrator", {}),
        "MS": ("MatrixScalingCalibrator", {}),
        "TS": ("TemperatureScalingCalibrator", {}),
    },
}
_SKLEARN = ("sigmoid", "isotonic", *["temperature"] * any("temperature" in n for n in REFERENCES))
_TWICE = ("scikit-learn", "ENIR")  # the former is here with all its ways; the latter fails


class _OneColumn:
    """A peer of the study of quality, which reads probabilities of the second class."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.peer = make()

    def fit(self, p: Floats, y: NDArray[np.intp]) -> None:
        if len(np.unique(p[:, 1])) < _FEW:
            raise ValueError("a spline needs three probabilities")
        self.peer.fit(p[:, 1], y)

    def predict_proba(self, p: Floats) -> Any:
        return self.peer.predict_proba(p[:, 1])


def methods(classes: str) -> tuple[Method, ...]:
    """All methods that this environment has.

    Parameters
    ----------
    classes : {"two", "more"}

    Returns
    -------
    tuple of Method
        The uncalibrated probabilities first.

    Examples
    --------
    >>> [one.name for one in methods("two")][:3]
    ['uncalibrated', 'Auto', 'Quadratic']
    """
    ours = [Method(name, partial(_ours, one)) for name, one in _OURS[classes].items()]
    return (Method(RAW, _Raw), *ours, *_peers(classes))


def _ours(calibrator: Any) -> _Ours:
    return _Ours(clone(calibrator))


def _peers(classes: str) -> list[Method]:
    found = [
        Method(f"scikit-learn: {kind}", partial(_OfScikitLearn, kind), True) for kind in _SKLEARN
    ]
    if find_spec("probmetrics") is not None:
        found += [
            Method(f"probmetrics: {name}", partial(_probmetrics, kind, **options), True)
            for name, (kind, options) in _PROBMETRICS[classes].items()
        ]
    if classes == "two":
        found += [
            Method(re.sub(r" [\d.]+:", ":", one.name), partial(_OneColumn, one.make), True)
            for one in installed()
            if not any(word in one.name for word in _TWICE)
        ]
    return found
