"""Quadratic scaling: log-odds that are a parabola of the score.

A line of the score, Platt's sigmoid, with one more coefficient, which lets the two tails bend
apart or turn back. The fit is logistic regression on orthogonal columns of the standardized score.

Source: Berta, Holzmueller, Jordan & Bach, "Structured matrix scaling for multi-class calibration",
arXiv 2511.03685 (2025), who compare calibrators with it for two classes; on log-odds of
probabilities it is the maximum of their likelihood.

Profile likelihood of log-odds that are quadratic in the score.

Log-odds are linear in the coefficients (`LinearProfile`), which are taken in units of their
standard errors. Large samples are reduced to a quadrature, on panels that no parabola of some
plausibility brings near to a singularity, and masses are tabulated over the score.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 33-40, for a parabola
instead of a line; L. N. Trefethen, "Approximation Theory and Approximation Practice" (2013),
theorem 19.3 (error of Gauss rules of analytic functions).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.curves._linear_logistic import fit_linear_logistic
from evical.curves.linear_profile import LinearProfile
from evical.curves.platt import soft_counts
from evical.errors import ConvergenceError
from evical.likelihood.integrals import NO_PROFILE
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import TURN
from evical.likelihood.profile_table import MassTable, fit_mass_table, mass_log_odds, tabulated
from evical.likelihood.quadrature import around, halved
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale, standardized

# Standardized scores are cut off there, so that their squares times any coefficient are finite.
_FAR = 1e35
# Scores closer than that, in standard deviations, are one to a parabola: where all but two places
# are, its bend is rounding.
_MERGED = 1e-13


@dataclass(frozen=True, eq=False)
class QuadraticFit(ShownFields):
    """Fitted log-odds ``a + b z + c z**2`` of the standardized score ``z``.

    Attributes
    ----------
    center, scale : float
        Origin and unit of the standardized score ``z = (s - center) / scale``.
    coefficients : ndarray of shape (d,)
        a, b and c; without c if the sample has only two distinct scores, and a alone if it has one.
    root : ndarray of shape (d, d)
        ``root @ root.T`` is the inverse of the Fisher information at the optimum.
    """

    center: float
    scale: float
    coefficients: Floats
    root: Floats

    @property
    def covariance(self) -> Floats:
        """Inverse of the Fisher information at the optimum (d, d)."""
        return self.root @ self.root.T

    def standardize(self, scores: ArrayLike) -> Floats:
        """Return ``(scores - center) / scale``, within 1e35 so that no square overflows."""
        z = standardized(np.asarray(scores, dtype=np.float64), self.center, self.scale)
        return np.asarray(np.clip(z, -_FAR, _FAR))

    def features(self, z: Floats) -> Floats:
        """Return 1, z and z squared (m, d) of standardized scores (m,)."""
        return parabola(z)[:, : len(self.coefficients)]

    def log_odds(self, scores: ArrayLike) -> Floats:
        """Return the log-odds of the positive class at scores (m,)."""
        return np.asarray(self.features(self.standardize(scores)) @ self.coefficients)

    def deviation(self, scores: ArrayLike) -> Floats:
        """Return the standard errors of the log-odds at scores (m,).

        They are infinite beside the only score of a sample.
        """
        z = self.standardize(scores)
        known = np.sqrt(((self.features(z) @ self.root) ** 2).sum(axis=1))
        return np.asarray(np.where((z != 0.0) & (len(self.root) == 1), np.inf, known))


def parabola(z: Floats) -> Floats:
    """Columns 1, z and z squared.

    Parameters
    ----------
    z : (m,) array

    Returns
    -------
    (m, 3) array

    Examples
    --------
    >>> parabola(np.array([-2.0])).tolist()
    [[1.0, -2.0, 4.0]]
    """
    return np.stack([np.ones_like(z), z, z * z], axis=1)


def quadratic_of_counts(counts: ScoreCounts, smooth: bool = True) -> QuadraticFit:
    """Fit log-odds that are quadratic in the score to counts, which need no check."""
    if not smooth:
        _refuse_separated(counts)
    center, scale = location_scale(counts.scores, counts.total)
    scale = scale or 1.0
    z = np.clip(standardized(counts.scores, center, scale), -_FAR, _FAR)
    columns, back = _orthogonal(z, counts.total)
    found = fit_linear_logistic(columns, *soft_counts(counts, smooth), intercept=True)
    try:
        root = np.linalg.cholesky(found.covariance)
    except np.linalg.LinAlgError:
        raise ConvergenceError(NO_PROFILE) from None
    return QuadraticFit(center, scale, back @ found.parameters, back @ root)


def _orthogonal(z: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Columns (d - 1, m), orthonormal and centered, and the matrix (d, d) from them to a, b and c.

    The parameters are those of the columns, then the intercept.
    """
    share = weight / weight.sum()
    if z[0] == z[-1]:
        return np.empty((0, len(z))), np.eye(1)
    line = np.array([[0.0, 1.0], [1.0, 0.0]])
    skew = float(np.einsum("m,m,m,m", share, z, z, z))
    bend = z * (z - skew)
    rise = float(share @ bend)
    spread = float(np.sqrt(share @ (bend - rise) ** 2))
    if spread <= _MERGED * float(np.sqrt(share @ bend**2)) or len(z) < 3:
        return z[None], line
    columns = np.stack([z, (bend - rise) / spread])
    return columns, np.array(
        [[0.0, -rise / spread, 1.0], [1.0, -skew / spread, 0.0], [0.0, 1.0 / spread, 0.0]]
    )


