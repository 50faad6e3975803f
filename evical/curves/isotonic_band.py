"""A confidence band for a rising map from scores to probabilities, right for any sample size.

If the probability rises, samples of neighboring scores have at most that of the last of them. So
the lower Clopper-Pearson limit of their share holds there and from there on, and the greatest over
all runs of neighbors is the best. N distinct scores have N (N + 1) / 2 runs, and two sides: with
the level alpha / (N (N + 1)) each, all limits hold at once with probability 1 - alpha. Scores that
are gathered beforehand, whatever their labels, have fewer runs: coarser steps, but a narrower band.

Source: T. Dimitriadis, L. Duembgen, A. Henzi, M. Puke and J. Ziegel, Honest calibration assessment
for binary outcome predictions, Biometrika 110, 2023, 663-680; F. Yang and R. F. Barber, Contraction
and uniform convergence of isotonic regression, Electronic Journal of Statistics 13, 2019, 646-677.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, xlogy

from dstheory.inference.counts.quantiles import lower_limit
from evical._typing import Floats, Indices
from evical.scores import ScoreCounts

# Groups for n samples, 2 sqrt(n), leave a mean width within 3 % of that of the best number of
# groups, for n from 100 to 10^6 and four maps (sigmoid, steps, constant, rare positives).
_GROUPS = 2.0
_MARGIN = 1 - 1e-9  # the rounding of what decides whether a run can matter


@dataclass(frozen=True, eq=False)
class IsotonicBand:
    """Limits at some scores, from which those of all others follow.

    Parameters
    ----------
    scores : (m,) array
        Ascending scores.
    masses : (2, m) array
        The lower limit of the probability of the positive class, which holds from that score on,
        and that of the negative class, which holds up to that score.
    """

    scores: Floats
    masses: Floats

    def masses_at(self, scores: Floats) -> tuple[Floats, Floats]:
        """Lower limits of the probability of the positive and of the negative class."""
        below = np.searchsorted(self.scores, scores, side="right")
        above = np.searchsorted(self.scores, scores, side="left")
        positive = np.append(0.0, self.masses[0])[below]
        negative = np.append(self.masses[1], 0.0)[above]
        return positive, np.minimum(negative, 1 - positive)  # rounding where both limits meet


def isotonic_band(counts: ScoreCounts, fit: Floats, confidence: float, grid: Any) -> IsotonicBand:
    """The band of a sample.

    Parameters
    ----------
    counts : ScoreCounts
    fit : (m,) array
        Isotonic regression at the scores. Where the sample contradicts a rising map the limits may
        cross, and are moved to it.
    confidence : float
    grid : None, "auto", int or (g,) array
        Gathers neighboring scores: not at all, in 2 sqrt(n) groups of nearly equal weight, in that
        many, or in the cells between these edges, to which an edge belongs on both sides.

    Returns
    -------
    IsotonicBand

    Examples
    --------
    One positive of two at one score: 1 - (1 - x)^2 is 0.1 / (1 * 2) at the limit x.

    >>> counts = ScoreCounts.from_samples([3.0, 3.0], [1, 0])
    >>> isotonic_band(counts, np.array([0.5]), 0.9, None).masses.round(4)
    array([[0.0253],
           [0.0253]])
    """
    lower, upper = _starts(counts, grid)
    last = np.append(lower[1:], len(counts)) - 1
    positive = _limits(counts.positive, counts.negative, lower, confidence)
    mirrored = len(counts) - np.append(upper[1:], len(counts))[::-1]
    negative = _limits(counts.negative[::-1], counts.positive[::-1], mirrored, confidence)[::-1]
    knots = np.union1d(last, upper)
    below = np.searchsorted(last, knots, side="right")
    above = np.searchsorted(upper, knots, side="left")
    limits = np.stack([np.append(0.0, positive)[below], np.append(negative, 0.0)[above]])
    share = np.clip(fit[knots], 0, 1)
    return IsotonicBand(counts.scores[knots], np.minimum(limits, np.stack([share, 1 - share])))


def _starts(counts: ScoreCounts, grid: Any) -> tuple[Indices, Indices]:
    """Where groups of scores begin, for lower limits and for upper ones."""
    if grid is None:
        every = np.arange(len(counts))
        return every, every
    if np.ndim(grid) == 0:
        most = math.ceil(_GROUPS * math.sqrt(counts.total.sum())) if grid == "auto" else int(grid)
        groups = counts.group_starts(most)
        return groups, groups
    edges = np.asarray(grid, dtype=np.float64)
    lower = np.searchsorted(edges, counts.scores, side="left")
    upper = np.searchsorted(edges, counts.scores, side="right")
    return np.flatnonzero(np.diff(lower, prepend=-1)), np.flatnonzero(np.diff(upper, prepend=-1))


def _limits(positive: Floats, negative: Floats, starts: Indices, confidence: float) -> Floats:
    """Lower limits at the last score of each group."""
    n = len(starts)
    hits, misses = np.add.reduceat(positive, starts), np.add.reduceat(negative, starts)
    return rising_lower_limits(hits, misses, (1 - confidence) / n / (n + 1))


def rising_lower_limits(positive: Floats, negative: Floats, tail: float) -> Floats:
    """Greatest lower Clopper-Pearson limit of the runs of groups that end so far.

    Parameters
    ----------
    positive, negative : (n,) arrays
        Counts of the groups, in the order of their scores.
    tail : float
        Level of each limit.

    Returns
    -------
    (n,) array
        Non-decreasing.

    Notes
    -----
    There are n (n + 1) / 2 runs, but few can beat the greatest limit c so far. With y of m samples
    positive and the divergence D from y / m to c, the limit is below c if m D is below z^2 / 2,
    where z is the normal quantile of the tail (Zubkov & Serov 2013), and m D is at most
    (y - m c)^2 / (m c (1 - c)).

    References
    ----------
    Zubkov & Serov (2013), A complete proof of universal inequalities for the distribution function
    of the binomial law, Theory of Probability and its Applications 57, 539-544.

    Examples
    --------
    One positive of one has the limit 0.01, two of two have its root:

    >>> rising_lower_limits(np.array([1.0, 1.0]), np.array([0.0, 0.0]), 0.01)
    array([0.01, 0.1 ])
    """
    hits, misses = (np.append(0.0, np.cumsum(counts)) for counts in (positive, negative))
    need = _MARGIN * ndtri(tail) ** 2 / 2
    result = np.zeros(len(positive))
    best = 0.0
    for end in range(len(positive)):
        if positive[end] > 0:  # or the run without it has a greater limit
            y, rest = hits[end + 1] - hits[: end + 1], misses[end + 1] - misses[: end + 1]
            y, rest = _promising(y, rest, best, need)
            if len(y):
                best = max(best, float(lower_limit(y, rest, tail).max()))
        result[end] = best
    return result


def _promising(y: Floats, rest: Floats, best: float, need: float) -> tuple[Floats, Floats]:
    """Counts of the runs whose limit can be above the best one."""
    total = y + rest
    excess = y - best * total
    some = np.flatnonzero((excess > 0) & (excess * excess > need * (best * (1 - best)) * total))
    y, rest, total = y[some], rest[some], total[some]
    if best > 0 and len(y):
        divergence = xlogy(y, y / (best * total)) + xlogy(rest, rest / ((1 - best) * total))
        more = divergence > need
        y, rest = y[more], rest[more]
    return y, rest
