"""Quadratic scaling: log-odds that are a parabola of the score.

A line of the score, Platt's sigmoid, with one more coefficient, which lets the two tails bend
apart or turn back. The fit is logistic regression on orthogonal columns of the standardized score.

Source: Berta, Holzmueller, Jordan & Bach, "Structured matrix scaling for multi-class calibration",
arXiv 2511.03685 (2025), who compare calibrators with it for two classes; on log-odds of
probabilities it is the maximum of their likelihood.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.curves._linear_logistic import fit_linear_logistic
from evical.curves.platt import soft_counts
from evical.errors import ConvergenceError
from evical.likelihood.deviance import NO_PROFILE
from evical.scores.counts import ScoreCounts, checked_counts
from evical.scores.scale import location_scale, standardized

__all__ = ["QuadraticFit", "fit_quadratic", "parabola", "quadratic_of_counts"]


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


def fit_quadratic(
    scores: ArrayLike, negative: ArrayLike, positive: ArrayLike, smooth: bool = True
) -> QuadraticFit:
    """Fit log-odds that are quadratic in the score, by maximum likelihood.

    Parameters
    ----------
    scores : array_like of shape (m,)
        Distinct or not, in any order.
    negative, positive : array_like of shape (m,)
        Number, or total weight, of the negative and of the positive samples at each score.
    smooth : bool
        Whether Platt's targets replace the labels. Without, the optimum is finite only if no
        parabola separates the classes.

    Returns
    -------
    QuadraticFit

    Raises
    ------
    ValueError
        If a score or weight is not usable, or without `smooth` a parabola separates the
        classes.
    ConvergenceError
        If no optimum can be proven.

    Examples
    --------
    Shares 1/4, 3/4 and 1/4 at the scores 0, 1 and 2 are fitted exactly:

    >>> fit = fit_quadratic([0, 1, 2], [3, 1, 3], [1, 3, 1], smooth=False)
    >>> np.exp(fit.log_odds([0, 1, 2])).round(9).tolist()
    [0.333333333, 3.0, 0.333333333]
    """
    return quadratic_of_counts(checked_counts(scores, negative, positive), smooth)


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
