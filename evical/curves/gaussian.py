"""Normal densities of the scores of each class.

Two normal densities and the share of positives give the log-odds at a score by Bayes' rule, a
polynomial of second degree.

Source: Gebel (2009), section 4.3.2.
"""

from dataclasses import dataclass

import numpy as np

from evical._typing import Floats
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale, standardized

_FAR = 1e100  # units beyond which squares would overflow
LEAST_VARIANCE = 1e-290  # units; below, all scores of a class are one to rounding
_WIDE = 1e300  # variance of a density that is the same everywhere, even that far away


@dataclass(frozen=True, eq=False)
class GaussianFit:
    """Weights, means and variances of both classes (negative first), in standard units.

    Parameters
    ----------
    center, scale : float
        Standard units are ``(score - center) / scale``.
    weights, means, variances : (2,) arrays
        Variances are sums of squares divided by the weight (maximum likelihood).
    known : bool
        Whether the variances had to be taken from elsewhere, because the scores of a class do
        not vary.
    common : bool
        Whether both classes share one variance.
    """

    center: float
    scale: float
    weights: Floats
    means: Floats
    variances: Floats
    known: bool
    common: bool

    @property
    def origin(self) -> float:
        """As many deviations from one mean as from the other: there the log-odds change fastest.

        With very unequal deviations it is at the mean of the narrow class.
        """
        return float(self.means[0] - self.offsets[0])

    @property
    def offsets(self) -> Floats:
        """Means (2,) less the origin."""
        d0, d1 = np.sqrt(self.variances)
        return np.asarray(np.array([-d0, d1]) / (d0 + d1) * (self.means[1] - self.means[0]))

    def standardize(self, scores: Floats) -> Floats:
        """Scores in standard units."""
        return np.clip(standardized(scores, self.center, self.scale), -_FAR, _FAR)

    def sample_variances(self) -> Floats:
        """Variances with sums of squares divided by the degrees of freedom, as the thesis has."""
        if self.known:
            return self.variances
        total = self.weights.sum() if self.common else self.weights
        return np.asarray(self.variances * total / (total - (2.0 if self.common else 1.0)))

    def log_odds(self, scores: Floats, variances: Floats) -> Floats:
        """Log-odds of the positive class, given the variances to use."""
        z = self.standardize(scores)
        prior = np.log(self.weights[1]) - np.log(self.weights[0])
        (r0, r1), (m0, m1) = 1.0 / variances, self.means
        # As a polynomial: differences of squares of far scores would cancel.
        bend = 0.0 if self.common else 0.5 * (r0 - r1)
        middle = prior + 0.5 * np.log(variances[0] / variances[1]) + 0.5 * (r0 * m0**2 - r1 * m1**2)
        return np.asarray(middle + z * ((r1 * m1 - r0 * m0) + bend * z))


def fit_gaussian(counts: ScoreCounts, common: bool) -> GaussianFit:
    """Fit a normal density to the scores of each class.

    Parameters
    ----------
    counts : ScoreCounts
        With both classes.
    common : bool
        Whether to use one variance, that within the classes.

    Returns
    -------
    GaussianFit

    Notes
    -----
    A class whose scores do not vary (one member, or a weight of at most 1) takes the variance of
    the other class. If neither varies, both take that of all scores; if that is zero too, scores
    tell nothing, and a very large variance leads to the prior everywhere.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([-2, 0, 1, 3], [0, 0, 1, 1])
    >>> fit = fit_gaussian(counts, common=False)
    >>> fit.center + fit.scale * fit.means
    array([-1.,  2.])
    >>> fit.log_odds(np.array([0.5, 1.5]), fit.sample_variances())
    array([0. , 1.5])
    """
    # By weight: a light outlier must not leave the others without digits.
    center, scale = location_scale(counts.scores, counts.total)
    if scale == 0.0:
        scale = max(abs(center), 1.0)
    z = standardized(counts.scores, center, scale)
    moments = np.array([_moments(z, w) for w in (counts.negative, counts.positive)])
    weights, means, variances = np.ascontiguousarray(moments.T)
    total = weights.sum()
    varies = (variances > 0.0) & (weights > 1.0)
    if not varies.any():
        spread = _moments(z, counts.total)[2]
        variances = np.full(2, spread or _WIDE)
    elif common:
        variances = np.full(2, weights @ variances / total)
    else:
        variances = np.where(varies, variances, variances[::-1])
    known = not varies.any() or not (varies.all() or common) or bool(common and total <= 2.0)
    return GaussianFit(center, scale, weights, means, variances, known, common)


def _moments(z: Floats, weights: Floats) -> tuple[float, float, float]:
    """Weight, mean and variance; a variance within rounding of the mean is none."""
    total = float(weights.sum())
    share = weights / total
    mean = float((share * z).sum())
    spread = z - mean
    variance = float((share * spread**2).sum())
    used = z[weights > 0.0]
    return total, mean, variance if used[0] != used[-1] and variance >= LEAST_VARIANCE else 0.0
