"""Scales, groups of scores, and the table of scores at which a curve is kept.

A curve that is smooth on one scale bends sharply on another. So curves are tried on the scale as
given, on log-odds of probabilities, and on log-odds of ranks.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.scores.counts import ScoreCounts
from evical.scores.scale import are_probabilities, at_share, interpolated

__all__ = ["Scale", "curve_scales", "curve_table", "small_groups"]

Scale = Callable[[Floats], Floats]

_GROUPS, _TAILS = 200, 100  # groups of equal weight, and of equal length in log-odds of the rank
_TINY = 1e-15  # a probability
_EVEN, _REACH = 200, 20.0  # table: scores at even distances, in log-odds within +-20
_BEYOND = 1e150  # scores from which on nothing lies beyond


def small_groups(counts: ScoreCounts) -> ScoreCounts:
    """Counts in groups of equal weight, and smaller ones at both ends.

    Parameters
    ----------
    counts : ScoreCounts

    Returns
    -------
    ScoreCounts

    Examples
    --------
    >>> len(small_groups(ScoreCounts.from_samples(np.arange(5000), np.arange(5000) % 2)))
    276
    """
    total = counts.total
    above = np.cumsum(total[::-1])[::-1] - total / 2
    level = np.log(np.cumsum(total) - total / 2) - np.log(above)
    span = max(level[-1] - level[0], 1e-300)
    tails = np.minimum((level - level[0]) / span * _TAILS, _TAILS - 1).astype(np.intp)
    starts = np.union1d(counts.group_starts(_GROUPS), np.flatnonzero(np.diff(tails, prepend=-1)))
    return counts.pool(starts)


def curve_scales(counts: ScoreCounts) -> dict[str, Scale]:
    """Scales on which a curve is tried, by name: "given", "logit" in [0, 1], "rank".

    Parameters
    ----------
    counts : ScoreCounts

    Returns
    -------
    dict of str to callable
        From scores to those on the scale.

    Examples
    --------
    >>> scales = curve_scales(ScoreCounts.from_samples([0.1, 0.5, 0.9], [0, 1, 1]))
    >>> {name: scale(np.array([0.9])).round(2).item() for name, scale in scales.items()}
    {'given': 0.9, 'logit': 2.2, 'rank': 1.1}
    """
    scales: dict[str, Scale] = {"given": lambda s: s}
    if are_probabilities(counts) and len(counts) > 1:
        scales["logit"] = _logit_scale(counts)
    half = counts.total / 2
    below, above = np.cumsum(counts.total) - half, np.cumsum(counts.total[::-1])[::-1] - half
    levels = np.log(below + 0.5) - np.log(above + 0.5)
    scales["rank"] = lambda s: interpolated(s, counts.scores, levels)
    return scales


def _logit_scale(counts: ScoreCounts) -> Scale:
    """Log-odds, where 0 and 1 are half as far out as the nearest other score, or than 1 / 2n."""
    scores, rare = counts.scores, 0.5 / counts.total.sum()
    left, right = scores[scores > 0], 1.0 - scores[scores < 1]
    least = max(min(left[0] / 2, rare) if scores[0] > 0 else left[0] / 2, _TINY)
    most = max(min(right[-1] / 2, rare) if scores[-1] < 1 else right[-1] / 2, _TINY)

    def scale(s: Floats) -> Floats:
        return np.asarray(np.log(np.clip(s, least, 1.0)) - np.log(np.clip(1.0 - s, most, 1.0)))

    return scale


def curve_table(counts: ScoreCounts, groups: ScoreCounts, jumps: Floats | None = None) -> Floats:
    """Scores at which a curve is kept: between them it is nearly a line.

    Parameters
    ----------
    counts, groups : ScoreCounts
        All scores, and groups of them.
    jumps : (j,) array, optional
        Scores beside which the curve jumps.

    Returns
    -------
    (t,) array
        Ascending; margins go on beyond the least and the greatest score, by their range.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([-1.0, 2.0], [0, 1])
    >>> curve_table(counts, counts)[[0, -1]]
    array([-4.,  5.])
    """
    first, last = counts.scores[0], counts.scores[-1]
    parts = [groups.scores, at_share(np.linspace(0, 1, _EVEN), first, last)]
    parts += [] if jumps is None else [jumps]
    if are_probabilities(counts):
        odds = np.linspace(-_REACH, _REACH, _EVEN)
        parts += [np.clip(expit(odds), first, last), np.array([0.0, 1.0])]
    elif abs(first) < _BEYOND and abs(last) < _BEYOND:
        span = last - first
        parts.append(np.array([first - span, first - span / 4, last + span / 4, last + span]))
    return np.unique(np.concatenate(parts))
