"""Temperature scaling of margins, and what the sample leaves open about the temperature.

Log-odds are margins divided by one positive number T, which is fitted by maximum likelihood. With
one parameter the profile likelihood has a closed form: log-odds eta at a margin z mean the inverse
temperature eta / z and no other, so that their plausibility is its relative likelihood.

Source: Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML (2017),
section 4.2; Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 15-17 and 33-40.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.curves._linear_logistic import fit_linear_logistic
from evical.curves.bounded_profile import BoundedProfile
from evical.curves.platt import soft_counts
from evical.errors import ConvergenceError
from evical.likelihood.integrals import NO_PROFILE
from evical.likelihood.polar import TURN
from evical.likelihood.profile_table import MassTable, fit_mass_table
from evical.likelihood.quadrature import KEPT, compress, panel_edges
from evical.scores.counts import ScoreCounts

_LENGTH = 0.5  # of panels, in the metric of `panel_edges`: half of what one line needs
_LEVEL = 6.0  # standard errors by which the inverse temperature may be elsewhere
_IMPLAUSIBLE = 36.0  # deviances beyond which exp(-D) = 2e-16 is no plausibility
_FAR = 1e150  # log-odds are cut off there, where every sigmoid has long ended
_GROWTHS = 200
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_REACH = 1e7  # margins in the table, in units of 1 / (inverse temperature or its error)


@dataclass(frozen=True, eq=False)
class TemperatureFit:
    """Fitted inverse temperature of margins divided by a scale.

    Parameters
    ----------
    scale : float
        Unit of the margins: the greatest one of the sample.
    inverse : float
        Inverse temperature of margins in that unit; not negative.
    deviation : float
        Its standard error; 0 where it is not identified, because all margins are 0.
    """

    scale: float
    inverse: float
    deviation: float

    def standardize(self, margins: Floats) -> Floats:
        """Margins in units of the scale."""
        with np.errstate(over="ignore"):  # clipped at once
            return np.clip(margins / self.scale, -_FAR, _FAR)

    def log_odds(self, margins: Floats) -> Floats:
        """Log-odds of the positive class."""
        return np.clip(self.inverse * self.standardize(margins), -_FAR, _FAR)


def fit_temperature(counts: ScoreCounts, smooth: bool) -> TemperatureFit:
    """Fit the inverse temperature, a convex problem.

    Parameters
    ----------
    counts : ScoreCounts
        Scores are margins.
    smooth : bool
        Whether Platt's targets replace the labels.

    Returns
    -------
    TemperatureFit
        With inverse temperature 0 where the margins point the wrong way, or are all 0.

    Examples
    --------
    One margin of 2, three times right and once wrong, has log-odds of log(3):

    >>> fit = fit_temperature(ScoreCounts(np.array([2.0]), np.ones(1), 3 * np.ones(1)), False)
    >>> bool(abs(fit.inverse / fit.scale - np.log(3) / 2) < 1e-9)
    True
    """
    scale = float(np.abs(counts.scores).max())
    if scale == 0.0:
        return TemperatureFit(1.0, 0.0, 0.0)
    z = counts.scores / scale
    fit = fit_linear_logistic(z[None], *soft_counts(counts, smooth), intercept=False)
    inverse = float(fit.parameters[0])
    if inverse < 0.0:
        return TemperatureFit(scale, 0.0, 2.0 / float(np.sqrt(counts.total @ z**2)))
    return TemperatureFit(scale, inverse, float(np.sqrt(fit.covariance[0, 0])))


@dataclass(frozen=True, eq=False)
class TemperatureProfile:
    """Relative likelihood of inverse temperatures, and the masses that follow from it.

    Parameters
    ----------
    fit : TemperatureFit
    nodes, weights : (m,) arrays
        Margins in units of the scale, or a quadrature of the sample.
    slope : float
        Derivative of the log-likelihood at the optimum; negative if that is 0, else 0.
    """

    fit: TemperatureFit
    nodes: Floats
    weights: Floats
    slope: float

    @cached_property
    def linear(self) -> BoundedProfile:
        """The profile in the inverse temperature."""
        return BoundedProfile(
            _features,
            TURN,
            self.nodes,
            self.weights,
            np.array([self.fit.inverse]),
            self.nodes[-1:],
            slope=np.array([self.slope]),
            bounded=1,
        )

    def deviance(self, inverse: Floats) -> Floats:
        """Minus the log relative likelihood of inverse temperatures (k,), not negative ones."""
        return self._with_derivative(inverse)[0]

    def at(self, margins: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at margins (k,), or infinity."""
        return self.linear.at(margins, log_odds)

    def level_set(self, margins: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return self.linear.level_set(margins, level)

    def _with_derivative(self, inverse: Floats) -> tuple[Floats, Floats]:
        value, slope, _ = self.linear.derivatives((inverse - self.fit.inverse)[:, None])
        return np.maximum(value, 0.0), slope[:, 0]

    @cached_property
    def _mixtures(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Weighted inverse temperatures: the lower and the upper end of the random interval.

        The interval holds what is at least as plausible as a uniform level; its ends have the
        density exp(-D) |D'| beside the optimum, and the lower one the atom exp(-D(0)) at 0.
        """
        least, best, greatest = self._end(-1.0), self.fit.inverse, self._end(1.0)
        sides = []
        for first, last in ((least, best), (best, greatest)):
            points, measure = _graded(first, last)
            value, slope = self._with_derivative(points)
            sides.append((points, measure * np.exp(-value) * np.abs(slope)))
        lower, upper = sides
        atom = np.exp(-self.deviance(np.array([least])))
        lower = np.append(lower[0], least), np.append(lower[1], atom)
        return _normed(*lower), _normed(*upper)

    def _end(self, sign: float) -> float:
        """An inverse temperature beyond which nothing is plausible, or 0."""
        moves = sign * self.fit.deviation * 1.3 ** np.arange(_GROWTHS)
        ends = np.maximum(self.fit.inverse + moves, 0.0)
        found = np.flatnonzero((ends == 0.0) | (self.deviance(ends) > _IMPLAUSIBLE))
        if not len(found):
            raise ConvergenceError(NO_PROFILE)
        return float(ends[found[0]])

    def mass_log_odds(self, size: Floats) -> Floats:
        """Log-odds (k, 2) of the masses of the class that margins (k,) > 0 favor, and of the other.

        The former is the mean of the probability over the lower ends, the latter one minus that
        over the upper ends.
        """
        (low, share), (high, part) = self._mixtures
        favored, against = size[:, None] * low, size[:, None] * high
        with np.errstate(divide="ignore"):  # nothing left of a mass: the table cuts it off
            return np.stack(
                [
                    np.log(expit(favored) @ share) - np.log(expit(-favored) @ share),
                    np.log(expit(-against) @ part) - np.log(expit(against) @ part),
                ],
                axis=1,
            )

    @property
    def unit(self) -> float:
        """Margins where the sigmoid, or doubt about the temperature, begins to show."""
        return 1.0 / (max(self.fit.inverse, self.fit.deviation) or 1.0)

    def table(self) -> MassTable:
        """Masses over asinh of the size of margins in this unit."""
        if self.fit.deviation == 0.0:  # nothing is known of the temperature
            return MassTable(np.array([0.0, 1.0]), np.array([[[0.0]], [[-60.0]]]))
        end = float(np.arcsinh(_REACH))
        return fit_mass_table(
            lambda x: self.mass_log_odds(self.unit * np.sinh(x)), np.linspace(0.0, end, 9)
        )


def _features(z: Floats) -> Floats:
    return z[:, None]


def _graded(first: float, last: float) -> tuple[Floats, Floats]:
    """Gauss nodes and weights between two inverse temperatures, denser towards 0."""
    if last <= first:
        return np.empty(0), np.empty(0)
    even = np.linspace(first, last, 13)
    hot = last * 0.5 ** np.arange(1.0, 30.0) if first == 0.0 else np.empty(0)
    edges = np.unique(np.concatenate([even, hot]))
    half = 0.5 * np.diff(edges)[:, None]
    points = edges[:-1, None] + half * (1.0 + _POINTS)
    return points.ravel(), (half * _WEIGHTS).ravel()


def _normed(points: Floats, weights: Floats) -> tuple[Floats, Floats]:
    total = float(weights.sum())
    return points, weights / total if total > 0.0 else weights


def temperature_profile(
    counts: ScoreCounts, fit: TemperatureFit, smooth: bool
) -> TemperatureProfile:
    """Relative likelihood of a fit, with large samples reduced to a quadrature.

    Parameters
    ----------
    counts : ScoreCounts
        The sample that was fitted.
    fit : TemperatureFit
    smooth : bool
        Whether Platt's targets replace the labels.

    Returns
    -------
    TemperatureProfile

    Examples
    --------
    Three times right and once wrong: p = 1/2 has (1/2)^4 / ((3/4)^3 (1/4)) = 16/27.

    >>> counts = ScoreCounts(np.array([2.0]), np.ones(1), 3 * np.ones(1))
    >>> profile = temperature_profile(counts, fit_temperature(counts, False), False)
    >>> bool(abs(np.exp(-profile.deviance(np.zeros(1))) - 16 / 27) < 1e-12)
    True
    """
    z, weights = counts.scores / fit.scale, counts.total
    against, favor = soft_counts(counts, smooth)
    slope = float(np.einsum("m,m", z, favor - against)) / 2.0 if fit.inverse == 0.0 else 0.0
    if len(z) > KEPT:
        around = fit.inverse + np.array([-1.0, 0.0, 1.0]) * _LEVEL * fit.deviation
        around = np.append(np.maximum(around, 0.0), 2.0 * fit.inverse)
        lines = np.stack([np.zeros_like(around), around], axis=1)
        z, weights = compress(z, weights, panel_edges(z, lines, _LENGTH))
    return TemperatureProfile(fit, z, weights, slope)
