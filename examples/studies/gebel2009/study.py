"""Gebel's comparison of calibrators on two classes.

Nine data sets, two classifiers and ten-fold cross-validation. Each calibrator learns from scores of
the training part and is judged on the rest. Whether these are scores of the classifier on its own
training samples, as it seems from the thesis, or of cross-fitted ones, is part of the study.
Calibrators see scores here, because an `EvidentialClassifier` cannot normalize margins first, as
assignment values need.

Source: Gebel (2009), section 6.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict

from evical._typing import Floats, Indices
from evical.calibrators import NormalizingCalibrator
from evical.datasets import Dataset
from evical.metrics import calibration_measure, correctness_rate
from examples.studies._beside import read_prose
from examples.studies._markdown import markdown_table
from examples.studies._reproduce import Outcome
from examples.studies._study import PublishedTable, Record, Study
from examples.studies._tables import published_cells
from examples.studies.gebel2009._sources import (
    CALIBRATORS,
    NAIVE_BAYES,
    SVM,
    SquaredHingeSVC,
    naive_bayes,
)

__all__ = ["GEBEL2009", "GebelCondition", "calibrated", "without_constants"]


DATASETS = {
    "Banknotes": "banknote",
    "Breast": "breast_cancer_wisconsin",
    "Fourclass": "fourclass",
    "German": "german_numeric",
    "Haberman": "haberman",
    "Heart": "heart",
    "Ionosphere": "ionosphere",
    "Pima": "diabetes",
    "Sonar": "sonar",
}
"""Names in the thesis (table 6.1) to names of data sets."""

# The thesis has 32 features: of the 34, the first is binary and the second is constant.
_LEFT_OUT = {"Ionosphere": 2}

TRAINING, CROSS_FIT = "training", "cross_fit"


@dataclass(frozen=True)
class GebelCondition:
    """A data set with its cross-validation, which makes one repeat.

    Parameters
    ----------
    data : str
        Name in the thesis.
    dataset : str
    n_folds : int
        Of the outer cross-validation.
    n_inner : int
        Of the cross-validations that choose the parameters and make cross-fitted scores.
    costs, widths : tuple of float
        Grid of the support vector machine; the thesis has every second power of two, then a
        finer grid, here every fourth.
    """

    data: str
    dataset: str
    n_folds: int = 10
    n_inner: int = 3
    costs: tuple[float, ...] = tuple(2.0**k for k in (-5, -1, 3, 7, 11))
    widths: tuple[float, ...] = tuple(2.0**k for k in (-15, -11, -7, -3, 1))

    @property
    def key(self) -> str:
        return self.data.lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        whole = without_constants(self.data, data[self.dataset])
        keys = list(product((SVM, NAIVE_BAYES), (TRAINING, CROSS_FIT), CALIBRATORS))
        predictions = {key: np.empty(len(whole.y)) for key in keys}
        for train, test in self._folds(self.n_folds, number + seed).split(whole.X, whole.y):
            for key, positive in self._fold(whole, train, test, number + seed):
                predictions[key][test] = positive
        return [
            ((self.data, *key), _measure(whole.y, positive))
            for key, positive in predictions.items()
        ]

    def _folds(self, n: int, state: int) -> StratifiedKFold:
        return StratifiedKFold(n, shuffle=True, random_state=state)

    def _fold(
        self, whole: Dataset, train: Indices, test: Indices, state: int
    ) -> Iterator[tuple[tuple[str, str, str], Floats]]:
        X, y, inner = whole.X[train], whole.y[train], self._folds(self.n_inner, state)
        grid = {"cost": self.costs, "width": self.widths}
        search = GridSearchCV(SquaredHingeSVC(), grid, cv=inner).fit(X, y)
        models = {SVM: search.best_estimator_, NAIVE_BAYES: naive_bayes().fit(X, y)}
        for classifier, model in models.items():
            new = _scores(model, whole.X[test])
            seen = {TRAINING: _scores(model, X), CROSS_FIT: _cross_fitted(model, X, y, inner)}
            for source, name in product(seen, CALIBRATORS):
                positive = calibrated(name, classifier, seen[source], y, new)
                yield (classifier, source, name), positive


def without_constants(name: str, whole: Dataset) -> Dataset:
    """A data set with the features that the thesis has."""
    n = _LEFT_OUT.get(name, 0)
    return replace(whole, X=whole.X[:, n:], feature_names=whole.feature_names[n:])


def _measure(y: Indices, positive: Floats) -> tuple[float, ...]:
    calibration = calibration_measure(y, positive)
    return correctness_rate(y, positive), calibration, calibration**2


def _scores(model: Any, X: Floats) -> Floats:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    return np.asarray(model.predict_proba(X)[:, 1])


def _cross_fitted(model: Any, X: Floats, y: Indices, folds: StratifiedKFold) -> Floats:
    method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    scores = cross_val_predict(clone(model), X, y, cv=folds, method=method)
    return np.asarray(scores if scores.ndim == 1 else scores[:, 1])


def calibrated(name: str, classifier: str, seen: Floats, y: Indices, new: Floats) -> Floats:
    """Probabilities of the positive class for new scores."""
    calibrator = CALIBRATORS[name](classifier)
    if calibrator is None:
        return new
    if name == "assignment value" and classifier == SVM:
        # Section 4.4: margins have to be normalized first.
        first = NormalizingCalibrator().fit(seen, y)
        seen, new = (first.predict_proba(part)[:, 1] for part in (seen, new))
    return np.asarray(calibrator.fit(seen, y).predict_proba(new)[:, 1])


# Tables 6.3 and 6.5: CR and Cal of each data set (columns) and calibrator (lines).
_PRINTED = {
    "svm": """
