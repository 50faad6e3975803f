"""Coverage of the true probability by confidence intervals, and by [Bel, Pl] of every model.

Scores are simulated, so that the probability at each is known. Each model learns from the same
samples, and its interval covers the probability at a score or does not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from evical._typing import Floats
from evical.classifier import EvidentialClassifier
from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Overview, Record, Study, repeat_rng
from examples.studies.interval_coverage.classes import CLASS_MAPS, ClassesCondition
from examples.studies.interval_coverage.maps import MAPS, coverage, draw, quantiles
from examples.studies.interval_coverage.measured import LEARNED, MEASURES, SIZES
from examples.studies.interval_coverage.methods import LEVEL, METHODS, Method
from examples.studies.interval_coverage.promises import JUDGED, PromiseCondition
from examples.studies.interval_coverage.real import REAL, RealCondition
from examples.studies.interval_coverage.sources import FUSIONS, SOURCES, SourcesCondition
from examples.studies.parts.quiet import fit_quietly

__all__ = ["INTERVAL_COVERAGE", "ClassifierCondition", "CoverageCondition"]

Measured = tuple[float, ...]

_N_QUANTILES = 200
_NAN = (float("nan"),) * 3  # not measured in this repeat
_UNMEASURED = (float("nan"),) * (len(MEASURES) - 3 * len(SIZES))  # of fusions and promises
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
    return (*(value for column in zip(*found, strict=True) for value in column), *_UNMEASURED)


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
        return [(("P(y | x)", f"{self.classifier}, level 95 %"), _by_quantity(found))]

    def _coverage(self, n: int, rng: np.random.Generator) -> Measured:
        X, y, _ = _linear(n, rng)
        model = EvidentialClassifier(self._learner(rng))
        at, _, truth = _linear(_N_TEST, rng)
        return coverage(fit_quietly(model, X, y).predict_interval(at, level=LEVEL), truth)

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

_ALONE = (*MAPS, "P(y | x)")
_MODELS: tuple[Literal["likelihood", "confidence"], ...] = ("likelihood", "confidence")
_KINDS: tuple[Literal["likelihood", "confidence", "level"], ...] = (*_MODELS, "level")


def _columns(quantity: str, name: str, scale: float, digits: int, *more: int) -> dict[str, Any]:
    """Of an overview: a column for each size."""
    sizes = (*SIZES, *more)
    return {f"{quantity}_{n}": (name.format(n), scale, digits) for n in sizes}


INTERVAL_COVERAGE = Study(
    name="interval_coverage",
    title="Intervals and their coverage",
    source="A study of this package, on simulated scores whose probability is known",
    labels=("map", "model"),
    measures=MEASURES,
    conditions=(
        *(CoverageCondition(name, method) for name in MAPS for method in METHODS),
        *(ClassifierCondition(name) for name in ("logistic regression", "random forest")),
        *(ClassesCondition(name, kind) for name in CLASS_MAPS for kind in _KINDS),
        *(SourcesCondition(name) for name in SOURCES),
        *(PromiseCondition(n, model) for n in ("sigmoid", "two steps") for model in _MODELS),
        *(RealCondition(name) for name in REAL),
    ),
    repeats=40,
    protocol=_PROSE.protocol,
    comment=_PROSE.comment,
    overviews=(
        Overview(
            "Coverage of the probability, %, and mean width",
            "model",
            _columns("coverage", "n = {}", 100, 0) | _columns("width", "width, {}", 1, 3),
            by=("map",),
            where={"map": _ALONE},
        ),
        Overview(
            "Samples in which the whole map is covered, %",
            "model",
            _columns("whole", "n = {}", 100, 0),
            by=("map",),
            where={"map": _ALONE},
        ),
        Overview(
            "Several classes: coverage of all probabilities, %, and mean width",
            "model",
            _columns("coverage", "n = {}", 100, 0) | _columns("width", "width, {}", 1, 3),
            by=("map",),
            where={"map": tuple(CLASS_MAPS)},
        ),
        Overview(
            "Fusions: coverage of the probability given all sources, %, and mean width",
            "map",
            _columns("coverage", "n = {}", 100, 0, 100_000)
            | _columns("width", "width, {}", 1, 3, 100_000),
            by=("model",),
            where={"model": FUSIONS},
        ),
        Overview(
            "Real data: test sets that refute the intervals by bins or by sums, %, and mean width",
            "model",
            {
                f"{quantity}_{n}": (f"{title}, {n:,}", scale, digits)
                for quantity, title, scale, digits in (
                    ("refuted", "bins", 100, 1),
                    ("uneven", "sums", 100, 1),
                    ("span", "width", 1, 3),
                )
                for n in LEARNED
            },
            where={"map": tuple(f"real, {name}" for name in REAL)},
        ),
        Overview(
            "Promises that count as broken, %",
            "map",
            _columns("broken", "n = {}", 100, 1),
            by=("model",),
            where={"map": tuple(f"{m}, judged by {n:,}" for m in MAPS for n in JUDGED)},
        ),
    ),
    quick=(
        "sigmoid-logistic-likelihood",
        "sigmoid-isotonic-band-95",
        "3-classes-overconfident-confidence",
        "sources-independent",
        "promise-two-steps-likelihood",
    ),
)
"""Coverage of [Bel, Pl] for every model, on maps that have its form and maps that have not."""
