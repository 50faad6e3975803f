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
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

Array = NDArray[np.float64]

# Elements of one temporary (64 kB): a pass over the scores stays in cache, and its products stay
# below the 9216 elements from which OpenBLAS starts threads: a million scores then take 0.06 s, not
# 0.7 to 2.3 s, on two cores of which one is busy. Longer products are einsum's, which has none.
_CHUNK = 1 << 13
_GROUPS = 512  # equal-count groups that give Newton its start on large samples
_MAX_STEPS = 200
_FAR = 1e150  # standardized scores are cut off there, where every sigmoid has long ended
_CONVERGED = 1e-13  # squared Newton decrement: twice the log-likelihood still to be gained


@dataclass(frozen=True, eq=False)
class PlattFit:
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
    covariance: Array

    @property
    def theta1(self) -> float:
        """Slope on the raw score (Xu eq. 2)."""
        return self.beta1 / self.scale

    @property
    def theta0(self) -> float:
        """Intercept on the raw score (Xu eq. 2); loses digits when the scores are far from 0."""
        return self.beta0 - self.beta1 / self.scale * self.center

    @property
    def identified(self) -> bool:
        """Whether the slope is identified, which takes two distinct scores."""
        return bool(np.isfinite(self.covariance[1, 1]))

    def standardize(self, scores: ArrayLike) -> Array:
        """Return ``(scores - center) / scale``, within 1e150 so that no product overflows."""
        with np.errstate(over="ignore"):  # infinity is cut off like any far score
            z = (np.asarray(scores, dtype=float) - self.center) / self.scale
        return np.asarray(np.clip(z, -_FAR, _FAR))

    def logit(self, scores: ArrayLike) -> Array:
        """Return the log-odds of the positive class, ``-(theta0 + theta1 * scores)``."""
        return np.asarray(-(self.beta0 + self.beta1 * self.standardize(scores)))

    def probability(self, scores: ArrayLike) -> Array:
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
    return 1.0 / (n_negative + 2.0), (n_positive + 1.0) / (n_positive + 2.0)


def fit_platt(scores: ArrayLike, negative: ArrayLike, positive: ArrayLike) -> PlattFit:
    """Fit Platt's sigmoid to distinct scores and their class weights (Xu eqs. 2-4).

    Parameters
    ----------
    scores : array_like of shape (m,)
        Sorted distinct scores.
    negative, positive : array_like of shape (m,)
        Weight of the negative and of the positive samples at each score.

    Returns
    -------
    PlattFit
        The optimum and its covariance.

    Raises
    ------
    ValueError
        If there are no scores, or no weight at all.

    Notes
    -----
    When all scores are equal the slope is not identified and ``theta1 = 0`` is chosen.

    Examples
    --------
    Two distinct scores are fitted exactly; with one sample a class the targets are 1/3 and 2/3:

    >>> fit = fit_platt([0.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    >>> fit.probability([0.0, 1.0]).round(6).tolist()
    [0.333333, 0.666667]
    """
    x, w0, w1 = (np.asarray(a, dtype=float) for a in (scores, negative, positive))
    kept = w0 + w1 > 0.0
    if not kept.any():
        raise ValueError("no samples to fit: give at least one score with a positive weight")
    t_minus, t_plus = platt_targets(float(w0.sum()), float(w1.sum()))
    target = (t_minus * w0 + t_plus * w1)[kept]
    x, weight = x[kept], (w0 + w1)[kept]
    total = float(weight.sum())
    center, scale = _location_scale(x, weight, total)
    if scale == 0.0:
        return _constant_fit(center, float(target.sum()), total)
    params = np.array([_logit(float(target.sum()) / total), 0.0])
    for _ in range(3):
        z = (x - center) / scale
        sums = np.array([target.sum(), np.einsum("i,i", target, z)])
        if z.size > 8 * _GROUPS:  # a cheap start saves all but two or three passes
            params, _ = _newton(_grouped(z, weight), sums, params)
        params, hessian = _newton((z, weight), sums, params)
        shift = hessian[0, 1] / hessian[0, 0]
        spread = float(np.sqrt(max(hessian[1, 1] / hessian[0, 0] - shift**2, 1e-300)))
        if abs(shift) < 1e3 * spread and 1e-3 < spread < 1e3:
            break
        # The informative scores are far from the origin in units of their spread: move there.
        params = np.array([params[0] + params[1] * shift, params[1] * spread])
        center, scale = center + shift * scale, scale * spread
    covariance = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
    return PlattFit(center, scale, -float(params[0]), -float(params[1]), covariance)


