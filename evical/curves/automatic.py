"""The calibration curve without a choice: an average over methods, scales and smoothness.

Candidates are the scores as they are, read as probabilities or log-odds; lines and smoothing
splines of the log-odds, on the scale as given, on that of log-odds and on ranks, since a curve that
is smooth on one scale bends sharply on another; and step functions. They are averaged by what they
say about samples that are left out, see `candidates`.

A smoothing spline is the posterior mean under a prior on its roughness (Wahba 1978), and the
posterior covariance gives intervals that cover the truth on average over the scores (Nychka 1988),
for other distributions than the normal too (Marra & Wood 2012). Splines of every smoothness are
fitted on every scale, so the intervals include what is unknown about the smoothness.

A step function is the average over all ways to cut the scores: the probability is constant between
cuts, and the cuts are unknown (Naeini 2016, section 3.2.1, on ranks). Where a cut is likely, scores
are looked at one by one; elsewhere in groups.

Sources: G. Wahba, J. R. Stat. Soc. B 40 (1978), 364-372; D. Nychka, "Bayesian confidence intervals
for smoothing splines", Journal of the American Statistical Association 83 (1988), 1134-1143; G.
Marra & S. N. Wood, "Coverage properties of confidence intervals for generalized additive model
components", Scandinavian Journal of Statistics 39 (2012), 53-74.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, psi

from evical._typing import Floats, Indices
from evical.curves.bayesian_binning import (
    BinScores,
    average_over_binnings,
    bin_scores,
    posterior_mean,
)
from evical.curves.candidates import (
    BENDS,
    SHAPES,
    AveragedCurve,
    Candidate,
    average,
    left_out_likelihoods,
    smooth_candidates,
)
from evical.scores.counts import ScoreCounts, midpoints
from evical.scores.scale import are_probabilities, at_share, interpolated

_STEP_GROUPS = 64
_CUTS = 3.0  # a priori, on average
_STRENGTH = 1.0  # of the prior of each bin, around the share of positives, in samples
_LEAST_SHARE = 0.05  # of a class in that prior
# Of a class in a bin, for its log-odds: without samples of a class they go down to any depth, which
# a normal distribution would mirror upwards. That of the prior of Jeffreys.
_LEAST_COUNT = 0.5
# In an interval steps count as much as the scores as given: where smooth curves miss a step they
# miss by much. Chosen on thirteen simulated maps.
_CAUTION = 20.0
_LIKELY = 0.02  # a cut at which a curve may jump
# Groups of more than a few samples are divided beside a cut whose probability is worth so many of
# these, those of the six that are worth most at once; scores that are not many, to single ones.
_FEW, _WORTH, _AT_ONCE, _PARTS, _ROUNDS, _NOT_MANY = 16.0, 4.0, 6, 8, 6, 256
_GAINED = 1.0  # log-likelihood that two rounds of them must gain, or they are the last


@dataclass(frozen=True, eq=False)
class Steps:
    """Average over all step functions, made by `coarse_steps` and `finer_steps`.

    Parameters
    ----------
    places : (g,) array
        Places among the scores of the first one of each group, between which cuts may lie.
    starts, ends : (g,) arrays
        Least and greatest score of each group.
    bins : BinScores
        Of the groups.
    moments : (3, g) array
        Posterior mean of the probability, and mean and mean square of the log-odds.
    left_out : float
        Log-likelihood of the samples, each under the posterior without it.
    """

    places: Indices
    starts: Floats
    ends: Floats
    bins: BinScores
    moments: Floats
    left_out: float

    @property
    def cuts(self) -> Floats:
        """Probability (g,) of a cut before each group; 1 for the first."""
        return self.bins.begins[:-1]

    @property
    def jumps(self) -> Floats:
        """Scores on both sides of likely cuts."""
        likely = np.flatnonzero(self.cuts[1:] > _LIKELY)
        return np.concatenate([self.ends[likely], self.starts[likely + 1]])

    @property
    def degrees(self) -> float:
        """Bins on average."""
        return float(self.cuts.sum())

    def at(self, scores: Floats) -> Floats:
        """Moments (3, t) at scores."""
        edges = midpoints(self.ends[:-1], self.starts[1:])
        return np.asarray(self.moments[:, np.searchsorted(edges, scores, side="right")])

    def candidate(self, prior: float, table: Floats) -> Candidate:
        """The curve at the scores of a table."""
        mean, level, square = self.at(table)
        variance = np.maximum(square - level**2, 0.0)
        return Candidate(
            "steps", prior, mean, level, variance, self.left_out, self.degrees, _CAUTION
        )


def coarse_steps(counts: ScoreCounts) -> Steps:
    """Average over all ways to cut the scores between groups of equal weight.

    Parameters
    ----------
    counts : ScoreCounts

    Returns
    -------
    Steps

    Examples
    --------
    >>> steps = coarse_steps(ScoreCounts.from_samples(np.arange(200), np.arange(200) >= 100))
    >>> found = steps.candidate(1.0, np.array([0.0, 97.0, 101.0, 199.0]))
    >>> found.probability.round(2), round(found.degrees, 1)
    (array([0.01, 0.01, 0.99, 0.99]), 2.5)
    """
    places = counts.group_starts(_STEP_GROUPS)
    return _averaged(counts, places, _bin_scores(counts, places))


def finer_steps(counts: ScoreCounts, coarse: Steps) -> Steps:
    """The same, with smaller groups where a cut is likely and may be far off.

    Parameters
    ----------
    counts : ScoreCounts
    coarse : Steps
        Of `coarse_steps`.

    Returns
    -------
    Steps
    """
    n = len(counts)
    if len(coarse.places) == n or counts.total.sum() <= _FEW * _STEP_GROUPS:
        return coarse
    if n <= _NOT_MANY:
        return _averaged(counts, np.arange(n), _bin_scores(counts, np.arange(n)))
    places, bins, total = coarse.places, coarse.bins, counts.total
    gained = (np.inf, np.inf)  # by the last two rounds
    for _ in range(_ROUNDS):
        if sum(gained) < _GAINED:
            break
        weight = np.add.reduceat(total, places) * (np.diff(places, append=n) > 1)
        # Cuts that are certain are equal, whatever their rounding.
        worth = np.round(bins.begins[1:-1], 9) * np.maximum(weight[:-1], weight[1:])
        likely = np.argsort(-worth, kind="stable")[:_AT_ONCE]
        likely = likely[worth[likely] > _WORTH]
        if not len(likely):
            break
        beside = np.union1d(likely, likely + 1)
        finer = _divided(places, beside[weight[beside] > _WORTH], n)
        found = _bin_scores(counts, finer)
        found = replace(found, coarser=bins, places=np.searchsorted(finer, places))
        gained = (gained[1], float(found.log_sums[0] - bins.log_sums[0]))
        places, bins = finer, found
    return coarse if places is coarse.places else _averaged(counts, places, bins)


def _averaged(counts: ScoreCounts, places: Indices, bins: BinScores) -> Steps:
    negative, positive = _summed(counts, places)
    rows = average_over_binnings(bins, _moments)
    rows[0] = np.clip(rows[0], 0.0, 1.0)
    inverse = np.log(np.maximum(rows[3:], 1.0))
    left_out = -(positive @ inverse[0] + negative @ inverse[1])
    starts, ends = counts.scores[places], counts.scores[np.append(places[1:], len(counts)) - 1]
    return Steps(places, starts, ends, bins, rows[:3], float(left_out))


def _divided(starts: Indices, groups: Indices, n: int) -> Indices:
    ends = np.append(starts[1:], n)
    parts = np.linspace(starts[groups], ends[groups], _PARTS, endpoint=False, dtype=np.intp)
    return np.union1d(starts, parts)


def _summed(counts: ScoreCounts, starts: Indices) -> tuple[Floats, Floats]:
    """Weights of both classes in groups, for which means of the scores would take far longer."""
    return np.add.reduceat(counts.negative, starts), np.add.reduceat(counts.positive, starts)


def _bin_scores(counts: ScoreCounts, starts: Indices) -> BinScores:
    negative, positive = _summed(counts, starts)
    total = negative + positive
    ranks = np.cumsum(total) - total / 2
    rate = (counts.n_positive + 1.0) / (counts.n_positive + counts.n_negative + 2.0)
    prior = _STRENGTH * np.clip([rate, 1.0 - rate], _LEAST_SHARE, None)
    ranked = ScoreCounts(ranks, negative, positive)
    return bin_scores(ranked, _CUTS, lambda left, right: (prior[0], prior[1]))


def _moments(positive: Floats, negative: Floats, a: float, b: float) -> Floats:
    """Mean of p; mean and square of its log-odds; mean of 1 / p and 1 / (1 - p), one left out."""
    p, q = positive + a, negative + b
    more, less = np.maximum(p, _LEAST_COUNT), np.maximum(q, _LEAST_COUNT)
    level = psi(more) - psi(less)
    square = level**2 + _trigamma(more) + _trigamma(less)
    rest_p, rest_q = np.minimum(positive, 1.0), np.minimum(negative, 1.0)
    without_p = (p + q - rest_p) / (p - rest_p)
    without_q = (p + q - rest_q) / (q - rest_q)
    return np.stack([posterior_mean(positive, negative, a, b), level, square, without_p, without_q])


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def _trigamma(x: Floats) -> Floats:
    """Trigamma function of positive numbers, from its series beyond 8.

    It takes a third of the time of `scipy.special.zeta`.

    >>> _trigamma(np.array([1.0])) * 6 / np.pi**2
    array([1.])
    """
    total = np.zeros_like(x)
    for step in range(8):
        total += (1.0 / (x + step)) ** 2
    y = 1.0 / (x + 8.0)
    tail = np.polynomial.polynomial.polyval(y**2, _BERNOULLI)
    return np.asarray(total + y + y**2 / 2.0 + y**3 * tail)


_CONSTANT = "steps"  # of a single score, or where no spline can be proven
SPLINES = (
    _CONSTANT,
    *(f"{scale}: {bend}" for scale in ("given", "logit", "rank") for bend in BENDS),
)
"""Names of all candidates that there can be."""


def spline_curve(counts: ScoreCounts) -> AveragedCurve:
    """Fit smoothing splines of every smoothness on every scale, and average them.

    Parameters
    ----------
    counts : ScoreCounts
        Of both classes.

    Returns
    -------
    AveragedCurve

    Examples
    --------
    Probabilities that are overconfident follow a smooth curve on the scale of log-odds:

    >>> rng = np.random.default_rng(0)
    >>> odds = rng.normal(scale=4, size=2000)
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-odds / 3))
    >>> curve = spline_curve(ScoreCounts.from_samples(1 / (1 + np.exp(-odds)), y))
    >>> curve.names[int(np.argmax(curve.weights))]
    'logit: bends 0.1'
    """
    groups = small_groups(counts)
    table, steps = curve_table(counts, groups), coarse_steps(counts)
    candidates = _splines(counts, groups, table, steps)
    if not candidates:
        candidates = [finer_steps(counts, steps).candidate(1.0, table)]
    return average(table, candidates)


def _splines(
    counts: ScoreCounts, groups: ScoreCounts, table: Floats, steps: Steps
) -> list[Candidate]:
    near, places = steps.at(groups.scores)[1], np.searchsorted(table, groups.scores)
    found = list[Candidate]()
    for name, scale in curve_scales(counts).items():
        found += smooth_candidates(name, 1.0, scale(table), places, groups, "spline", near)
    return found


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
    """Scores at which a curve is kept, between which it is nearly a line.

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
    # The ends as they are: a sum of shares may miss them by a rounding, and be one knot more.
    inside = at_share(np.linspace(0, 1, _EVEN)[1:-1], first, last)
    parts = [groups.scores, inside, np.array([first, last])]
    parts += [] if jumps is None else [jumps]
    if are_probabilities(counts):
        odds = np.linspace(-_REACH, _REACH, _EVEN)
        parts += [np.clip(expit(odds), first, last), np.array([0.0, 1.0])]
    elif abs(first) < _BEYOND and abs(last) < _BEYOND:
        span = last - first
        parts.append(np.array([first - span, first - span / 4, last + span / 4, last + span]))
    return np.unique(np.concatenate(parts))


