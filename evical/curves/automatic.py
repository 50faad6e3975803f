"""The calibration curve without a choice: an average over methods, scales and smoothness.

Candidates are the scores as they are, read as probabilities or log-odds; lines and smoothing
splines of the log-odds, on the scale as given, on that of log-odds and on ranks; and step
functions. They are averaged by what they say about samples that are left out, see `candidates`.
"""

import numpy as np

from evical._typing import Floats
from evical.curves.candidates import AveragedCurve, Candidate, average, gaussian_candidates
from evical.curves.scales import Scale, curve_scales, curve_table, small_groups
from evical.curves.smooth_candidates import SHAPES, smooth_candidates
from evical.curves.step_candidate import fit_steps
from evical.scores.counts import ScoreCounts

__all__ = ["CANDIDATES", "automatic_curve"]


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
