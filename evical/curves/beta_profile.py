"""Profile likelihood of the log-odds of beta calibration.

Log-odds are linear in the coefficients, some of which are tied, and a and b are not negative
(`BoundedProfile`). Large samples become a quadrature first.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 33-40, for the family of
Kull, Silva Filho & Flach (2017).
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.beta import BetaFit, beta_features
from evical.curves.bounded_profile import BoundedProfile, BoundedTable
from evical.curves.newton import logistic_terms
from evical.curves.platt import soft_counts
from evical.errors import ConvergenceError
from evical.likelihood.polar import Axis
from evical.likelihood.profile_table import MassTable, fit_mass_table
from evical.likelihood.quadrature import around, halved
from evical.scores.counts import ScoreCounts

_LENGTH = 1.1  # of panels of ten Gauss nodes, in asinh(log-odds / pi): they err by 3.7**-20 = 4e-12
_LEVEL = 6.0  # standard errors by which the coefficients may be elsewhere
_END = 36.1  # log-odds of scores are cut off at about 36.04
_LEAST_UNIT = 1e-6  # of the table, in which log-odds of scores differ by more than rounding
_NARROW = 1e-3  # spread of scores whose features have too few digits for tables, relative to them


@dataclass(frozen=True, eq=False)
class BetaProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    coefficients : (3,) array
        a, b and c at the optimum.
    parameters : {"abm", "am", "ab", "a"}
        Which of them are free.
    nodes, weights : (m,) arrays
        Log-odds of the scores, or a quadrature of the sample.
    slope : (3,) array
        Derivative of the log-likelihood at the optimum, 0 or negative in what is free.
    """

    coefficients: Floats
    parameters: str
    nodes: Floats
    weights: Floats
    slope: Floats

    @property
    def _has_midpoint(self) -> bool:
        return self.parameters.endswith("m")

    @cached_property
    def _origin(self) -> Floats:
        """Features (2,) of the score 1/2, or their means: differences cost no digits."""
        if not self._has_midpoint:
            return np.array([-np.log(2.0), np.log(2.0)])
        return np.asarray(beta_features(self.nodes)[:2] @ self.weights / self.weights.sum())

    @cached_property
    def _center(self) -> tuple[float, float]:
        """Mean and standard deviation of the scores."""
        share = self.weights / self.weights.sum()
        center = float(share @ self.nodes)
        return center, float(np.sqrt(share @ (self.nodes - center) ** 2))

    @property
    def _ties(self) -> Floats:
        """What is free (f, 2) of a and b."""
        return np.eye(2) if "b" in self.parameters else np.ones((1, 2))

    def _features(self, x: Floats) -> Floats:
        """Coefficients (k, d) of what is free in the log-odds less those at the origin."""
        if self._has_midpoint:
            found = (beta_features(x)[:2] - self._origin[:, None]).T
            return np.column_stack([found @ self._ties.T, np.ones_like(x)])
        if len(self._ties) == 1:
            return x[:, None]
        # As features rise from 1/2, without a difference of nearly equal numbers.
        return np.stack([-np.log1p(np.expm1(-x) / 2.0), np.log1p(np.expm1(x) / 2.0)], axis=1)

    @cached_property
    def linear(self) -> BoundedProfile:
        """The profile in what is free of a and b, and in the log-odds at the origin if they are."""
        ab, c, free = self.coefficients[:2], self.coefficients[2], len(self._ties)
        best, slope = ab[:free], self._ties @ (self.slope[:2] - self._origin * self.slope[2])
        if self._has_midpoint:
            best = np.append(best, c + ab @ self._origin)
            slope = np.append(slope, self.slope[2])
        axis = Axis(self._place(np.array([-_END, _END])), self._place, self._score)
        places = np.linspace(self.nodes[0], self.nodes[-1], len(best))
        return BoundedProfile(
            self._features,
            axis,
            self.nodes,
            self.weights,
            best,
            places,
            slope=slope,
            bounded=free,
        )

    def _place(self, x: Floats) -> Floats:
        center, spread = self._center
        return np.arctan((x - center) / (spread or 1.0))

    def _score(self, phi: Floats) -> Floats:
        center, spread = self._center
        return np.clip(center + (spread or 1.0) * np.tan(phi), -_END, _END)

    def at(self, x: Floats, log_odds: Floats) -> Floats:
        """Deviance of log-odds (k, q) at log-odds of scores (k,), perhaps infinite."""
        return self.linear.at(x, log_odds)

    def level_set(self, x: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return self.linear.level_set(x, level)

    @property
    def one_score(self) -> bool:
        """Whether there is one score, about whose neighbors hardly anything is known."""
        return self._has_midpoint and len(self.nodes) == 1

    @property
    def scale(self) -> tuple[float, float]:
        """Origin and unit of the table, in log-odds of scores."""
        center, spread = self._center
        if not self._has_midpoint:
            center, spread = 0.0, float(np.hypot(center, spread))
        return center, float(np.clip(spread, _LEAST_UNIT * max(1.0, abs(center)), 1.0))

    def table(self) -> MassTable:
        """Masses over asinh of the log-odds of scores, in units of the scale."""
        if self.one_score:
            known = self.linear.mass_log_odds(self.nodes)
            return MassTable(np.array([-1.0, 1.0]), np.clip(known, -60.0, 60.0).T[:, :, None])
        center, spread = self._center
        profile: BoundedProfile | BoundedTable = self.linear
        if self._has_midpoint and spread >= _NARROW * max(1.0, abs(center)):
            with suppress(ConvergenceError, np.linalg.LinAlgError):
                profile = self.linear.tabulated() or profile
        origin, unit = self.scale
        first, middle, last = np.arcsinh((np.array([-_END, 0.0, _END]) - origin) / unit)
        cuts = np.linspace(first, last, 7)
        # With a fixed midpoint, masses have a corner at the score 1/2.
        edges = cuts if self._has_midpoint else np.union1d(cuts, middle)

        def mass_log_odds(t: Floats) -> Floats:
            return profile.mass_log_odds(np.clip(origin + unit * np.sinh(t), -_END, _END))

        return fit_mass_table(mass_log_odds, edges)


def beta_profile(sample: ScoreCounts, fit: BetaFit, parameters: str, smooth: bool) -> BetaProfile:
    """Profile likelihood of a fit, with large samples reduced to a quadrature.

    Parameters
    ----------
    sample : ScoreCounts
        At log-odds of scores, as for `fit_beta`.
    fit : BetaFit
    parameters, smooth
        As for `fit_beta`.

    Returns
    -------
    BetaProfile

    Examples
    --------
    >>> from evical.curves.beta import beta_sample, fit_beta
    >>> sample = beta_sample(ScoreCounts.from_samples([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]))
    >>> profile = beta_profile(sample, fit_beta(sample, "am", True), "am", True)
    >>> profile.at(np.array([0.0]), np.array([[0.0]])).round(9) + 0.0
    array([[0.]])
    """
    x, weights = sample.scores, sample.total
    downhill = logistic_terms(fit.log_odds(x), *soft_counts(sample, smooth))[1]
    slope = -np.einsum("dm,m->d", beta_features(x), downhill)
    plausible = around(fit.coefficients, fit.covariance, _LEVEL)
    # All maps increase. That with coefficients 1, 1, 0 has the singularities of the features.
    maps = np.concatenate([plausible, [2.0 * fit.coefficients, [1.0, 1.0, 0.0]]])
    maps[:, :2] = np.maximum(maps[:, :2], 0.0)

    def is_rough(left: Floats, right: Floats) -> NDArray[np.bool_]:
        first, last = (np.arcsinh(maps @ beta_features(end) / np.pi) for end in (left, right))
        return np.asarray((last - first > _LENGTH).any(axis=0))

    return BetaProfile(fit.coefficients, parameters, *halved(x, weights, is_rough), slope)
