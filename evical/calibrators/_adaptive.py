"""Adaptive calibration of predictions (ACP): a bin of its own around each prediction.

A confidence interval around a prediction contains the other predictions that cannot be told from
it; the share of positives among the training scores in that interval is the calibrated probability
(Jiang et al. 2012; Naeini 2016, section 2.1.2.4). The counts behind that share are a binomial
experiment, and so evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.inference.counts.checks import BinomialModel
from evical._fitting import number, optional
from evical._typing import Floats, Indices
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import LevelSets
from evical.calibrators.models import FromCounts, count_masses
from evical.curves.platt import platt_of_counts
from evical.scores import ScoreCounts
from evical.scores.checks import real_numbers, refuse
from evical.scores.scale import standardized

_FAR = 1e100  # units: an interval of that half-width holds all scores


@dataclass(frozen=True, eq=False)
class _Request:
    """Scores and their intervals, passed through a method of the base class."""

    scores: ArrayLike
    intervals: ArrayLike | None


class _Bins(NamedTuple):
    """Training scores first <= i < last in a bin for each sample."""

    first: Indices
    last: Indices


def _request(scores: ArrayLike, intervals: ArrayLike | None) -> Any:
    """What the base class hands on as scores, for `_masses` to read."""
    return _Request(scores, intervals)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaptiveCalibrator(FromCounts, BaseCalibrator, LevelSets):
    """Adaptive calibration of predictions (ACP), from the interval of each prediction.

    Parameters
    ----------
    width : float, optional
        Half-width of the interval around a score without one. By default, from the confidence
        interval of a logistic regression on the score, see Notes.
    model : {"bayesian", "likelihood", "confidence", "dempster", "laplace", "inverse_pignistic"}
        "bayesian" is the published method, the share k/n; the others make a mass function of
        k positives among n, see `dstheory.inference.binomial`, which goes beyond it.
    confidence : float
        Level of the interval that scores have by default, and of the Clopper-Pearson interval
        of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores and intervals are read: unchanged, log-odds of probabilities, the
        sigmoid of margins, or ranks among the training scores; "auto" takes the sigmoid of
        standardized scores, if one in training lies outside [0, 1].

    Attributes
    ----------
    classes_ : (2,) array
    scores_ : (m,) array
        Distinct training scores, ascending.
    positive_, total_ : (m + 1,) arrays
        Weight of the positive samples and of all samples below each score, and in all.
    rule_ : (5,) array
        Center and scale of the scores, and a, b, c of the default half-width of
        z = (s - center) / scale, which is scale * hypot(a z + b, c).

    Notes
    -----
    Pass the intervals to any prediction method as ``intervals``, an (n, 2) array of lower and upper
    limits on the scale of the scores; both limits belong to the interval. If it contains no
    training score, the mass function is vacuous; the models that give only probabilities
    ("bayesian", "laplace") then give 1/2, as for an empty bin.

    The published method was made for logistic regression and its 95 % intervals. A score without an
    interval gets that of a logistic regression of the labels on the score (Platt's sigmoid): all
    predictions whose log-odds lie in its interval. Its width falls with the square root of the
    sample size, and is large where the scores say little. Scores outside the training scores take
    the interval of the nearest end, and an interval without a training score is widened to the
    nearest one, so a score without an interval always has a probability.

    References
    ----------
    X. Jiang, M. Osl, J. Kim & L. Ohno-Machado (2012), Calibrating predictive model estimates to
    support personalized medicine, J. Am. Med. Inform. Assoc. 19, 263-274.
    M. Pakdaman Naeini (2016), section 2.1.2.4.

    Examples
    --------
    >>> scores, y = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], [0, 0, 1, 0, 1, 1]
    >>> calibrator = AdaptiveCalibrator(model="dempster").fit(scores, y)
    >>> calibrator.predict_interval([0.25, 0.7], intervals=[[0.1, 0.3], [0.5, 0.9]])
    array([[0.25, 0.5 ],
           [0.5 , 0.75]])
    >>> AdaptiveCalibrator(width=0.15).fit(scores, y).predict_proba([0.2, 0.7]).round(3)
    array([[0.667, 0.333],
           [0.333, 0.667]])
    """

    _ranges: ClassVar = {
        "width": optional(number("None or a number from 0", lambda x: 0 <= x < np.inf))
    }
    _state: ClassVar = {
        "scores_": fields.rising("m"),
        "positive_": fields.Field(("m+1",), 0.0, 2.0**54, "ascends"),
        "total_": fields.Field(("m+1",), 0.0, 2.0**54, "ascends"),
        "rule_": fields.finite(5),
    }

    width: float | None = None
    model: BinomialModel = "bayesian"
    confidence: float = 0.95
    transform: str | None = None

    def _fit_counts(self, counts: ScoreCounts) -> None:
        self.scores_ = counts.scores
        self.positive_ = np.concatenate([[0.0], np.cumsum(counts.positive)])
        self.total_ = np.concatenate([[0.0], np.cumsum(counts.total)])
        self.rule_ = _logistic_rule(counts, self.confidence)

    def predict_mass(self, scores: ArrayLike, intervals: ArrayLike | None = None) -> MassFunction:
        """Belief about the class of each sample.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
        intervals : (n, 2) array, optional
            Lower and upper limit of each score.

        Returns
        -------
        MassFunction
            Batch (n,) on the frame `classes_`; see `predict_interval` for coverage.

        Raises
        ------
        ValueError
            If a score or a limit is NaN or infinite, or limits are not in ascending order; the
            message names the row.
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        return super().predict_mass(_request(scores, intervals))

    def predict_interval(
        self,
        scores: ArrayLike,
        intervals: ArrayLike | None = None,
        *,
        level: float | None = None,
    ) -> Floats:
        """Confidence interval of the probability of the positive class, or Bel and Pl.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
        intervals : (n, 2) array, optional
            Lower and upper limit of each score.
        level : float, optional
            Of the Clopper-Pearson interval, such as 0.95. By default the interval is [Bel, Pl].

        Returns
        -------
        (n, 2) array
            Of ``classes_[1]``; see "Intervals and their coverage" in the guide.
        """
        return super().predict_interval(_request(scores, intervals), level=level)

    def predict_proba(self, scores: ArrayLike, intervals: ArrayLike | None = None) -> Floats:
        """Pignistic probability of each class.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
        intervals : (n, 2) array, optional
            Lower and upper limit of each score.

        Returns
        -------
        (n, 2) array
        """
        return super().predict_proba(_request(scores, intervals))

    def predict(self, scores: ArrayLike, intervals: ArrayLike | None = None) -> NDArray[Any]:
        """Predict the class of maximum pignistic probability, the negative class in ties.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
        intervals : (n, 2) array, optional
            Lower and upper limit of each score.

        Returns
        -------
        (n,) array of labels
        """
        return super().predict(_request(scores, intervals))

    def _seen(self, scores: ArrayLike | _Request) -> Floats | _Bins:
        """Checked scores on the scale of the fit, or the bins that intervals make."""
        if not isinstance(scores, _Request):
            return np.asarray(super()._seen(scores))
        if scores.intervals is None:
            return np.asarray(super()._seen(scores.scores))
        check_is_fitted(self)
        n = len(self._checked(scores.scores))
        lower, upper = _checked_intervals(scores.intervals, n).T
        first = np.searchsorted(self.scores_, self._scale(self._checked(lower)), side="left")
        last = np.searchsorted(self.scores_, self._scale(self._checked(upper)), side="right")
        return _Bins(first, last)

    def _predict_mass(self, scores: Floats | _Bins) -> tuple[Floats, Floats]:
        positive, negative = count_masses(*self._counts_at(scores), self.model, self.confidence)
        return positive, negative

    def _counts_at(self, scores: Floats | _Bins) -> tuple[Floats, Floats]:
        bins = scores if isinstance(scores, _Bins) else self._own_bins(scores)
        return self._counted(*bins)

    def _landmarks(self) -> Floats:
        middle = self.scores_[:-1] / 2 + self.scores_[1:] / 2
        return np.concatenate([self.scores_, middle, self._reached()])

    def _reached(self) -> Floats:
        """Scores whose interval ends at a training score."""
        if self.width is not None:
            return np.add.outer(self.scores_, [-self.width, self.width]).ravel()
        center, scale, a, b, c = self.rule_
        z = standardized(self.scores_, center, scale)
        with np.errstate(all="ignore"):  # of intervals that end nowhere
            half = z + a * b
            root = np.sqrt(half**2 - (1 - a * a) * (z**2 - b * b - c * c))
            ends = np.concatenate([(half + root) / (1 - a * a), (half - root) / (1 - a * a)])
            return np.asarray(center + scale * ends)

    def _own_bins(self, scores: Floats) -> _Bins:
        """Training scores first <= i < last in the bin of each score, never empty."""
        inside = np.clip(scores, self.scores_[0], self.scores_[-1])
        with np.errstate(over="ignore"):  # an infinite interval holds everything
            half = self._half_width(inside)
            first = np.searchsorted(self.scores_, inside - half, side="left")
            last = np.searchsorted(self.scores_, inside + half, side="right")
            after = np.minimum(np.searchsorted(self.scores_, inside), len(self.scores_) - 1)
            before = np.maximum(after - 1, 0)
            left = inside - self.scores_[before] < self.scores_[after] - inside
        nearest = np.where(left, before, after)
        return _Bins(np.minimum(first, nearest), np.maximum(last, nearest + 1))

    def _half_width(self, scores: Floats) -> Floats:
        if self.width is not None:
            return np.full(len(scores), float(self.width))
        center, scale, a, b, c = self.rule_
        return np.asarray(scale * np.hypot(a * standardized(scores, center, scale) + b, c))

    def _counted(self, first: Indices, last: Indices) -> tuple[Floats, Floats]:
        """Weight of the positive samples, and of all, of the training scores first <= i < last."""
        last = np.maximum(first, last)
        total = self.total_[last] - self.total_[first]
        return self.positive_[last] - self.positive_[first], total

    def _check_state(self) -> None:
        if not self.rule_[1] > 0 or (np.abs(self.rule_[2:]) > _FAR).any():
            raise ValueError("saved calibrator is damaged: its state has no counted scores")


