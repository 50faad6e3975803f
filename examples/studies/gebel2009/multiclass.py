"""Gebel's comparison of calibrations of many classes.

Nine data sets; support vector machines and neural networks by one against rest and by all pairs,
and a network of all classes; ten-fold cross-validation. Every calibration gets the same scores of
the same classifiers, so these are trained once. The thesis calibrates on scores of the training
samples, which `EvidentialClassifier` refuses, so its parts are used here.

Source: Gebel (2009), section 6.2.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.datasets import Dataset
from evical.metrics import brier_score, calibration_measure, correctness_rate
from evical.multiclass import code_matrix
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.gebel2009._calibrations import Found, Task, calibrated, calibrated_direct
from examples.studies.gebel2009._columns import (
    CROSS_FIT,
    TRAINING,
    Fold,
    Learner,
    binary_network,
    column_labels,
    direct_network,
    learned_scores,
    spread,
    svm,
)
from examples.studies.gebel2009._conclusions import conclusions
from examples.studies.gebel2009._printed import NETWORK, PRINTED, SVM

__all__ = ["GEBEL2009_MULTICLASS", "MulticlassCondition"]

Integers = NDArray[np.intp]

DATASETS = {
    "B3": "b3_business_cycle",
    "Balance": "balance_scale",
    "Ecoli": "ecoli",
    "Glass": "glass",
    "Iris": "iris",
    "Segment": "segment",
    "Vehicle": "vehicle",
    "Wine": "wine",
    "Zoo": "zoo",
}
"""Names in the thesis (table 6.7) to names of data sets."""

KINDS = ("one_vs_rest", "all_pairs")
SOURCES = (TRAINING, CROSS_FIT)


@dataclass(frozen=True)
class MulticlassCondition:
    """A data set and a kind of classifier with their cross-validation, which makes one repeat.

    Parameters
    ----------
    data : str
        Name in the thesis.
    dataset : str
    classifier : {"SVM", "network"}
    n_folds : int
        Of the outer cross-validation.
    n_inner : int
        Of the one that makes cross-fitted scores.
    n_search : int
        Number of samples of a column on which parameters are chosen.
    costs, widths, decays : tuple of float
        Grids of the support vector machine and of the network.
    hidden : tuple of int
        Numbers of hidden units.
    """

    data: str
    dataset: str
    classifier: str
    n_folds: int = 10
    n_inner: int = 5
    n_search: int = 300
    costs: tuple[float, ...] = tuple(2.0**k for k in (-1, 3, 7, 11))
    widths: tuple[float, ...] = tuple(2.0**k for k in (-11, -7, -3, 1))
    decays: tuple[float, ...] = (0.01, 0.1)
    hidden: tuple[int, ...] = (5, 15)

    @property
    def key(self) -> str:
        return f"{self.data}-{self.classifier}".lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        X, y = data[self.dataset].X, data[self.dataset].y
        # By the data alone, so that both kinds of classifiers see the same folds.
        folds = spread(y, self.n_folds, repeat_rng(self.data, number, seed))
        rng = repeat_rng(self.key, number, seed)
        found: dict[tuple[str, ...], Floats] = {}
        factors: dict[tuple[str, ...], list[float]] = {}
        for train, test in folds:
            for key, (name, p, factor) in self._fold(X[train], y[train], X[test], rng):
                whole = (*key, name)
                found.setdefault(whole, np.empty((len(y), p.shape[1])))[test] = p
                factors.setdefault(whole, []).append(factor)
        return [
            (
                (self.data, self.classifier, *key),
                (*_measured(y, p), float(np.exp(np.mean(np.log(factors[key]))))),
            )
            for key, p in found.items()
        ]

    def _fold(
        self, X: Floats, y: Integers, X_new: Floats, rng: np.random.Generator
    ) -> Iterator[tuple[tuple[str, str], Found]]:
        """Reduction and source, and each calibration of them."""
        inner = spread(y, self.n_inner, rng)
        for kind in KINDS:
            for source, task in self._tasks(kind, X, y, X_new, inner, rng):
                yield from (((kind, source), one) for one in calibrated(task))
        if self.classifier == NETWORK:
            learner = direct_network(self.decays, self.hidden, int(y.max()) + 1)
            scores = learned_scores(learner, [y], X, X_new, inner, self.n_search, rng)
            for source in SOURCES:
                yield from (
                    (("direct", source), one) for one in calibrated_direct(scores, y, source)
                )

    def _tasks(
        self,
        kind: Any,
        X: Floats,
        y: Integers,
        X_new: Floats,
        inner: list[Fold],
        rng: np.random.Generator,
    ) -> Iterator[tuple[str, Task]]:
        code = code_matrix(kind, int(y.max()) + 1)
        labels = column_labels(code, y)
        scores = learned_scores(self._learner(), labels, X, X_new, inner, self.n_search, rng)
        for source in SOURCES:
            yield source, Task(kind, code, y, scores, source, self.classifier == NETWORK)

    def _learner(self) -> Learner:
        if self.classifier == SVM:
            return svm(self.costs, self.widths)
        return binary_network(self.decays, self.hidden)


def _measured(y: Integers, p: Floats) -> tuple[float, ...]:
    cal = calibration_measure(y, p)
    return correctness_rate(y, p), cal, cal**2, brier_score(y, p)


TEXT = read_prose(__file__)
GEBEL2009_MULTICLASS = Study(
    name="gebel2009-multiclass",
    title="Calibration of many classes, on nine data sets",
    source="Gebel (2009), Multivariate calibration of classifier scores into the probability "
    "space, section 6.2, tables 6.10-6.13 and A.1-A.4",
    labels=("data", "classifier", "reduction", "source", "method"),
    measures=("correctness", "calibration", "product", "brier", "factor"),
    conditions=tuple(
        MulticlassCondition(data, dataset, classifier)
        for (data, dataset), classifier in product(DATASETS.items(), (SVM, NETWORK))
    ),
    repeats=1,
    published=PRINTED,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    # Those of the comment on the factor of Dirichlet calibration.
    quick=tuple(
        f"{data}-{kind}".lower()
        for data, kind in product(("Balance", "Iris", "Wine"), (SVM, NETWORK))
    ),
    extra=conclusions,
)
