"""Simple normalization: unbounded scores to [0, 1], with 0 going to 1/2.

The results look like probabilities and nothing more. They serve as input to methods defined on [0,
1], and as the baseline for what calibration gains (Gebel 2009, section 4.1).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from evical._fitting import number
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.curves.platt import platt_targets
from evical.scores import ScoreCounts
from evical.scores.scale import sides

_STEEPEST = 1e300
_LOG_STEEPEST = float(np.log(_STEEPEST))


@dataclass(kw_only=True, eq=False, repr=False)
class NormalizingCalibrator(BaseCalibrator):
    """Normalization of margins to [0, 1], for use before another method.

    Parameters
    ----------
    method : {"range", "softmax", "exponential"}
        "range" divides by twice the greatest absolute score (eq. 4.1). The others take
        exp(alpha_k s_k) over the sum of that over both classes (eq. 4.2), where the score of the
        negative class is the negative of that of the positive one: "softmax" with alpha_k = 1,
        "exponential" (E-calibration) with the most likely alpha_k.
    rho : float
        Smoothing factor of "range", at least 1: above 1, training scores stay away from 0 and 1
        (the thesis has 1.05).
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks; "auto" takes the sigmoid of standardized scores, if one in training lies
        outside [0, 1].
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    largest_ : float
        Greatest absolute training score.
    alphas_ : (2,) array
        alpha of the negative and of the positive class; only their sum matters, and they are
        equal. Zero for the method "range".

    Notes
    -----
    With "range", scores beyond the training scores may leave [0, 1] and are clipped. The
    denominator of eq. 4.2 is printed as the exponential of a sum; it is a sum of exponentials. The
    alphas maximize the likelihood with Platt's targets for labels, so separable classes need no
    special care. A normalization keeps the order of the scores. If a decreasing map would be more
    likely, or if all scores are 0, the alphas are 0 and all probabilities 1/2.

    References
    ----------
    Gebel (2009), Multivariate calibration of classifier scores into the probability space,
    section 4.1. Bridle (1989) for softmax.

    Examples
    --------
    >>> scores, y = [-2.0, -1.0, 1.0], [0, 0, 1]
    >>> NormalizingCalibrator(rho=1.0).fit(scores, y).predict_proba([-2.0, 0.0, 1.0])[:, 1]
    array([0.  , 0.5 , 0.75])
    >>> softmax = NormalizingCalibrator(method="softmax").fit(scores, y)
    >>> softmax.predict_proba([np.log(2)])[:, 1].round(9)
    array([0.8])
    """

    _ranges: ClassVar = {"rho": number("a number from 1", lambda x: 1 <= x < np.inf)}
    _state: ClassVar = {
        "largest_": fields.Field(least=0.0),
        "alphas_": fields.Field((2,), 0.0, _STEEPEST),
    }

    method: Literal["range", "softmax", "exponential"] = "range"
    rho: float = 1.05
    transform: str | None = None
    extrapolate: bool = True

    def _fit_counts(self, counts: ScoreCounts) -> None:
        self.largest_ = float(np.abs(counts.scores).max())
        slope = {"range": 0.0, "softmax": 2.0}.get(self.method)
        if slope is None:
            slope = _slope(counts, self.largest_)
        self.alphas_ = np.full(2, slope / 2)

    def _predict_positive(self, scores: Floats) -> Floats:
        if self.method != "range":
            return np.asarray(expit(self.alphas_.sum() * scores))
        if self.largest_ == 0.0:
            return np.full(scores.shape, 0.5)
        with np.errstate(over="ignore"):  # clipped at once
            share = scores / self.largest_
        return np.clip((share / self.rho + 1) / 2, 0.0, 1.0)

    def _landmarks(self) -> Floats:
        return np.array([-1.0, 0.0, 1.0]) * self.rho * self.largest_

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        if self.method == "range":
            return super()._predict_mass(scores)
        with np.errstate(over="ignore"):  # log-odds beyond the largest float are read as it
            return sides(np.clip(self.alphas_.sum() * scores, -_STEEPEST, _STEEPEST))


def _slope(counts: ScoreCounts, unit: float) -> float:
    """Most likely slope of log-odds through the origin, from 0, with Platt's targets.

    The derivative of the log-likelihood falls as the slope grows; its root is bracketed on the
    log scale, on which it takes the same few steps wherever it lies.
    """
    if unit == 0.0:
        return 0.0
    x, weight = counts.scores / unit, counts.total
    low_target, high_target = platt_targets(counts.n_negative, counts.n_positive)
    target = low_target * counts.negative + high_target * counts.positive

    def gain(log_slope: float) -> float:
        with np.errstate(over="ignore", under="ignore"):  # saturated
            return float((target - weight * expit(np.exp(log_slope) * x)) @ x)

    if gain(-_LOG_STEEPEST) <= 0.0:
        return 0.0
    root = _LOG_STEEPEST if gain(_LOG_STEEPEST) >= 0.0 else _root(gain)
    # Of denormal scores, the slope may exceed the largest float.
    with np.errstate(over="ignore"):
        return float(min(np.exp(root) / unit, _STEEPEST))


def _root(gain: Callable[[float], float]) -> float:
    """Where the derivative changes its sign, by bisection at worst, which always ends."""
    return float(brentq(gain, -_LOG_STEEPEST, _LOG_STEEPEST, xtol=1e-14, maxiter=1000))
