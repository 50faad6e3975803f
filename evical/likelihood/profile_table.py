"""Tables of predictive masses over the scores, for any parametric model.

A likelihood on the parameters of a model leaves a plausibility exp(-D) on the log-odds at a score,
and with it a belief function on the label there (`integrals.belief_log_odds`). It is computed at a
few scores and interpolated, so that a prediction is a table look-up.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 35-40.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from dstheory.checks.arguments import as_floats
from evical._typing import Floats
from evical.errors import ConvergenceError
from evical.likelihood.integrals import CORNERS, ProfileAt, belief_log_odds
from evical.likelihood.interpolant import evaluate_piecewise, fit_piecewise
from evical.likelihood.polar import ENOUGH, PolarProfile, Profiled, tabulate_profile
from evical.scores.checks import refuse

_CAP = 60.0  # log-odds in the table; keeps panels that nobody sees from swinging into sight
_MASS_TOLERANCE = 1e-7  # of the last coefficients; the masses err by less, mostly 1e-8
_LOG_TOLERANCE = 1e-3


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
        raise ValueError("saved calibrator is damaged: state edges and coefficients do not fit")


def tabulated(profile: Profiled, tolerance: float = ENOUGH) -> Profiled | PolarProfile:
    """A table of the profile, or itself where a table would not pay."""
    try:
        return tabulate_profile(profile, tolerance) or profile
    except ConvergenceError:  # far out, where integrals need not look
        return profile


def mass_log_odds(profile: Profiled | PolarProfile, y: Floats) -> Floats:
    """Log-odds (k, 2) of m({1}) and m({0}) at scores (k,)."""
    if isinstance(profile, PolarProfile):
        rays = profile.along(y)
        return belief_log_odds(np.arange(len(y)), rays.mle, rays.spread, rays.at)
    return belief_log_odds(y, profile.mle(y), profile.spread(y), profile.at, rough=CORNERS)


def fit_mass_table(function: Callable[[Floats], Floats], edges: Floats) -> MassTable:
    """Tabulate log-odds of masses, from points (k,) to (k, 2), beginning with some panels.

    Masses are interpolated to an error of some 1e-8.
    """
    return MassTable(*fit_piecewise(lambda x: np.clip(function(x), -_CAP, _CAP), edges, accurate))


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
    refuse(tau, ~((tau >= 0) & (tau <= 1)), "probability", "a number in [0, 1]")
    result = np.zeros(s.shape)
    inside = (tau > 0) & (tau < 1)
    if not inside.any():
        return result
    result[inside] = np.exp(-profile(s[inside], logit(tau[inside])[:, None])[:, 0])
    return result


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
