"""What `EvidentialClassifier` gives without a choice, beside scikit-learn's calibration."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.default_classifier._summary import summary
from examples.studies.default_classifier.methods import (
    BOOSTERS,
    CLASSIFIERS,
    METHODS,
    RAW,
    REFERENCES,
    method,
)

__all__ = ["DEFAULT_CLASSIFIER", "Cell"]


_DATA = {
    "two": (
        "heart sonar haberman ionosphere liver_disorders banknote breast_cancer_wisconsin diabetes "
        "australian fourclass german_numeric svmguide1_train mammography adult_test "
        "adult_a9a_test bbq_circular_test coil2000_test spect_test"
    ),
    "more": (
        "iris wine glass balance_scale vehicle b3_business_cycle digits ecoli page_blocks "
        "pendigits_test satimage_test segment soybean_test zoo"
    ),
}
"""Number of classes to data sets."""

_MEASURES = ("error", "brier", "log_loss", "log_ratio", "within", "no_worse")
_N_MOST, _N_OF_CLASS = 2000, 10


@dataclass(frozen=True)
class Cell:
    """A data set with a classifier.

    Parameters
    ----------
    classes : {"two", "more"}
    data : str
    classifier : str
        In `CLASSIFIERS` or `BOOSTERS`.
    """

    classes: str
    data: str
    classifier: str

    @property
    def key(self) -> str:
        return f"{self.data}-{self.classifier}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.data,)

    def draw(self, y: NDArray[Any], number: int, seed: int) -> tuple[Any, Any]:
        """Numbers of the training and test samples of a repeat."""
        labels, counts = np.unique(y, return_counts=True)
        kept = np.flatnonzero(np.isin(y, labels[counts >= _N_OF_CLASS]))
        half = min(len(kept), _N_MOST) // 2
        state = int(repeat_rng(self.data, number, seed).integers(2**31))
        train, test = train_test_split(
            kept, train_size=half, test_size=half, random_state=state, stratify=y[kept]
        )
        return train, test

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        X, labels = data[self.data].X, data[self.data].y
        train, test = self.draw(labels, number, seed)
        y = np.full(len(labels), -1)  # numbers of the classes that are kept: boosters need them
        y[train], y[test] = (
            np.unique(labels[part], return_inverse=True)[1] for part in (train, test)
        )
        # That a network has not converged, or a classifier is of no use, is part of what is judged.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            models = {
                name: method(name, self.classifier).fit(X[train], y[train]) for name in METHODS
            }
        scored = {name: _scores(model, X[test], y[test]) for name, model in models.items()}
        best = min((scored[name][-1] for name in REFERENCES), key=np.mean)
        raw = scored[RAW][-1]
        return [
            (
                (self.classes, self.data, self.classifier, name),
                (error, brier, float(losses.mean()), *_standing(losses, best, raw)),
            )
            for name, (error, brier, losses) in scored.items()
        ]


def _scores(model: Any, X: Floats, y: NDArray[Any]) -> tuple[float, float, Floats]:
    """Error rate, Brier score, and the log loss of each sample."""
    error = float(np.mean(model.predict(X) != y))
    if not hasattr(model, "predict_proba"):
        return error, np.nan, np.full(len(y), np.nan)
    p, at = model.predict_proba(X), model.classes_ == y[:, np.newaxis]
    squares = ((p - at) ** 2).sum(axis=1) / (2 if p.shape[1] == 2 else 1)
    return error, float(squares.mean()), -np.log(np.maximum(p[at], np.finfo(float).eps))


def _standing(losses: Floats, best: Floats, raw: Floats) -> tuple[float, float, float]:
    """Logarithm of the ratio to the best; whether near it; whether no worse than uncalibrated."""
    if np.isnan(losses).any():
        return np.nan, np.nan, np.nan
    more, error = _paired(losses, best)
    within = float(more <= max(error, 0.02 * best.mean()))
    more, error = _paired(losses, raw)
    # Of the uncalibrated classifier itself there is nothing to say.
    no_worse = np.nan if raw is losses or np.isnan(more) else float(more <= error)
    # No ratio to a best that is certain and always right.
    log_ratio = float(np.log(losses.mean() / best.mean())) if best.any() else np.nan
    return log_ratio, within, no_worse


def _paired(losses: Floats, others: Floats) -> tuple[float, float]:
    gaps = losses - others
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))


TEXT = read_prose(__file__)
DEFAULT_CLASSIFIER = Study(
    name="default_classifier",
    title="Calibration without a choice",
    source="A study of this package, on thirty-two data sets",
    labels=("classes", "data", "classifier", "method"),
    measures=_MEASURES,
    conditions=tuple(
        Cell(classes, data, classifier)
        for classes, names in _DATA.items()
        for data, classifier in product(names.split(), (*CLASSIFIERS, *BOOSTERS))
    ),
    repeats=2,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("iris-naive_bayes", "wine-logistic_regression"),
    extra=summary,
)
"""The default beside every way of `CalibratedClassifierCV`."""
