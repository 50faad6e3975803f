"""The calibration curve without a choice: an average over methods, scales and smoothness.

Candidates are the scores as they are, read as probabilities or log-odds; lines and smoothing
splines of the log-odds, on the scale as given, on that of log-odds and on ranks; and step
functions. They are averaged by what they say about samples that are left out, see `candidates`.

Scales, groups of scores, and the table of scores at which a curve is kept.

A curve that is smooth on one scale bends sharply on another. So curves are tried on the scale as
given, on log-odds of probabilities, and on log-odds of ranks.

A smoothing spline of the log-odds, whose scale and smoothness left-out samples choose.

A smoothing spline is the posterior mean under a prior on its roughness (Wahba 1978), and the
posterior covariance gives intervals that cover the truth on average over the scores (Nychka 1988),
for other distributions than the normal too (Marra & Wood 2012). Splines of every smoothness are
fitted on every scale, and averaged by what they say about samples that are left out; so the
intervals include what is unknown about the smoothness.

Sources: G. Wahba, J. R. Stat. Soc. B 40 (1978), 364-372; D. Nychka, "Bayesian confidence intervals
for smoothing splines", Journal of the American Statistical Association 83 (1988), 1134-1143; G.
Marra & S. N. Wood, "Coverage properties of confidence intervals for generalized additive model
components", Scandinavian Journal of Statistics 39 (2012), 53-74.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.curves.candidates import AveragedCurve, Candidate, average, gaussian_candidates
from evical.curves.smooth_candidates import BENDS, SHAPES, smooth_candidates
from evical.curves.step_candidate import fit_steps
from evical.scores.counts import ScoreCounts
from evical.scores.scale import are_probabilities, at_share, interpolated

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
    table = curve_table(counts, groups)
    candidates = _splines(counts, groups, table)
    if not candidates:
        candidates = [fit_steps(counts).candidate(1.0, table)]
    return average(table, candidates)


def _splines(counts: ScoreCounts, groups: ScoreCounts, table: Floats) -> list[Candidate]:
    found: list[Candidate] = []
    for name, scale in curve_scales(counts).items():
        sample, at = scale(groups.scores), scale(table)
        if sample[0] < sample[-1]:
            found += smooth_candidates(name, 1.0, sample, at, groups, "spline")
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
    steps = fit_steps(counts)
    table = curve_table(counts, groups, steps.jumps)
    candidates = [steps.candidate(_STEPS, table)]
    for name, scale in scales.items():
        sample, at = scale(groups.scores), scale(table)
        if sample[0] < sample[-1]:
            kind = "" if name != natural else "log-odds" if name == "logit" else "margin"
            candidates += smooth_candidates(name, 1 / len(scales), sample, at, groups, kind)
    lines = [c.variance for c in candidates if c.name == f"{natural}: line"]
    given = _as_given(scales[natural], groups, table)
    return average(table, [given._replace(variance=v) for v in lines] + candidates)


def _as_given(scale: Scale, groups: ScoreCounts, table: Floats) -> Candidate:
    """The scores read as log-odds, or as probabilities if they may be: nothing is fitted.

    While that takes part, the samples cannot tell it from a line; the variance will be the line's.
    """
    sample, at = (np.clip(scale(s), -_LIMIT, _LIMIT)[np.newaxis] for s in (groups.scores, table))
    certain = (at, np.zeros_like(at)), (sample, np.zeros_like(sample))
    return gaussian_candidates(["as given"], [_IDENTITY], *certain, groups, np.zeros(1))[0]
