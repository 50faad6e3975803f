"""A candidate of the calibration curve that jumps: the average over all ways to cut the scores.

The probability is constant between cuts, and the cuts are unknown (Naeini 2016, section 3.2.1, on
ranks). Where a cut is likely, scores are looked at one by one; elsewhere in groups.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import psi, zeta

from evical._typing import Floats, Indices
from evical.curves.bayesian_binning import (
    BinScores,
    average_over_binnings,
    bin_scores,
    cut_shares,
    posterior_mean,
)
from evical.curves.candidates import Candidate
from evical.scores.counts import ScoreCounts, midpoints

_GROUPS = 64
_CUTS = 3.0  # a priori, on average
_STRENGTH = 1.0  # of the prior of each bin, around the share of positives, in samples
_LEAST_SHARE = 0.05  # of a class in that prior
# Groups beside the likeliest cuts are divided until they have few samples.
_LIKELY, _MOST_LIKELY, _PARTS, _FEW, _ROUNDS = 0.02, 6, 8, 16.0, 6


@dataclass(frozen=True, eq=False)
class Steps:
    """The average over all step functions; made by `fit_steps`.

    Parameters
    ----------
    starts : (g,) array
        Least score of each group between which cuts may lie.
    ends : (g,) array
        Greatest score of each group.
    cuts : (g,) array
        Probability of a cut before each group; 1 for the first.
    moments : (3, g) array
        Posterior mean of the probability, and mean and mean square of the log-odds.
    left_out : float
        Log-likelihood of the samples, each under the posterior without it.
    """

    starts: Floats
    ends: Floats
    cuts: Floats
    moments: Floats
    left_out: float

    @property
    def jumps(self) -> Floats:
        """Scores on both sides of likely cuts."""
        likely = np.flatnonzero(self.cuts[1:] > _LIKELY)
        return np.concatenate([self.ends[likely], self.starts[likely + 1]])

    def candidate(self, prior: float, table: Floats) -> Candidate:
        """The curve at the scores of a table."""
        edges = midpoints(self.ends[:-1], self.starts[1:])
        mean, level, square = self.moments[:, np.searchsorted(edges, table, side="right")]
        variance = np.maximum(square - level**2, 0.0)
        degrees = float(self.cuts.sum())
        return Candidate("steps", prior, mean, level, variance, self.left_out, degrees)


def fit_steps(counts: ScoreCounts) -> Steps:
    """Average over all ways to cut the scores.

    Parameters
    ----------
    counts : ScoreCounts

    Returns
    -------
    Steps

    Examples
    --------
    >>> steps = fit_steps(ScoreCounts.from_samples(np.arange(200), np.arange(200) >= 100))
    >>> found = steps.candidate(1.0, np.array([0.0, 99.0, 100.0, 199.0]))
    >>> found.probability.round(2), round(found.degrees, 1)
    (array([0.01, 0.01, 0.99, 0.99]), 2.5)
    """
    starts, scores = _refined(counts)
    groups = counts.pool(starts)
    rows = average_over_binnings(scores, _moments)
    rows[0] = np.clip(rows[0], 0.0, 1.0)
    inverse = np.log(np.maximum(rows[3:], 1.0))
    left_out = -(groups.positive @ inverse[0] + groups.negative @ inverse[1])
    ends = counts.scores[np.append(starts[1:], len(counts)) - 1]
    return Steps(counts.scores[starts], ends, cut_shares(scores), rows[:3], float(left_out))


def _refined(counts: ScoreCounts) -> tuple[Indices, BinScores]:
    """Starts of groups of scores, small where a cut is likely, and the bins that they allow."""
    starts = counts.group_starts(_GROUPS)
    scores = _bin_scores(counts, starts)
    total = counts.n_negative + counts.n_positive
    for _ in range(_ROUNDS):
        if len(starts) == len(counts) or total / _GROUPS <= _FEW:
            break
        shares = cut_shares(scores)
        likely = np.flatnonzero(shares[1:] > _LIKELY) + 1
        likely = likely[np.argsort(-shares[likely], kind="stable")][:_MOST_LIKELY]
        beside = np.union1d(likely - 1, likely)
        weight = np.diff(scores.cumulated.positive + scores.cumulated.negative)
        finer = _divided(starts, beside[weight[beside] > _FEW], len(counts))
        if len(finer) == len(starts):
            break
        starts, scores = finer, _bin_scores(counts, finer)
    return starts, scores


def _divided(starts: Indices, groups: Indices, n: int) -> Indices:
    ends = np.append(starts[1:], n)
    parts = [np.linspace(starts[g], ends[g], _PARTS + 1)[:-1].astype(np.intp) for g in groups]
    return np.unique(np.concatenate([starts, *parts]))


def _bin_scores(counts: ScoreCounts, starts: Indices) -> BinScores:
    groups = counts.pool(starts)
    ranks = np.cumsum(groups.total) - groups.total / 2
    rate = (counts.n_positive + 1.0) / (counts.n_positive + counts.n_negative + 2.0)
    prior = _STRENGTH * np.clip([rate, 1.0 - rate], _LEAST_SHARE, None)
    ranked = ScoreCounts(ranks, groups.negative, groups.positive)
    return bin_scores(ranked, _CUTS, lambda left, right: (prior[0], prior[1]))


def _moments(positive: Floats, negative: Floats, a: float, b: float) -> Floats:
    """Mean of p; mean and square of its log-odds; mean of 1 / p and 1 / (1 - p), one left out."""
    p, q = positive + a, negative + b
    level = psi(p) - psi(q)
    square = level**2 + zeta(2.0, p) + zeta(2.0, q)  # trigamma functions
    rest_p, rest_q = np.minimum(positive, 1.0), np.minimum(negative, 1.0)
    without_p = (p + q - rest_p) / (p - rest_p)
    without_q = (p + q - rest_q) / (q - rest_q)
    return np.stack([posterior_mean(positive, negative, a, b), level, square, without_p, without_q])