def confidence_interval(
    fit: PlattFit, scores: ArrayLike, confidence: float = 0.95
) -> tuple[Array, Array]:
    """Return normal-approximation limits of the probability at each score (Xu section 4.3).

    The linear predictor is asymptotically normal, with the variance that the inverse Fisher
    information gives it; its interval is mapped through the sigmoid (the delta method).

    Parameters
    ----------
    fit : PlattFit
        A fitted sigmoid.
    scores : array_like of shape (n,)
        Scores at which to calibrate.
    confidence : float
        Level of the two-sided interval, in (0, 1).

    Returns
    -------
    lower, upper : ndarray of shape (n,)
        Limits of the probability of the positive class. The masses of Xu eqs. 26-27 are
        ``confidence * lower`` and ``confidence * (1 - upper)``.

    Raises
    ------
    ValueError
        If the confidence is not in (0, 1).

    Examples
    --------
    >>> fit = fit_platt([0.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    >>> lower, upper = confidence_interval(fit, [0.5], 0.95)
    >>> bool(abs(lower[0] + upper[0] - 1) < 1e-12)
    True
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence}; expected a level strictly between 0 and 1")
    z = fit.standardize(scores)
    (v00, v01), (_, v11) = fit.covariance
    if not fit.identified:
        deviation = np.where(z == 0.0, np.sqrt(v00), np.inf)
    else:
        slope = np.sqrt(v11)  # a sum of squares: no overflow at far scores, never negative
        deviation = np.hypot(slope * z + v01 / slope, np.sqrt(max(v00 - v01 * v01 / v11, 0.0)))
    half = ndtri(0.5 + 0.5 * confidence) * deviation
    eta = -(fit.beta0 + fit.beta1 * z)
    return np.asarray(expit(eta - half)), np.asarray(expit(eta + half))


def _logit(p: float) -> float:
    return float(np.log(p) - np.log1p(-p))


def _location_scale(x: Array, weight: Array, total: float) -> tuple[float, float]:
    """Return weighted mean and standard deviation; the scale is 0 for one distinct score."""
    middle, span = float(x[x.size // 2]), float(x[-1] - x[0])
    if span == 0.0:
        return middle, 0.0
    t = (x - middle) / span  # an origin and a unit from the data: no cancellation, no overflow
    mean = float(np.einsum("i,i", weight, t)) / total
    variance = float(np.einsum("i,i", weight, (t - mean) ** 2)) / total
    return middle + mean * span, float(np.sqrt(variance)) * span


def _constant_fit(center: float, target: float, total: float) -> PlattFit:
    """Return the fit for a single distinct score: the slope is 0 by convention."""
    p = target / total
    covariance = np.array([[1.0 / (total * p * (1.0 - p)), 0.0], [0.0, np.inf]])
    return PlattFit(center, 1.0, -_logit(p), 0.0, covariance)


def _grouped(z: Array, weight: Array) -> tuple[Array, Array]:
    """Replace the scores by the weighted means of equal-count groups."""
    starts = np.linspace(0, z.size, _GROUPS, endpoint=False).astype(int)
    mass = np.add.reduceat(weight, starts)
    sums = np.add.reduceat(weight * z, starts)
    kept = mass > 0.0
    return sums[kept] / mass[kept], mass[kept]


def _newton(design: tuple[Array, Array], sums: Array, start: Array) -> tuple[Array, Array]:
    """Maximize the concave log-likelihood by Newton steps, halved until they gain.

    `sums` are the sums of the targets and of target times score: the labels enter through them
    only. Returns the parameters (intercept, slope of the log-odds) and the information there.
    """
    params = start
    value, gradient, hessian = _objective(design, sums, params)
    for _ in range(_MAX_STEPS):
        step = np.linalg.solve(hessian, gradient)
        decrement = float(gradient @ step)
        noise = 1e-13 * (1.0 + abs(value))
        for _ in range(60):
            trial = _objective(design, sums, params + step)
            if trial[0] >= value + 1e-4 * decrement - noise:
                break
            step, decrement = 0.5 * step, 0.5 * decrement
        params = params + step
        value, gradient, hessian = trial
        if decrement < _CONVERGED:
            break
    return params, hessian


def _objective(
    design: tuple[Array, Array], sums: Array, params: Array
) -> tuple[float, Array, Array]:
    """Return log-likelihood, gradient and negative Hessian, in one pass over the scores."""
    z_all, w_all = design
    total = np.zeros(6)
    for first in range(0, z_all.size, _CHUNK):
        z, w = z_all[first : first + _CHUNK], w_all[first : first + _CHUNK]
        eta = params[0] + params[1] * z
        small = np.exp(-np.abs(eta))
        upper = 1.0 / (1.0 + small)
        wp = w * np.where(eta >= 0.0, upper, small * upper)
        wv = w * (small * upper * upper)
        wvz = wv * z
        loss = w @ (np.maximum(eta, 0.0) + np.log1p(small))
        total += (loss, wp.sum(), wp @ z, wv.sum(), wvz.sum(), wvz @ z)
    value = float(sums @ params) - total[0]
    hessian = np.array([[total[3], total[4]], [total[4], total[5]]])
    return value, sums - total[1:3], hessian
