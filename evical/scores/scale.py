"""The scale on which a calibrator sees its scores, their origin and their unit.

A margin lives on the real line, a probability on [0, 1], and each method is defined on one
of them. A transform is increasing, so that it keeps the order of the scores and changes only
the distances between them: log-odds turn a probability into a margin, the sigmoid turns a
margin into a probability (Naeini 2016, section 4.3), and ranks forget all but the order. What is a
margin of 1 to one classifier is 1000 to another, and 0 need not be even odds. So if nobody says how
to read scores outside [0, 1] ("auto"), the sigmoid is that of standardized ones.

Scores may be next to each other as floats, denormal, or further apart than the greatest float:
nothing overflows on the way, and nothing is lost.

Whether scores to predict are on another scale than those of `fit` is seen by the ends of both.
Single scores outside are normal, and a batch may be sorted, shifted or of one class. Three things
are not: many scores further outside than the range of `fit` is wide, the other sign, and
probabilities where scores were spread over five or more. `tests/benchmarks/bench_extent.py`
measures false alarms and what is found.
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dstheory.checks.arguments import as_array, as_floats, check_choice
from evical._typing import Floats, Indices
from evical.errors import WrongWayWarning
from evical.scores.counts import ScoreCounts, merge_equal

TRANSFORMS = (None, "auto", "logit", "sigmoid", "rank")
_KINDS = ("identity", "logit", "sigmoid", "standard", "rank")
# Standardized scores are log-odds up to this one; beyond, they grow by their logarithm, so that
# outliers stay apart. Of 4, 8, 12 and no end, 4 had the least log loss, on splits that served to
# choose (tests/benchmarks/bench_standardized.py).
_STRAIGHT = 4.0
_CERTAIN = float(np.log(1 - np.finfo(np.float64).eps) - np.log(np.finfo(np.float64).eps))
# Scores at a time, and cells a knot, for interpolation: 15 ns a score with 700 knots, 60 ns by
# searching for all of them at once (tests/benchmarks/bench_ensemble.py).
_ROWS, _CELLS = 1 << 14, 32
_NUMBERS, _FEW_COLUMNS = 1 << 15, 64  # of logits, per block that stays in the cache
_HUGE = 1e300  # differences of such numbers may overflow
_LEAST = float(np.finfo(np.float64).smallest_subnormal)
_GREATEST = float(np.finfo(np.float64).max)
# Scores of `fit` and rows below which no scale is doubted; fits of 20 raised false alarms.
_FITTED, _DOUBTED = 30, 10
_SHARE = 0.2  # of rows beyond; heavy tails have fewer
_UNIT, _NEAR = 5.0, 0.05  # width of the range of `fit`, and how near 0 and 1 probabilities come

Extent = tuple[float, float]
"""The least and the greatest score of `fit`."""


def log_odds(probability: ArrayLike) -> Floats:
    """Log-odds of probabilities, kept finite.

    Parameters
    ----------
    probability : array of floats in [0, 1]

    Returns
    -------
    array of the same shape
        log(p / (1 - p)) with p kept away from 0 and 1 by the spacing (`numpy.finfo.eps`) of
        its type: about +-36 at the ends for float64, +-16 for float32.

    Examples
    --------
    >>> log_odds([0.5, 1.0]).round(1)
    array([ 0., 36.])
    """
    array = as_array(probability, "probability")
    if array.dtype.kind != "f":
        array = as_floats(probability, "probability")
    # Of the type as given: float32 probabilities are no finer than that near 1.
    eps = float(np.finfo(array.dtype).eps)
    clipped = np.clip(array.astype(np.float64), eps, 1 - eps)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def sides(log_odds: Floats) -> tuple[Floats, Floats]:
    """Probabilities of both classes from log-odds, with a sum of exactly 1.

    The smaller one keeps its digits, which it would lose as the complement of the other one.

    Parameters
    ----------
    log_odds : array
        Of the positive class.

    Returns
    -------
    positive, negative : arrays of the same shape

    Examples
    --------
    >>> sides(np.array([0.0, 100.0]))[1]
    array([5.00000000e-01, 3.72007598e-44])
    """
    smaller = expit(-np.abs(log_odds))
    likely = log_odds > 0
    return np.where(likely, 1 - smaller, smaller), np.where(likely, smaller, 1 - smaller)


def with_log_sums(logits: Floats, out: Floats | None = None) -> tuple[Floats, Floats]:
    """Probabilities of classes, and logarithms of the sums of their exponentials.

    In blocks that stay in the cache: two to four times as fast as `scipy.special.softmax`.

    Parameters
    ----------
    logits : (n, K) array
    out : (n, K) array, optional
        For the probabilities; it may be the logits.

    Returns
    -------
    probabilities : (n, K) array
    sums : (n,) array

    Examples
    --------
    >>> with_log_sums(np.log([[1.0, 3.0]]))[0]
    array([[0.25, 0.75]])
    """
    n, k = logits.shape
    p = np.empty_like(logits) if out is None else out
    sums, one = np.empty(n), np.ones(k)
    for rows in row_blocks(n, k):
        top = largest_of_rows(logits[rows])
        part = np.subtract(logits[rows], top[:, np.newaxis], out=p[rows])
        np.exp(part, out=part)
        total = part @ one
        part /= total[:, np.newaxis]
        sums[rows] = np.log(total) + top
    return p, sums


def softmax(logits: Floats, out: Floats | None = None) -> Floats:
    """The probabilities alone, (n, K)."""
    return with_log_sums(logits, out)[0]


def row_blocks(n: int, k: int) -> list[slice]:
    """Rows of an (n, K) array, in blocks that stay in the cache."""
    size = max(1, _NUMBERS // max(k, 1))
    return [slice(start, start + size) for start in range(0, n, size)]


def largest_of_rows(rows: Floats) -> Floats:
    """Largest number (n,) of each row, by columns if these are few."""
    few = rows.shape[1] <= _FEW_COLUMNS and not rows.flags.f_contiguous
    return np.asarray(reduce(np.maximum, rows.T) if few else rows.max(axis=1))


@dataclass(frozen=True, eq=False)
class ScoreScale:
    """An increasing map of scores, as fitted.

    Parameters
    ----------
    kind : {"identity", "logit", "sigmoid", "standard", "rank"}
        "standard" is the sigmoid of standardized scores.
    knots, levels : (m,) arrays
        Training scores and their ranks in (0, 1); empty for the other kinds.
    ends : (2,) array
        Least and greatest score, to which scores beyond are clipped; empty for no clipping.
    center, unit : float
        Of "standard": the score of even odds, and the distance of log-odds of 1.

    Examples
    --------
    >>> ScoreScale("sigmoid")(np.array([0.0]))
    array([0.5])
    """

    kind: str = "identity"
    knots: Floats = field(default_factory=lambda: np.empty(0))
    levels: Floats = field(default_factory=lambda: np.empty(0))
    ends: Floats = field(default_factory=lambda: np.empty(0))
    center: float = 0.0
    unit: float = 1.0

    @property
    def turns(self) -> Floats:
        """Scores at which the map bends or changes most."""
        if self.kind != "standard":
            return np.concatenate([self.knots, self.ends])
        bends = at_distances(np.array([-_STRAIGHT, 0.0, _STRAIGHT]), self.center, self.unit)
        return np.concatenate([bends, self.ends])

    def __call__(self, scores: Floats) -> Floats:
        """Transformed scores."""
        if len(self.ends):
            scores = np.clip(scores, *self.ends)
        if self.kind == "logit":
            return log_odds(scores)
        if self.kind in ("sigmoid", "standard"):
            return np.asarray(expit(self._margins(scores)))
        if self.kind == "rank":
            return np.asarray(between(self.knots, self.levels[None], scores)[0])
        return scores

    def log_odds(self, scores: Floats) -> Floats:
        """Log-odds of transformed scores, without the steps of probabilities next to 1."""
        if self.kind not in ("sigmoid", "standard"):
            return log_odds(self(scores))
        inside = np.clip(scores, *self.ends) if len(self.ends) else scores
        return np.asarray(np.clip(self._margins(inside), -_CERTAIN, _CERTAIN))

    def _margins(self, scores: Floats) -> Floats:
        """What the sigmoid takes: scores as they are, or standardized."""
        if self.kind == "sigmoid":
            return scores
        z = standardized(scores, self.center, self.unit)
        beyond = np.maximum(np.abs(z) - _STRAIGHT, 0.0)
        return np.asarray(np.clip(z, -_STRAIGHT, _STRAIGHT) + np.sign(z) * np.log1p(beyond))

    def counts(self, counts: ScoreCounts) -> ScoreCounts:
        """Transformed counts, with scores merged that become equal."""
        if self.kind == "identity":
            return counts
        return merge_equal(self(counts.scores), counts.negative, counts.positive)


def are_probabilities(counts: ScoreCounts) -> bool:
    """Whether scores are read as probabilities by default, if all lie in [0, 1].

    Parameters
    ----------
    counts : ScoreCounts

    Returns
    -------
    bool

    Examples
    --------
    >>> are_probabilities(ScoreCounts.from_samples([0.0, 1.0], [0, 1]))
    True
    """
    return bool(counts.scores[0] >= 0.0 and counts.scores[-1] <= 1.0)


def fit_scale(
    transform: str | None, counts: ScoreCounts, extrapolate: bool = True, of_margins: bool = False
) -> ScoreScale:
    """The scale that a choice of transform means for these training scores.

    Parameters
    ----------
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        "auto" takes scores in [0, 1] as they are, and of others the sigmoid, standardized such that
        the quartiles of a sample with as many of both classes are at 1/4 and 3/4. For a method of
        margins it takes the log-odds of scores in [0, 1], and others as they are.
    counts : ScoreCounts
    extrapolate : bool
        Whether to keep scores beyond these, or to read them as the nearest one.
    of_margins : bool
        Whether the method is one of margins, not of probabilities.

    Returns
    -------
    ScoreScale

    Examples
    --------
    >>> scale = fit_scale("auto", ScoreCounts.from_samples([300, 500, 600, 700], [0, 1, 0, 1]))
    >>> scale(np.array([500.0, 550.0, 600.0, 850.0])).round(2)
    array([0.39, 0.5 , 0.61, 0.93])
    >>> ranks = fit_scale("rank", ScoreCounts.from_samples([5, 7, 7, 100], [0, 0, 1, 1]))
    >>> ranks(np.array([5.0, 7.0, 53.5, 1e9]))
    array([0.125 , 0.5   , 0.6875, 0.875 ])
    """
    check_choice("transform", transform, TRANSFORMS)
    if not extrapolate:
        found = fit_scale(transform, counts, of_margins=of_margins)
        return replace(found, ends=counts.scores[[0, -1]])
    if transform == "auto":
        within = are_probabilities(counts)
        if of_margins:
            return ScoreScale("logit" if within else "identity")
        return ScoreScale() if within else _standard_scale(counts)
    if transform == "rank":
        share = np.cumsum(counts.total) / counts.total.sum()
        # The middle of a group of ties, so that ranks do not depend on the sign of the scores.
        return ScoreScale("rank", counts.scores, share - counts.total / (2 * counts.total.sum()))
    return ScoreScale(transform or "identity")


def _standard_scale(counts: ScoreCounts) -> ScoreScale:
    """The sigmoid of scores whose origin and unit are robust, with half the weight in each class.

    Quartiles do not move with outliers. Where they coincide, as more than half of the weight is at
    one score, quantiles further out give the unit.
    """
    weight = counts.negative / counts.n_negative + counts.positive / counts.n_positive
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    center = float(between(middle, counts.scores[None], np.array([0.5]))[0, 0])
    for share in 4.0 ** -np.arange(1, 26):
        low, high = between(middle, counts.scores[None], np.array([share, 1.0 - share]))[0]
        if high > low:
            # Halves: the range may exceed all floats.
            unit = float((high / 2 - low / 2) / np.log((1.0 - share) / share))
            return ScoreScale("standard", center=center, unit=max(unit, _LEAST))
    return ScoreScale("standard", center=center)  # of one score, or of one and a trace of another


def at_distances(z: Floats, center: float, unit: float) -> Floats:
    """Scores at so many units from a center, at most the greatest float: inverse of `standardized`.

    Parameters
    ----------
    z : (m,) array
    center, unit : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> at_distances(np.array([-1.0, 4.0]), 5.0, 2.0).tolist()
    [3.0, 13.0]
    """
    with np.errstate(over="ignore"):
        return np.clip(center + z * unit, -_GREATEST, _GREATEST)


def restored_scale(data: Any) -> ScoreScale:
    """The scale of a saved calibrator.

    Raises
    ------
    ValueError
        If the data are damaged.
    """
    try:
        scale = ScoreScale(
            data["kind"],
            np.asarray(data["knots"], dtype=np.float64),
            np.asarray(data["levels"], dtype=np.float64),
            np.asarray(data.get("ends", []), dtype=np.float64),
            float(data.get("center", 0.0)),
            float(data.get("unit", 1.0)),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"saved calibrator is damaged: scale is {data!r}") from error
    fits = scale.knots.shape == scale.levels.shape and (scale.knots.ndim == 1)
    fits = fits and scale.ends.shape in ((0,), (2,))
    fits = fits and bool(np.isfinite(scale.center)) and 0.0 < scale.unit < np.inf
    filled = (len(scale.knots) > 0) == (scale.kind == "rank") if fits else False
    if scale.kind not in _KINDS or not filled or not _ascend(scale.knots, scale.levels, scale.ends):
        raise ValueError(
            f"saved calibrator is damaged: scale is not a map of scores ({scale.kind!r})"
        )
    return scale


def _ascend(*arrays: Floats) -> bool:
    return all(bool(np.isfinite(a).all() and (a[1:] >= a[:-1]).all()) for a in arrays)


def standardized(scores: Floats, center: float, scale: float) -> Floats:
    """``(scores - center) / scale`` without overflow on the way, infinite if too far.

    Parameters
    ----------
    scores : (m,) array
    center, scale : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> standardized(np.array([-1.5e308, 1.5e308]), 1.5e308, 1.5e308).tolist()
    [-2.0, 0.0]
    """
    with np.errstate(over="ignore"):  # beyond all scores that were fitted
        if scale < _HUGE:
            return np.asarray((scores - center) / scale)
        return np.asarray((scores / 4 - center / 4) / (scale / 4))


def location_scale(scores: Floats, weight: Floats) -> tuple[float, float]:
    """Weighted mean and standard deviation, for use as an origin and a unit.

    Parameters
    ----------
    scores, weight : (m,) arrays
        Ascending scores, and their positive weights.

    Returns
    -------
    center, scale : float
        The scale is 0 for one distinct score only.

    Examples
    --------
    >>> location_scale(np.array([1.0, 3.0]), np.ones(2))
    (2.0, 1.0)
    """
    middle = float(scores[scores.size // 2])
    if scores[0] == scores[-1]:
        return middle, 0.0
    half = float(scores[-1] / 2 - scores[0] / 2)
    unit = max(half, _LEAST)
    t = standardized(scores, middle, unit)  # origin and unit from the data: no cancellation
    total = float(weight.sum())
    mean = float(np.einsum("i,i", weight, t)) / total
    variance = float(np.einsum("i,i", weight, (t - mean) ** 2)) / total
    return middle + mean * unit, max(float(np.sqrt(variance)) * unit, _LEAST)


def share_of_range(scores: Floats, first: float, last: float) -> Floats:
    """Scores on the scale where `first` is 0 and `last`, which is greater, is 1.

    Parameters
    ----------
    scores : (m,) array
    first, last : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> share_of_range(np.array([0.0, 1.7e308]), -1.7e308, 1.7e308).tolist()
    [0.5, 1.0]
    """
    if last / 2 - first / 2 < _HUGE:
        return standardized(scores, first, last - first)
    return standardized(scores / 4, first / 4, last / 4 - first / 4)


def at_share(share: Floats, first: float, last: float) -> Floats:
    """Scores at shares of the way from `first` to `last`: the inverse of `share_of_range`.

    Parameters
    ----------
    share : (m,) array
    first, last : float

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> at_share(np.array([0.5, 1.0]), -1.7e308, 1.7e308).tolist()
    [0.0, 1.7e+308]
    """
    if last / 2 - first / 2 < _HUGE:
        return np.asarray(first + (last - first) * share)
    return np.asarray(first * (1.0 - share) + last * share)


def between(centers: Floats, values: Floats, scores: Floats) -> Floats:
    """Linear interpolation of rows; by shares, since slopes of near centers may overflow.

    Parameters
    ----------
    centers : (k,) array
        Ascending.
    values : (r, k) array
    scores : (m,) array
        Those outside take the value at the nearest end.

    Returns
    -------
    (r, m) array

    Examples
    --------
    >>> between(np.array([0.0, 5e-323]), np.array([[0.0, 1.0]]), np.array([1e-323, 1.0])).tolist()
    [[0.2, 1.0]]
    """
    if len(centers) < 2:
        return np.repeat(values, len(scores), axis=1)
    half = centers / 2  # the range may exceed all floats
    gaps = np.diff(half)
    one = gaps == 0  # point, for floats
    starts, ends = np.where(one, values[:, 1:], values[:, :-1]), values[:, 1:]
    gaps[one] = 1
    found = np.empty((len(values), len(scores)))
    places = _places(centers, len(scores))
    for start in range(0, len(scores), _ROWS):  # temporaries stay in cache
        part = slice(start, start + _ROWS)
        share = np.clip(scores[part], centers[0], centers[-1])
        left = places(scores[part], share)
        share /= 2
        share -= half.take(left)
        share /= gaps.take(left)
        rest = 1 - share
        for first, last, row in zip(starts, ends, found, strict=True):
            own = np.multiply(first.take(left), rest, out=row[part])
            own += last.take(left) * share
    return found


def _places(centers: Floats, n: int) -> Callable[[Floats, Floats], Indices]:
    """What finds the piece between neighboring centers for n scores, also given clipped to these.

    For many scores the range is cut into equal cells, most of which have one inner center or none;
    only scores in the others are searched for.
    """
    knots = centers[1:-1]

    def searched(scores: Floats, _: Floats) -> Indices:
        return np.asarray(np.searchsorted(knots, scores, side="right"))

    with np.errstate(over="ignore", divide="ignore"):
        size = _CELLS * len(knots)
        unit = size / (centers[-1] - centers[0]) if n > 4 * len(knots) > 4 else 0.0
    if not 0.0 < unit < np.inf:
        return searched

    def cell(inside: Floats) -> Indices:  # never falls, so knots in earlier cells are below
        own = inside - centers[0]
        own *= unit
        return np.asarray(own.astype(np.intp))

    counts = np.bincount(cell(knots), minlength=size + 2)
    before = np.cumsum(counts) - counts
    following = np.append(knots, np.inf)[before]
    following[counts > 1] = np.nan

    def looked_up(scores: Floats, inside: Floats) -> Indices:
        own = cell(inside)
        knot = following.take(own)
        places = before.take(own)
        places += scores >= knot
        crowded = np.flatnonzero(np.isnan(knot))
        if len(crowded):
            places[crowded] = searched(scores[crowded], inside)
        return places

    return looked_up


def interpolated(scores: Floats, knots: Floats, values: Floats) -> Floats:
    """`numpy.interp` for knots at any distance, where its slopes may be 0 or infinite.

    Parameters
    ----------
    scores : (m,) array
    knots, values : (k,) arrays
        A polyline, its knots ascending; it is constant outside.

    Returns
    -------
    (m,) array

    Examples
    --------
    >>> interpolated(np.array([0.0]), np.array([-1.7e308, 1.7e308]), np.array([0.0, 1.0])).tolist()
    [0.5]
    """
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        slopes = np.diff(values) / np.diff(knots)
    # Slopes of floats in the middle of their range lose no digit to under- or overflow.
    if (np.abs(slopes[slopes != 0]) < _HUGE).all() and np.abs(knots[[0, -1]]).max() < _HUGE:
        return np.interp(scores, knots, values)
    return np.asarray(between(knots, values[None], scores)[0])


def extent_of(scores: Floats) -> Extent | None:
    """The range of scores of `fit`, (n,) or (n, K); None of too few."""
    few = len(scores) < _FITTED
    return None if few else (float(scores.min()), float(scores.max()))


def warn_of_scale(scores: Floats, extent: Extent, name: str = "scores") -> None:
    """Warn of ten or more scores that are on another scale than those of `fit`.

    Parameters
    ----------
    scores : (n,) or (n, K) array
    extent : Extent
        Of `fit`.
    name : str
        Of the scores in the message.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_scale(np.arange(40) / 20, (0.0, 1.0))  # some beyond
    ...     warn_of_scale(np.arange(40.0), (0.0, 1.0))
    >>> print(*[one.message for one in caught])
    scores are from 0 to 39, but those of fit were from 0 to 1; check that both have the same \
