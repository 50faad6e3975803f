"""`ClassesValidated`: calibrators of a classifier of many classes by cross-validation on real data.

Source: Naeini (2016), section 6.1.1.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from evical._typing import Floats, Indices
from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.datasets import Dataset
from evical.metrics import (
    brier_score,
    expected_calibration_error,
    log_loss,
    maximum_calibration_error,
    roc_auc,
)
from evical.multiclass import (
    AutoMulticlassCalibrator,
    OneVsRestCalibrator,
    ShallowNetCalibrator,
    SoftmaxCalibrator,
)
from examples.studies._study import Record, repeat_rng
from examples.studies.parts.adagrad_nets import AdagradNets
from examples.studies.parts.calibration_measures import label_sorted_gaps
from examples.studies.parts.cross_validated import HELD_OUT, TRAINING
from examples.studies.parts.mixed_bayes import mixed_bayes

__all__ = ["ADAGRAD", "CALIBRATIONS", "CLASS_MEASURES", "LEARNERS", "ClassesValidated"]

Classifier = Callable[[Floats], Floats]

CLASS_MEASURES = (
    "auc",
    "accuracy",
    "cross_entropy",
    "brier",
    "ece_released",
    "mce_released",
    "ece",
    "mce",
    "seconds",
)
"""Measures of a row; the last one is CPU time, the others means over folds."""

# So that each fold tests two samples of each class, and inner folds train on all of them.
_LEAST_OF_CLASS = 10


def _logistic(train: Dataset) -> Classifier:
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=10_000))
    model.fit(train.X, train.y)
    return lambda X: np.asarray(model.predict_proba(X))


def _logistic_of_each(train: Dataset) -> Classifier:
    """One class against the rest, without intercept: what liblinear does by default."""
    one = LogisticRegression(max_iter=10_000, fit_intercept=False)
    model = make_pipeline(StandardScaler(), OneVsRestClassifier(one)).fit(train.X, train.y)
    return lambda X: np.asarray(model.predict_proba(X))


def _svm(train: Dataset) -> Classifier:
    model = make_pipeline(StandardScaler(), LinearSVC(dual=False, max_iter=10_000))
    model.fit(train.X, train.y)

    def probabilities(X: Floats) -> Floats:
        sides = expit(model.decision_function(X))
        return np.asarray(sides / sides.sum(axis=1, keepdims=True))

    return probabilities


def _bayes(train: Dataset) -> Classifier:
    joint = mixed_bayes(train)
    return lambda X: np.asarray(softmax(joint(X), axis=1))


LEARNERS: dict[str, Callable[[Dataset], Classifier]] = {
    "LR": _logistic,
    "SVM": _svm,
    "NB": _bayes,
    "LR, one against rest": _logistic_of_each,
}
"""Name in the thesis to a function that learns probabilities (n, K)."""

CALIBRATIONS: dict[str, Callable[[int], Any]] = {
    "isotonic": lambda state: OneVsRestCalibrator(
        IsotonicCalibrator(model="bayesian"), coupling="normalize"
    ),
    "Platt": lambda state: OneVsRestCalibrator(
        LogisticCalibrator(model="bayesian"), coupling="normalize"
    ),
    "Softmax": lambda state: SoftmaxCalibrator(),
    "SNN": lambda state: ShallowNetCalibrator(random_state=state),
    "Auto": lambda state: AutoMulticlassCalibrator(model="bayesian"),
}
"""Name to a function that makes a calibrator, from a seed."""

ADAGRAD: dict[str, Callable[[int], Any]] = {
    "SNN, 200 steps": lambda state: AdagradNets(n_steps=200, random_state=state),
    "SNN, 1,000 steps": lambda state: AdagradNets(n_steps=1000, random_state=state),
}
"""Nets that are stopped as in the thesis, likewise."""


_MAKERS = {**CALIBRATIONS, **ADAGRAD}


@dataclass(frozen=True)
class ClassesValidated:
    """A data set and a classifier, with several calibrators.

    Parameters
    ----------
    name : str
        Of the data set in the thesis.
    dataset : str
        For `evical.datasets.load`.
    classifier : str
        In `LEARNERS`.
    methods : tuple of str
        In `CALIBRATIONS` or `ADAGRAD`.
    sources : tuple of str
        Scores that calibrators learn from.
    n_folds : int
    most : int
        Samples; of a larger set so many are drawn in each repeat, in the shares of the classes.
    n_inner : int
        Folds of the cross-validation that makes held-out scores.
    """

    name: str
    dataset: str
    classifier: str
    methods: tuple[str, ...] = tuple(CALIBRATIONS)
    sources: tuple[str, ...] = (TRAINING, HELD_OUT)
    n_folds: int = 5
    most: int = 4000
    n_inner: int = 5

    @property
    def key(self) -> str:
        return f"{self.name}-{self.classifier}".lower().replace(",", "").replace(" ", "_")

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        # By the data alone, so that classifiers see the same folds.
        state = int(repeat_rng(self.name, number, seed).integers(2**31))
        whole = self._drawn(data[self.dataset], state)
        found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
        # That scores point the wrong way, or a fit has not converged, is part of what is judged.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            for train, test in _folds(self.n_folds, state).split(whole.X, whole.y):
                for key, values in self._fold(_rows(whole, train), _rows(whole, test), state):
                    found.setdefault(key, []).append(values)
        return [
            ((self.name, self.classifier, *key), tuple(np.mean(folds, axis=0).tolist()))
            for key, folds in found.items()
        ]

    def _drawn(self, whole: Dataset, state: int) -> Dataset:
        kept = np.flatnonzero(np.array(whole.class_counts)[whole.y] >= _LEAST_OF_CLASS)
        if len(kept) > self.most:
            y = whole.y[kept]
            kept, _ = train_test_split(kept, train_size=self.most, stratify=y, random_state=state)
        labels, y = np.unique(whole.y[kept], return_inverse=True)
        names = tuple(whole.class_names[label] for label in labels)
        return replace(whole, X=whole.X[kept], y=y, class_names=names)

    def _fold(
        self, train: Dataset, test: Dataset, state: int
    ) -> Iterator[tuple[tuple[str, str], tuple[float, ...]]]:
        learn = LEARNERS[self.classifier]
        classifier = learn(train)
        new = classifier(test.X)
        seen = {TRAINING: classifier(train.X)}
        if HELD_OUT in self.sources:
            held_out = np.empty((len(train), new.shape[1]))
            for inner, rest in _folds(self.n_inner, state).split(train.X, train.y):
                held_out[rest] = learn(_rows(train, inner))(train.X[rest])
            seen[HELD_OUT] = held_out
        for source, scores in seen.items():
            yield (source, "none"), (*_measured(test.y, new), 0.0)
            for name in self.methods:
                start = time.process_time()
                p = _MAKERS[name](state).fit(scores, train.y).predict_proba(new)
                seconds = time.process_time() - start
                yield (source, name), (*_measured(test.y, p), seconds)


def _measured(y: Indices, p: Floats) -> tuple[float, ...]:
    hits = y[:, np.newaxis] == np.arange(p.shape[1])
    gaps, shares = label_sorted_gaps(hits.astype(np.intp).ravel(), p.ravel())
    return (
        roc_auc(y, p),
        float(np.mean(p.argmax(axis=1) == y)),
        log_loss(y, p, eps=float(np.finfo(np.float64).eps)),
        brier_score(y, p),
        float(gaps @ shares),
        float(gaps.max()),
        expected_calibration_error(y, p, "micro", strategy="quantile"),
        maximum_calibration_error(y, p, "micro", strategy="quantile"),
    )


def _folds(n: int, state: int) -> StratifiedKFold:
    return StratifiedKFold(n, shuffle=True, random_state=state)


def _rows(dataset: Dataset, rows: Indices) -> Dataset:
    return replace(dataset, X=dataset.X[rows], y=dataset.y[rows])
