"""The scale on which a calibrator sees its scores.

A margin lives on the real line, a probability on [0, 1], and each method is defined on one
of them. A transform is increasing, so that it keeps the order of the scores and changes only
the distances between them: log-odds turn a probability into a margin, the sigmoid turns a
margin into a probability (Naeini 2016, section 4.3), and ranks forget all but the order.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dstheory.kernels.arguments import as_array, as_floats, check_choice
from evical.scores.counts import ScoreCounts, merge_equal
from evical.scores.standardize import between

__all__ = ["TRANSFORMS", "ScoreScale", "check_transform", "fit_scale", "log_odds", "restored_scale"]

Floats = NDArray[np.float64]

TRANSFORMS = (None, "auto", "logit", "sigmoid", "rank")
_KINDS = ("identity", "logit", "sigmoid", "rank")


def log_odds(probability: Any) -> Floats:
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


@dataclass(frozen=True, eq=False)
class ScoreScale:
    """An increasing map of scores, as fitted.

    Parameters
    ----------
    kind : {"identity", "logit", "sigmoid", "rank"}
    knots, levels : (m,) arrays
        Training scores and their ranks in (0, 1); empty for the other kinds.
    ends : (2,) array
        Least and greatest score, as which scores beyond are read; empty if they are read as are.

    Examples
    --------
    >>> ScoreScale("sigmoid")(np.array([0.0]))
    array([0.5])
    """

    kind: str = "identity"
    knots: Floats = field(default_factory=lambda: np.empty(0))
    levels: Floats = field(default_factory=lambda: np.empty(0))
    ends: Floats = field(default_factory=lambda: np.empty(0))

    def __call__(self, scores: Floats) -> Floats:
        """Transformed scores."""
        if len(self.ends):
            scores = np.clip(scores, *self.ends)
        if self.kind == "logit":
            return log_odds(scores)
        if self.kind == "sigmoid":
            return np.asarray(expit(scores))
        if self.kind == "rank":
            return np.asarray(between(self.knots, self.levels[None], scores)[0])
        return scores

    def counts(self, counts: ScoreCounts) -> ScoreCounts:
        """Transformed counts; scores that the map makes equal are one."""
        if self.kind == "identity":
            return counts
        return merge_equal(self(counts.scores), counts.negative, counts.positive)


def check_transform(transform: Any) -> None:
    """Raise unless `transform` is one of those that exist.

    Raises
    ------
    ValueError
        With the choices.

    Examples
    --------
    >>> check_transform("log")
    Traceback (most recent call last):
    ValueError: transform is 'log', expected one of None, 'auto', 'logit', 'sigmoid', 'rank'; did \
you mean 'logit'?
    """
    check_choice("transform", transform, TRANSFORMS)


def fit_scale(transform: str | None, counts: ScoreCounts, extrapolate: bool = True) -> ScoreScale:
    """The scale that a choice of transform means for these training scores.

    Parameters
    ----------
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        "auto" is the sigmoid if a score lies outside [0, 1], else none.
    counts : ScoreCounts
    extrapolate : bool
        Whether other scores may lie beyond these; else they are read as the nearest one.

    Returns
    -------
    ScoreScale

    Examples
    --------
    >>> fit_scale("auto", ScoreCounts.from_samples([-1.0, 2.0], [0, 1])).kind
    'sigmoid'
    >>> ranks = fit_scale("rank", ScoreCounts.from_samples([5, 7, 7, 100], [0, 0, 1, 1]))
    >>> ranks(np.array([5.0, 7.0, 53.5, 1e9]))
    array([0.125 , 0.5   , 0.6875, 0.875 ])
    """
    check_transform(transform)
    if not extrapolate:
        return replace(fit_scale(transform, counts), ends=counts.scores[[0, -1]])
    if transform == "auto":
        within = counts.scores[0] >= 0 and counts.scores[-1] <= 1
        return ScoreScale("identity" if within else "sigmoid")
    if transform == "rank":
        share = np.cumsum(counts.total) / counts.total.sum()
        # The middle of a group of ties, so that ranks do not depend on the sign of the scores.
        return ScoreScale("rank", counts.scores, share - counts.total / (2 * counts.total.sum()))
    return ScoreScale(transform or "identity")


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
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"saved calibrator is damaged: scale is {data!r}") from error
    fits = scale.knots.shape == scale.levels.shape and (scale.knots.ndim == 1)
    fits = fits and scale.ends.shape in ((0,), (2,))
    filled = (len(scale.knots) > 0) == (scale.kind == "rank") if fits else False
    if scale.kind not in _KINDS or not filled or not _ascend(scale.knots, scale.levels, scale.ends):
        raise ValueError(f"saved calibrator is damaged: scale is no map of scores ({scale.kind!r})")
    return scale


def _ascend(*arrays: Floats) -> bool:
    return all(bool(np.isfinite(a).all() and (a[1:] >= a[:-1]).all()) for a in arrays)
