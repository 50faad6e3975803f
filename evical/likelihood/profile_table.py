"""Predictive masses from the profile likelihood of the log-odds, for any parametric model.

A likelihood on the parameters of a model leaves a plausibility exp(-D) on the log-odds at a score,
and with it a belief function on the label there. Bel of a class is the integral of the sigmoid's
density times ``1 - exp(-D)`` on the far side of the optimum; it is computed at a few scores and
interpolated, so that a prediction is a table look-up.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 35-40.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from dstheory.kernels.arguments import as_floats
from evical.likelihood.interpolant import evaluate_piecewise, fit_piecewise

__all__ = [
    "MassTable",
    "ProfileAt",
    "accurate",
    "check_table",
    "contour",
    "fit_mass_table",
    "profile_log_odds",
]

Floats = NDArray[np.float64]
ProfileAt = Callable[[Floats, Floats], Floats]
"""From scores (k,) and log-odds (k, q) to profile deviances (k, q)."""

_TAIL = 40.0  # log-odds beyond which the sigmoid is flat: exp(-40) = 4e-18
_IMPLAUSIBLE = 36.0  # deviances beyond which exp(-D) = 2e-16 is no plausibility
_GROWTHS = 80
_PATIENCE = 8  # steps; then brackets are halved
_PANELS = 2
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(18)
_CAP = 60.0  # log-odds in the table; keeps panels that nobody sees from swinging into sight
_MASS_TOLERANCE = 1e-8
_LOG_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class MassTable:
    """Masses of both classes as a function of the score.

    Parameters
    ----------
    edges : (p + 1,) array
        Panels on the axis of the table; empty where there is nothing to interpolate.
    coefficients : (2, q, p) array
        Chebyshev coefficients of the log-odds of m({1}) and m({0}) on each panel.
    """

    edges: Floats
    coefficients: Floats

    def masses(self, x: Floats, log_odds: Floats) -> tuple[Floats, Floats]:
        """m({1}) and m({0}) at points of the axis, given the most plausible log-odds there.

        Points outside of the panels take the value at the nearest end. Bel <= p <= Pl is a
        theorem; interpolation and rounding may miss it by their error, and are kept to it.
        """
        m1, m0 = expit(evaluate_piecewise(self.edges, self.coefficients, x))
        p1, p0 = expit(log_odds), expit(-log_odds)
        return np.asarray(np.minimum(m1, p1)), np.asarray(np.minimum(m0, p0))


def check_table(table: MassTable) -> None:
    """Raise unless a restored table can be what was saved."""
    shape, panels = np.shape(table.coefficients), np.size(table.edges) - 1
    fits = len(shape) == 3 and shape[0] == 2 and shape[1] > 0 and shape[2] == panels > 0
    if np.ndim(table.edges) != 1 or not fits or not (table.edges[1:] > table.edges[:-1]).all():
        raise ValueError("saved calibrator is damaged: state edges and coefficients are no table")


def fit_mass_table(function: Callable[[Floats], Floats], edges: Floats) -> MassTable:
    """Tabulate log-odds of masses, from points (k,) to (k, 2), beginning with some panels.

    Masses are interpolated to an error of some 1e-8.
    """
    return MassTable(*fit_piecewise(lambda x: np.clip(function(x), -_CAP, _CAP), edges, accurate))


def profile_log_odds(scores: Floats, top: Floats, spread: Floats, profile: ProfileAt) -> Floats:
    """Log-odds of the masses of the positive and of the negative class.

    Parameters
    ----------
    scores : (k,) array
        As `profile` takes them.
    top, spread : (k,) arrays
        Most plausible log-odds at each score, and their standard error (a first guess only).
    profile : callable
        Profile deviance: convex in the log-odds, 0 at the top.

    Returns
    -------
    (k, 2) array
        log(m / (1 - m)), which keeps the relative precision of small masses.

    Examples
    --------
    With D = 0 at the top and very large elsewhere there is no doubt about p = 1/2:

    >>> zero = np.zeros(1)
    >>> bool(abs(profile_log_odds(zero, zero, zero + 1e-6, lambda s, e: 5e11 * e**2)).max() < 1e-5)
    True
    """
    sides = [_belief_log_odds(scores, sign, top, spread, profile) for sign in (1.0, -1.0)]
    return np.stack(sides, axis=1)


def contour(scores: Floats, probability: ArrayLike, profile: ProfileAt) -> Floats:
    """Plausibility of probabilities of the positive class at scores (Xu eq. 40).

    Parameters
    ----------
    scores, probability : arrays that broadcast
    profile : callable
        Profile deviance.

    Returns
    -------
    array of the common shape
        0 where the probability is 0 or 1.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1].

    Examples
    --------
    >>> contour(np.zeros(1), [0.5, 1.0], lambda scores, log_odds: log_odds**2).tolist()
    [1.0, 0.0]
    """
    tau = as_floats(probability, "probability")
    try:
        s, tau = np.broadcast_arrays(scores, tau)
    except ValueError as error:
        shapes = f"{np.shape(scores)} and {tau.shape}"
        raise ValueError(
            f"scores and probability have shapes {shapes}, which do not broadcast"
        ) from error
    outside = ~((tau >= 0) & (tau <= 1))
    if outside.any():
        raise ValueError(f"probability is {tau[outside][0]}, expected numbers in [0, 1]")
    result = np.zeros(s.shape)
    inside = (tau > 0) & (tau < 1)
    if not inside.any():
        return result
    result[inside] = np.exp(-profile(s[inside], logit(tau[inside])[:, None])[:, 0])
    return result


def _belief_log_odds(
    scores: Floats, sign: float, top: Floats, spread: Floats, profile: ProfileAt
) -> Floats:
    """Log-odds of Bel({1}), or of Bel({0}) where `sign` is -1 (labels exchanged)."""
    highest = sign * top
    shift = np.minimum(highest, 0.0)  # all is divided by exp(shift), against underflow
    bottom = highest - _reach(scores, sign, top, spread, profile)
    low = np.maximum(bottom, shift - _TAIL)
    high = np.minimum(highest, np.maximum(low, _TAIL))
    eta, measure = _nodes(low, high)
    deviance = profile(scores, sign * eta)
    size = np.exp(-np.abs(eta))
    # Log-odds beyond 1e16 are rounded by more than their differences; they never exceed the shift.
    measure = measure * np.exp(np.minimum(-np.abs(eta) - shift[:, None], 0.0)) / (1.0 + size) ** 2
    inside = -(measure * np.expm1(-deviance)).sum(axis=1)
    inside += np.where(low == bottom, _scaled_sigmoid(low, shift), 0.0)
    probable = (measure * np.exp(-deviance)).sum(axis=1)
    outside = _scaled_sigmoid(-high, np.zeros_like(high)) + np.exp(shift) * probable
    inside, outside = np.maximum(inside, 1e-300), np.maximum(outside, 1e-300)
    return np.asarray(np.log(inside) + shift - np.log(outside))


def _nodes(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Gauss nodes in t, with eta = pi * sinh(t), which is aimed at the poles of the sigmoid."""
    first, last = np.arcsinh(low / np.pi), np.arcsinh(high / np.pi)
    place = ((np.arange(_PANELS)[:, None] + 0.5 * (1.0 + _POINTS)) / _PANELS).ravel()
    t = first[:, None] + (last - first)[:, None] * place
    weights = np.tile(_WEIGHTS, _PANELS) * (0.5 / _PANELS)
    return np.pi * np.sinh(t), (last - first)[:, None] * weights * np.pi * np.cosh(t)


