"""The calibration curve without a choice: an average over methods, scales and smoothness.

Candidates are the scores as they are, read as probabilities or log-odds; lines and smoothing
splines of the log-odds, on the scale as given, on that of log-odds and on ranks; and step
functions. They are averaged by what they say about samples that are left out, see `candidates`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from evical.curves.candidates import AveragedCurve, Candidate, average, gaussian_candidate
from evical.curves.smooth_candidates import SHAPES, smooth_candidates
from evical.curves.step_candidate import Steps, fit_steps
from evical.scores.counts import ScoreCounts
from evical.scores.scale import at_share, interpolated

__all__ = ["CANDIDATES", "automatic_curve"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Scale = Callable[[Floats], Floats]

CANDIDATES = (
    "as given",
    "steps",
    *(f"{scale}: {shape}" for scale in ("given", "logit", "rank") for shape in SHAPES),
)
_GROUPS, _TAILS = 200, 100  # groups of equal weight, and of equal length in log-odds of the rank
_IDENTITY, _STEPS = 1.0, 0.05  # weights a priori; all scales together have 2 to 3
_LIMIT = 100.0  # of log-odds
_TINY = 1e-15  # a probability
_EVEN, _REACH = 200, 20.0  # table: scores at even distances, in log-odds within +-20
_BEYOND = 1e150  # scores from which on nothing lies beyond


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
    groups = counts.pool(_group_starts(counts))
    scales = _scales(counts)
    natural = "logit" if "logit" in scales else "given"
    steps = fit_steps(counts)
    table = _table(counts, groups, steps)
    candidates = [steps.candidate(_STEPS, table)]
    for name, scale in scales.items():
        sample, at = scale(groups.scores), scale(table)
        if sample[0] < sample[-1]:
            kind = "" if name != natural else "log-odds" if name == "logit" else "margin"
            candidates += smooth_candidates(name, 1 / len(scales), sample, at, groups, kind)
    lines = [c.variance for c in candidates if c.name == f"{natural}: line"]
    given = _as_given(scales[natural], groups, table)
    return average(table, [given._replace(variance=v) for v in lines] + candidates)


def _group_starts(counts: ScoreCounts) -> Indices:
    """Groups of equal weight, and smaller ones at both ends."""
    total = counts.total
    above = np.cumsum(total[::-1])[::-1] - total / 2
    level = np.log(np.cumsum(total) - total / 2) - np.log(above)
    span = max(level[-1] - level[0], 1e-300)
    tails = np.minimum((level - level[0]) / span * _TAILS, _TAILS - 1).astype(np.intp)
    return np.union1d(counts.group_starts(_GROUPS), np.flatnonzero(np.diff(tails, prepend=-1)))


def _scales(counts: ScoreCounts) -> dict[str, Scale]:
    scales: dict[str, Scale] = {"given": lambda s: s}
    low, high = counts.scores[0], counts.scores[-1]
    if low >= 0.0 and high <= 1.0 and low < high:
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


def _as_given(scale: Scale, groups: ScoreCounts, table: Floats) -> Candidate:
    """The scores read as log-odds, or as probabilities: nothing is fitted.

    While that takes part, the samples cannot tell it from a line; the variance will be the line's.
    """
    sample, at = (np.clip(scale(s), -_LIMIT, _LIMIT) for s in (groups.scores, table))
    return gaussian_candidate(
        "as given", _IDENTITY, (at, np.zeros_like(at)), (sample, np.zeros_like(sample)), groups, 0.0
    )


def _table(counts: ScoreCounts, groups: ScoreCounts, steps: Steps) -> Floats:
    """Scores at which the curve is kept: between them it is nearly a line."""
    first, last = counts.scores[0], counts.scores[-1]
    parts = [groups.scores, steps.jumps, at_share(np.linspace(0, 1, _EVEN), first, last)]
    if first >= 0 and last <= 1:
        odds = np.linspace(-_REACH, _REACH, _EVEN)
        parts += [np.clip(expit(odds), first, last), np.array([0.0, 1.0])]
    elif abs(first) < _BEYOND and abs(last) < _BEYOND:
        span = last - first
        parts.append(np.array([first - span, first - span / 4, last + span / 4, last + span]))
    return np.unique(np.concatenate(parts))