.990 .630 .954 .627 .761 .506 .649 .408 .679 .423 .829 .461 .928 .468 .743 .489 .783 .452
.990 .878 .954 .893 .767 .665 .674 .618 .692 .533 .829 .726 .928 .718 .743 .631 .788 .633
.965 .941 .931 .853 .773 .673 .700 .607 .722 .386 .811 .724 .860 .723 .743 .659 .730 .570
.930 .872 .963 .877 .773 .677 .710 .577 .722 .378 .811 .728 .786 .600 .727 .647 .716 .576
.985 .911 .960 .903 .787 .704 .700 .613 .722 .408 .814 .733 .905 .758 .742 .659 .730 .564
.940 .902 .959 .902 .784 .686 .700 .607 .722 .390 .807 .725 .831 .679 .738 .659 .745 .582""",
    "naive_bayes": """
.995 .979 .963 .919 .757 .678 .719 .568 .741 .550 .840 .741 .823 .685 .761 .642 .677 .505
.995 .979 .960 .915 .769 .674 .738 .648 .735 .573 .844 .758 .888 .798 .765 .667 .663 .576
.500 .375 .961 .916 .781 .679 .730 .639 .741 .547 .837 .746 .840 .730 .714 .643 .701 .560
.500 .375 .781 .576 .783 .715 .736 .637 .751 .581 .837 .667 .641 .537 .763 .659 .533 .512
.995 .837 .961 .801 .754 .676 .728 .628 .745 .620 .840 .664 .854 .641 .755 .652 .692 .553
.605 .416 .963 .722 .793 .719 .736 .635 .732 .575 .844 .649 .641 .573 .759 .654 .543 .518""",
}


def _published() -> Iterator[PublishedTable]:
    names = [name for name in CALIBRATORS if name != "Gaussian"]
    tables = ((SVM, "6.3", "the SVM"), (NAIVE_BAYES, "6.5", "naive Bayes"))
    for (classifier, number, words), (i, measure, short) in product(
        tables, ((0, "correctness", "CR"), (1, "product", "Cal"))
    ):
        lines = [line.split()[i::2] for line in _PRINTED[classifier].strip().splitlines()]
        yield PublishedTable(
            title=f"Table {number}, {short} of {words}",
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


_PUBLISHED = tuple(_published())
_PAIRS = (
    ("assignment value", "original"),
    ("logistic", "original"),
    ("assignment value", "logistic"),
    ("piecewise logistic", "logistic"),
)


def _wins(outcome: Outcome) -> str:
    """On how many data sets a calibrator is better and worse than another one."""
    body = []
    for table, (one, other) in product(_PUBLISHED, _PAIRS):
        cells = published_cells(outcome, table)
        pairs = {
            source: [
                (cells[one, source, condition.data], cells[other, source, condition.data])
                for condition in outcome.conditions
                if isinstance(condition, GebelCondition)
            ]
            for source in (TRAINING, CROSS_FIT)
        }
        gaps = [[(a.published or 0) - (b.published or 0) for a, b in pairs[TRAINING]]]
        gaps += [
            [a.ours.mean - b.ours.mean for a, b in pair if a.ours and b.ours]
            for pair in pairs.values()
        ]
        # As the tables are printed: to three digits.
        counts = [f"{sum(g > 5e-4 for g in one)} : {sum(g < -5e-4 for g in one)}" for one in gaps]
        body.append([table.title.split(", ")[1], f"{one} : {other}", *counts])
    head = ["measure", "comparison", "published", "training scores", "cross-fitted scores"]
    return (
        "## On how many data sets one is better : worse\n\n"
        "Equal to three digits counts for neither.\n\n" + markdown_table(head, body, 2)
    )


TEXT = read_prose(__file__)
GEBEL2009 = Study(
    name="gebel2009",
    title="Calibrators of two classes, on nine data sets",
    source="Gebel (2009), Multivariate calibration of classifier scores into the probability "
    "space, section 6.1, tables 6.3 and 6.5",
    labels=("data", "classifier", "source", "calibrator"),
    measures=("correctness", "calibration", "product"),
    conditions=tuple(GebelCondition(*names) for names in DATASETS.items()),
    repeats=1,
    published=_PUBLISHED,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("banknotes", "haberman"),
    extra=_wins,
)