scale and sign (percent or proportion, log-odds or probability), or fit again if scores have \
changed that much
    """
    if len(scores) < _DOUBTED:
        return
    (low, high), least, greatest = extent, float(scores.min()), float(scores.max())
    if _is_far(scores, low, high, least, greatest) or _is_other(low, high, least, greatest):
        warnings.warn(
            f"{name} are from {least:.4g} to {greatest:.4g}, but those of fit were from {low:.4g} "
            f"to {high:.4g}; check that both have the same scale and sign (percent or proportion, "
            "log-odds or probability), or fit again if scores have changed that much",
            WrongWayWarning,
            stacklevel=_level_of_user(),
        )


def _level_of_user() -> int:
    """How many calls above the warning the package was called."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("evical."):
        frame, level = frame.f_back, level + 1
    return level


def _is_far(scores: Floats, low: float, high: float, least: float, greatest: float) -> bool:
    """Whether many rows have a score that is further outside than the range is wide."""
    # Halves: the range may exceed all floats.
    below, above = low / 2 - (high / 2 - low / 2), high / 2 + (high / 2 - low / 2)
    if high == low or not (least / 2 < below or greatest / 2 > above):
        return False
    beyond = (scores / 2 < below) | (scores / 2 > above)
    return bool(beyond.reshape(len(scores), -1).any(axis=1).mean() >= _SHARE)


def _is_other(low: float, high: float, least: float, greatest: float) -> bool:
    """Whether scores have the other sign, or are probabilities where those of `fit` were not."""
    turned = (low >= 0 >= greatest or least >= 0 >= high) and greatest - least >= (high - low) / 4
    unit = 0 <= least <= _NEAR and 1 - _NEAR <= greatest <= 1
    return bool((turned and high > low) or (unit and high - low >= _UNIT))
