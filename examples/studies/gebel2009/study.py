"""Gebel's comparison of calibrators on two classes.

Nine data sets, two classifiers and ten-fold cross-validation. Each calibrator learns from scores of
the training part and is judged on the rest. Whether these are scores of the classifier on its own
training samples, as it seems from the thesis, or of cross-fitted ones, is part of the study.
Calibrators see scores here, because an `EvidentialClassifier` cannot normalize margins first, as
assignment values need.

Source: Gebel (2009), section 6.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from evical._typing import Floats, Indices
from evical.calibrators import NormalizingCalibrator
from evical.datasets import Dataset
from evical.metrics import calibration_measure, correctness_rate
from examples.studies._beside import read_prose
from examples.studies._markdown import markdown_table
from examples.studies._reproduce import Outcome
from examples.studies._study import PublishedTable, Record, Study
from examples.studies._tables import published_cells
from examples.studies.gebel2009._network import SigmoidNetwork
from examples.studies.gebel2009._sources import CALIBRATORS, LEARNERS, MARGINS, NAIVE_BAYES, SVM

__all__ = ["GEBEL2009", "GebelCondition", "published_tables"]


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
    classifiers : tuple of str
        In `LEARNERS`.
    n_folds : int
        Of the outer cross-validation.
    n_inner : int
        Of the cross-validations that choose the parameters and make cross-fitted scores.
    """

    data: str
    dataset: str
    classifiers: tuple[str, ...] = (SVM, NAIVE_BAYES)
    n_folds: int = 10
    n_inner: int = 3

    @property
    def key(self) -> str:
        return self.data.lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        whole = data[self.dataset]
        X, y = whole.X[:, _LEFT_OUT.get(self.data, 0) :], whole.y
        inner = _folds(self.n_inner, number + seed)
        found: dict[tuple[str, ...], Floats] = {}
        for classifier in self.classifiers:
            for train, test in _folds(self.n_folds, number + seed).split(X, y):
                for key, positive in _fold(classifier, X[train], y[train], X[test], inner):
                    found.setdefault((classifier, *key), np.empty(len(y)))[test] = positive
        return [((self.data, *key), _measure(y, positive)) for key, positive in found.items()]


def _folds(n: int, state: int) -> StratifiedKFold:
    return StratifiedKFold(n, shuffle=True, random_state=state)


def _fold(
    classifier: str, X: Floats, y: Indices, X_new: Floats, inner: StratifiedKFold
) -> Iterator[tuple[tuple[str, str], Floats]]:
    """Source and calibrator, and the probabilities of the new samples."""
    base, grid = LEARNERS[classifier]
    model = GridSearchCV(base, grid, cv=inner).fit(X, y).best_estimator_
    cross_fitted = np.empty(len(y))
    for some, rest in inner.split(X, y):
        cross_fitted[rest] = _scores(clone(model).fit(X[some], y[some]), X[rest])
    seen, new = {TRAINING: _scores(model, X), CROSS_FIT: cross_fitted}, _scores(model, X_new)
    for source, name in product(seen, CALIBRATORS):
        yield (source, name), _calibrated(name, classifier, seen[source], y, new)


def _measure(y: Indices, positive: Floats) -> tuple[float, ...]:
    calibration = calibration_measure(y, positive)
    return correctness_rate(y, positive), calibration, calibration**2


def _scores(model: Any, X: Floats) -> Floats:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    p = np.asarray(model.predict_proba(X)[:, 1])
    return 2 * p - 1 if isinstance(model, SigmoidNetwork) else p


def _calibrated(name: str, classifier: str, seen: Floats, y: Indices, new: Floats) -> Floats:
    """Probabilities of the positive class for new scores."""
    calibrator = CALIBRATORS[name](classifier)
    if calibrator is None:
        return new
    if name == "assignment value" and classifier in MARGINS:
        # Section 4.4: margins have to be normalized first.
        first = NormalizingCalibrator().fit(seen, y)
        seen, new = (first.predict_proba(part)[:, 1] for part in (seen, new))
    return np.asarray(calibrator.fit(seen, y).predict_proba(new)[:, 1])


_PRINTED = {
    (SVM, "6.3", "the SVM"): """
.990 .630 .954 .627 .761 .506 .649 .408 .679 .423 .829 .461 .928 .468 .743 .489 .783 .452
.990 .878 .954 .893 .767 .665 .674 .618 .692 .533 .829 .726 .928 .718 .743 .631 .788 .633
.965 .941 .931 .853 .773 .673 .700 .607 .722 .386 .811 .724 .860 .723 .743 .659 .730 .570
.930 .872 .963 .877 .773 .677 .710 .577 .722 .378 .811 .728 .786 .600 .727 .647 .716 .576
.985 .911 .960 .903 .787 .704 .700 .613 .722 .408 .814 .733 .905 .758 .742 .659 .730 .564
.940 .902 .959 .902 .784 .686 .700 .607 .722 .390 .807 .725 .831 .679 .738 .659 .745 .582""",
    (NAIVE_BAYES, "6.5", "naive Bayes"): """
.995 .979 .963 .919 .757 .678 .719 .568 .741 .550 .840 .741 .823 .685 .761 .642 .677 .505
.995 .979 .960 .915 .769 .674 .738 .648 .735 .573 .844 .758 .888 .798 .765 .667 .663 .576
.500 .375 .961 .916 .781 .679 .730 .639 .741 .547 .837 .746 .840 .730 .714 .643 .701 .560
.500 .375 .781 .576 .783 .715 .736 .637 .751 .581 .837 .667 .641 .537 .763 .659 .533 .512
.995 .837 .961 .801 .754 .676 .728 .628 .745 .620 .840 .664 .854 .641 .755 .652 .692 .553
.605 .416 .963 .722 .793 .719 .736 .635 .732 .575 .844 .649 .641 .573 .759 .654 .543 .518""",
}


def published_tables(
    printed: Mapping[tuple[str, str, str], str],
) -> Iterator[PublishedTable]:
    """CR and Cal of each data set (columns) and calibrator (lines).

    Parameters
    ----------
    printed : mapping
        A classifier, the number of its table and what to call it, to the numbers.

    Yields
    ------
    PublishedTable
    """
    names = [name for name in CALIBRATORS if name != "Gaussian"]
    for (classifier, number, words), text in printed.items():
        for i, (measure, short) in enumerate((("correctness", "CR"), ("product", "Cal"))):
            lines = [line.split()[i::2] for line in text.strip().splitlines()]
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


_PUBLISHED = tuple(published_tables(_PRINTED))
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
