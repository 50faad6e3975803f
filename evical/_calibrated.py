"""A fitted classifier with its calibrators: from samples to beliefs about their classes.

Two classes need one calibrator of one score. With more, the score of each class is
calibrated against all others, and the evidential reduction joins the columns.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dstheory import Frame, MassFunction
from evical._predictions import interval
from evical._response import class_scores
from evical.multiclass import (
    one_vs_rest_betp,
    one_vs_rest_interval,
    one_vs_rest_mass,
    without_total_conflict,
)

__all__ = ["CalibratedClassifier", "fit_calibrators"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CalibratedClassifier:
    """One fitted classifier and its fitted calibrators.

    Parameters
    ----------
    estimator : fitted classifier
    calibrators : list of fitted calibrators
        One for two classes, else one for each class against the rest.
    classes : (K,) array
    total_conflict : {"error", "vacuous"}
        What to do where the calibrators of several classes exclude each other.
    """

    estimator: Any
    calibrators: list[Any]
    classes: NDArray[Any]
    total_conflict: str = "error"

    def columns(self, X: Any) -> Floats:
        """Masses (3, C, n) of "not this class", "this class" and "either", C scores."""
        scores = class_scores(self.estimator, X, self.classes)
        beliefs = [
            calibrator.predict_mass(column)
            for calibrator, column in zip(self.calibrators, scores.T, strict=True)
        ]
        stores = [np.stack([m.mass(mask=mask) for mask in (1, 2, 3)]) for m in beliefs]
        columns = np.stack(stores, axis=1)
        if len(self.classes) == 2:
            return columns
        return without_total_conflict(columns, self.total_conflict)

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        columns, frame = self.columns(X), Frame(self.classes)
        if len(self.classes) == 2:
            return MassFunction.from_store(frame, np.array([1, 2, 3]), columns[:, 0].copy())
        return one_vs_rest_mass(columns, frame)

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        if len(self.classes) == 2:
            return interval(self.predict_mass(X))
        return one_vs_rest_interval(self.columns(X))

    def predict_proba(self, X: Any) -> Floats:
        """Pignistic probabilities (n, K)."""
        columns = self.columns(X)
        if len(self.classes) == 2:
            negative, positive, both = columns[:, 0]
            return np.stack([negative + both / 2, positive + both / 2], axis=1)
        return one_vs_rest_betp(columns)


def fit_calibrators(
    calibrator: Any, scores: Floats, y: NDArray[Any], classes: NDArray[Any], weight: Floats | None
) -> list[Any]:
    """A clone of `calibrator` fitted to each column of `scores` (n, C).

    Parameters
    ----------
    calibrator : calibrator
    scores : (n, C) array, as `class_scores` gives it
    y : (n,) array of labels
    classes : (K,) array
    weight : (n,) array or None

    Returns
    -------
    list of C fitted calibrators
        For K = 2 on the labels themselves, else on "class k or not".
    """
    if len(classes) == 2:
        return [clone(calibrator).fit(scores[:, 0], y, sample_weight=weight)]
    return [
        clone(calibrator).fit(column, (y == label).astype(np.int64), sample_weight=weight)
        for column, label in zip(scores.T, classes, strict=True)
    ]