def _reach(scores: Floats, sign: float, top: Floats, spread: Floats, profile: ProfileAt) -> Floats:
    """How far from the top the deviance leaves no plausibility; three times that at most."""
    step = np.sqrt(2.0 * _IMPLAUSIBLE) * spread
    # Beyond the tail of the sigmoid nothing is added.
    enough = np.maximum(sign * top, 0.0) + _TAIL + 1.0
    near, far = np.zeros_like(step), np.full_like(step, np.inf)
    for count in range(_GROWTHS):
        value = profile(scores, (top - sign * step)[:, None])[:, 0]
        short, long = (value < _IMPLAUSIBLE) & (step < enough), value > 3.0 * _IMPLAUSIBLE
        if not (short | long).any():
            break
        near, far = np.where(short, step, near), np.where(long, step, far)
        factor = np.sqrt(2.0 * _IMPLAUSIBLE / np.maximum(value, 1e-300))
        new = step * np.where(short | long, np.clip(factor, 0.25, 4.0), 1.0)
        middle = np.where(np.isinf(far), 4.0 * step, 0.5 * (near + far))
        useless = (new <= near) | (new >= far) | (count > _PATIENCE)
        step = np.where((short | long) & useless, middle, new)
    return np.asarray(step)


def _scaled_sigmoid(eta: Floats, shift: Floats) -> Floats:
    """sigmoid(eta) / exp(shift)."""
    return np.asarray(np.exp(np.minimum(eta, 0.0) - shift) / (1.0 + np.exp(-np.abs(eta))))


def accurate(
    values: Floats,
    error: Floats,
    mass_tolerance: float = _MASS_TOLERANCE,
    log_tolerance: float = _LOG_TOLERANCE,
) -> NDArray[np.bool_]:
    """Whether masses are accurate, and log-odds where they show in the masses.

    The log-odds of a small mass matter as far as it fills the plausibility of its class: with
    probabilities near 0 it does, where nothing is known the rest is on the frame, and the mass
    is no more than rounding.
    """
    mass = np.asarray(expit(values))
    sensitivity = (mass * (1.0 - mass)).max(axis=1)
    visible = ((values > -46.0) & (values < 20.0)).any(axis=1)
    share = (mass / expit(-values[..., ::-1])).max(axis=1)
    good = (error * sensitivity < mass_tolerance) & (error * visible * share < log_tolerance)
    return np.asarray(good.all(axis=1))
