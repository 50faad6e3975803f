"""Whether scores are reversed, by the rank test of Mann and Whitney on counts.

A calibrator that can only rise makes falling scores useless, without a word. So each fit asks
whether the negative samples have the greater scores, by more than chance. The area under the ROC
curve is the share of pairs of a positive and a negative sample that are in order, ties counting
half; its variance is known exactly if scores and classes are unrelated.

Source: H. B. Mann & D. R. Whitney, Annals of Mathematical Statistics 18 (1947), 50-60; E. L.
Lehmann, "Nonparametrics" (1975), section 1.4 (ties); L. Kish, "Survey sampling" (1965), section
11.7 (weights).
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from evical._typing import Floats, SamplesLike
from evical.errors import WrongWayWarning
from evical.scores.counts import ScoreCounts

_FAR = -4.0  # standard errors: 3 in 100,000 samples of useless scores
_SHOWN = 3  # labels of one side in a message

_OF_SCORES = (
    "change their sign, make {} the positive one (pos_label, fit_counts(counts, classes), or "
    "other labels, of which the greater is positive), or check that this column and these labels "
    "belong together"
)
OF_A_CLASSIFIER = (
    "on samples that it was not trained on the classifier is worse than chance: check that X and "
    "y belong together, and what its decision_function or predict_proba says"
)
"""What to do about the scores of a classifier, for `warn_of_wrong_ways`."""


@dataclass(frozen=True)
class Direction:
    """How well scores order two classes.

    Parameters
    ----------
    area : float
        Area under the ROC curve: 1 if all positive samples have greater scores than all negative
        ones.
    z : float
        Its distance from 1/2, in standard errors under no relation between scores and classes.
    negative, positive : tuple
        Labels of both sides.
    """

    area: float
    z: float
    negative: tuple[Any, ...] = ()
    positive: tuple[Any, ...] = ()

    def between(self, negative: Iterable[Any], positive: Iterable[Any]) -> "Direction":
        """The same, of classes with these labels."""
        return replace(self, negative=tuple(negative), positive=tuple(positive))


def direction(counts: ScoreCounts) -> Direction:
    """Area under the ROC curve, and the normal deviate of Mann and Whitney's test.

    Parameters
    ----------
    counts : ScoreCounts
        With both classes.

    Returns
    -------
    Direction

    Notes
    -----
    The variance is that of ranks with ties. Whole weights are numbers of samples. With other
    weights a class counts as Kish's effective number of samples, (sum w)^2 / sum w^2 over the
    distinct scores, and as no more than its weight: a few heavy samples prove nothing.

    Examples
    --------
    Of four pairs one is in order; the standard error is the root of 5 / 48:

    >>> found = direction(ScoreCounts.from_samples([1, 2, 3, 4], [1, 0, 1, 0]))
    >>> found.area, round(found.z, 4)
    (0.25, -0.7746)
    """
    n0, n1 = counts.n_negative, counts.n_positive
    return _tested(counts, n0, n1, _area(counts, n0, n1))


def wrong_way(counts: ScoreCounts) -> Direction | None:
    """The direction of scores that are reversed by four standard errors, or None.

    Parameters
    ----------
    counts : ScoreCounts
        With both classes.

    Returns
    -------
    Direction or None

    Examples
    --------
    >>> scores = range(40)
    >>> wrong_way(ScoreCounts.from_samples(scores, [0] * 20 + [1] * 20)) is None
    True
    >>> wrong_way(ScoreCounts.from_samples(scores, [1] * 20 + [0] * 20)).area
    0.0
    """
    n0, n1 = counts.n_negative, counts.n_positive
    area = _area(counts, n0, n1)
    if area >= 0.5:  # the usual case costs one sum
        return None
    found = _tested(counts, n0, n1, area)
    return found if found.z < _FAR else None


def _area(counts: ScoreCounts, n0: float, n1: float) -> float:
    # Not @, for which OpenBLAS wakes threads that cost more than such a sum.
    ordered = np.einsum("i,i", counts.positive, np.cumsum(counts.negative))
    ordered -= np.einsum("i,i", counts.positive, counts.negative) / 2
    return float(min(max(ordered / n1 / n0, 0.0), 1.0))


def _tested(counts: ScoreCounts, n0: float, n1: float, area: float) -> Direction:
    e0, e1 = _effective(counts.negative, n0), _effective(counts.positive, n1)
    n = e0 + e1
    if n <= 1:
        return Direction(area, 0.0)
    tied = counts.negative * (e0 / n0) + counts.positive * (e1 / n1)
    ties = float((tied * np.maximum(tied * tied - 1, 0)).sum()) / (n * (n - 1))
    variance = (n + 1 - ties) / (12 * e0 * e1)
    z = (area - 0.5) / np.sqrt(variance) if variance > 1e-9 / (e0 * e1) else 0.0
    return Direction(area, float(z))


def _effective(weights: Floats, total: float) -> float:
    """How many samples weights stand for."""
    if (weights == np.floor(weights)).all():
        return total
    share = weights / total
    return float(min(1 / np.einsum("i,i", share, share), total))


def fit_quietly(estimator: BaseEstimator, X: SamplesLike, y: ArrayLike, **params: Any) -> Any:
    """`fit` without the warnings that an outer `fit` gives once.

    Parameters
    ----------
    estimator : estimator
        One of this package leaves its warnings to the caller; any other is fitted as usual.
    X, y : samples and labels
    **params
        More arguments of `fit`.

    Returns
    -------
    fitted estimator
    """
    kinds = type(estimator).__mro__  # not its attributes: what is frozen passes those on
    loud = next((kind for kind in kinds if "fit" in vars(kind)), object)
    quiet = next((kind for kind in kinds if "_fit_quietly" in vars(kind)), None)
    if quiet is not None and issubclass(quiet, loud):
        return estimator._fit_quietly(X, y, **params)
    # Foreign, or a subclass of ours with its own `fit`.
    with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
        return estimator.fit(X, y, **params)


def wrong_ways(fitted: Any) -> list[Direction]:
    """Directions of all reversed scores of a fitted estimator.

    Parameters
    ----------
    fitted : fitted estimator

    Returns
    -------
    list of Direction
    """
    return list(fitted._wrong_ways()) if hasattr(type(fitted), "_wrong_ways") else []


def warn_of_wrong_ways(
    found: Sequence[Direction], advice: str = _OF_SCORES, stacklevel: int = 4
) -> None:
    """Warn the caller of `fit`, once, of reversed scores.

    Parameters
    ----------
    found : sequence of Direction
        All that do; the clearest one is named.
    advice : str
        What to do; braces stand for the negative class.
    stacklevel : int
        By default that of the caller of a decorated method.
    """
    if found:
        warnings.warn(message(found, advice), WrongWayWarning, stacklevel=stacklevel)


def message(found: Sequence[Direction], advice: str = _OF_SCORES) -> str:
    """The text of `warn_of_wrong_ways`.

    Examples
    --------
    >>> found = [Direction(0.25, -5.0, ("healthy",), ("sick",))]
    >>> print(message(found, "make {} the positive class"))
    scores look reversed: higher values indicate class 'healthy', not class 'sick' \
(area under the ROC curve 0.25, rank test z = -5.0); make class 'healthy' the positive class
    """
    worst = min(found, key=lambda one: one.z)
    negative, positive = _named(worst.negative), _named(worst.positive)
    also = f" ({len(found)} calibrations are so; this is the clearest)" if len(found) > 1 else ""
    return (
        f"scores look reversed: higher values indicate {negative}, not {positive} (area "
        f"under the ROC curve {worst.area:.3g}, rank test z = {worst.z:.1f}){also}; "
        f"{advice.format(negative)}"
    )


def _named(labels: tuple[Any, ...]) -> str:
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    more = ", ..." if len(plain) > _SHOWN else ""
    return f"class {', '.join(map(repr, plain[:_SHOWN]))}{more}"