def _refuse_separated(counts: ScoreCounts) -> None:
    """Raise if a parabola, line or constant has no positive below 0 and no negative above.

    It has to vanish at scores with both classes, and once between scores of different classes;
    where those are more than its two roots, no parabola separates.
    """
    sign = np.sign(np.where(counts.negative > 0, -1.0, 0.0) + (counts.positive > 0))
    pure = np.flatnonzero(sign)
    if not len(pure):
        return
    mixed = np.diff(pure) - 1  # scores with both classes between neighbors of one class
    changes = np.diff(sign[pure]) != 0
    roots = mixed + (mixed % 2 != changes)
    if roots.sum() + pure[0] + (len(sign) - 1 - pure[-1]) < min(len(counts), 3):
        raise ValueError(
            "a parabola of the score separates the classes, and no finite log-odds are most "
            "likely; use smooth=True"
        )


_LEVEL = 6.0  # standard errors by which the coefficients may be elsewhere
# Bernstein's ellipse of a panel, in which all log-likelihoods are analytic: ten Gauss nodes err by
# 4**-20 = 1e-12 of the weight of the panel.
_ELLIPSE = 4.0
_POLES = np.pi * 1j * 3.0 ** np.arange(12)  # some of the singularities pi i (2 k + 1)
_REACH = 1e7  # standardized scores in the table; masses have come within 1e-7 of their limits


@dataclass(frozen=True, eq=False)
class QuadraticProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    fit : QuadraticFit
    nodes, weights : (m,) arrays
        The sample or a quadrature of it, in standardized scores.
    """

    fit: QuadraticFit
    nodes: Floats
    weights: Floats

    @cached_property
    def linear(self) -> LinearProfile:
        """The profile in parameters in units of standard errors, which are uncorrelated."""
        parameters = np.asarray(np.linalg.solve(self.fit.root, self.fit.coefficients))
        places = np.linspace(self.nodes[0], self.nodes[-1], len(parameters))
        return LinearProfile(self._features, TURN, self.nodes, self.weights, parameters, places)

    def _features(self, z: Floats) -> Floats:
        return self.fit.features(z) @ self.fit.root

    def at(self, z: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at standardized scores (k,)."""
        # Any log-odds is possible away from the only score of a sample.
        known = (z[:, None] == 0.0) | (len(self.fit.root) > 1)
        return np.where(known, self.linear.at(z, log_odds), 0.0)

    def level_set(self, z: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return level_set(z, self.linear.mle(z), self.linear.spread(z), self.at, level)

    def table(self) -> MassTable:
        """Masses over asinh of the standardized score; at the only score, if there is one."""
        if len(self.fit.root) == 1:
            known = mass_log_odds(self.linear, np.zeros(1))
            return MassTable(np.array([-1.0, 1.0]), known.T[:, :, None])
        end, profile = float(np.arcsinh(_REACH)), tabulated(self.linear)
        return fit_mass_table(
            lambda t: mass_log_odds(profile, np.sinh(t)), np.linspace(-end, end, 11)
        )


def quadratic_profile(counts: ScoreCounts, fit: QuadraticFit) -> QuadraticProfile:
    """Profile likelihood of a fit, with large samples reduced to a quadrature.

    Parameters
    ----------
    counts : ScoreCounts
        The sample that was fitted.
    fit : QuadraticFit

    Returns
    -------
    QuadraticProfile

    Examples
    --------
    >>> from evical.curves.quadratic import quadratic_of_counts
    >>> counts = ScoreCounts.from_samples([0.0, 1, 2, 3], [0, 1, 0, 1])
    >>> profile = quadratic_profile(counts, quadratic_of_counts(counts))
    >>> mle = profile.fit.log_odds([1.5])
    >>> abs(profile.at(profile.fit.standardize([1.5]), mle[:, None])).round(12).tolist()
    [[0.0]]
    """
    plausible = around(fit.coefficients, fit.covariance, _LEVEL)
    # Those of lines end with 0.
    poles = _poles(np.pad(plausible, ((0, 0), (0, 3 - plausible.shape[1]))))

    def is_rough(left: Floats, right: Floats) -> NDArray[np.bool_]:
        place = (poles[:, None] - 0.5 * (left + right)) / (0.5 * (right - left))
        ellipse = np.abs(place + np.sqrt(place - 1.0) * np.sqrt(place + 1.0)).min(axis=0)
        return np.asarray(ellipse < _ELLIPSE)

    return QuadraticProfile(fit, *halved(fit.standardize(counts.scores), counts.total, is_rough))


def _poles(parabolas: Floats) -> NDArray[np.complex128]:
    """Where parabolas are pi i (2 k + 1): singularities of log(1 + exp(.)) of them.

    The roots of c z**2 + b z + a are q / c and a / q with q = -(b + root) / 2, without a difference
    of nearly equal numbers.
    """
    a, b, c = (parabolas[:, i : i + 1] for i in range(3))
    constant = a - _POLES
    root = np.sqrt(b * b - 4.0 * c * constant)
    q = -0.5 * (b + np.where((np.conj(b) * root).real < 0.0, -root, root))
    with np.errstate(divide="ignore", invalid="ignore"):  # lines have one root
        found = np.concatenate([q / c, constant / q], axis=None)
    return np.asarray(found[np.isfinite(found)])
