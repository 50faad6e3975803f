"""Profile likelihood of piecewise linear log-odds with given knots.

Given the knots, log-odds are linear in the parameters (`LinearProfile`). The sample is reduced to a
quadrature first, area by area, so that the cost does not depend on its size.

Source: Gebel (2009), section 4.2.2; Xu, Davoine, Zha & Denoeux (2016), equations 33-40.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from evical._typing import Floats
from evical.curves._linear_profile import LinearProfile, LinearRays
from evical.curves.piecewise_logistic import PiecewiseFit, features
from evical.likelihood.polar import Axis
from evical.likelihood.profile_table import (
    MassTable,
    fit_mass_table,
    mass_log_odds,
    tabulated,
)
from evical.likelihood.quadrature import compress, panel_edges
from evical.scores.counts import ScoreCounts

__all__ = ["PiecewiseProfile", "piecewise_profile"]


_EXACT = 64  # samples with at most that many distinct scores are kept as they are
_LENGTH = 0.5  # of panels, in the metric of `panel_edges`: half of what one line needs
_LEVEL = 6.0  # standard errors by which the log-odds at the knots may be elsewhere


@dataclass(frozen=True, eq=False)
class PiecewiseProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    fit : PiecewiseFit
    nodes, weights : (m,) arrays
        The sample or a quadrature of it, in standardized scores.
    """

    fit: PiecewiseFit
    nodes: Floats
    weights: Floats

    @cached_property
    def _linear(self) -> LinearProfile:
        parameters = self.fit.parameters
        ridge = np.where(np.arange(len(parameters)) < 2, 0.0, self.fit.strength)
        places = self.features(np.array([0.0, *self.fit.inner, 1.0]))
        return LinearProfile(self.features(self.nodes), self.weights, parameters, ridge, places)

    @property
    def covariance(self) -> Floats:
        """Inverse of the information (d, d) at the optimum."""
        return self._linear.covariance

    def features(self, x: Floats) -> Floats:
        """Coefficients (k, d) of the parameters in the log-odds at standardized scores."""
        return features(x, self.fit.inner)[:, : len(self.fit.parameters)]

    def table(self) -> MassTable:
        """Masses over the standardized score."""
        edges = np.array([0.0, *self.fit.inner, 1.0])
        profile = tabulated(LinearRays(self._linear, self.features, Axis(edges, _same, _same)))
        return fit_mass_table(lambda x: mass_log_odds(profile, x), edges)

    def mass_log_odds(self, x: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at standardized scores (k,)."""
        return self._linear.mass_log_odds(self.features(x))

    def level_set(self, x: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return self._linear.level_set(self.features(x), level)

    def deviance(self, x: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at standardized scores (k,)."""
        return self._linear.deviance(self.features(x), log_odds)


def _same(x: Floats) -> Floats:
    return x


def piecewise_profile(counts: ScoreCounts, fit: PiecewiseFit) -> PiecewiseProfile:
    """The profile likelihood of a fit; large samples are reduced to a quadrature.

    Parameters
    ----------
    counts : ScoreCounts
        The sample that was fitted.
    fit : PiecewiseFit

    Returns
    -------
    PiecewiseProfile

    Examples
    --------
    >>> from evical.curves.piecewise_logistic import fit_piecewise_logistic
    >>> counts = ScoreCounts.from_samples([0.0, 1, 2, 3], [0, 1, 0, 1])
    >>> profile = piecewise_profile(counts, fit_piecewise_logistic(counts, 0.001, True))
    >>> mle = profile.fit.log_odds(np.array([1.5]))
    >>> profile.deviance(np.array([0.5]), mle[:, None]).round(12).tolist()
    [[0.0]]
    """
    x, weights = fit.standardize(counts.scores), counts.total
    exact = PiecewiseProfile(fit, x, weights)
    if len(x) <= _EXACT:
        return exact
    rules = [
        _reduced(x[i:j], weights[i:j], exact)
        for i, j in pairwise([0, *np.searchsorted(x, fit.inner), len(x)])
        if j > i
    ]
    return PiecewiseProfile(fit, *(np.concatenate(part) for part in zip(*rules, strict=True)))


def _reduced(x: Floats, weights: Floats, exact: PiecewiseProfile) -> tuple[Floats, Floats]:
    """Quadrature of one area, for lines of some standard errors about the optimum."""
    if len(x) <= _EXACT:
        return x, weights
    ends = exact.features(x[[0, -1]])
    error = _LEVEL * np.sqrt(((ends @ exact.covariance) * ends).sum(axis=1))
    values = ends @ exact.fit.parameters + np.array([[0, 0], [1, -1], [-1, 1], [1, 1]]) * error
    slope = (values[:, 1] - values[:, 0]) / (x[-1] - x[0])
    lines = np.stack([values[:, 0] - slope * x[0], slope], axis=1)
    return compress(x, weights, panel_edges(x, lines, _LENGTH))
