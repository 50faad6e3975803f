"""Predictive masses of one future label, from the profile likelihood of its log-odds.

With `eta` the log-odds at a score and `D` its profile deviance, the belief in the positive class
is the integral of ``sigmoid'(eta) * (1 - exp(-D))`` below the optimum. The integrand has two
scales, that of the sigmoid and the standard error of `eta`; the substitution
``eta = pi * sinh(t)``, which is aimed at the poles of the sigmoid, makes it smooth on both.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 40.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evical.scores._deviance import Deviance

Array = NDArray[np.float64]

_LEVEL = 7.0  # standard errors; what lies beyond is exp(-_LEVEL**2 / 2) = 2e-11, plausible or not
_TAIL = 40.0  # log-odds beyond which the sigmoid is flat: exp(-40) = 4e-18
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(28)  # error below 3e-10; 24 points give 7e-9


def mass_log_odds(deviance: Deviance, y: Array) -> Array:
    """Return the log-odds of the masses of the positive and of the negative class.

    Parameters
    ----------
    deviance : Deviance
        Profile likelihood of the sample.
    y : ndarray of shape (k,)
        Standardized scores.

    Returns
    -------
    ndarray of shape (k, 2)
        ``log(m / (1 - m))`` for ``m1 = m({1})`` and ``m0 = m({0})``. Log-odds keep the relative
        precision of masses that are nearly zero.
    """
    sign = np.repeat([1.0, -1.0], y.size)
    return _belief_log_odds(deviance, np.concatenate([y, y]), sign).reshape(2, -1).T


def _belief_log_odds(deviance: Deviance, y: Array, sign: Array) -> Array:
    """Return the log-odds of Bel({1}), and where `sign` is -1 of Bel({0}) (labels exchanged)."""
    spread = deviance.unit * np.sqrt(1.0 + y * y)
    top = sign * (deviance.intercept + deviance.slope * y)
    end, across = deviance.reach(y, -sign, _LEVEL)
    bottom = top - spread * np.abs(end)
    low = np.maximum(bottom, np.minimum(top, 0.0) - _TAIL)
    high = np.minimum(top, np.maximum(low, _TAIL))
    eta, measure = _substituted_rule(low, high)
    along = (eta - top[:, None]) * (sign / spread)[:, None]
    guess = across[:, None] * (along / end[:, None]) ** 2  # across the profile it is quadratic
    value, _ = deviance.profile(along.ravel(), np.repeat(y, _POINTS.size), guess.ravel())
    value = value.reshape(eta.shape)
    # Everything is divided by exp(shift), the size of the sigmoid at the top, against underflow.
    shift = np.minimum(top, 0.0)
    measure *= np.exp(-np.abs(eta) - shift[:, None]) / (1.0 + np.exp(-np.abs(eta))) ** 2
    inside = np.where(low == bottom, _scaled_sigmoid(low, shift), 0.0)
    inside -= (measure * np.expm1(-value)).sum(axis=1)
    outside = _scaled_sigmoid(-high, np.zeros_like(high))
    outside += np.exp(shift) * (measure * np.exp(-value)).sum(axis=1)
    return np.asarray(np.log(inside) + shift - np.log(np.maximum(outside, 1e-300)))


def _substituted_rule(low: Array, high: Array) -> tuple[Array, Array]:
    """Return Gauss-Legendre nodes (k, q) and weights on [low, high] in t, eta = pi sinh(t)."""
    first, last = np.arcsinh(low / np.pi), np.arcsinh(high / np.pi)
    half = 0.5 * (last - first)[:, None]
    t = 0.5 * (first + last)[:, None] + half * _POINTS
    return np.pi * np.sinh(t), half * _WEIGHTS * np.pi * np.cosh(t)


def _scaled_sigmoid(eta: Array, shift: Array) -> Array:
    """Return sigmoid(eta) / exp(shift)."""
    return np.asarray(np.exp(np.minimum(eta, 0.0) - shift) / (1.0 + np.exp(-np.abs(eta))))
