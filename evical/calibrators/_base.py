"""`BaseCalibrator`: the contract of all calibrators of one score.

A calibrator turns a score s into a belief about the class: a mass function on the frame
of the two classes (Xu et al. 2016, section 4). A probabilistic calibrator is the Bayesian
special case, with no mass on the frame. Each method implements `_fit_counts`, and either
`_predict_mass` (evidential) or `_predict_positive` (probabilistic); the base class does the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar, Self, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, column_or_1d

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_instance, check_rows
from dstheory.notebook import brief, html_table
from evical._fitting import all_or_nothing
from evical._typing import Floats
from evical.beliefs.estimate import Estimate
from evical.beliefs.listed import Listed
from evical.calibrators import saved
from evical.scores import ScoreCounts
from evical.scores.checks import (
    check_labels,
    check_same_length,
    check_scores,
    check_unit,
    check_weights,
    refuse,
    warn_of_little_weight,
)
from evical.scores.counts import checked_counts
from evical.scores.direction import Direction, warn_of_wrong_ways, wrong_way
from evical.scores.scale import TRANSFORMS, ScoreScale, extent_of, fit_scale, warn_of_scale

# Of the scores that a notebook shows, from the least to the greatest of the calibration sample.
_QUANTILES = (0, 0.25, 0.5, 0.75, 1)


class BaseCalibrator(saved.SavedCalibrator):
    """Abstract calibrator of the scores of a binary classifier."""

    counts_: ScoreCounts
    _transforms = TRANSFORMS
    # What "auto" makes of scores: margins, or probabilities.
    _of_margins: ClassVar[bool] = False
    # Whether the fit extrapolates: a parameter of calibrators that are not constant beyond the
    # data.
    extrapolate: bool = True
    _scale: ScoreScale
    _ready: bool
    _direction: Direction | None = None  # of reversed scores
    # Fitted arrays of scores at which predictions jump or bend, for exports.
    _turns: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _fit_counts(self, counts: ScoreCounts) -> None:
        """Learn from sorted counts of both classes; set attributes ending in ``_``.

        Scores are on the scale of `transform`, here as in prediction.
        """

    def _predict_positive(self, scores: Floats) -> Floats:
        """Probability of the positive class (probabilistic calibrators)."""
        raise TypeError(f"{type(self).__name__} is evidential; see _predict_mass")

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        """Masses m({positive}), m({negative}); the rest is on the frame."""
        positive = self._predict_positive(scores)
        return positive, 1 - positive

    def _ends(self, scores: Floats, level: float) -> Floats:
        """Ends (2, n) of confidence intervals of the probability of the positive class."""
        raise ValueError(
            f"{type(self).__name__} does not know the error of its probabilities, so it has no "
            "confidence interval; take AutoCalibrator, or a calibrator with model='likelihood'. "
            "Without level, predict_interval returns [Bel, Pl]"
        )

    def _point(self, scores: Floats) -> Floats:
        """Estimated probability of the positive class, where masses are those of an interval."""
        positive, negative = self._predict_mass(scores)
        return positive + (1 - (positive + negative)) / 2

    @property
    def _gives_ends(self) -> bool:
        """Whether Bel and Pl are the ends of an interval, whose middle is no estimate."""
        return getattr(self, "model", None) in ("confidence", "band")

    @property
    def _knows_betp(self) -> bool:
        """Whether `_point` is the pignistic probability, of masses that are never vacuous."""
        return False

    def _landmarks(self) -> Floats:
        """Scores, as read, where predictions may jump or bend, or around which they change."""
        turns = [np.ravel(getattr(self, name)) for name in self._turns]
        return np.concatenate([np.empty(0), *turns])

    @all_or_nothing
    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the calibration from scores and labels.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
            Scores of samples that the classifier was not trained on.
        y : (n,) array
            Labels of two classes, of any kind; the greater one is positive.
        sample_weight : (n,) array, optional
            Non-negative weights; a weight of 2 counts as two samples.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a score, label or weight is not usable (the row is named), or `y` does not
            hold two classes.
        WeightError
            If a positive weight is less than 1e-15, or the sum more than 2^53.
        ConvergenceError
            If scores or weights are so extreme that no optimum can be proven.

        Warns
        -----
        WrongWayWarning
            If higher scores indicate the negative class.
        UserWarning
            If ten weights or more have a sum of at most 1, so that they count as one sample.
        """
        self._fit_quietly(scores, y, sample_weight)
        return self._watched(weights=sample_weight)

    def _fit_quietly(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """`fit` without the warning, for callers that warn once for many calibrators."""
        self._check_all_parameters()
        values, labels = self._samples(scores, y, sample_weight)
        classes = np.unique(labels)
        _check_two(classes)
        counts = _counted(values, labels, classes, sample_weight)
        _check_both(counts, classes, " with positive weight")
        return self._learn(counts, classes)

    @all_or_nothing
    def fit_counts(self, counts: ScoreCounts, classes: ArrayLike) -> Self:
        """Learn the calibration from counted samples.

        For samples that do not fit into memory, or whose positive class is not the greater one.

        Parameters
        ----------
        counts : ScoreCounts
        classes : (2,) array
            The negative class and the positive one, whichever label is greater.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If `counts` is not a `ScoreCounts`.
        ValueError
            If `classes` are not two different labels, or `counts` lack one of them; for scores and
            weights as in `fit`.

        Examples
        --------
        >>> from evical.calibrators import NormalizingCalibrator
        >>> counts = ScoreCounts.from_samples([1.0, 3.0], [0, 1])
        >>> fitted = NormalizingCalibrator().fit_counts(counts, ["sick", "healthy"])
        >>> fitted.predict([3.0]).tolist()
        ['healthy']
        """
        self._check_all_parameters()
        check_instance("counts", counts, ScoreCounts, "ScoreCounts")
        labels = np.asarray(column_or_1d(as_array(classes, "classes")))
        if len(labels) != 2 or labels[0] == labels[1]:
            raise ValueError(f"classes are {labels.tolist()}, expected two different ones")
        _check_both(counts, labels)
        checked = checked_counts(counts.scores, counts.negative, counts.positive)
        if self.transform == "logit":
            check_unit(checked.scores)
        return self._learn(checked, labels)._watched()

    @all_or_nothing
    def partial_fit(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add samples to those already seen and learn again from all of them.

        Parameters
        ----------
        scores, y
            As for `fit`; a chunk may hold one class only. Until it has seen both classes, the
            calibrator is not fitted.
        classes : (2,) array, optional
            Both classes; needed in the first call if its chunk holds only one.
        sample_weight : (n,) array, optional
            As for `fit`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As for `fit`, or if a label is none of `classes`.
        """
        self._check_all_parameters()
        values, labels = self._samples(scores, y, sample_weight)
        known = self._known_classes(labels, classes)
        new = _counted(values, labels, known, sample_weight)
        warned = bool(self._wrong_ways())
        self._learn(self.counts_ + new if hasattr(self, "counts_") else new, known)
        return self._watched(warned)

    def _watched(self, warned: bool = False, weights: ArrayLike | None = None) -> Self:
        """Fitted to scores of a user: warns of reversed ones, and of another scale to predict."""
        self._extent = extent_of(self.counts_.scores)
        warn_of_little_weight(self.counts_.total if weights is None else weights, stacklevel=5)
        if not warned:
            warn_of_wrong_ways(self._wrong_ways(), stacklevel=5)
        return self

    def _unwatched(self) -> Self:
        """A copy that predicts anything without a warning."""
        quiet = copy(self)
        quiet._extent = None
        return quiet

    def _samples(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Floats, NDArray[Any]]:
        check_rows(scores=scores, y=y, sample_weight=sample_weight)
        values, labels = check_scores(scores), check_labels(y)
        if self.transform == "logit":
            check_unit(values)
        check_same_length(scores=values, y=labels)
        return values, labels

    def _read(self, scores: ArrayLike) -> NDArray[np.float64]:
        array = as_array(scores, "scores")  # of any shape
        return np.asarray(self._seen(array.ravel()).reshape(array.shape))

    def _on_scale(self, scores: Floats) -> Floats:
        """Scores as predictions read them: on the scale of the fit."""
        return self._scale(scores)

    @property
    def _takes_probabilities(self) -> bool:
        """Whether scores to predict must be in [0, 1]."""
        return self._scale.kind == "logit"

    def _checked(self, scores: ArrayLike) -> Floats:
        if not self._takes_probabilities and _is_usable(scores):
            return scores
        values = check_scores(scores)
        if self._takes_probabilities:
            check_unit(values, self.transform)
        return values

    def _known_classes(self, labels: NDArray[Any], classes: ArrayLike | None) -> NDArray[Any]:
        given = np.unique(labels if classes is None else column_or_1d(classes))
        if not hasattr(self, "classes_"):
            _check_two(given)
            return given
        if not hasattr(self, "counts_"):
            raise ValueError(
                "this calibrator was loaded without its counts, which pickles leave out; save it "
                "with to_dict(include_counts=True) to continue learning"
            )
        if classes is not None and not np.array_equal(given, np.unique(self.classes_)):
            raise ValueError(
                f"classes are {given.tolist()}, but earlier samples had {self.classes_.tolist()}; "
                "use a new calibrator for other classes"
            )
        return self.classes_

    def _learn(self, counts: ScoreCounts, classes: NDArray[Any]) -> Self:
        ready = counts.n_negative > 0 and counts.n_positive > 0
        if ready:
            self._scale = fit_scale(
                self.transform, counts, bool(self.extrapolate), self._of_margins
            )
            self._fit_counts(self._scale.counts(counts))
        self._direction = wrong_way(counts) if ready else None
        self._extent = None
        self.classes_, self.counts_ = classes, counts
        self.n_features_in_ = 1
        self._ready = ready
        return self

    def _wrong_ways(self) -> list[Direction]:
        """The direction of the scores if they are reversed."""
        found = self._direction
        return [] if found is None else [found.between(self.classes_[:1], self.classes_[1:])]

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: everything but the counts, which grow with the training sample."""
        return {name: value for name, value in vars(self).items() if name != "counts_"}

    def __copy__(self) -> Self:
        new = type(self).__new__(type(self))
        new.__dict__.update(vars(self))
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        new.__dict__.update(deepcopy(vars(self), memo))
        return new

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_ready", False)

    def predict_mass(self, scores: ArrayLike) -> MassFunction:
        """Belief about the class of each sample.

        Parameters
        ----------
        scores : (n,) or (n, 1) array

        Returns
        -------
        MassFunction
            Batch (n,) on the frame `classes_`; see `predict_interval` for coverage.

        Raises
        ------
        ValueError
            If a score is NaN or infinite; the row is named.
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        return self.beliefs(scores).mass()

    def beliefs(self, scores: ArrayLike) -> Listed:
        """Belief about the class of each sample, with its masses in arrays.

        Parameters
        ----------
        scores : (n,) or (n, 1) array

        Returns
        -------
        Beliefs
            About n samples.
        """
        seen, now, known = self._seen(scores), copy(self), self._knows_betp
        point = partial(now._estimated, seen) if known or self._gives_ends else None
        estimate, sets = Estimate(partial(now._both_ends, seen), point), np.array([1, 2, 3])
        if not known:
            return Listed(self.classes_, sets, self._stored(seen), estimate)
        return Listed(self.classes_, sets, partial(now._stored, seen), estimate, len(seen))

    def _stored(self, seen: Floats) -> Floats:
        """Masses (3, n) of the negative class, of the positive one, and of either."""
        positive, negative = self._predict_mass(seen)
        return np.stack([negative, positive, 1 - (positive + negative)])

    def _both_ends(self, seen: Floats, level: float) -> Floats:
        """Ends (n, 2, 2) of confidence intervals of both classes."""
        lower, upper = self._ends(seen, level)
        return np.stack([[1 - upper, lower], [1 - lower, upper]]).T

    def _estimated(self, seen: Floats) -> Floats:
        """Estimated probabilities (n, 2), without masses."""
        positive = self._point(seen)
        return np.stack([1 - positive, positive]).T

    def _masses(self, scores: ArrayLike) -> tuple[Floats, Floats]:
        return self._predict_mass(self._seen(scores))

    def _seen(self, scores: ArrayLike) -> Any:
        """Checked scores, on the scale of the fit."""
        if not getattr(self, "_ready", True):  # by partial_fit
            lacking = self.classes_.tolist()[int(self.counts_.n_positive == 0)]
            raise NotFittedError(
                f"this {type(self).__name__} has no sample of class {lacking!r} yet; it predicts "
                "as soon as partial_fit has brought one"
            )
        check_is_fitted(self)
        checked = self._checked(scores)
        if self._extent is not None:
            warn_of_scale(checked, self._extent)
        return self._on_scale(checked)

    def predict_interval(self, scores: ArrayLike, *, level: float | None = None) -> Floats:
        """Confidence interval of the probability of the positive class, or Bel and Pl.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
        level : float, optional
            Of the confidence interval, such as 0.95. By default the interval is [Bel, Pl].

        Returns
        -------
        (n, 2) array
            Of ``classes_[1]``. The confidence interval contains `predict_proba` and does not depend
            on the model. [Bel, Pl] describes the next label, and covers the probability as often as
            its model does: see "Intervals and their coverage" in the guide.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1, or the calibrator does not know its error.
        """
        if level is not None:
            return self.beliefs(scores).confidence_interval(level)[:, 1]
        positive, negative = self._masses(scores)
        return np.stack([positive, np.maximum(1 - negative, positive)], axis=1)

    def predict_proba(self, scores: ArrayLike) -> Floats:
        """Estimate the probability of each class (Xu et al. 2016, eq. 9).

        Under the models "confidence" and "band", Bel and Pl are the ends of an interval; the
        estimate is then the fitted probability, not the middle of the interval.

        Parameters
        ----------
        scores : (n,) or (n, 1) array

        Returns
        -------
        (n, 2) array
        """
        if self._gives_ends:
            return self._estimated(self._seen(scores))
        positive, negative = self._masses(scores)
        half = (1 - (positive + negative)) / 2
        return np.stack([negative + half, positive + half], axis=1)

    def predict(self, scores: ArrayLike) -> NDArray[Any]:
        """Predict the class of maximum probability, the negative class in ties.

        Parameters
        ----------
        scores : (n,) or (n, 1) array

        Returns
        -------
        (n,) array of labels
        """
        if self._gives_ends:
            negative, positive = self._estimated(self._seen(scores)).T
        else:
            positive, negative = self._masses(scores)
        return np.asarray(self.classes_[(positive > negative).astype(np.intp)])

    def to_dict(self, include_counts: bool = False) -> dict[str, Any]:
        """The fitted calibrator as plain data, ready for JSON.

        Parameters
        ----------
        include_counts : bool
            Also save the counted training scores, so that `partial_fit` can continue later.

        Returns
        -------
        dict
            Of strings, numbers, lists and dicts only; `from_dict` reads it back.
        """
        check_is_fitted(self)
        return saved.to_dict(self, include_counts)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Restore the calibrator from the output of `to_dict`.

        Parameters
        ----------
        data : dict
            ``BaseCalibrator.from_dict`` takes any calibrator of this package,
            a subclass takes its own kind only.

        Returns
        -------
        fitted calibrator

        Raises
        ------
        ValueError
            If the data is not a saved calibrator, or is damaged, of a later version, or of another
            kind.
        """
        calibrator: Self = saved.from_dict(data, saved.kinds_of(cls))
        return calibrator

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()
        return self._beliefs_html() + diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in shown:
            shown["text/html"] = self._beliefs_html() + shown["text/html"]
        return shown

    def _beliefs_html(self) -> str:
        """Bel, BetP and Pl at a few scores, for notebooks; nothing before `fit`, or if loaded."""
        counts = getattr(self, "counts_", None)
        if counts is None:
            return ""
        last = len(counts) - 1
        scores = counts.scores[np.unique([round(share * last) for share in _QUANTILES])]
        bounds, p = self.predict_interval(scores), self.predict_proba(scores)[:, 1]
        cells = [
            [brief(score), *(f"{value:.4f}" for value in (low, betp, up))]
            for score, (low, up), betp in zip(scores, bounds, p, strict=True)
        ]
        caption = f"Belief in class {self.classes_[1]} at scores of the calibration sample"
        return html_table(caption, [["score", "Bel", "BetP", "Pl"], *cells])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def _is_usable(scores: ArrayLike) -> TypeGuard[Floats]:
    """Whether scores are finite floats (n,), as they come from a classifier."""
    if type(scores) is not np.ndarray or scores.dtype != np.float64:
        return False
    return scores.ndim == 1 and len(scores) > 0 and bool(np.isfinite(scores).all())


def _counted(
    values: Floats, labels: NDArray[Any], classes: NDArray[Any], sample_weight: ArrayLike | None
) -> ScoreCounts:
    """Counts of samples with these labels, the second class being positive.

    Raises
    ------
    ValueError
        If a label is none of the classes; or as `ScoreCounts.from_samples`.
    """
    refuse(labels, ~np.isin(labels, classes), "y", f"one of the classes {classes.tolist()}")
    weights = check_weights(sample_weight, len(values))
    return ScoreCounts.from_samples(values, labels == classes[1], weights)


def _check_both(counts: ScoreCounts, classes: NDArray[Any], detail: str = "") -> None:
    """Raise unless both classes have some weight."""
    if not (counts.n_negative and counts.n_positive):
        raise ValueError(_one_class_message(classes[int(counts.n_positive > 0)], detail))


def _check_two(classes: NDArray[Any]) -> None:
    """Raise unless there are two classes."""
    if len(classes) == 1:
        raise ValueError(_one_class_message(classes[0]))
    if len(classes) != 2:
        raise ValueError(
            # The words in the middle are what scikit-learn's checks look for.
            f"y has {len(classes)} classes {classes[:5].tolist()}. Only binary classification is "
            "supported here; for more classes, wrap the classifier in EvidentialClassifier"
        )


def _one_class_message(only: Any, detail: str = "") -> str:
    value = only.item() if isinstance(only, np.generic) else only
    return f"y has one class only{detail} (all {value!r}); a calibrator needs both"
