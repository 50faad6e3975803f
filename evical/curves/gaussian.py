"""Normal densities of the scores of each class, and what the sample leaves open about them.

Two normal densities and the share of positives give the log-odds at a score by Bayes' rule, a
polynomial of second degree. Such a model is an exponential family in which these log-odds are
linear, so that the profile likelihood has a closed form: the best densities with given log-odds at
a score are those fitted after moving some weight there from the negatives to the positives.

Source: Gebel (2009), section 4.3.2; the profile is derived here (`GaussianProfile`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical.likelihood.integrals import belief_log_odds
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale, standardized

__all__ = ["LEAST_VARIANCE", "GaussianFit", "GaussianProfile", "fit_gaussian"]

Floats = NDArray[np.float64]

_FARTHEST = 1e30  # nothing is known from 1e10 on, and squares of this are finite
_FAR = 1e100  # units beyond which squares would overflow
LEAST_VARIANCE = 1e-290  # units; below, all scores of a class are one to rounding
_WIDE = 1e300  # variance of a density that is the same everywhere, even that far away
_MAX_STEPS = 100
# Nearer to the end of what can be moved, rounding would leave a weight of zero; what is asked for
# beyond has lost all plausibility.
_LAST = 1e15


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


@dataclass(frozen=True, eq=False)
class GaussianProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    fit : GaussianFit

    Notes
    -----
    Let a sample have n1 positives and n0 negatives, and let a weight kappa be moved at score s:
    the maximum of ``log L + kappa * eta(s)``, eta being the log-odds, is the fit to the sample
    with kappa positives more at s and kappa negatives less. The log-likelihood is concave in the
    natural parameters of the joint density of score and label, and eta is linear in them, so this
    is the most likely model of all that have its log-odds at s; kappa runs through those that
    leave all weights and variances positive, and the log-odds through the whole real line. Where
    the variances are known they stay as they are, and the same holds.
    """

    fit: GaussianFit

    def log_odds(self, z: Floats) -> Floats:
        """Most plausible log-odds at scores in standard units."""
        at = z * self.fit.scale + self.fit.center
        return self.fit.log_odds(at, self.fit.variances)

    def mass_log_odds(self, z: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at scores in standard units (k,)."""
        mle, slope, _ = self._at(z, np.zeros_like(z))
        return belief_log_odds(z, mle, np.sqrt(slope), self.deviance)

    def deviance(self, z: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at scores (k,) in standard units."""
        shape = log_odds.shape
        z = np.clip(z, -_FARTHEST, _FARTHEST)
        z, target = np.repeat(z, shape[1]), log_odds.ravel()
        kappa = self._solve(z, target)
        return np.maximum(self._at(z, kappa)[2], 0.0).reshape(shape)

    def _solve(self, z: Floats, target: Floats) -> Floats:
        """The weight to move for the log-odds wanted: Newton's method, kept to a bracket."""
        mle, slope, _ = self._at(z, np.zeros_like(z))
        gap = target - mle
        ends = self._ends(z)
        end = np.where(gap < 0.0, ends[0], ends[1])
        sign = np.sign(end)
        # kappa = end * u / (1 + u) reaches the end where u is infinite; log-odds are tame in u.
        start = np.minimum(np.abs(gap / slope), 0.5 * np.abs(end))
        u = start / (np.abs(end) - start)
        low, high = np.zeros_like(u), np.full_like(u, np.inf)
        for _ in range(_MAX_STEPS):
            kappa = end * (u / (1.0 + u))
            eta, slope, _ = self._at(z, kappa)
            error = sign * (eta - target)
            done = np.abs(error) <= 1e-11 * (1.0 + np.abs(gap))
            if (done | ((u >= _LAST) & (error < 0.0))).all():
                break
            low, high = np.where(error < 0.0, u, low), np.where(error > 0.0, u, high)
            new = u - error * (1.0 + u) ** 2 / (slope * np.abs(end))
            middle = np.where(np.isinf(high), 8.0 * u + 1e-3, 0.5 * (low + high))
            u = np.minimum(np.where((new > low) & (new < high), new, middle), _LAST)
        return np.asarray(end * (u / (1.0 + u)))

    def _ends(self, z: Floats) -> tuple[Floats, Floats]:
        """Least and largest weight that can be moved."""
        n0, n1 = self.fit.weights
        d0, d1 = (z - self.fit.means[:, None]) ** 2
        v0, v1 = self.fit.variances
        if self.fit.known:
            return np.full_like(z, -n1), np.full_like(z, n0)
        if not self.fit.common:
            return -n1 * (v1 / (v1 + d1)), n0 * (v0 / (v0 + d0))
        # Roots of a quadratic a k^2 + b k + c, divided by n0 n1 v, with a < 0 < c.
        ratio0, ratio1 = d0 / v0, d1 / v1
        n = n0 + n1
        a = -(n + n1 * ratio1 + n0 * ratio0) / (n0 * n1)
        b = n * (n0 - n1) / (n0 * n1) + (ratio1 - ratio0)
        c = n
        root = np.hypot(b, 2.0 * np.sqrt(-a * c))
        q = -0.5 * (b + np.where(b < 0.0, -root, root))
        one, two = q / a, c / q
        return np.minimum(one, two), np.maximum(one, two)

    def _at(self, z: Floats, kappa: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-odds, their derivative in kappa, and deviance after moving a weight kappa."""
        fit = self.fit
        moved = np.stack([-kappa, kappa])
        n = fit.weights[:, None]
        w = n + moved
        d = z - fit.means[:, None]
        offset, shift = n * d / w, moved * d / w  # of the score, and of the old mean, from the new
        v, dv, excess = self._variances(n, w, moved, d, shift)
        with np.errstate(over="ignore"):  # beyond the ends of the bracket
            quadratic = offset**2 / v
        dlog = quadratic / w + 0.5 * (quadratic - 1.0) * dv / v
        density = -0.5 * (np.log(v) + quadratic)
        log_weight = np.log(w)
        eta = log_weight[1] - log_weight[0] + density[1] - density[0]
        slope = 1.0 / w[1] + 1.0 / w[0] + dlog[1] + dlog[0]
        labels = -(n * np.log1p(moved / n)).sum(axis=0)
        return eta, slope, labels + excess

    def _variances(
        self, n: Floats, w: Floats, moved: Floats, d: Floats, shift: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Variances (2, k), their derivatives in the weight of the class, and scores' deviance."""
        old = np.broadcast_to(self.fit.variances[:, None], d.shape)
        if self.fit.known:
            return old, np.zeros_like(d), (0.5 * n * shift**2 / old).sum(axis=0)
        if not self.fit.common:
            v = (n / w) * (old + moved / w * d**2)
            dv = (n / w**2) * ((n - moved) / w * d**2 - old)
            scores = np.log(v / old) + (old + shift**2) / v - 1.0
            return v, dv, (0.5 * n * scores).sum(axis=0)
        total = self.fit.weights.sum()
        v = old[:1] + (n * moved / w * d**2).sum(axis=0) / total
        slope = n**2 / w**2 * d**2 / total  # derivative in `moved`, of either class
        change = slope[1] - slope[0]
        v, dv = np.broadcast_to(v, d.shape), np.stack([-change, change])
        q = (old[0] + (n * shift**2).sum(axis=0) / total) / v[0]
        return v, dv, 0.5 * total * (np.log(v[0] / old[0]) + q - 1.0)
