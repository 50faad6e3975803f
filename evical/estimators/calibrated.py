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

from dstheory import MassFunction
from dstheory.transform import betp, plausibility_transform
from evical._typing import Floats
from evical.calibrators import AutoCalibrator
from evical.estimators._responses import class_scores
from evical.estimators.decoder import Decoder
from evical.estimators.predictions import interval
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
)
from evical.multiclass.products import ProductBeliefs
from evical.multiclass.witnesses import witnesses
from evical.scores.direction import Direction, fit_quietly, wrong_ways

__all__ = [
    "Calibrated",
    "CalibratedBinary",
    "CalibratedColumns",
    "CalibratedMulticlass",
    "fit_calibrated",
    "of_classifier",
    "score_scale",
]


@dataclass(frozen=True, eq=False)
class CalibratedBinary:
    """A fitted classifier of two classes and the fitted calibrator of its scores.

    Parameters
    ----------
    estimator : fitted classifier
    calibrator : fitted calibrator
    probability : {"pignistic", "plausibility"}
    """

    estimator: Any
    calibrator: Any
    probability: str

    @property
    def calibrators(self) -> list[Any]:
        """The calibrator alone in a list."""
        return [self.calibrator]

    def _scores(self, X: Any) -> Floats:
        scale = score_scale(self.calibrator)
        return class_scores(self.estimator, X, self.calibrator.classes_, scale)

    def wrong_ways(self) -> list[Direction]:
        """Directions of the scores that point the wrong way."""
        return wrong_ways(self.calibrator)

    def columns(self, X: Any) -> Floats:
        """Masses (3, 1, n) of the first class, of the second, and of either."""
        return self.columns_of(self._scores(X))

    def columns_of(self, scores: Floats) -> Floats:
        """The same from scores (n, 1)."""
        return witnesses([self.calibrator], scores)

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        return self.mass_of(self._scores(X))

    def mass_of(self, scores: Floats) -> MassFunction:
        """The same from scores (n, 1)."""
        mass: MassFunction = self.calibrator.predict_mass(scores[:, 0])
        return mass

    def closed_of(self, scores: Floats) -> None:
        """Nothing: the sets of two classes are three."""

    def closed(self, X: Any) -> None:
        """Nothing: the sets of two classes are three."""

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl] of the second class, (n, 2)."""
        return interval(self.predict_mass(X))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, 2)."""
        transform = betp if self.probability == "pignistic" else plausibility_transform
        return np.asarray(transform(self.predict_mass(X)))


@dataclass(frozen=True, eq=False)
class CalibratedMulticlass:
    """A fitted classifier and the fitted calibrator of the scores of all its classes.

    Parameters
    ----------
    estimator : fitted classifier
    calibrator : fitted multiclass calibrator
    probability : {"pignistic", "plausibility"}
    """

    estimator: Any
    calibrator: BaseMulticlassCalibrator
    probability: str

    @property
    def calibrators(self) -> list[Any]:
        """One calibrator for each class against the rest, or the one for all classes."""
        each: list[Any] = getattr(self.calibrator, "calibrators_", [self.calibrator])
        return each

    def _scores(self, X: Any) -> Floats:
        scale = score_scale(self.calibrator)
        return class_scores(self.estimator, X, self.calibrator.classes_, scale)

    def wrong_ways(self) -> list[Direction]:
        """Directions of the scores that point the wrong way."""
        return wrong_ways(self.calibrator)

    def columns(self, X: Any) -> Floats:
        """Masses (3, K, n) of "not this class", of "this class" and of either."""
        return self.columns_of(self._scores(X))

    def columns_of(self, scores: Floats) -> Floats:
        """The same from scores (n, K)."""
        return witnesses(self.calibrators, scores)

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        return self.mass_of(self._scores(X))

    def mass_of(self, scores: Floats) -> MassFunction:
        """The same from scores (n, K), or (n, 1) of two classes."""
        return self.calibrator.predict_mass(scores)

    def closed(self, X: Any) -> ProductBeliefs | None:
        """Belief about three or more classes without a list of sets."""
        return self.closed_of(self._scores(X))

    def closed_of(self, scores: Floats) -> ProductBeliefs | None:
        """The same from scores (n, K)."""
        if len(self.calibrator.classes_) == 2:
            return None
        return self.calibrator._beliefs(scores).products()

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        bounds = self.calibrator.predict_interval(self._scores(X))
        return bounds[:, 1] if bounds.shape[1] == 2 else bounds

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, K)."""
        if self.probability == "pignistic":
            return self.calibrator.predict_proba(self._scores(X))
        contour = self.calibrator.predict_interval(self._scores(X))[..., 1]
        return np.asarray(contour / contour.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class CalibratedColumns:
    """Calibrated classifiers whose columns a decoder joins.

    Parameters
    ----------
    members : list of CalibratedBinary or CalibratedMulticlass
        One for each column of a code, or one that has all columns.
    decoder : Decoder
    """

    members: list[Any]
    decoder: Decoder

    @property
    def estimators(self) -> list[Any]:
        """The classifier of each member."""
        return [member.estimator for member in self.members]

    @property
    def estimator(self) -> Any:
        """The classifier of the first member."""
        return self.members[0].estimator

    @property
    def calibrators(self) -> list[Any]:
        """The calibrator of each column."""
        return [calibrator for member in self.members for calibrator in member.calibrators]

    def columns(self, X: Any) -> Floats:
        """Masses (3, B, n) of the negative side, of the positive side, and of either."""
        return np.concatenate([member.columns(X) for member in self.members], axis=1)

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

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        return self.decoder.mass(self.columns(X))

    def mass_of(self, scores: Floats) -> MassFunction:
        """The same from the scores of the only member."""
        return self.decoder.mass(self.members[0].columns_of(scores))

    def closed_of(self, scores: Floats) -> ProductBeliefs | None:
        """The same without a list of sets, where the columns allow it."""
        return self.decoder.closed(self.members[0].columns_of(scores))

    def closed(self, X: Any) -> ProductBeliefs | None:
        """Belief about each sample without a list of sets, where the columns allow it."""
        return self.decoder.closed(self.columns(X))

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        return self.decoder.interval(self.columns(X))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, K)."""
        return self.decoder.betp(self.columns(X))


Calibrated: TypeAlias = CalibratedBinary | CalibratedMulticlass | CalibratedColumns


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
    multiclass = isinstance(calibrator, BaseMulticlassCalibrator)
    member: CalibratedBinary | CalibratedMulticlass
    if len(decoder.classes) == 2 and not multiclass:
        one = fit_quietly(clone(calibrator), scores[:, 0], y, sample_weight=weight)
        member = CalibratedBinary(estimator, one, decoder.probability)
    else:
        whole = (
            clone(calibrator)
            if multiclass
            else OneVsRestCalibrator(clone(calibrator), "dempster", decoder.total_conflict)
        )
        fit_quietly(whole, scores, y, sample_weight=weight)
        member = CalibratedMulticlass(estimator, whole, decoder.probability)
    return CalibratedColumns([member], decoder) if decoder.is_bayesian else member
