"""A fitted classifier with its calibrators: from samples to beliefs about their classes.

For two classes the calibrator's mass function is the belief. One calibrator takes the scores of
three or more classes, by default one against the rest. A code, or a coupling, has columns of two
sides each, which a decoder joins.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from evical._typing import Floats
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.listed import sides
from evical.calibrators import AutoCalibrator
from evical.estimators._responses import class_scores
from evical.estimators.decoder import Decoder
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
)
from evical.scores.direction import Direction, fit_quietly, wrong_ways

__all__ = [
    "Calibrated",
    "CalibratedColumns",
    "CalibratedScores",
    "fit_calibrated",
    "of_classifier",
    "score_scale",
]


@dataclass(frozen=True, eq=False)
class CalibratedScores:
    """A fitted classifier and the fitted calibrator of its scores.

    Parameters
    ----------
    estimator : fitted classifier
    calibrator : fitted calibrator
        Of the only score of two classes, or of the scores of all classes.
    probability : {"pignistic", "plausibility"}
    """

    estimator: Any
    calibrator: Any
    probability: str

    @property
    def calibrators(self) -> list[Any]:
        """One calibrator for each class against the rest, or the one there is."""
        each: list[Any] = getattr(self.calibrator, "calibrators_", [self.calibrator])
        return each if self.is_table else [self.calibrator]

    @property
    def is_table(self) -> bool:
        """Whether the calibrator takes the scores of several classes."""
        return isinstance(self.calibrator, BaseMulticlassCalibrator)

    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of samples."""
        scale = score_scale(self.calibrator)
        return class_scores(self.estimator, X, self.calibrator.classes_, scale)

    def wrong_ways(self) -> list[Direction]:
        """Directions of the scores that point the wrong way."""
        return wrong_ways(self.calibrator)

    def columns_of(self, scores: Floats) -> Floats:
        """Masses (3, C, n) of the negative side, of the positive side, and of either."""
        return sides(self.calibrators, scores)

    def beliefs(self, X: Any) -> Beliefs:
        """Belief about the class of each sample."""
        return self.beliefs_of(self.scores(X))

    def beliefs_of(self, scores: Floats) -> Beliefs:
        """The same from scores (n, C)."""
        read = scores if self.is_table else scores[:, 0]
        if hasattr(self.calibrator, "beliefs"):
            found: Beliefs = self.calibrator.beliefs(read)
            return found
        return as_beliefs(self.calibrator.predict_mass(read), self.calibrator.classes_)


@dataclass(frozen=True, eq=False)
class CalibratedColumns:
    """Calibrated classifiers whose columns a decoder joins.

    Parameters
    ----------
    members : list of CalibratedScores
        One for each column of a code, or one that has all columns.
    decoder : Decoder
    """

    members: list[CalibratedScores]
    decoder: Decoder

    @property
    def estimator(self) -> Any:
        """The classifier of the first member."""
        return self.members[0].estimator

    @property
    def estimators(self) -> list[Any]:
        """The classifier of each member."""
        return [member.estimator for member in self.members]

    @property
    def calibrators(self) -> list[Any]:
        """The calibrator of each column."""
        return [calibrator for member in self.members for calibrator in member.calibrators]

    @property
    def probability(self) -> str:
        """Of the decoder."""
        return self.decoder.probability

    def wrong_ways(self) -> list[Direction]:
        """Directions of the scores that point the wrong way, by the classes of their columns."""
        if len(self.members) == 1:
            return list(self.members[0].wrong_ways())
        classes = self.decoder.classes
        return [
            found.between(classes[signs == -1], classes[signs == 1])
            for member, signs in zip(self.members, self.decoder.code.T, strict=True)
            for found in member.wrong_ways()
        ]

    def columns(self, X: Any) -> Floats:
        """Masses (3, B, n) of the negative side, of the positive side, and of either."""
        parts = [member.columns_of(member.scores(X)) for member in self.members]
        return np.concatenate(parts, axis=1)

    def beliefs(self, X: Any) -> Beliefs:
        """Belief about the class of each sample."""
        return self.decoder.beliefs(self.columns(X))

    def beliefs_of(self, scores: Floats) -> Beliefs:
        """The same from the scores (n, C) of the only member."""
        return self.decoder.beliefs(self.members[0].columns_of(scores))


Calibrated: TypeAlias = CalibratedScores | CalibratedColumns


def of_classifier(calibrated: Calibrated, estimator: Any) -> Calibrated:
    """The same calibrators for the scores of another classifier.

    Parameters
    ----------
    calibrated : Calibrated
        Of one classifier.
    estimator : fitted classifier

    Returns
    -------
    Calibrated
    """
    if isinstance(calibrated, CalibratedColumns):
        members = [replace(member, estimator=estimator) for member in calibrated.members]
        return replace(calibrated, members=members)
    return replace(calibrated, estimator=estimator)


def score_scale(calibrator: Any) -> str:
    """Scores that a calibrator reads, for `class_scores`: "any", "given" or "probability"."""
    if isinstance(calibrator, OneVsRestCalibrator):
        return score_scale(calibrator.calibrator)
    if isinstance(calibrator, AutoMulticlassCalibrator):
        return "given"
    if isinstance(calibrator, AutoCalibrator) and calibrator.transform is None:
        return "given"
    if isinstance(calibrator, BaseMulticlassCalibrator):
        unit = calibrator._takes_probabilities or calibrator.transform == "log"
    else:  # it takes log-odds itself
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
        Of two classes, to be fitted to each class against the rest, or multiclass.
    scores : (n, C) array, as `class_scores` gives it
    y : (n,) array of labels
    decoder : Decoder
    weight : (n,) array or None

    Returns
    -------
    Calibrated
    """
    if isinstance(calibrator, BaseMulticlassCalibrator):
        whole = fit_quietly(clone(calibrator), scores, y, sample_weight=weight)
    elif len(decoder.classes) == 2:
        whole = fit_quietly(clone(calibrator), scores[:, 0], y, sample_weight=weight)
    else:
        each = OneVsRestCalibrator(clone(calibrator), "dempster", decoder.total_conflict)
        whole = fit_quietly(each, scores, y, sample_weight=weight)
    member = CalibratedScores(estimator, whole, decoder.probability)
    return CalibratedColumns([member], decoder) if decoder.is_bayesian else member
