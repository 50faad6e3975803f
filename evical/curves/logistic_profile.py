"""Evidential logistic calibration by the likelihood: masses from the profile of the sigmoid.

The belief function on the two parameters of Platt's sigmoid is the consonant one of their relative
likelihood. It induces a plausibility on the probability at a score, the profile likelihood, and
from there a predictive mass function on the label. Fitting reduces the sample to a short
quadrature, computes the masses at a few scores and interpolates their log-odds, so that a
prediction is a table look-up and a fitted profile is a handful of plain arrays.

Source: Xu, Davoine, Zha & Denoeux, "Evidential calibration of binary SVM classifiers", IJAR 72
(2016), sections 3.4 and 4.3, equations 22-23 and 33-40.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dstheory.checks.arguments import as_floats
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.curves.linear_profile import LinearProfile
from evical.curves.platt import PlattFit
from evical.likelihood.interpolant import evaluate_piecewise, fit_piecewise
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import FINE, TURN, reach
from evical.likelihood.profile_table import accurate, contour, mass_log_odds, tabulated
from evical.likelihood.quadrature import KEPT, PANEL_LENGTH, compress, panel_edges, panels_resolve
from evical.scores.checks import refuse
from evical.scores.counts import ScoreCounts
from evical.scores.scale import standardized

_GREATEST_THETA = 1e150  # of a parameter, so that products with scores stay finite

_SCALES = 5e-324, 1.7e308
_GREATEST = float(np.finfo(np.float64).max)
_FARTHEST = 1e140  # its square, times any weight, is finite; every sigmoid has long ended there
_ROUNDS = 10  # of refining panels; two are the rule, and each halving brings the sample nearer
_LEVEL = 7.0  # the quadrature is made for all sigmoids within that many standard errors
_WIDER = 1.2  # the first circle: panels for it are then mostly those for the level set
_ANGLES = np.pi * np.arange(-3.5, 4.0) / 8.0  # directions in which such sigmoids are looked for
_FAR = 1e5  # at this many units of log-odds the masses are within 1e-9 of their 1 / s expansion
_MASS_TOLERANCE = 8e-9  # of the last Chebyshev coefficients; the masses err by less, mostly 1e-10
_LOG_TOLERANCE = 1e-4  # of the interpolated log-odds, that is relative, for masses above 1e-20


@dataclass(frozen=True, eq=False)
class LogisticProfile(ShownFields):
    """Fitted likelihood model of evidential logistic calibration; see `profile_of_counts`.

    All attributes are floats or plain arrays, and ``LogisticProfile(**arrays)`` with what
    `to_arrays` returned gives the same profile.

    Attributes
    ----------
    center, scale : float
        Scores are standardized as ``y = (s - center) / scale``, which makes the intercept and the
        slope at the optimum uncorrelated and equally certain.
    intercept, slope, unit : float
        The log-odds at the optimum are ``intercept + slope * y``; both have standard error `unit`.
    nodes, weights : ndarray of shape (m,)
        Quadrature of the training scores (standardized).
    limit : float
        Belief, at infinitely large scores, in the class that the slope points to.
    edges : ndarray of shape (p + 1,)
        Panels of the table, in ``asinh(y)``; empty when all training scores are equal.
    coefficients : ndarray of shape (2, q, p)
        Chebyshev coefficients of the log-odds of `m1` and `m0` (shape (2, 1, 1): at the only
        score, when all training scores are equal).
    """

    center: float
    scale: float
    intercept: float
    slope: float
    unit: float
    nodes: Floats
    weights: Floats
    limit: float
    edges: Floats
    coefficients: Floats

    def to_arrays(self) -> dict[str, Any]:
        """Return the attributes by name, as `LogisticProfile(**arrays)` needs."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _linear(self) -> LinearProfile:
        line = self.intercept, self.slope
        return sigmoid_profile(self.nodes, self.weights, line, self.unit)

    def probability(self, scores: ArrayLike) -> Floats:
        """Return the most plausible probability of the positive class, Platt's calibration."""
        return np.asarray(expit(self._log_odds(self._standardize(scores))))

    def masses(self, scores: ArrayLike) -> tuple[Floats, Floats]:
        """Return the predictive masses of the two classes (Xu eqs. 22-23, 40).

        Parameters
        ----------
        scores : array_like of shape (n,)
            Scores; infinite ones give the limits.

        Returns
        -------
        m1, m0 : ndarray of shape (n,)
            ``m({1}) = Bel({1})`` and ``m({0}) = 1 - Pl({1})``; the rest is on the whole frame.
            They bracket the probability `p` of Platt: ``m1 <= p <= 1 - m0``.

        Notes
        -----
        For scores going to the side of the positive class, `m0` tends to 0 and `m1` to the belief
        that the slope has the sign it was fitted with: one minus the relative likelihood of slope
        zero. The other side is the mirror image. No score, however extreme, is believed beyond
        that: the sample does not exclude that scores tell nothing.
        """
        y = self._standardize(scores)
        p = expit(self._log_odds(y))
        if not self.edges.size:
            m1, m0 = expit(self.coefficients[:, 0, 0])[:, None] * (y.ravel() == 0.0)
        else:
            m1, m0 = self._look_up(y.ravel())
        # Bel <= p <= Pl is a theorem; interpolation and rounding may miss it by their error.
        m1, m0 = np.minimum(m1.reshape(y.shape), p), np.minimum(m0.reshape(y.shape), 1.0 - p)
        return m1, np.where(1.0 - m0 < p, np.nextafter(m0, 0.0), m0)

    def contour(self, scores: ArrayLike, tau: ArrayLike) -> Floats:
        """Return the plausibility of a probability at a score (Xu eqs. 35-40, figure 6b).

        Parameters
        ----------
        scores : array_like
            Finite scores.
        tau : array_like
            Probabilities of the positive class, in [0, 1]; broadcast with `scores`.

        Returns
        -------
        ndarray
            Largest relative likelihood of the sigmoids that have the value `tau` at the score; 0
            where `tau` is 0 or 1.
        """
        return contour(self._standardize(scores), tau, self._profile_at)

    def level_set(self, scores: Floats, level: float) -> Floats:
        """Ends (2, n) of the probabilities with a plausibility of exp(-level) at least."""
        y = self._standardize(scores)
        return level_set(y, self._log_odds(y), self._linear.spread(y), self._profile_at, level)

    def _profile_at(self, y: Floats, log_odds: Floats) -> Floats:
        value = self._linear.at(y, log_odds)
        if self.edges.size:
            return value
        # Any log-odds is possible away from the only training score.
        return np.where(y[:, None] == 0.0, value, 0.0)

    def relative_likelihood(self, theta0: ArrayLike, theta1: ArrayLike) -> Floats:
        """Return the relative likelihood of sigmoids (Xu eq. 34, figure 6a).

        Parameters
        ----------
        theta0, theta1 : array_like
            Parameters in ``1 / (1 + exp(theta0 + theta1 * s))``; broadcast.

        Returns
        -------
        ndarray
            Values in [0, 1], 1 at Platt's fit.
        """
        theta0, theta1 = _parameter("theta0", theta0), _parameter("theta1", theta1)
        lines = np.stack([-(theta0 + theta1 * self.center), -theta1 * self.scale], axis=-1)
        value = self._linear.value(lines.reshape(-1, 2) / self.unit)
        return np.exp(-value).reshape(lines.shape[:-1])

    def _standardize(self, scores: ArrayLike) -> Floats:
        # Infinite scores have their limits.
        return standardized(as_floats(scores, "scores"), self.center, self.scale)

    def _log_odds(self, y: Floats) -> Floats:
        if self.slope == 0.0:  # not 0 * inf
            return np.full(y.shape, self.intercept)
        with np.errstate(over="ignore"):
            return np.asarray(self.intercept + self.slope * y)

    def _look_up(self, y: Floats) -> Floats:
        """Return the masses (2, n): the table, and its 1 / y continuation on both sides."""
        x = np.arcsinh(y)
        masses = np.asarray(expit(evaluate_piecewise(self.edges, self.coefficients, x)))
        far = np.flatnonzero((x < self.edges[0]) | (x > self.edges[-1]))
        if far.size:
            end = float(np.sinh(self.edges[-1]))  # the table is symmetric
            toward = np.sign(self.slope) * np.sign(y[far]) > 0.0
            limits = self.limit * np.stack([toward, ~toward])
            masses[:, far] = limits + (masses[:, far] - limits) * (end / np.abs(y[far]))
        return masses


