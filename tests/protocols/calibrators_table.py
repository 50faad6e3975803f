"""The one table of all calibrators, and the samples on which they are checked."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evical import calibrators
from evical.calibrators import BaseCalibrator
from tests.support.each import each

BINOMIAL = ("likelihood", "confidence", "dempster", "laplace", "inverse_pignistic", "bayesian")


@dataclass(frozen=True)
class Entry:
    """A calibrator and what it promises."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    atol: float = 1e-12  # how closely weights equal repetition, and chunks the whole

    def __call__(self) -> BaseCalibrator:
        return getattr(calibrators, self.name)(**self.options)

    @property
    def id(self) -> str:
        return "-".join([self.name.removesuffix("Calibrator"), *map(str, self.options.values())])


CALIBRATORS = [
    *(Entry("BinningCalibrator", {"model": model, "n_bins": 4}) for model in BINOMIAL),
    Entry("BinningCalibrator", {"strategy": "quantile", "n_bins": 3}),
    Entry("BinningCalibrator", {"n_bins": (-1, 0, 0.5, 9), "model": "dempster"}),
    Entry("BinningCalibrator", {"model": "confidence", "confidence": 0.5}),
    *(Entry("IsotonicCalibrator", {"model": model}) for model in BINOMIAL),
    Entry("IsotonicCalibrator", {"envelope": False}),
    Entry("IsotonicCalibrator", {"transform": "sigmoid"}),
    Entry("IsotonicCalibrator", {"model": "band"}),
    Entry("IsotonicCalibrator", {"model": "band", "confidence": 0.5, "grid": None}),
    Entry("IsotonicCalibrator", {"model": "band", "grid": (-1, 0, 0.5, 9), "transform": "rank"}),
    Entry("IsotonicCalibrator", {"centered": True}),
    Entry("IsotonicCalibrator", {"centered": True, "model": "bayesian"}),
    Entry("BinningCalibrator", {"transform": "rank"}),
    Entry("LogisticCalibrator", {"transform": "auto"}, atol=1e-7),
    Entry("LogisticCalibrator", {"model": "likelihood"}, atol=1e-7),
    *(
        Entry("LogisticCalibrator", {"model": model}, atol=1e-9)
        for model in ("confidence", "inverse_pignistic", "bayesian")
    ),
    Entry("NormalizingCalibrator"),
    Entry("NormalizingCalibrator", {"method": "softmax", "rho": 1.0}),
    Entry("NormalizingCalibrator", {"method": "exponential"}, atol=1e-9),
    Entry("PiecewiseLogisticCalibrator", {"model": "bayesian"}, atol=1e-9),
    Entry("PiecewiseLogisticCalibrator", {"model": "likelihood", "penalty": 0.1}, atol=1e-7),
    *(
        Entry("QuadraticLogisticCalibrator", {"model": model}, atol=1e-7)
        for model in ("likelihood", "confidence", "inverse_pignistic", "bayesian")
    ),
    Entry("QuadraticLogisticCalibrator", {"transform": "rank"}, atol=1e-7),
    Entry("GaussianCalibrator", {"model": "bayesian"}, atol=1e-9),
    Entry("GaussianCalibrator", {"model": "bayesian", "variances": "equal"}, atol=1e-9),
    Entry("GaussianCalibrator", {"model": "likelihood"}, atol=1e-7),
    Entry("GaussianCalibrator", {"model": "likelihood", "variances": "equal"}, atol=1e-7),
    Entry("AsymmetricLaplaceCalibrator"),
    Entry("AsymmetricLaplaceCalibrator", {"transform": "sigmoid"}),
    *(
        Entry("AutoCalibrator", {"model": m}, atol=1e-6)
        for m in ("likelihood", "confidence", "bayesian")
    ),
    Entry("AutoCalibrator", {"transform": "rank", "extrapolate": False}, atol=1e-6),
    Entry("AssignmentValueCalibrator", atol=1e-9),
    Entry("AssignmentValueCalibrator", {"transform": "rank"}, atol=1e-9),
    Entry("VennAbersCalibrator"),
    Entry("BetaCalibrator", atol=1e-6),
    Entry("BetaCalibrator", {"parameters": "ab"}, atol=1e-6),
    Entry("BetaCalibrator", {"parameters": "am", "model": "bayesian"}, atol=1e-9),
    *(
        Entry("BetaCalibrator", {"model": model, "transform": "sigmoid"}, atol=1e-9)
        for model in ("confidence", "inverse_pignistic", "bayesian")
    ),
    *(
        Entry("TemperatureCalibrator", {"model": model}, atol=1e-7)
        for model in ("likelihood", "confidence", "inverse_pignistic", "bayesian")
    ),
    Entry("TemperatureCalibrator", {"transform": "rank"}, atol=1e-7),
    *(
        Entry("SplineCalibrator", {"model": model}, atol=1e-6)
        for model in ("likelihood", "confidence", "inverse_pignistic", "bayesian")
    ),
    Entry("SplineCalibrator", {"transform": "rank", "extrapolate": False}, atol=1e-6),
    *(Entry("KDECalibrator", {"model": model}) for model in BINOMIAL),
    Entry("KDECalibrator", {"model": "confidence", "transform": None}),
    *(
        Entry(
            "KDECalibrator",
            {"kernel": kernel, "model": "dempster", "bandwidth": "per_class", "transform": None},
        )
        for kernel in ("boxcar", "epanechnikov", "tricube")
    ),
    Entry("KDECalibrator", {"model": "bayesian", "bandwidth": (0.2, 0.5), "transform": "rank"}),
    Entry("DPMCalibrator"),
    Entry("DPMCalibrator", {"n_components": 3, "transform": None}),
    *(Entry("AdaptiveCalibrator", {"model": model}) for model in BINOMIAL),
    Entry("AdaptiveCalibrator", {"model": "bayesian", "width": 0.4}),
    *(Entry("SBBCalibrator", {"model": model}) for model in BINOMIAL),
    Entry("SBBCalibrator", {"criterion": "bdeu", "model": "bayesian", "transform": "rank"}),
    *(Entry("ABBCalibrator", {"model": model}) for model in BINOMIAL),
    Entry("ABBCalibrator", {"criterion": "bdeu", "model": "bayesian", "max_size": 5, "lam": 2}),
    *(Entry("BBQCalibrator", {"model": model}) for model in BINOMIAL),
    Entry("BBQCalibrator", {"criterion": "k2", "model": "bayesian", "n_bins": (2, 9)}),
    Entry("BBQCalibrator", {"model": "bayesian", "smoothing": "scores", "strength_of": "binning"}),
    Entry("BBQCalibrator", {"model": "bayesian", "alpha": None, "transform": None}),
    *(Entry("ENIRCalibrator", {"model": model}) for model in BINOMIAL),
    Entry("ENIRCalibrator", {"model": "bayesian", "smoothing": 0.0, "transform": "rank"}),
    Entry("ELiTECalibrator", atol=1e-9),
    Entry("ELiTECalibrator", {"criterion": "bic", "n_lambdas": 5, "transform": None}, atol=1e-9),
]
NOT_CALIBRATORS = {"BaseCalibrator"}
# What is refused is refused before anything is learned: by the class, or for its scale.
_CLASSES = {entry.name: entry for entry in reversed(CALIBRATORS)}
_SCALES = {str(entry.options.get("transform")): entry for entry in reversed(CALIBRATORS)}
_ONCE = {entry.id: entry for entry in (*_CLASSES.values(), *_SCALES.values())}
once_a_class = each("entry", _ONCE.values(), ids=_ONCE.keys())

every = each("entry", CALIBRATORS, ids=lambda entry: entry.id)


def samples(n=60, seed=0):
    """Scores with ties and labels that depend on them."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n).round(1)
    return scores, (rng.random(n) < 1 / (1 + np.exp(-2 * scores))).astype(int)


_FITTED: dict[str, BaseCalibrator] = {}


def fitted(entry):
    """The calibrator of the samples, made once: who changes it takes `entry().fit(...)`."""
    if entry.id not in _FITTED:
        _FITTED[entry.id] = entry().fit(*samples())
    return _FITTED[entry.id]


PROBES = np.linspace(-3, 3, 25)


def masses(calibrator, scores=PROBES):
    return calibrator.predict_mass(scores).masses