def _logistic_rule(counts: ScoreCounts, confidence: float) -> Floats:
    """Half-width of the scores whose fitted log-odds an interval of log-odds holds.

    The log-odds at z have the variance v00 + 2 v01 z + v11 z^2, a sum of two squares; the
    slope turns their interval into one of scores.
    """
    fit = platt_of_counts(counts)
    reach = float(ndtri(0.5 + 0.5 * confidence)) / max(abs(fit.beta1), 1e-100)
    if not fit.identified or fit.beta1 == 0:
        return np.array([fit.center, fit.scale, 0.0, 0.0, _FAR])  # the scores say nothing
    (v00, v01), (_, v11) = fit.covariance
    slope = np.sqrt(v11)
    rest = np.sqrt(max(v00 - v01 * v01 / v11, 0.0))
    with np.errstate(over="ignore"):  # of samples with next to no weight
        half_width = np.clip(reach * np.array([slope, v01 / slope, rest]), -_FAR, _FAR)
    return np.array([fit.center, fit.scale, *half_width])


def _checked_intervals(intervals: ArrayLike, n: int) -> Floats:
    array = real_numbers(intervals, "intervals")
    if array.shape != (n, 2):
        raise ValueError(
            f"intervals have shape {array.shape}, expected ({n}, 2): two limits per score"
        )
    wrong = ~np.isfinite(array).all(axis=1) | ~(array[:, 0] <= array[:, 1])
    refuse(array, wrong, "intervals", "two finite limits in ascending order")
    return array