def profile_of_counts(counts: ScoreCounts, fit: PlattFit) -> LogisticProfile:
    """Fit the likelihood model to counts, which need no check."""
    x, weight = counts.scores, counts.total
    center, scale, unit = _fisher_coordinates(fit)
    origin = float(standardized(np.array(center), fit.center, fit.scale))
    line = -(fit.beta0 + fit.beta1 * origin), -fit.beta1 * (scale / fit.scale)
    y = np.clip(standardized(x, center, scale), -_FARTHEST, _FARTHEST)
    linear = sigmoid_profile(y, weight, line, unit)
    if fit.identified:
        linear = _reduced(linear, unit)
        edges, coefficients = _table(linear, unit)
        limit = _belief_in_slope(linear, unit)
    else:
        edges, coefficients = np.empty(0), mass_log_odds(linear, np.zeros(1)).T[:, :, None]
        limit = 0.0
    return LogisticProfile(
        center, scale, *line, unit, linear.nodes, linear.weights, limit, edges, coefficients
    )


def sigmoid_profile(
    nodes: Floats, weights: Floats, line: tuple[float, float], unit: float
) -> LinearProfile:
    """Profile of sigmoids with intercept and slope in units of their common standard error."""
    ends = nodes[[0, -1]] if nodes[0] < nodes[-1] else nodes[0] + np.array([0.0, 1.0])
    return LinearProfile(partial(_line, unit), TURN, nodes, weights, np.array(line) / unit, ends)


