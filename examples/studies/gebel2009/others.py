"""Gebel's calibrators of two classes on scores of a network and of a tree.

Source: Gebel (2009), sections 6.1.2 and 6.1.3, tables 6.4 and 6.6.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from evical._typing import Floats
from evical.datasets import Dataset
from evical.metrics import calibration_measure, correctness_rate
from examples.studies._beside import read_prose
from examples.studies._study import PublishedTable, Record, Study
from examples.studies.gebel2009._network import SigmoidNetwork
from examples.studies.gebel2009._sources import CALIBRATORS, NAIVE_BAYES, SVM
from examples.studies.gebel2009.study import (
    CROSS_FIT,
    DATASETS,
    TRAINING,
    calibrated,
    without_constants,
)

__all__ = ["GEBEL2009_OTHERS", "OtherCondition"]

NETWORK, TREE = "network", "tree"

# Those of R's tree: entropy, at least ten samples to split and five in a leaf; then pruned.
_MODELS: dict[str, tuple[Any, dict[str, tuple[float, ...]]]] = {
    NETWORK: (SigmoidNetwork(hidden=5), {"decay": (0.01, 0.1)}),
    TREE: (
        DecisionTreeClassifier(
            criterion="entropy", min_samples_split=10, min_samples_leaf=5, random_state=0
        ),
        {"ccp_alpha": (0.0, 0.005, 0.01, 0.02, 0.05)},
    ),
}
# Networks have margins from -1 to 1, as in the thesis, which are normalized; trees probabilities.
_LIKE = {NETWORK: SVM, TREE: NAIVE_BAYES}


@dataclass(frozen=True)
class OtherCondition:
    """A data set and a classifier with their cross-validation, which makes one repeat.

    Parameters
    ----------
    data, dataset : str
        As of `GebelCondition`.
    classifier : {"network", "tree"}
    n_folds, n_inner : int
    """

    data: str
    dataset: str
    classifier: str
    n_folds: int = 10
    n_inner: int = 3

    @property
    def key(self) -> str:
        return f"{self.data}-{self.classifier}".lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        whole = without_constants(self.data, data[self.dataset])
        found: dict[tuple[str, str], Floats] = {}
        for train, test in self._folds(self.n_folds, number + seed).split(whole.X, whole.y):
            rest = whole.X[test]
            for key, p in self._fold(whole.X[train], whole.y[train], rest, number + seed):
                found.setdefault(key, np.empty(len(whole.y)))[test] = p
        return [
            ((self.data, self.classifier, *key), _measured(whole.y, p)) for key, p in found.items()
        ]

    def _folds(self, n: int, state: int) -> StratifiedKFold:
        return StratifiedKFold(n, shuffle=True, random_state=state)

    def _fold(
        self, X: Floats, y: Any, X_new: Floats, state: int
    ) -> Iterator[tuple[tuple[str, str], Floats]]:
        inner = self._folds(self.n_inner, state)
        base, grid = _MODELS[self.classifier]
        model = GridSearchCV(clone(base), grid, cv=inner).fit(X, y).best_estimator_
        held_out = cross_val_predict(clone(model), X, y, cv=inner, method="predict_proba")
        seen = {TRAINING: self._scores(model.predict_proba(X)), CROSS_FIT: self._scores(held_out)}
        new = self._scores(model.predict_proba(X_new))
        for source, name in product(seen, CALIBRATORS):
            yield (source, name), calibrated(name, _LIKE[self.classifier], seen[source], y, new)

    def _scores(self, p: Floats) -> Floats:
        return 2 * p[:, 1] - 1 if self.classifier == NETWORK else p[:, 1]


def _measured(y: Any, p: Floats) -> tuple[float, ...]:
    cal = calibration_measure(y, p)
    return correctness_rate(y, p), cal, cal**2


# CR and Cal of each data set (columns) and calibrator (lines).
_PRINTED = {
    NETWORK: """
.995 .899 .966 .701 .829 .189 .753 .561 .718 .556 .796 .661 .900 .700 .695 .561 .793 .675
.995 .982 .966 .939 .829 .083 .753 .600 .718 .569 .796 .676 .900 .829 .695 .584 .793 .669
.995 .990 .967 .933 .752 .126 .752 .602 .705 .543 .792 .659 .871 .798 .671 .558 .798 .658
.990 .980 .963 .936 .837 .069 .755 .617 .712 .557 .792 .681 .903 .827 .709 .600 .769 .602
.995 .971 .964 .939 .825 .080 .755 .623 .712 .560 .796 .684 .900 .843 .688 .583 .783 .668
.995 .974 .959 .936 .827 .077 .751 .618 .722 .575 .777 .675 .857 .799 .699 .598 .701 .549""",
    TREE: """
.985 .902 .935 .901 .964 .941 .665 .520 .683 .560 .707 .617 .891 .829 .707 .592 .701 .553
.985 .924 .938 .905 .967 .945 .659 .514 .679 .554 .714 .619 .891 .827 .712 .595 .701 .551
.500 .381 .918 .860 .954 .917 .597 .502 .647 .524 .692 .570 .871 .762 .710 .570 .721 .556
.920 .847 .379 .386 .961 .854 .667 .414 .712 .568 .685 .592 .888 .830 .696 .583 .716 .590
.960 .894 .869 .547 .946 .880 .667 .507 .689 .531 .659 .555 .866 .808 .709 .577 .725 .580
.540 .543 .434 .379 .965 .889 .679 .513 .673 .554 .688 .597 .894 .843 .701 .590 .663 .554""",
}


def _published() -> Iterator[PublishedTable]:
    names = [name for name in CALIBRATORS if name != "Gaussian"]
    tables, measures = (
        ((NETWORK, "6.4"), (TREE, "6.6")),
        (("correctness", "CR"), ("product", "Cal")),
    )
    for (classifier, number), (i, (measure, short)) in product(tables, enumerate(measures)):
        lines = [line.split()[i::2] for line in _PRINTED[classifier].strip().splitlines()]
        yield PublishedTable(
            title=f"Table {number}, {short} of the {classifier}",
            measure=measure,
            rows=("calibrator",),
            columns=("source", "data"),
            where={"classifier": classifier},
            values={
                (name, source, data): float(value)
                for source in (TRAINING, CROSS_FIT)
                for name, line in zip(names, lines, strict=True)
                for data, value in zip(DATASETS, line, strict=True)
            },
            digits=3,
        )


TEXT = read_prose(__file__)
GEBEL2009_OTHERS = Study(
    name="gebel2009-others",
    title="Calibrators of two classes: a network and a tree",
    source="Gebel (2009), Multivariate calibration of classifier scores into the probability "
    "space, sections 6.1.2 and 6.1.3, tables 6.4 and 6.6",
    labels=("data", "classifier", "source", "calibrator"),
    measures=("correctness", "calibration", "product"),
    conditions=tuple(
        OtherCondition(data, dataset, classifier)
        for (data, dataset), classifier in product(DATASETS.items(), _MODELS)
    ),
    repeats=1,
    published=tuple(_published()),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("haberman-tree",),
)
