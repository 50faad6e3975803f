"""A fitted classifier with its calibrators: from samples to beliefs about their classes.

For two classes the calibrator's mass function is the belief. One calibrator takes the scores of
three or more classes, by default one against the rest. A code, or a coupling, has columns of two
sides each, which a decoder joins.

Without a coupling, Dempster's rule combines columns as evidence. A coupling takes
the pignistic probabilities of the columns and gives probabilities of the classes, a Bayesian
mass function; with "pairwise_belief", conditional beliefs on pairs give a mass function.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from dstheory import Frame
from evical import multiclass
from evical._typing import Floats, SamplesLike
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.bounded import Bayesian
from evical.beliefs.listed import Listed, sides
from evical.calibrators import AutoCalibrator
from evical.estimators.responses import class_scores
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
    code_beliefs,
    code_matrix,
    pairwise_belief,
)
from evical.multiclass.pairwise import MAX_PAIRWISE
from evical.multiclass.reduction import MAX_CLASSES
from evical.scores.checks import refuse
from evical.scores.direction import Direction, fit_quietly, wrong_ways

COUPLINGS = ("normalize", "least_squares", "hastie_tibshirani", "wu_lin_weng", "pairwise_belief")

# Couplings that are defined for the columns of one code only.
_CODE_OF = {
    "normalize": "one_vs_rest",
    "wu_lin_weng": "all_pairs",
    "pairwise_belief": "all_pairs",
}


@dataclass(frozen=True, eq=False)
class Decoder:
    """Join binary beliefs by a code and a coupling.

    Columns are arrays (3, B, n) of the masses of the negative side, the positive side and
    either. Two classes have one column, whose positive side is the second class, and need a
    decoder only for a coupling that gives probabilities.

    Parameters
    ----------
    classes : (K,) array
    code : (K, B) array of int8, or "one_vs_rest"
    coupling : str, callable or None
    weights : (B,) array, optional
        Sizes of the columns' samples, for the coupling "hastie_tibshirani".
    total_conflict : {"error", "vacuous"}
    probability : {"pignistic", "plausibility"}
    """

    classes: NDArray[Any]
    code: Any
    coupling: Any = None
    weights: Floats | None = None
    total_conflict: Literal["error", "vacuous"] = "error"
    probability: str = "pignistic"

    def __post_init__(self) -> None:
        if len(self.classes) == 2:
            return
        self._check_coupling()
        unlimited = len(self.classes) <= MAX_CLASSES or self._is_code("one_vs_rest")
        if self.coupling is None and self.probability == "pignistic" and not unlimited:
            raise ValueError(
                f"{len(self.classes)} classes are too many for pignistic probabilities under this "
                f"code (at most {MAX_CLASSES} classes); take probability='plausibility', a "
                "coupling, or code='one_vs_rest'"
            )

    def _check_coupling(self) -> None:
        wanted = _CODE_OF.get(self.coupling) if isinstance(self.coupling, str) else None
        if wanted is not None and not self._is_code(wanted):
            raise ValueError(f"coupling {self.coupling!r} is defined for code={wanted!r} only")
        if self.coupling == "pairwise_belief" and len(self.classes) > MAX_PAIRWISE:
            raise ValueError(
                f"coupling 'pairwise_belief' takes at most {MAX_PAIRWISE} classes, "
                f"there are {len(self.classes)}; take coupling=None"
            )

    def _is_code(self, kind: Any) -> bool:
        return np.array_equal(self.matrix, code_matrix(kind, len(self.classes)))

    @property
    def matrix(self) -> NDArray[np.int8]:
        """The code as a matrix (K, B)."""
        if isinstance(self.code, str):
            return code_matrix(self.code, len(self.classes))  # type: ignore[arg-type]  # checked
        return np.asarray(self.code)

    def beliefs(self, columns: Floats) -> Beliefs:
        """Belief about the class of each sample."""
        if self.is_bayesian:
            return Bayesian(self.classes, self._coupled(columns))
        if self.coupling is not None:
            return Listed.of(pairwise_belief(columns, Frame(self.classes)), self.classes)
        return code_beliefs(columns, self.classes, self.matrix, self.total_conflict)

    @property
    def is_bayesian(self) -> bool:
        """Whether a coupling gives probabilities of the classes."""
        return self.coupling is not None and self.coupling != "pairwise_belief"

    def _coupled(self, columns: Floats) -> Floats:
        """Probabilities (n, K) of a coupling."""
        if len(self.classes) == 2:
            return _halved(columns[:, 0])
        _, positive, both = columns
        r = np.clip(positive + both / 2, 0, 1).T
        if callable(self.coupling):
            return _checked(self.coupling, r, self.matrix)
        couple = getattr(multiclass, self.coupling)
        if self.coupling in _CODE_OF:
            return np.asarray(couple(r))
        weights = {"weights": self.weights} if self.coupling == "hastie_tibshirani" else {}
        return np.asarray(couple(r, self.matrix, **weights))


def _halved(column: Floats) -> Floats:
    negative, positive, both = column
    return np.stack([negative + both / 2, positive + both / 2], axis=1)


def _shares(values: Floats) -> Floats:
    return np.asarray(values / values.sum(axis=1, keepdims=True))


def _checked(coupling: Callable[..., Any], r: Floats, code: NDArray[np.int8]) -> Floats:
    """The result of a user's coupling, if it holds probabilities of the classes."""
    found = np.asarray(coupling(r, code), dtype=np.float64)
    expected = (len(r), len(code))
    if found.shape != expected:
        raise ValueError(f"coupling {coupling!r} gives shape {found.shape}, expected {expected}")
    wrong = ~((found >= 0).all(axis=1) & (np.abs(found.sum(axis=1) - 1) <= 1e-6))
    refuse(found, wrong, "coupling(r, code)", "probabilities with sum 1")
    return _shares(found)


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

    def scores(self, X: SamplesLike) -> Floats:
        """Scores (n, C) of samples."""
        scale = score_scale(self.calibrator)
        return class_scores(self.estimator, X, self.calibrator.classes_, scale)

    def wrong_ways(self) -> list[Direction]:
        """Directions of reversed scores."""
        return wrong_ways(self.calibrator)

    def columns_of(self, scores: Floats) -> Floats:
        """Masses (3, C, n) of the negative side, of the positive side, and of either."""
        return sides(self.calibrators, scores)

    def beliefs(self, X: SamplesLike) -> Beliefs:
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
        """Directions of reversed scores, by the classes of their columns."""
        if len(self.members) == 1:
            return list(self.members[0].wrong_ways())
        classes = self.decoder.classes
        return [
            found.between(classes[signs == -1], classes[signs == 1])
            for member, signs in zip(self.members, self.decoder.matrix.T, strict=True)
            for found in member.wrong_ways()
        ]

    def columns(self, X: SamplesLike) -> Floats:
        """Masses (3, B, n) of the negative side, of the positive side, and of either."""
        parts = [member.columns_of(member.scores(X)) for member in self.members]
        return np.concatenate(parts, axis=1)

    def beliefs(self, X: SamplesLike) -> Beliefs:
        """Belief about the class of each sample."""
        return self.decoder.beliefs(self.columns(X))

    def beliefs_of(self, scores: Floats) -> Beliefs:
        """The same from the scores (n, C) of the only member."""
        return self.decoder.beliefs(self.members[0].columns_of(scores))


Calibrated: TypeAlias = CalibratedScores | CalibratedColumns


def of_classifier(calibrated: Calibrated, estimator: BaseEstimator) -> Calibrated:
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
        return score_scale(calibrator._one)
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
    estimator: BaseEstimator,
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
    whole = clone(calibrator)
    if len(decoder.classes) > 2 and not isinstance(calibrator, BaseMulticlassCalibrator):
        whole = OneVsRestCalibrator(
            whole, coupling="dempster", total_conflict=decoder.total_conflict
        )
    if isinstance(whole, BaseMulticlassCalibrator):
        absent = len(np.unique(y)) < len(decoder.classes)
        named = {"classes": decoder.classes} if absent else {}
        fit_quietly(whole, scores, y, sample_weight=weight, **named)
    else:
        fit_quietly(whole, scores[:, 0], y, sample_weight=weight)
    member = CalibratedScores(estimator, whole, decoder.probability)
    return CalibratedColumns([member], decoder) if decoder.is_bayesian else member
