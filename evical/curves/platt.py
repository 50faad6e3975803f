"""Platt's sigmoid: the logistic regression of smoothed labels on one score.

The labels are replaced by Platt's targets, which keeps the optimum finite even when the classes
are separable. A damped Newton iteration runs on centered and scaled scores, so that neither the
unit nor the origin of the scores costs digits; the parameters are kept in those coordinates.

Source: J. C. Platt, "Probabilistic outputs for support vector machines" (1999), section 2.2;
Xu, Davoine, Zha & Denoeux, "Evidential calibration of binary SVM classifiers", IJAR 72 (2016),
equations 2-4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dstheory.checks.arguments import as_floats, check_not_negative
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.curves.newton import LogisticSums, minimize_convex
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale, standardized

_ORIGINS = 8  # of standardized scores to try; one is the rule, and three suffice for outliers
_TRIAL_STEPS = 30  # from a bad origin; ten are the rule
_FAR = 1e150  # standardized scores are cut off there, where every sigmoid has long ended


@dataclass(frozen=True, eq=False)
class PlattFit(ShownFields):
    """A fitted sigmoid ``P(y = 1 | s) = 1 / (1 + exp(beta0 + beta1 * (s - center) / scale))``.

    Attributes
    ----------
    center, scale : float
        Origin and unit of the standardized score ``z = (s - center) / scale``.
    beta0, beta1 : float
        Parameters on the standardized score, in the paper's sign convention.
    covariance : ndarray of shape (2, 2)
        Inverse of the Fisher information at the optimum, of ``(beta0, beta1)``. When all scores
        are equal the slope is not identified: `beta1` is 0 and its variance infinite.
    """

    center: float
    scale: float
    beta0: float
    beta1: float
    covariance: Floats

    @property
    def theta1(self) -> float:
        """Slope on the raw score (Xu eq. 2)."""
        return self.beta1 / self.scale

    @property
    def theta0(self) -> float:
        """Intercept on the raw score (Xu eq. 2), imprecise when the scores are far from 0."""
        return self.beta0 - self.beta1 / self.scale * self.center

    @property
    def identified(self) -> bool:
        """Whether the slope is identified, which takes two distinct scores."""
        return bool(np.isfinite(self.covariance[1, 1]))

    def standardize(self, scores: ArrayLike) -> Floats:
        """Return ``(scores - center) / scale``, within 1e150 so that no product overflows."""
        z = standardized(as_floats(scores, "scores"), self.center, self.scale)
        return np.asarray(np.clip(z, -_FAR, _FAR))

    def logit(self, scores: ArrayLike) -> Floats:
        """Return the log-odds of the positive class, ``-(theta0 + theta1 * scores)``."""
        return np.asarray(-(self.beta0 + self.beta1 * self.standardize(scores)))

    def standard_error(self, scores: ArrayLike) -> Floats:
        """Return that of the log-odds at each score (Xu section 4.3).

        The linear predictor is asymptotically normal, with the variance that the inverse Fisher
        information gives it.
        """
        z = self.standardize(scores)
        (v00, v01), (_, v11) = self.covariance
        if not self.identified:
            return np.where(z == 0.0, np.sqrt(v00), np.inf)
        slope = np.sqrt(v11)  # a sum of squares: no overflow at far scores, never negative
        least = np.sqrt(max(v00 - v01 * v01 / v11, 0.0))
        return np.asarray(np.hypot(slope * z + v01 / slope, least))

    def probability(self, scores: ArrayLike) -> Floats:
        """Return the probability of the positive class, ``h_s(theta)`` of Xu eq. 2."""
        return np.asarray(expit(self.logit(scores)))


def platt_targets(n_negative: float, n_positive: float) -> tuple[float, float]:
    """Return Platt's smoothed labels (Xu eq. 4).

    Parameters
    ----------
    n_negative, n_positive : float
        Number, or total weight, of the negative and of the positive samples.

    Returns
    -------
    t_minus, t_plus : float
        Targets ``1 / (n_negative + 2)`` and ``(n_positive + 1) / (n_positive + 2)``.

    Examples
    --------
    >>> platt_targets(8, 2)
    (0.1, 0.75)
    """
    check_not_negative(n_negative=n_negative, n_positive=n_positive)
    return 1.0 / (n_negative + 2.0), (n_positive + 1.0) / (n_positive + 2.0)


def soft_counts(counts: ScoreCounts, smooth: bool = True) -> tuple[Floats, Floats]:
    """Return the weight of both classes at each score, after Platt's smoothing or as it is.

    Parameters
    ----------
    counts : ScoreCounts
    smooth : bool
        Whether Platt's targets replace the labels.

    Returns
    -------
    against, favor : ndarray of shape (m,)
        Weights of the targets of the negative and of the positive class. Neither is the
        difference of the other from the total, which would lose its digits.

    Examples
    --------
    >>> counts = ScoreCounts(np.array([1.0, 2.0]), np.array([8.0, 0.0]), np.array([0.0, 2.0]))
    >>> against, favor = soft_counts(counts)
    >>> against.round(9).tolist(), favor.round(9).tolist()
    ([7.2, 0.5], [0.8, 1.5])
    """
    if not smooth:
        return counts.negative, counts.positive
    t_minus, t_plus = platt_targets(counts.n_negative, counts.n_positive)
    n_minus, n_plus = platt_targets(counts.n_positive, counts.n_negative)  # roles exchanged
    against = n_plus * counts.negative + n_minus * counts.positive
    return against, t_minus * counts.negative + t_plus * counts.positive


def platt_of_counts(counts: ScoreCounts) -> PlattFit:
    """Fit Platt's sigmoid to counts, which need no check."""
    against, favor = soft_counts(counts)
    x = counts.scores
    center, scale = location_scale(x, counts.total)
    log_odds = float(np.log(favor.sum()) - np.log(against.sum()))
    if scale == 0.0:
        return _constant_fit(center, log_odds, float(favor.sum()), float(against.sum()))
    params = np.array([[log_odds, 0.0]])
    for last in [False] * (_ORIGINS - 1) + [True]:
        z = standardized(x, center, scale)
        sums = LogisticSums(np.stack([np.ones_like(z), z]), against, favor)
        if sums.is_large:  # a cheap start saves all but two or three passes
            params = minimize_convex(sums.grouped(), params, trial_steps=_TRIAL_STEPS).parameters
        found = minimize_convex(sums, params, trial_steps=None if last else _TRIAL_STEPS)
        params, (hessian,) = found.parameters, found.hessian
        shift = hessian[0, 1] / hessian[0, 0]
        spread = float(np.sqrt(max(hessian[1, 1] / hessian[0, 0] - shift**2, 1e-300)))
        good = abs(shift) < 1e3 * spread and 1e-3 < spread < 1e3 and found.proven
        if good or not (0.0 < scale * spread < np.inf and abs(center + shift * scale) < np.inf):
            break
        # The informative scores are far from the origin in units of their spread: move there.
        params = np.array([[params[0, 0] + params[0, 1] * shift, params[0, 1] * spread]])
        center, scale = center + shift * scale, scale * spread
    if not found.proven:
        params = minimize_convex(sums, params).parameters
    covariance = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
    return PlattFit(center, scale, -float(params[0, 0]), -float(params[0, 1]), covariance)


def _constant_fit(center: float, log_odds: float, favor: float, against: float) -> PlattFit:
    """Return the fit for a single distinct score: the slope is 0 by convention."""
    covariance = np.array([[1.0 / favor + 1.0 / against, 0.0], [0.0, np.inf]])
    return PlattFit(center, 1.0, -log_odds, 0.0, covariance)
