"""Coverage of the probabilities of several classes by `AutoMulticlassCalibrator`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from evical._typing import Floats
from evical.datasets import Dataset
from evical.multiclass import AutoMulticlassCalibrator
from examples.studies._study import Record, repeat_rng
from examples.studies.interval_coverage.maps import coverage
from examples.studies.interval_coverage.measured import SIZES, Found, record
from examples.studies.interval_coverage.methods import LEVEL
from examples.studies.parts.quiet import fit_quietly

__all__ = ["CLASS_MAPS", "ClassesCondition", "drawn_classes"]

Labels = NDArray[np.int64]

_N_TEST = 200


def _overconfident(z: Floats) -> tuple[Floats, Floats]:
    truth = np.asarray(softmax(1.6 * z, axis=1))
    return np.asarray(softmax(3.2 * z, axis=1)), truth


def _wavy(z: Floats) -> tuple[Floats, Floats]:
    return z, np.asarray(softmax(1.5 * z + 1.2 * np.sin(3 * z), axis=1))


CLASS_MAPS: dict[str, tuple[int, Callable[[Floats], tuple[Floats, Floats]]]] = {
    "3 classes, overconfident": (3, _overconfident),
    "6 classes, overconfident": (6, _overconfident),
    "3 classes, wavy": (3, _wavy),
}
"""Name to the number of classes, and to a function from normal values to scores and the truth."""


def drawn_classes(name: str, n: int, rng: np.random.Generator) -> tuple[Floats, Labels, Floats]:
    """Scores, labels of all classes, and true probabilities.

    Parameters
    ----------
    name : str
        In `CLASS_MAPS`.
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    scores : (n, K) array
    y : (n,) array
    truth : (n, K) array

    Examples
    --------
    >>> scores, y, truth = drawn_classes("3 classes, wavy", 300, np.random.default_rng(0))
    >>> scores.shape, bool(abs(truth.mean(axis=0) - np.bincount(y) / 300).max() < 0.1)
    ((300, 3), True)
    """
    k, made = CLASS_MAPS[name]
    while True:
        scores, truth = made(rng.normal(size=(n, k)))
        y = np.minimum((rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1), k - 1)
        if len(np.unique(y)) == k:
            return scores, y, truth


@dataclass(frozen=True)
class ClassesCondition:
    """`AutoMulticlassCalibrator` on samples of one map; a model has the samples of the other.

    Parameters
    ----------
    name : str
        In `CLASS_MAPS`.
    model : {"confidence", "likelihood", "level"}
        Of [Bel, Pl], or the confidence interval.
    sizes : tuple of int
        Of the samples.
    every : int
        Of so many repeats the last is run.
    """

    name: str
    model: Literal["confidence", "likelihood", "level"]
    sizes: tuple[int, ...] = SIZES
    every: int = 2

    @property
    def key(self) -> str:
        return "-".join(re.findall(r"\w+", f"{self.name} {self.model}")).lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        sizes = () if (number + 1) % self.every else self.sizes
        found = {n: self._coverage(n, repeat_rng(f"{self.name}-{n}", number, seed)) for n in sizes}
        level = "" if self.model == "likelihood" else " 95 %"
        return [record(self.name, f"AutoMulticlassCalibrator, {self.model}{level}", found)]

    def _coverage(self, n: int, rng: np.random.Generator) -> Found:
        scores, y, _ = drawn_classes(self.name, n, rng)
        at, _, truth = drawn_classes(self.name, _N_TEST, rng)
        if self.model == "level":
            fitted = fit_quietly(AutoMulticlassCalibrator(), scores, y)
            found = fitted.predict_interval(at, level=LEVEL)
        else:
            fitted = fit_quietly(AutoMulticlassCalibrator(model=self.model), scores, y)
            found = fitted.predict_interval(at)
        return coverage(found.reshape(-1, 2), truth.ravel())