CANDIDATES = (
    "as given",
    "steps",
    *(f"{scale}: {shape}" for scale in ("given", "logit", "rank") for shape in SHAPES),
)
_IDENTITY, _STEPS = 1.0, 0.05  # weights a priori; all scales together have 2 to 3
_LIMIT = 100.0  # of log-odds


def automatic_curve(counts: ScoreCounts) -> AveragedCurve:
    """Fit the candidates and average them.

    Parameters
    ----------
    counts : ScoreCounts
        Of both classes.

    Returns
    -------
    AveragedCurve

    Examples
    --------
    >>> scores = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 20)
    >>> y = np.concatenate([np.arange(20) < k for k in (2, 6, 10, 14, 18)])
    >>> curve = automatic_curve(ScoreCounts.from_samples(scores, y))
    >>> curve.names[int(np.argmax(curve.weights))]
    'as given'
    """
    groups, scales = small_groups(counts), curve_scales(counts)
    natural = "logit" if "logit" in scales else "given"
    given, coarse = _given(scales[natural], groups), coarse_steps(counts)
    steps, near = finer_steps(counts, coarse), coarse.at(groups.scores)[1]
    table = curve_table(counts, groups, steps.jumps)
    candidates, places = [steps.candidate(_STEPS, table)], np.searchsorted(table, groups.scores)
    for name, scale in scales.items():
        kind = "" if name != natural else "log-odds" if name == "logit" else "margin"
        share = 1 / len(scales)
        candidates += smooth_candidates(name, share, scale(table), places, groups, kind, near)
    # While the scores as given take part, the samples cannot tell them from a line.
    lines = [c.variance for c in candidates if c.name == f"{natural}: line"]
    log_odds = np.clip(scales[natural](table), -_LIMIT, _LIMIT)
    found = [
        Candidate("as given", _IDENTITY, expit(log_odds), log_odds, line, given, 0.0)
        for line in lines
    ]
    return average(table, found + candidates)


def _given(scale: Scale, groups: ScoreCounts) -> float:
    """Log-likelihood of the scores read as log-odds, or as probabilities if they may be."""
    log_odds = np.clip(scale(groups.scores), -_LIMIT, _LIMIT)[np.newaxis]
    return left_out_likelihoods(log_odds, np.zeros_like(log_odds), groups).item()
