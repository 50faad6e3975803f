"""A fitted classifier with its calibrators: from samples to beliefs about their classes.

Two classes need one calibrator of one score. With more, there are three ways. The score of each
class is calibrated against all others, or each column of a code has its own classifier and
calibrator; a decoder then joins the columns. Or one calibrator takes the scores of all classes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dstheory import MassFunction
from evical.estimators._responses import class_scores
from evical.estimators.decoder import Decoder
from evical.estimators.predictions import interval
from evical.multiclass import BaseMulticlassCalibrator
from evical.multiclass.products import ProductBeliefs
from evical.multiclass.witnesses import witnesses

__all__ = [
    "Calibrated",
    "CalibratedClassifier",
    "CalibratedColumns",
    "CalibratedTogether",
    "fit_calibrated",
    "score_scale",
]

Floats = NDArray[np.float64]


class _Decoded(ABC):
    """Beliefs about columns, and a decoder for them."""

    decoder: Decoder

    @abstractmethod
    def columns(self, X: Any) -> Floats:
        """Masses (3, B, n) of the negative side, of the positive side, and of either."""

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        return self.decoder.mass(self.columns(X))

    def closed(self, X: Any) -> ProductBeliefs | None:
        """Belief about each sample without a list of sets, where the columns allow it."""
        return self.decoder.closed(self.columns(X))

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        return self.decoder.interval(self.columns(X))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, K)."""
        return self.decoder.betp(self.columns(X))


@dataclass(frozen=True, eq=False)
class CalibratedClassifier(_Decoded):
    """One fitted classifier and its fitted calibrators, one for each of its scores.

    Parameters
    ----------
    estimator : fitted classifier
    calibrators : list of fitted calibrators
        One for two classes, else one for each class against the rest.
    decoder : Decoder
    """

    estimator: Any
    calibrators: list[Any]
    decoder: Decoder

    def columns(self, X: Any) -> Floats:
        """Masses (3, C, n) of "not this class", "this class" and "either", C scores."""
        scale = score_scale(self.calibrators[0])
        scores = class_scores(self.estimator, X, self.decoder.classes, scale)
        return witnesses(self.calibrators, scores)


@dataclass(frozen=True, eq=False)
class CalibratedColumns(_Decoded):
    """A fitted classifier with its calibrator for each column of a code.

    Parameters
    ----------
    members : list of CalibratedClassifier
        Of two classes each, the sides of the column.
    decoder : Decoder
    """

    members: list[CalibratedClassifier]
    decoder: Decoder

    @property
    def estimators(self) -> list[Any]:
        """The classifier of each column."""
        return [member.estimator for member in self.members]

    @property
    def estimator(self) -> Any:
        """The classifier of the first column."""
        return self.members[0].estimator

    @property
    def calibrators(self) -> list[Any]:
        """The calibrator of each column."""
        return [member.calibrators[0] for member in self.members]

    def columns(self, X: Any) -> Floats:
        """Masses (3, B, n) of the negative side, of the positive side, and of either."""
        return np.concatenate([member.columns(X) for member in self.members], axis=1)


@dataclass(frozen=True, eq=False)
class CalibratedTogether:
    """One fitted classifier and one calibrator of the scores of all classes.

    Parameters
    ----------
    estimator : fitted classifier
    calibrators : list of one fitted multiclass calibrator
    decoder : Decoder
        Decides which probabilities are predicted.
    """

    estimator: Any
    calibrators: list[Any]
    decoder: Decoder

    def _scores(self, X: Any) -> Floats:
        scale = score_scale(self.calibrators[0])
        return class_scores(self.estimator, X, self.decoder.classes, scale)

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        mass: MassFunction = self.calibrators[0].predict_mass(self._scores(X))
        return mass

    def closed(self, X: Any) -> ProductBeliefs | None:
        """Belief about each of three or more classes without a list of sets."""
        if len(self.decoder.classes) == 2:
            return None
        beliefs: ProductBeliefs = self.calibrators[0]._beliefs(self._scores(X)).products()
        return beliefs

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        if len(self.decoder.classes) == 2:
            return interval(self.predict_mass(X))
        return np.asarray(self.calibrators[0].predict_interval(self._scores(X)))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, K)."""
        if self.decoder.probability == "pignistic":
            return np.asarray(self.calibrators[0].predict_proba(self._scores(X)))
        bounds = self.calibrators[0].predict_interval(self._scores(X))
        return np.asarray(bounds[..., 1] / bounds[..., 1].sum(axis=1, keepdims=True))


Calibrated: TypeAlias = CalibratedClassifier | CalibratedColumns | CalibratedTogether


def score_scale(calibrator: Any) -> str:
    """Scores that a calibrator reads, for `class_scores`: "any" or "probability"."""
    if isinstance(calibrator, BaseMulticlassCalibrator):
        unit = calibrator._unit or calibrator.transform == "log"
    else:  # log-odds are its own affair
        unit = getattr(calibrator, "transform", None) == "logit"
    return "probability" if unit else "any"


def fit_calibrated(
    estimator: Any,
    calibrator: Any,
    scores: Floats,
    y: NDArray[Any],
    decoder: Decoder,
    weight: Floats | None,
) -> Calibrated:
    """Clones of `calibrator` fitted to the scores of a fitted classifier.

    Parameters
    ----------
    estimator : fitted classifier
    calibrator : calibrator
    scores : (n, C) array, as `class_scores` gives it
    y : (n,) array of labels
    decoder : Decoder
    weight : (n,) array or None

    Returns
    -------
    Calibrated
        For K = 2, calibrated on the labels themselves, else on "class k or not", one after
        the other; by a multiclass calibrator, together.
    """
    classes = decoder.classes
    if isinstance(calibrator, BaseMulticlassCalibrator):
        together = clone(calibrator).fit(scores, y, sample_weight=weight)
        return CalibratedTogether(estimator, [together], decoder)
    if len(classes) == 2:
        one = clone(calibrator).fit(scores[:, 0], y, sample_weight=weight)
        return CalibratedClassifier(estimator, [one], decoder)
    each = [
        clone(calibrator).fit(column, (y == label).astype(np.int64), sample_weight=weight)
        for column, label in zip(scores.T, classes, strict=True)
    ]
    return CalibratedClassifier(estimator, each, decoder)
