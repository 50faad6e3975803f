"""`CrossValidated`: calibrators of a classifier of two classes by cross-validation on real data.

Of each fold one classifier is trained, and all calibrators see its scores: those of the samples
that trained it, as printed, and those of an inner cross-validation, which no sample trained.
Source: Naeini (2016), sections 4.2.2.2, 4.2.3, 4.3.2, 4.4 and 4.5.
"""

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold, train_test_split

from evical._typing import Floats, Indices
from evical.datasets import Dataset
from examples.studies._study import Record, repeat_rng
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS, Scorer
from examples.studies.parts.calibration_condition import Calibration, calibrate
from examples.studies.parts.calibration_measures import MEASURES

__all__ = ["HELD_OUT", "OF_FOLDS", "POOLED", "TRAINING", "CrossValidated", "RealSet"]


TRAINING, HELD_OUT = "training", "held out"

OF_FOLDS = (
    "auc",
    "accuracy",
    "rmse",
    "brier",
    "ece_released",
    "mce_released",
    "ece",
    "mce",
    "log_loss",
)
"""Measures of which the mean over folds is taken."""

POOLED = {"ece_pooled": "ece", "mce_pooled": "mce"}
"""Measures of the predictions of all folds together."""

_CLASSIFIERS = {
    "LR": "logistic regression, C = 1",
    "SVM": "linear SVM, squared hinge",
    "NB": "naive Bayes, codes and normals",
    "LR, no intercept": "logistic regression, no intercept",
    "LR, no intercept, -1 to 1": "logistic regression, no intercept, -1 to 1",
}
"""Names in the thesis to names of learners."""


@dataclass(frozen=True)
class RealSet:
    """A data set of two classes.

    Parameters
    ----------
    name : str
        In the thesis.
    dataset : str
        For `evical.datasets.load`.
    positive : str
        Class that is told from all others; the second of two if empty.
    """

    name: str
    dataset: str
    positive: str = ""

    def of(self, whole: Dataset) -> Dataset:
        """The data set with the labels 0 and 1."""
        if not self.positive:
            return whole
        y = (whole.y == whole.class_names.index(self.positive)).astype(np.intp)
        return replace(whole, y=y, class_names=("rest", self.positive))


@dataclass(frozen=True)
class CrossValidated:
    """A data set and a classifier, with several calibrators.

    Parameters
    ----------
    part : str
        Of the study.
    source : RealSet
    classifier : str
        "LR", "SVM" or "NB"; the first also without intercept, of features that are standardized
        or scaled from -1 to 1.
    methods : tuple of Calibration
    n_folds : int
    most : int
        Samples; of a larger set so many are drawn in each repeat, in the shares of the classes.
    n_inner : int
        Folds of the cross-validation that makes held-out scores.
    """

    part: str
    source: RealSet
    classifier: str
    methods: tuple[Calibration, ...]
    n_folds: int = 10
    most: int = 12_000
    n_inner: int = 5

    @property
    def key(self) -> str:
        return (
            f"{self.part}-{self.source.name}-{self.classifier}".lower()
            .replace(",", "")
            .replace(" ", "_")
        )

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.source.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        # By data and part alone, so that classifiers see the same folds.
        rng = repeat_rng(f"{self.part} {self.source.name}", number, seed)
        state = int(rng.integers(2**31))
        whole = self._drawn(self.source.of(data[self.source.dataset]), state)
        found: dict[tuple[str, str], list[_Fold]] = {}
        # That scores point the wrong way, or a fit has not converged, is part of what is judged.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            for train, test in _folds(self.n_folds, state).split(whole.X, whole.y):
                for key, fold in self._fold(_rows(whole, train), _rows(whole, test), state):
                    found.setdefault(key, []).append(fold)
        return [
            ((self.part, self.source.name, self.classifier, *key), _measured(folds))
            for key, folds in found.items()
        ]

    def _drawn(self, whole: Dataset, state: int) -> Dataset:
        if len(whole) <= self.most:
            return whole
        rows, _ = train_test_split(
            np.arange(len(whole)), train_size=self.most, stratify=whole.y, random_state=state
        )
        return _rows(whole, np.sort(rows))

    def _fold(
        self, train: Dataset, test: Dataset, state: int
    ) -> Iterator[tuple[tuple[str, str], "_Fold"]]:
        score = self._learn(train)
        new = score(test.X)
        seen = {TRAINING: score(train.X), HELD_OUT: self._held_out(train, state)}
        for source, scores in seen.items():
            for method in self.methods:
                start = time.process_time()
                p = calibrate(method, scores, train.y)(new)
                yield (source, method.name), _Fold(test.y, p, time.process_time() - start)

    def _learn(self, train: Dataset) -> Scorer:
        score = TWO_CLASS_LEARNERS[_CLASSIFIERS[self.classifier]](train)
        return (lambda X: expit(score(X))) if self.classifier == "SVM" else score

    def _held_out(self, train: Dataset, state: int) -> Floats:
        scores = np.empty(len(train))
        for inner, rest in _folds(self.n_inner, state).split(train.X, train.y):
            scores[rest] = self._learn(_rows(train, inner))(train.X[rest])
        return scores


@dataclass(frozen=True, eq=False)
class _Fold:
    y: Indices
    p: Floats
    seconds: float


def _measured(folds: list[_Fold]) -> tuple[float, ...]:
    means = [np.mean([MEASURES[name](fold.y, fold.p) for fold in folds]) for name in OF_FOLDS]
    y, p = (np.concatenate(parts) for parts in zip(*((f.y, f.p) for f in folds), strict=True))
    pooled = [MEASURES[name](y, p) for name in POOLED.values()]
    return tuple(map(float, (*means, *pooled, sum(fold.seconds for fold in folds))))


def _folds(n: int, state: int) -> StratifiedKFold:
    return StratifiedKFold(n, shuffle=True, random_state=state)


def _rows(dataset: Dataset, rows: Indices) -> Dataset:
    return replace(dataset, X=dataset.X[rows], y=dataset.y[rows])
