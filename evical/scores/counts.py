"""`ScoreCounts`: the sufficient statistic of every binary calibrator.

A calibrator needs to know only which scores occurred and how often with each label.
Sorting, ties, sample weights, merging of chunks and thinning out are dealt with here,
once, so that each method is a function of sorted distinct scores and two weights.

Scores are rounded to the floats that agree in sign, exponent and the first bits of the significand.
Such cells of fewer bits are unions of cells of more, so counts of parts merge in any order, and it
does not matter when, or how often, scores are rounded on the way to the fewest bits.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_count,
    check_instance,
    check_rows,
    shown,
)
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.scores.checks import (
    check_binary,
    check_range,
    check_same_length,
    check_scores,
    check_weights,
    real_numbers,
)
from evical.scores.tables import class_weights

_HUGE = 4e307
_ROUNDING = 1e-9  # of the place of a score among groups, which may be a whole number


def midpoints(left: Floats, right: Floats) -> Floats:
    """Boundaries between scores ``left < right``, above every left, at most every right.

    Parameters
    ----------
    left, right : (m,) arrays

    Returns
    -------
    (m,) array
        The means; `right` itself where the two are next to each other as floats.

    Examples
    --------
    >>> midpoints(np.array([1.0]), np.array([2.0]))
    array([1.5])
    """
    left, right = as_floats(left, "left"), as_floats(right, "right")
    middle = left / 2 + right / 2  # halves first: their sum cannot overflow
    return np.where(middle > left, middle, right)


@dataclass(frozen=True, eq=False)
class ScoreCounts(ShownFields):
    """Sorted distinct scores with the weight of negative and positive samples at each.

    Make one with `ScoreCounts.from_samples`; merge two with ``+``.

    Parameters
    ----------
    scores : (m,) array
        Distinct scores, ascending.
    negative, positive : (m,) arrays
        Sum of the weights of the samples of class 0 and of class 1 at each score.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.3, 0.1, 0.3], [1, 0, 0])
    >>> counts.scores, counts.negative, counts.positive
    (array([0.1, 0.3]), array([1., 1.]), array([0., 1.]))
    """

    scores: Floats
    negative: Floats
    positive: Floats

    @classmethod
    def from_samples(
        cls, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> ScoreCounts:
        """Count samples.

        Parameters
        ----------
        scores : (n,) or (n, 1) array
            Finite scores, in any order and on any scale.
        y : (n,) array of 0 and 1
        sample_weight : (n,) array, optional
            Non-negative weights; samples of weight zero do not count.

        Returns
        -------
        ScoreCounts

        Raises
        ------
        ValueError
            If there is no sample, lengths differ, a score is NaN or infinite, a label is
            neither 0 nor 1, or a weight is negative; the row is named.
        WeightError
            If a positive weight is less than 1e-15, or the sum more than 2^53.

        Examples
        --------
        >>> ScoreCounts.from_samples([0.5, 0.5], [1, 1], sample_weight=[2, 0.5]).positive
        array([2.5])
        """
        check_rows(scores=scores, y=y, sample_weight=sample_weight)
        values = check_scores(scores)
        labels = check_binary(y)
        check_same_length(scores=values, y=labels)
        weights = check_weights(sample_weight, len(values))
        if weights is None:
            positive = labels.astype(np.float64)
            return _grouped(values, 1 - positive, positive)
        used = weights > 0
        if not used.any():
            raise ValueError("all sample weights are zero; at least one sample must count")
        values, labels, weights = values[used], labels[used], weights[used]
        positive = np.asarray(weights * labels, dtype=np.float64)
        return _grouped(values, np.asarray(weights - positive), positive)

    @classmethod
    def from_table(
        cls,
        table: object,
        score: str,
        target: str,
        weight: str | None = None,
        *,
        positive: Hashable = None,
    ) -> ScoreCounts:
        """Count the samples of a table, inside the engine that holds it.

        Parameters
        ----------
        table : data frame of pandas, polars (eager or lazy), pyarrow, DuckDB (a relation) or Dask
        score : str
            Column of finite scores.
        target : str
            Column of classes.
        weight : str, optional
            Column of non-negative weights.
        positive : label, optional
            The positive class; by default 1 of 0 and 1, else the greater of the two.

        Returns
        -------
        ScoreCounts

        Raises
        ------
        TypeError
            If it is no such table, or a column does not hold numbers.
        ValueError
            If a column or a value is missing, a score is infinite, a weight is negative, or there
            are not two classes; the number of rows is told.
        WeightError
            If the sum of weights is more than 2^53.

        Notes
        -----
        Only distinct pairs of score and class leave the engine. Weights that are no whole numbers
        are added up in an order that the engine decides, so that sums may differ in the last digit.

        Examples
        --------
        >>> import pyarrow
        >>> table = pyarrow.table({"score": [0.3, 0.1, 0.3], "sick": [True, False, False]})
        >>> ScoreCounts.from_table(table, "score", "sick").positive
        array([0., 1.])
        """
        return checked_counts(*class_weights(table, score, target, weight, positive)[:3])

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        merged = _grouped(
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.negative, other.negative]),
            np.concatenate([self.positive, other.positive]),
        )
        check_range(merged.total, "weights of the merged counts")
        return merged

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def total(self) -> Floats:
        """Weight (m,) of all samples at each score."""
        return self.negative + self.positive

    @property
    def n_negative(self) -> float:
        """Weight of all samples of class 0."""
        return float(self.negative.sum())

    @property
    def n_positive(self) -> float:
        """Weight of all samples of class 1."""
        return float(self.positive.sum())

    def group_starts(self, n_groups: int) -> NDArray[np.intp]:
        """Starts of at most `n_groups` groups of nearly equal weight.

        Parameters
        ----------
        n_groups : int, at least 1

        Returns
        -------
        (g,) int array
            Ascending positions in `scores`, the first 0; a score is never divided.

        Examples
        --------
        >>> ScoreCounts.from_samples([1, 2, 3, 3, 3], [0, 0, 1, 1, 1]).group_starts(2)
        array([0, 2])
        """
        check_count("n_groups", n_groups, 1, 2**53)
        total = self.total
        middle = np.cumsum(total) - total / 2
        place = middle * (n_groups / total.sum()) + _ROUNDING
        group = np.minimum(place.astype(np.intp), n_groups - 1)
        return np.flatnonzero(np.diff(group, prepend=-1))

    def compress(self, max_size: int) -> ScoreCounts:
        """Merge neighboring scores until at most `max_size` distinct ones are left.

        Parameters
        ----------
        max_size : int, at least 1

        Returns
        -------
        ScoreCounts
            Groups of nearly equal weight, each at the weighted mean of its scores; the
            weights of both classes are kept exactly in total.

        Examples
        --------
        >>> counts = ScoreCounts.from_samples([1, 2, 3, 4], [0, 0, 1, 1])
        >>> counts.compress(2).scores
        array([1.5, 3.5])
        """
        check_count("max_size", max_size, 1)
        if len(self) <= max_size:
            return self
        return self.pool(self.group_starts(max_size))

    def sketch(self, max_size: int) -> tuple[ScoreCounts, int]:
        """Counts in bounded memory, which merge in any order.

        Parameters
        ----------
        max_size : int
            Below 4,094, signs and powers of 2 alone may be more than that.

        Returns
        -------
        counts : ScoreCounts
            At most `max_size` distinct scores, each in the middle of a cell of floats that agree
            in sign, exponent and so many bits of the significand.
        bits : int
            The most bits for which that is enough; 52 if nothing had to be rounded.

        Notes
        -----
        Cells nest: sketches of parts, added up and rounded to the fewest bits of all, are the
        rounded whole, in any order. A score moves by at most ``2**-(bits + 1)`` of itself. If no
        score moves by more than d, the mean log loss of a curve whose log-odds have a slope of at
        most L changes by at most L d, so the best such curve of the sketch loses at most 2 L d
        against the best of the samples.

        Examples
        --------
        >>> scores = np.arange(1, 3, 0.0001)
        >>> small, bits = ScoreCounts.from_samples(scores, scores > 2).sketch(2000)
        >>> len(small), bits, small.n_positive
        (1536, 10, 9999.0)
        """
        check_count("max_size", max_size, 1)
        bits = bits_within(self.scores, max_size)
        return (self if bits == EXACT else self.rounded(bits)), bits

    def rounded(self, bits: int) -> ScoreCounts:
        """Counts at scores rounded to so many bits, as in `sketch`.

        Parameters
        ----------
        bits : int
            After the first, from 0 to 52, which changes nothing.

        Returns
        -------
        ScoreCounts
        """
        check_count("bits", bits, 0, EXACT)
        return merge_equal(rounded(self.scores, bits), self.negative, self.positive)

    def pool(self, starts: NDArray[np.intp]) -> ScoreCounts:
        """Merge the scores of each group into one.

        Parameters
        ----------
        starts : (g,) int array
            Positions where groups begin, ascending, the first 0.

        Returns
        -------
        ScoreCounts
            Each group at the weighted mean of its scores.

        Examples
        --------
        >>> counts = ScoreCounts.from_samples([1, 2, 3, 4], [0, 0, 1, 1])
        >>> counts.pool(np.array([0, 3])).scores
        array([2., 4.])
        """
        starts = self._checked_starts(starts)
        total = self.total
        weight = np.add.reduceat(total, starts)
        # A mean relative to the first score of its group can leave the group by rounding only,
        # and a sum of shares cannot overflow.
        first, last = self.scores[starts], self.scores[np.append(starts[1:], len(self)) - 1]
        sizes = np.diff(starts, append=len(self))
        share = total / np.repeat(weight, sizes)
        if self.scores[-1] / 2 - self.scores[0] / 2 > _HUGE:  # a difference may, so in halves
            offsets = (self.scores / 2 - np.repeat(first / 2, sizes)) * share
            first = first + np.add.reduceat(offsets, starts)
        else:
            offsets = (self.scores - np.repeat(first, sizes)) * share
        return ScoreCounts(
            np.minimum(first + np.add.reduceat(offsets, starts), last),
            np.add.reduceat(self.negative, starts),
            np.add.reduceat(self.positive, starts),
        )

    def _checked_starts(self, starts: ArrayLike) -> NDArray[np.intp]:
        array = as_array(starts, "starts")
        if array.dtype.kind not in "iu":
            raise TypeError(f"starts are {shown(starts)}, expected positions (whole numbers)")
        rising = array.ndim == 1 and array.size and bool((np.diff(array) > 0).all())
        if not rising or array[0] != 0 or array[-1] >= len(self):
            raise ValueError(
                f"starts are {shown(starts)}, expected ascending positions below {len(self)}, the "
                "first 0"
            )
        return array.astype(np.intp)


@runtime_checkable
class LearnsFromCounts(Protocol):
    """Protocol of what is fitted to counts, any calibrator of one score."""

    def fit_counts(self, counts: ScoreCounts, classes: ArrayLike) -> Any:
        """Learn from counts of a negative class and a positive one."""


Learner = TypeVar("Learner", bound=LearnsFromCounts)


def fit_table(
    calibrator: Learner,
    table: object,
    score: str,
    target: str,
    weight: str | None = None,
    *,
    positive: Hashable = None,
) -> Learner:
    """Fit a calibrator to a table, counted inside the engine that holds it.

    Parameters
    ----------
    calibrator : calibrator
        Of one score; it is fitted in place.
    table, score, target, weight, positive
        As for `ScoreCounts.from_table`.

    Returns
    -------
    calibrator
        The same, fitted.

    Raises
    ------
    TypeError, ValueError
        As `ScoreCounts.from_table` and `fit`.

    Examples
    --------
    >>> import pyarrow
    >>> from evical.calibrators import IsotonicCalibrator
    >>> table = pyarrow.table({"score": [0.1, 0.4, 0.3, 0.9], "sick": [0, 0, 1, 1]})
    >>> fit_table(IsotonicCalibrator(), table, "score", "sick").classes_
    array([0, 1])
    """
    check_instance("calibrator", calibrator, LearnsFromCounts, "a calibrator of one score")
    *counted, classes = class_weights(table, score, target, weight, positive)
    if len(classes) < 2:
        raise ValueError(
            f"column {target!r} holds the one class {classes[0]!r}; a calibrator needs samples "
            "of both"
        )
    calibrator.fit_counts(checked_counts(*counted), classes)
    return calibrator


def checked_counts(
    scores: ArrayLike, negative: ArrayLike | None, positive: ArrayLike | None
) -> ScoreCounts:
    """Counts from a user's arrays, in any order, without scores of weight 0.

    Raises
    ------
    ValueError
        As for `ScoreCounts.from_samples`.

    Examples
    --------
    >>> counts = checked_counts([2, 1, 2], [1, 0, 1], [0, 3, 0])
    >>> counts.scores, counts.negative, counts.positive
    (array([1., 2.]), array([0., 2.]), array([3., 0.]))
    """
    if real_numbers(scores, "scores").size == 0:
        raise ValueError("no samples to fit: give at least one score with a positive weight")
    values = check_scores(scores)
    against, favor = (
        _class_weights(given, len(values), name)
        for given, name in ((negative, "negative"), (positive, "positive"))
    )
    check_range(against + favor, "negative + positive")
    used = against + favor > 0
    if not used.any():
        raise ValueError("no samples to fit: give at least one score with a positive weight")
    if used.all() and (values[1:] > values[:-1]).all():
        return ScoreCounts(values, against, favor)
    return _grouped(values[used], against[used], favor[used])


def _class_weights(weights: ArrayLike | None, n: int, name: str) -> Floats:
    checked = check_weights(weights, n, name)
    if checked is None:
        raise TypeError(f"{name} is None, expected the weight of that class at each score")
    return checked


def _grouped(scores: Floats, negative: Floats, positive: Floats) -> ScoreCounts:
    """Sort by score and add up the weights of equal scores, in an order that they alone decide."""
    if _whole(negative) and _whole(positive):  # sums are exact in any order
        order = np.argsort(scores)
    else:
        order = np.lexsort((positive, negative, scores))
    return merge_equal(scores[order], negative[order], positive[order])


def _whole(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all())


def merge_equal(scores: Floats, negative: Floats, positive: Floats) -> ScoreCounts:
    """Merge counts at equal scores of an ascending array by adding their weights."""
    starts = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    return ScoreCounts(
        scores[starts], np.add.reduceat(negative, starts), np.add.reduceat(positive, starts)
    )


def refuse_separated(sample: ScoreCounts, threshold: float | None) -> None:
    """Raise if a threshold (this one, or any) has all positives above it and negatives below."""
    positive, negative = sample.scores[sample.positive > 0], sample.scores[sample.negative > 0]
    upper, lower = positive[0], negative[-1]
    if threshold is None:
        separated = upper >= lower and len(sample) > 1
    else:
        separated = upper >= threshold >= lower and bool((sample.scores != threshold).any())
    if separated:
        raise ValueError(
            "a threshold separates the classes, and no finite log-odds are most likely; use "
            "smooth=True"
        )


EXACT = 52
"""Bits of a significand after the first."""


def rounded(scores: Floats, bits: int) -> Floats:
    """The middle of the cell of each score.

    Parameters
    ----------
    scores : (m,) array
        Finite.
    bits : int, from 0 to 52
        Bits of the significand, after the first, that a cell fixes.

    Returns
    -------
    (m,) array
        Each at most ``2**-(bits + 1)`` of the score away from it; 0 stays 0, and 52 bits change
        nothing.

    Examples
    --------
    >>> rounded(np.array([1.0, 1.3, 1.6, -3.0, 0.0]), 1)
    array([ 1.25,  1.25,  1.75, -3.5 ,  0.  ])
    """
    if bits >= EXACT:
        return scores
    dropped = EXACT - bits
    cells = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64) >> dropped << dropped
    middle = (cells | 1 << (dropped - 1)).view(np.float64)
    return np.where(np.abs(scores) < np.finfo(np.float64).tiny, 0.0, middle)


def bits_within(scores: Floats, max_size: int) -> int:
    """The most bits with which no more than so many scores are distinct.

    Parameters
    ----------
    scores : (m,) array
        Distinct, ascending.
    max_size : int

    Returns
    -------
    int
        From 0 to 52. Zero bits leave a score for each sign and power of 2, 4,093 in all, which may
        be more than `max_size`.

    Examples
    --------
    >>> bits_within(np.array([1.0, 1.1, 1.6, 1.9]), 2)
    1
    """
    if len(scores) <= max_size:
        return EXACT
    enough, too_many = 0, EXACT
    while too_many - enough > 1:
        bits = (enough + too_many) // 2
        kept = 1 + np.count_nonzero(np.diff(rounded(scores, bits)))
        enough, too_many = (bits, too_many) if kept <= max_size else (enough, bits)
    return enough
