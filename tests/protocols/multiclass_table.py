"""The one table of all multiclass calibrators, and the samples on which they are checked."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from evical import multiclass
from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.multiclass import BaseMulticlassCalibrator
from tests.support.each import each

K = 3


@dataclass(frozen=True)
class Entry:
    """A multiclass calibrator and what it promises."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    scores: str = "margins"  # or "probabilities", "columns" (against the rest), "pairs"
    atol: float = 1e-9  # how closely weights equal repetition
    evidential: bool = False

    def __call__(self) -> BaseMulticlassCalibrator:
        return getattr(multiclass, self.name)(**self.options)

    @property
    def id(self) -> str:
        parts = [type(v).__name__ if hasattr(v, "fit") else str(v) for v in self.options.values()]
        return "-".join([self.name.removesuffix("Calibrator"), *parts]).replace("\n", "")

    def read(self, margins: np.ndarray) -> np.ndarray:
        """Scores of the kind that the calibrator takes."""
        if self.scores == "margins":
            return margins
        if self.scores == "probabilities":
            return softmax(margins, axis=1)
        if self.scores == "pairs":
            return expit(margins[:, [0, 0, 1]] - margins[:, [1, 2, 2]])
        return expit(margins)

    def samples(self, n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Scores with ties, and the indices of the classes."""
        margins, y = simulated(n, seed)
        return self.read(margins), y

    @property
    def probes(self) -> np.ndarray:
        return self.read(PROBES)


MULTICLASS = [
    *(
        Entry(
            "AutoMulticlassCalibrator",
            {"model": model},
            scores,
            atol=1e-6,
            evidential=model != "bayesian",
        )
        for model, scores in (
            ("likelihood", "margins"),
            ("confidence", "probabilities"),
            ("bayesian", "probabilities"),
        )
    ),
    Entry("SoftmaxCalibrator", {"parameters": "temperature"}),
    Entry("SoftmaxCalibrator", {"parameters": "vector"}),
    Entry("SoftmaxCalibrator", {"parameters": "matrix"}),
    Entry(
        "SoftmaxCalibrator",
        {"off_diagonal_penalty": 0.1, "intercept_penalty": 0.1, "transform": "log"},
        "probabilities",
    ),
    *(
        Entry(name, options, "probabilities", atol=1e-7, evidential="model" in options)
        for name in ("StructuredMatrixCalibrator", "StructuredVectorCalibrator")
        for options in ({}, {"smooth": True}, {"model": "quadratic"})
    ),
    Entry("StructuredMatrixCalibrator", {"transform": None}, atol=1e-7),
    Entry("StructuredVectorCalibrator", {"transform": None, "tau": 0.5}, atol=1e-7),
    Entry("DirichletCalibrator", {"smallest_factor": 1}, "probabilities"),
    *(
        Entry(
            "DirichletCalibrator",
            {"code": "one_vs_rest", "combine": combine, "smallest_factor": 0.1},
            "columns",
        )
        for combine in ("product", "geometric", "trimmed")
    ),
    Entry("DirichletCalibrator", {"code": "all_pairs", "trim": 0.4, "factor": 5}, "pairs"),
    Entry("DirichletCalibrator", {"degrees": "single", "smallest_factor": 1}, "probabilities"),
    Entry(
        "ShallowNetCalibrator",
        {"n_nets": 2, "hidden": (2, 3), "max_iter": 10, "random_state": 0},
        atol=2e-2,
    ),
    Entry("OneVsRestCalibrator", evidential=True, atol=1e-6),
    Entry("OneVsRestCalibrator", {"calibrator": LogisticCalibrator(model="bayesian")}),
    Entry("OneVsRestCalibrator", {"calibrator": IsotonicCalibrator()}, evidential=True),
    Entry(
        "OneVsRestCalibrator",
        {"calibrator": BinningCalibrator(n_bins=4), "coupling": "normalize"},
    ),
    Entry(
        "MultinomialLogisticCalibrator",
        {"model": "likelihood", "max_size": 40},
        evidential=True,
        atol=1e-7,
    ),
    Entry("MultinomialLogisticCalibrator", evidential=True, atol=1e-7),
]
every = each("entry", MULTICLASS, ids=lambda entry: entry.id)


def simulated(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Margins of a classifier of three classes."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    return (rng.normal(size=(n, K)) + 1.5 * np.eye(K)[y]).round(1), y


_FITTED: dict[str, BaseMulticlassCalibrator] = {}


def fitted(entry: Entry) -> BaseMulticlassCalibrator:
    """The calibrator of the samples, made once: who changes it takes `entry().fit(...)`."""
    if entry.id not in _FITTED:
        _FITTED[entry.id] = entry().fit(*entry.samples())
    return _FITTED[entry.id]


PROBES = np.random.default_rng(9).normal(size=(6, K)).round(2) * 1.5
