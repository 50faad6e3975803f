"""What [Bel, Pl] promises: coverage of the true probability, for every model.

Scores are simulated, so that the probability at each is known. Each model learns from the same
samples, and its interval covers the probability at a score or does not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from evical.calibrators import LogisticCalibrator
from evical.classifier import EvidentialClassifier
from evical.datasets import Dataset
from evical.scores.direction import fit_quietly
from evical.studies._beside import read_prose
from evical.studies._study import Overview, Record, Study, repeat_rng
from evical.studies.interval_coverage.maps import MAPS, coverage, draw, quantiles
from evical.studies.interval_coverage.methods import METHODS, Method

__all__ = ["INTERVAL_COVERAGE", "SIZES", "ClassifierCondition", "CoverageCondition"]

Floats = NDArray[np.float64]
Measured = tuple[float, ...]

SIZES = (50, 200, 1000, 10_000)
_N_QUANTILES = 200
_NAN = (float("nan"),) * 3  # not measured in this repeat
_QUANTITIES = ("coverage", "whole", "width")
_N_TEST, _N_FEATURES = 200, 5


@dataclass(frozen=True)
class CoverageCondition:
    """A method on samples of one map, which are the same for all methods.

    Parameters
    ----------
    map_name : str
        In `MAPS`.
    method : Method
    sizes : tuple of int
        Of the samples.
    """

    map_name: str
    method: Method
    sizes: tuple[int, ...] = SIZES

    @property
    def key(self) -> str:
        return "-".join(re.findall(r"\w+", f"{self.map_name} {self.method.name}")).lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        names = self.method.names
        if number % self.method.every:
            none = _by_quantity([_NAN] * len(self.sizes))
            return [((self.map_name, name), none) for name in names]
        at = quantiles(_N_QUANTILES)
        truth = MAPS[self.map_name](at)
        found = []
        for n in self.sizes:
            sample = draw(self.map_name, n, repeat_rng(f"{self.map_name}-{n}", number, seed))
            intervals = self.method.intervals(*sample, at)
            found.append([coverage(interval, truth) for interval in intervals])
        return [
            ((self.map_name, name), _by_quantity(list(of_one)))
            for name, of_one in zip(names, zip(*found, strict=True), strict=True)
        ]


def _by_quantity(found: list[Measured]) -> Measured:
    """Coverage for all sizes, then the others for all sizes."""
    return tuple(value for column in zip(*found, strict=True) for value in column)


@dataclass(frozen=True)
class ClassifierCondition:
    """A whole classifier, whose own error no interval of its calibration knows of.

    Parameters
    ----------
    classifier : {"logistic regression", "random forest"}
        The first has the form of the truth.
    sizes : tuple of int
        Of the training samples.
    every, largest_every : int
        Of so many repeats one is run, and one with the largest size.
    """

    classifier: str
    sizes: tuple[int, ...] = SIZES
    every: int = 5
    largest_every: int = 20

    @property
    def key(self) -> str:
        return self.classifier.replace(" ", "_")

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        found = [
            self._coverage(n, repeat_rng(f"{self.key}-{n}", number, seed))
            if number % (self.every if n < max(self.sizes) else self.largest_every) == 0
            else _NAN
            for n in self.sizes
        ]
        return [(("P(y | x)", f"{self.classifier}, logistic likelihood"), _by_quantity(found))]

    def _coverage(self, n: int, rng: np.random.Generator) -> Measured:
        X, y, _ = _linear(n, rng)
        model = EvidentialClassifier(self._learner(rng), calibrator=LogisticCalibrator(), cv=5)
        at, _, truth = _linear(_N_TEST, rng)
        return coverage(fit_quietly(model, X, y).predict_interval(at), truth)

    def _learner(self, rng: np.random.Generator) -> Any:
        if self.classifier == "random forest":
            return RandomForestClassifier(random_state=int(rng.integers(2**31)))
        return LogisticRegression()


def _linear(n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Normal features, and labels from a linear model of log-odds."""
    X = rng.normal(size=(n, _N_FEATURES))
    truth = np.asarray(expit(X @ np.linspace(1.0, 0.2, _N_FEATURES)))
    return X, (rng.random(n) < truth).astype(np.int64), truth


_PROSE = read_prose(__file__)

INTERVAL_COVERAGE = Study(
    name="interval_coverage",
    title="What Bel and Pl promise",
    source="A study of this package, on simulated scores whose probability is known",
    labels=("map", "model"),
    measures=tuple(f"{quantity}_{n}" for quantity in _QUANTITIES for n in SIZES),
    conditions=(
        *(CoverageCondition(name, method) for name in MAPS for method in METHODS),
        *(ClassifierCondition(name) for name in ("logistic regression", "random forest")),
    ),
    repeats=70,
    protocol=_PROSE.protocol,
    comment=_PROSE.comment,
    overviews=(
        Overview(
            "Coverage of the probability, %, and mean width",
            "model",
            {f"coverage_{n}": (f"n = {n}", 100, 0) for n in SIZES}
            | {f"width_{n}": (f"width, {n}", 1, 3) for n in SIZES},
            by=("map",),
        ),
        Overview(
            "Samples in which the whole map is covered, %",
            "model",
            {f"whole_{n}": (f"n = {n}", 100, 0) for n in SIZES},
            by=("map",),
        ),
    ),
    quick=("sigmoid-logistic-likelihood", "sigmoid-isotonic-band-95"),
)
"""Coverage of [Bel, Pl] for every model, on maps that have its form and maps that have not."""
