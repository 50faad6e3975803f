"""Sources of the samples of a repeat: a simulation, or the files of a data set.

A source is data: the same one gives the same samples to every classifier and every method of a
repeat, so that these are compared pairwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from evical.datasets import Dataset
from examples.studies.naeini2016.simulators import SIMULATORS

__all__ = ["Drawn", "GivenSplit", "RandomSplit", "Samples", "Simulated", "Source"]

Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of one repeat; those for calibration may be the training samples themselves.

    Parameters
    ----------
    train, calibration, test : Dataset
    """

    train: Dataset
    calibration: Dataset
    test: Dataset


class Source(Protocol):
    """A source of samples; a frozen dataclass, so that its repr names it.

    Parameters
    ----------
    name : str
        What a reader calls the data.
    datasets : tuple of str
        Names for `evical.datasets.load`.
    """

    @property
    def name(self) -> str: ...

    @property
    def datasets(self) -> tuple[str, ...]: ...

    def draw(
        self, data: Mapping[str, Dataset], number: int, rng: np.random.Generator
    ) -> Samples: ...


@dataclass(frozen=True)
class Simulated:
    """New samples from a known distribution.

    Parameters
    ----------
    name : str
        In `SIMULATORS`.
    train, test : int
        Numbers of samples.
    calibration : int
        Number of samples; 0 for the training samples themselves.
    """

    name: str
    train: int
    test: int
    calibration: int = 0

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def draw(self, data: Mapping[str, Dataset], number: int, rng: np.random.Generator) -> Samples:
        train, test = (self._set(size, rng) for size in (self.train, self.test))
        calibration = self._set(self.calibration, rng) if self.calibration else train
        return Samples(train, calibration, test)

    def _set(self, size: int, rng: np.random.Generator) -> Dataset:
        X, y = SIMULATORS[self.name](size, rng)
        names = tuple(f"x{j + 1}" for j in range(X.shape[1]))
        return Dataset(self.name, X, y, names, ("0", "1"))


@dataclass(frozen=True)
class GivenSplit:
    """Training and test samples as they are published; drawn anew from repeat 1 on.

    One split has no standard error. Repeat 0 is the published one, and the others show how much
    chance is in it.

    Parameters
    ----------
    name : str
    train, test : str
        Data sets. Calibration is on the training samples.
    redraw : {"split", "test"}
        Splits of all samples, with as many of each class on either side; or, where the split is
        part of the task (such as writers on one side only), test samples with replacement.
    """

    name: str
    train: str
    test: str
    redraw: Literal["split", "test"] = "split"

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.train, self.test

    def draw(self, data: Mapping[str, Dataset], number: int, rng: np.random.Generator) -> Samples:
        train, test = data[self.train], data[self.test]
        if train.class_names != test.class_names or train.feature_names != test.feature_names:
            raise ValueError(f"{self.train} and {self.test} differ in their features or classes")
        if number > 0 and self.redraw == "test":
            test = _rows(test, rng.integers(len(test), size=len(test)))
        elif number > 0:
            train, test = _split_anew(train, test, rng)
        return Samples(train, train, test)


@dataclass(frozen=True)
class RandomSplit:
    """A share of each class to train and calibrate on, and the rest to test.

    Parameters
    ----------
    name, dataset : str
    share : float
        Of the training samples, between 0 and 1; their number is rounded to the nearest.
    """

    name: str
    dataset: str
    share: float

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def draw(self, data: Mapping[str, Dataset], number: int, rng: np.random.Generator) -> Samples:
        whole = data[self.dataset]
        order = rng.permutation(len(whole))
        of_class = [
            order[whole.y[order] == label][: round(self.share * count)]
            for label, count in enumerate(whole.class_counts)
        ]
        first = np.concatenate(of_class)
        train, test = _rows(whole, first), _rows(whole, np.setdiff1d(order, first))
        return Samples(train, train, test)


@dataclass(frozen=True)
class Drawn:
    """So many samples to train, to calibrate and to test, drawn at random.

    Parameters
    ----------
    name, dataset : str
    train, calibration, test : int
        Numbers of samples.
    """

    name: str
    dataset: str
    train: int
    calibration: int
    test: int

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def draw(self, data: Mapping[str, Dataset], number: int, rng: np.random.Generator) -> Samples:
        whole = data[self.dataset]
        ends = np.cumsum([self.train, self.calibration, self.test])
        parts = np.split(rng.permutation(len(whole))[: ends[-1]], ends[:-1])
        return Samples(*(_rows(whole, rows) for rows in parts))


def _rows(dataset: Dataset, rows: Integers) -> Dataset:
    return replace(dataset, X=dataset.X[rows], y=dataset.y[rows])


def _split_anew(train: Dataset, test: Dataset, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    pool = replace(train, X=np.vstack([train.X, test.X]), y=np.concatenate([train.y, test.y]))
    order = rng.permutation(len(pool))
    chosen = [
        order[pool.y[order] == label][:count] for label, count in enumerate(train.class_counts)
    ]
    first = np.concatenate(chosen)
    rest = np.setdiff1d(order, first)
    return _rows(pool, rng.permutation(first)), _rows(pool, rest)