def _line(unit: float, y: Floats) -> Floats:
    return unit * np.stack([np.ones_like(y), y], axis=1)


def _fisher_coordinates(fit: PlattFit) -> tuple[float, float, float]:
    """Return center and scale that make the information a multiple of the identity, and it."""
    (v00, v01), (_, v11) = fit.covariance.tolist()
    if not fit.identified:
        return fit.center, fit.scale, float(np.sqrt(v00))
    unit = float(np.sqrt(v00 - v01 * v01 / v11))
    # Rounding the center is harmless: parameters are carried over to what it was rounded to.
    quarter = fit.center / 4 - v01 / v11 * (fit.scale / 4)  # on the way it may overflow
    center = 4 * min(max(quarter, -_GREATEST / 4), _GREATEST / 4)
    return center, float(np.clip(fit.scale * (unit / float(np.sqrt(v11))), *_SCALES)), unit


def _reduced(exact: LinearProfile, unit: float, length: float = PANEL_LENGTH) -> LinearProfile:
    """Replace the sample by a quadrature that serves all sigmoids of some plausibility.

    The panels are made for a circle around the optimum, then checked against the extremes of a
    level set, which the quadrature itself locates, and made again for those if need be. In the end
    the steepest of them is compared with the whole sample.
    """
    y, reduced = exact.nodes, exact
    circle = _WIDER * _LEVEL * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
    lines = unit * (exact.parameters + np.concatenate([circle, -circle]))
    for _ in range(_ROUNDS if y.size > KEPT else 0):
        edges = panel_edges(y, lines, length)
        nodes, weights = compress(y, exact.weights, edges)
        reduced = replace(exact, nodes=nodes, weights=weights, places=nodes[[0, -1]])
        extremes = _extremes(reduced)
        if not panels_resolve(y, edges, unit * extremes, 1.25 * length):
            lines = np.concatenate([lines, unit * extremes])
        elif _agree(exact, reduced, extremes, unit):
            break
        else:
            length *= 0.5
    return reduced


def _extremes(linear: LinearProfile) -> Floats:
    """Return the parameters of sixteen lines around the level set of `_LEVEL` standard errors."""
    y, sign = np.tile(np.tan(_ANGLES), 2), np.repeat([1.0, -1.0], _ANGLES.size)
    along, across = reach(linear, y, sign, _LEVEL)
    return np.asarray(linear.parameters + along[:, None] * linear.rays(y)[1] + across.T)


def _agree(exact: LinearProfile, reduced: LinearProfile, lines: Floats, unit: float) -> bool:
    """Whether two profiles agree as far as the masses can tell, on the two steepest lines."""
    steepest = lines[np.argsort(-np.abs(lines[:, 1]))[:2]]
    error = np.abs(exact.value(steepest) - reduced.value(steepest)).max()
    return bool(error * min(1.0, unit) <= 1e-8)  # an error in D moves a mass by unit * error


def _table(linear: LinearProfile, unit: float) -> tuple[Floats, Floats]:
    """Interpolate the log-odds of the masses in asinh(y), far into both tails."""
    end = float(np.arcsinh(_FAR * max(1.0, 1.0 / unit)))
    profile = tabulated(linear, FINE)
    return fit_piecewise(
        lambda x: mass_log_odds(profile, np.sinh(x)),
        np.linspace(-end, end, 9),
        partial(accurate, mass_tolerance=_MASS_TOLERANCE, log_tolerance=_LOG_TOLERANCE),
    )


def _belief_in_slope(linear: LinearProfile, unit: float) -> float:
    """Return one minus the relative likelihood of slope zero, the intercept being free.

    The best constant has the mean of the targets, which is that of the fitted probabilities.
    """
    log_odds = linear.mle(linear.nodes)
    favor, against = linear.weights @ expit(log_odds), linear.weights @ expit(-log_odds)
    constant = (np.log(favor) - np.log(against)) / unit
    return float(-np.expm1(-linear.value(np.array([[constant, 0.0]])))[0])


def _parameter(name: str, values: ArrayLike) -> Floats:
    array = as_floats(values, name)
    expected = f"a number from {-_GREATEST_THETA:g} to {_GREATEST_THETA:g}"
    refuse(array, ~(np.abs(array) <= _GREATEST_THETA), name, expected)
    return array
