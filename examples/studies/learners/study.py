"""Learners as they are, beside calibrated and conformal classifiers."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.learners._summary import summary
from examples.studies.learners.measures import MEASURES, Told, judged, told_apart
from examples.studies.learners.methods import DISTANCE, ENSEMBLES, METHODS, method

__all__ = ["LEARNERS", "Cell", "Split"]

Labels = NDArray[np.intp]

_N_TRAIN, _N_TEST, _N_OF_CLASS = 600, 1000, 10
_FAR = 3.0  # standard deviations of far samples, where those for training have one


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test samples with standardized features, and outliers.

    Parameters
    ----------
    X, y : training samples, and labels 0 to K - 1
    new, truth : test samples, and labels
    shuffled, far : (n_test, n_features) arrays
        Outliers.
    left_out : int
        The class that is unseen if it is left out of training.
    """

    X: Floats
    y: Labels
    new: Floats
    truth: Labels
    shuffled: Floats
    far: Floats
    left_out: int

    @classmethod
    def of(cls, dataset: Dataset, number: int, seed: int) -> "Split":
        """Draw the samples of a repeat."""
        rng = repeat_rng(dataset.name, number, seed)
        labels, counts = np.unique(dataset.y, return_counts=True)
        kept = np.flatnonzero(np.isin(dataset.y, labels[counts >= _N_OF_CLASS]))
        codes = np.unique(dataset.y[kept], return_inverse=True)[1]
        half = len(kept) // 2
        train, test = train_test_split(
            np.arange(len(kept)),
            train_size=min(half, _N_TRAIN),
            test_size=min(half, _N_TEST),
            random_state=int(rng.integers(2**31)),
            stratify=codes,
        )
        features = np.asarray(dataset.X, dtype=np.float64)[kept]
        scaler = StandardScaler().fit(features[train])
        new = scaler.transform(features[test])
        return cls(
            scaler.transform(features[train]),
            codes[train],
            new,
            codes[test],
            rng.permuted(new, axis=0),
            rng.normal(scale=_FAR, size=new.shape),
            number % (int(codes.max()) + 1),
        )

    def outliers(self) -> dict[str, Floats]:
        """Samples unlike those for training, by kind."""
        return {"shuffled": self.shuffled, "far": self.far}

    def without(self) -> tuple[Floats, Labels, Floats, Floats]:
        """Training samples of all classes but one, and test samples of them and of that one."""
        rest, usual = self.y != self.left_out, self.truth != self.left_out
        y = np.unique(self.y[rest], return_inverse=True)[1]
        return self.X[rest], y, self.new[usual], self.new[~usual]


@dataclass(frozen=True)
class Cell:
    """A data set with a method.

    Parameters
    ----------
    data : str
    method : str
        In `METHODS`.
    """

    data: str
    method: str

    @property
    def key(self) -> str:
        return f"{self.data}-{self.method}".replace(", ", "-").replace(" ", "_")

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.data,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        split = Split.of(data[self.data], number, seed)
        # That a fit has not converged is part of what is judged.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            found = self._distances(split) if self.method == DISTANCE else self._judged(split)
        return [((self.data, self.method), tuple(found.get(one, np.nan) for one in MEASURES))]

    def _judged(self, split: Split) -> dict[str, float]:
        fitted = method(self.method).fit(split.X, split.y)
        told = Told.by(fitted, split.new)
        found = judged(told, split.truth)
        if self.method in ENSEMBLES:
            return found
        for kind, strange in split.outliers().items():
            found |= told_apart(kind, told.doubts(), Told.by(fitted, strange).doubts())
        if split.y.max() > 1:
            X, y, usual, unseen = split.without()
            fitted = method(self.method).fit(X, y)
            doubts = (Told.by(fitted, new).doubts() for new in (usual, unseen))
            found |= told_apart("unseen", *doubts)
        return found

    def _distances(self, split: Split) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind, strange in split.outliers().items():
            found |= told_apart(kind, _distance(split.X, split.new), _distance(split.X, strange))
        if split.y.max() > 1:
            X, _, usual, unseen = split.without()
            found |= told_apart("unseen", _distance(X, usual), _distance(X, unseen))
        return found


def _distance(X: Floats, new: Floats) -> dict[str, Floats]:
    """Mean distance to five training samples, in the place of the doubt of probabilities."""
    return {"p": NearestNeighbors(n_neighbors=5).fit(X).kneighbors(new)[0].mean(axis=1)}


_TWO = "heart ionosphere australian german_numeric breast_cancer_wisconsin mammography adult_test"
_MORE = "iris ecoli segment satimage_train b3_business_cycle"
_QUICK = ("logistic", "logistic, latent", "evidential neighbors", "prototypes", "RBF network")

TEXT = read_prose(__file__)
LEARNERS = Study(
    name="learners",
    title="Learners that speak in beliefs, calibrated or not",
    source="A study of this package, on twelve data sets",
    labels=("data", "method"),
    measures=MEASURES,
    conditions=tuple(Cell(data, one) for data in f"{_TWO} {_MORE}".split() for one in METHODS),
    repeats=5,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=tuple(Cell("iris", one).key for one in _QUICK),
    extra=summary,
)
"""Error, scores, sets, intervals and outliers, of learners as they are and calibrated."""
