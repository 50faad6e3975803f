"""Gebel's comparison of calibrators on two classes, as data and one runner.

Nine data sets, two classifiers and ten-fold cross-validation; each calibrator learns from the
scores of the training part and is judged on the rest. Whether these are the scores of a classifier
on its own training samples, as it seems from the thesis, or of cross-fitted ones, is part of the
protocol.

Source: Gebel (2009), section 6.1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict

from evical.calibrators import NormalizingCalibrator
from evical.datasets import Dataset, load_csv
from evical.metrics import calibration_measure, correctness_rate
from evical.studies.gebel2009._sources import (
    CALIBRATORS,
    NAIVE_BAYES,
    SVM,
    SquaredHingeSVC,
    naive_bayes,
)

__all__ = ["GEBEL_DATASETS", "GebelProtocol", "GebelRow", "load_gebel", "run_gebel"]

Floats = NDArray[np.float64]

GEBEL_DATASETS = {
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
"""Names in the thesis (table 6.1) to names of CSV files with a column ``target``."""

# The thesis has 32 features: of the 34, the first is binary and the second is constant.
_LEFT_OUT = {"ionosphere": 2}


@dataclass(frozen=True)
class GebelProtocol:
    """The protocol for each data set.

    Parameters
    ----------
    classifiers : tuple of {"svm", "naive_bayes"}
    sources : tuple of {"training", "cross_fit"}
        Scores that calibrators learn from: those of the classifier on its own training samples,
        or those of classifiers trained without the sample.
    n_folds : int
        Of the outer cross-validation.
    n_inner : int
        Of the cross-validations that choose the parameters and make cross-fitted scores.
    costs, widths : tuple of float
        Grid of the support vector machine; the thesis has every second power of two, then a
        finer grid, here every fourth.
    seed : int
    """

    classifiers: tuple[str, ...] = (SVM, NAIVE_BAYES)
    sources: tuple[str, ...] = ("training", "cross_fit")
    n_folds: int = 10
    n_inner: int = 3
    costs: tuple[float, ...] = tuple(2.0**k for k in (-5, -1, 3, 7, 11))
    widths: tuple[float, ...] = tuple(2.0**k for k in (-15, -11, -7, -3, 1))
    seed: int = 0


@dataclass(frozen=True)
class GebelRow:
    """One result, of all test predictions together.

    Parameters
    ----------
    dataset, classifier, source, calibrator : str
    correctness : float
        Correctness rate CR (eq. 2.3).
    calibration : float
        Calibration measure Cal (eq. 2.6).
    """

    dataset: str
    classifier: str
    source: str
    calibrator: str
    correctness: float
    calibration: float


def load_gebel(folder: Path, names: Iterable[str] = tuple(GEBEL_DATASETS)) -> list[Dataset]:
    """Read data sets from a folder of CSV files.

    Parameters
    ----------
    folder : Path
    names : iterable of str
        Keys of `GEBEL_DATASETS`.

    Returns
    -------
    list of Dataset
        Ionosphere without its first two columns, as in the thesis.
    """
    return [_without_first(load_csv(folder / f"{GEBEL_DATASETS[n]}.csv", "target")) for n in names]


def _without_first(dataset: Dataset) -> Dataset:
    n = _LEFT_OUT.get(dataset.name, 0)
    return replace(dataset, X=dataset.X[:, n:], feature_names=dataset.feature_names[n:])


def run_gebel(dataset: Dataset, protocol: GebelProtocol | None = None) -> list[GebelRow]:
    """Compare the calibrators on one data set.

    Parameters
    ----------
    dataset : Dataset
        Of two classes.
    protocol : GebelProtocol, optional

    Returns
    -------
    list of GebelRow
        One for each classifier, source of scores and calibrator.
    """
    protocol = protocol or GebelProtocol()
    keys = list(product(protocol.classifiers, protocol.sources, CALIBRATORS))
    predictions = {key: np.empty(len(dataset.y)) for key in keys}
    folds = StratifiedKFold(protocol.n_folds, shuffle=True, random_state=protocol.seed)
    for train, test in folds.split(dataset.X, dataset.y):
        for key, positive in _round(dataset, train, test, protocol):
            predictions[key][test] = positive
    y = dataset.y
    return [
        GebelRow(dataset.name, *key, correctness_rate(y, p), calibration_measure(y, p))
        for key, p in predictions.items()
    ]


def _round(
    dataset: Dataset, train: NDArray[np.intp], test: NDArray[np.intp], protocol: GebelProtocol
) -> Iterator[tuple[tuple[str, str, str], Floats]]:
    X, y = dataset.X[train], dataset.y[train]
    for classifier in protocol.classifiers:
        model = _trained(classifier, X, y, protocol)
        new = _scores(model, dataset.X[test])
        for source in protocol.sources:
            seen = (
                _scores(model, X) if source == "training" else _cross_fitted(model, X, y, protocol)
            )
            for name in CALIBRATORS:
                yield (classifier, source, name), _calibrated(name, classifier, seen, y, new)


def _trained(classifier: str, X: Floats, y: NDArray[np.intp], protocol: GebelProtocol) -> Any:
    if classifier == NAIVE_BAYES:
        return naive_bayes().fit(X, y)
    grid = {"cost": protocol.costs, "width": protocol.widths}
    return GridSearchCV(SquaredHingeSVC(), grid, cv=_inner(protocol)).fit(X, y).best_estimator_


def _inner(protocol: GebelProtocol) -> StratifiedKFold:
    return StratifiedKFold(protocol.n_inner, shuffle=True, random_state=protocol.seed)


def _scores(model: Any, X: Floats) -> Floats:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    return np.asarray(model.predict_proba(X)[:, 1])


def _cross_fitted(model: Any, X: Floats, y: NDArray[np.intp], protocol: GebelProtocol) -> Floats:
    method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    scores = cross_val_predict(clone(model), X, y, cv=_inner(protocol), method=method)
    return np.asarray(scores if scores.ndim == 1 else scores[:, 1])


def _calibrated(
    name: str, classifier: str, seen: Floats, y: NDArray[np.intp], new: Floats
) -> Floats:
    """Probabilities of the positive class for new scores."""
    calibrator = CALIBRATORS[name](classifier)
    if calibrator is None:
        return new
    if name == "assignment value" and classifier == SVM:
        # Section 4.4: margins have to be normalized first.
        first = NormalizingCalibrator().fit(seen, y)
        seen, new = (first.predict_proba(part)[:, 1] for part in (seen, new))
    return np.asarray(calibrator.fit(seen, y).predict_proba(new)[:, 1])
