"""A smoothing spline of the log-odds, whose scale and smoothness left-out samples choose.

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

from evical._typing import Floats
from evical.curves.candidates import AveragedCurve, Candidate, average
from evical.curves.scales import curve_scales, curve_table, small_groups
from evical.curves.smooth_candidates import BENDS, smooth_candidates
from evical.curves.step_candidate import fit_steps
from evical.scores.counts import ScoreCounts

__all__ = ["SPLINES", "spline_curve"]


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
