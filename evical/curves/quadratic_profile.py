"""Profile likelihood of log-odds that are quadratic in the score.

Log-odds are linear in the coefficients (`LinearProfile`), which are taken in units of their
standard errors. Large samples are reduced to a quadrature, on panels that no parabola of some
plausibility brings near to a singularity, and masses are tabulated over the score.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 33-40, for a parabola
instead of a line; L. N. Trefethen, "Approximation Theory and Approximation Practice" (2013),
theorem 19.3 (error of Gauss rules of analytic functions).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves._linear_profile import LinearProfile, LinearRays
from evical.curves.quadratic import QuadraticFit
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import TURN
from evical.likelihood.profile_table import (
    MassTable,
    fit_mass_table,
    mass_log_odds,
    tabulated,
)
from evical.likelihood.quadrature import NODES_PER_PANEL, compress
from evical.scores.counts import ScoreCounts

__all__ = ["QuadraticProfile", "quadratic_profile"]


_EXACT = 64  # samples with at most that many distinct scores are kept as they are
_LEVEL = 6.0  # standard errors by which the coefficients may be elsewhere
# Bernstein's ellipse of a panel, in which all log-likelihoods are analytic: ten Gauss nodes err by
# 4**-20 = 1e-12 of the weight of the panel.
_ELLIPSE = 4.0
_POLES = np.pi * 1j * 3.0 ** np.arange(12)  # some of the singularities pi i (2 k + 1)
_REACH = 1e7  # standardized scores in the table; masses have come within 1e-7 of their limits


@dataclass(frozen=True, eq=False)
class QuadraticProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    fit : QuadraticFit
    nodes, weights : (m,) arrays
        The sample or a quadrature of it, in standardized scores.
    """

    fit: QuadraticFit
    nodes: Floats
    weights: Floats

    @cached_property
    def _linear(self) -> LinearProfile:
        parameters = np.asarray(np.linalg.solve(self.fit.root, self.fit.coefficients))
        ends = np.linspace(self.nodes[0], self.nodes[-1], len(parameters))
        none = np.zeros(len(parameters))
        return LinearProfile(
            self._features(self.nodes), self.weights, parameters, none, self._features(ends)
        )

    def _features(self, z: Floats) -> Floats:
        """Coefficients (k, d) of parameters in units of standard errors, which are uncorrelated."""
        return self.fit.features(z) @ self.fit.root

    @cached_property
    def rays(self) -> LinearRays:
        """The profile along rays from the optimum."""
        return LinearRays(self._linear, self._features, TURN)

    def mle(self, z: Floats) -> Floats:
        """Most plausible log-odds at standardized scores (k,)."""
        return np.asarray(self.fit.features(z) @ self.fit.coefficients)

    def deviance(self, z: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at standardized scores (k,)."""
        # Any log-odds is possible away from the only score of a sample.
        known = (z[:, None] == 0.0) | (len(self.fit.root) > 1)
        return np.where(known, self.rays.at(z, log_odds), 0.0)

    def level_set(self, z: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return level_set(z, self.mle(z), self.rays.spread(z), self.deviance, level)

    def table(self) -> MassTable:
        """Masses over asinh of the standardized score; at the only score, if there is one."""
        if len(self.fit.root) == 1:
            known = mass_log_odds(self.rays, np.zeros(1))
            return MassTable(np.array([-1.0, 1.0]), known.T[:, :, None])
        end, profile = float(np.arcsinh(_REACH)), tabulated(self.rays)
        return fit_mass_table(
            lambda t: mass_log_odds(profile, np.sinh(t)), np.linspace(-end, end, 11)
        )


def quadratic_profile(counts: ScoreCounts, fit: QuadraticFit) -> QuadraticProfile:
    """The profile likelihood of a fit; large samples are reduced to a quadrature.

    Parameters
    ----------
    counts : ScoreCounts
        The sample that was fitted.
    fit : QuadraticFit

    Returns
    -------
    QuadraticProfile

    Examples
    --------
    >>> from evical.curves.quadratic import quadratic_of_counts
    >>> counts = ScoreCounts.from_samples([0.0, 1, 2, 3], [0, 1, 0, 1])
    >>> profile = quadratic_profile(counts, quadratic_of_counts(counts))
    >>> mle = profile.fit.log_odds([1.5])
    >>> abs(profile.deviance(profile.fit.standardize([1.5]), mle[:, None])).round(12).tolist()
    [[0.0]]
    """
    z, weights = fit.standardize(counts.scores), counts.total
    if len(z) > _EXACT:
        z, weights = compress(z, weights, _panel_edges(z, _around(fit)))
    return QuadraticProfile(fit, z, weights)


def _around(fit: QuadraticFit) -> Floats:
    """Coefficients (p, 3) around those that are plausible; those of lines end with 0."""
    values, vectors = np.linalg.eigh(fit.covariance)
    moves = _LEVEL * (vectors * np.sqrt(np.maximum(values, 0.0))).T
    best = fit.coefficients
    around = np.concatenate([best + moves, best - moves, [best]])
    return np.pad(around, ((0, 0), (0, 3 - len(best))))


def _panel_edges(z: Floats, parabolas: Floats) -> Floats:
    """Interior edges of panels on which all these parabolas are resolved, by halving."""
    poles = _poles(parabolas)
    edges = z[[0, -1]]
    while True:
        counted = np.diff(np.searchsorted(z, edges[1:-1]), prepend=0, append=len(z))
        middle, half = 0.5 * (edges[:-1] + edges[1:]), 0.5 * np.diff(edges)
        place = (poles[:, None] - middle) / half
        ellipse = np.abs(place + np.sqrt(place - 1.0) * np.sqrt(place + 1.0)).min(axis=0)
        rough = (ellipse < _ELLIPSE) & (counted > NODES_PER_PANEL)
        rough &= (middle > edges[:-1]) & (middle < edges[1:])
        if not rough.any():
            return np.asarray(edges[1:-1])
        edges = np.sort(np.concatenate([edges, middle[rough]]))


def _poles(parabolas: Floats) -> NDArray[np.complex128]:
    """Where parabolas are pi i (2 k + 1): singularities of log(1 + exp(.)) of them.

    The roots of c z**2 + b z + a are q / c and a / q with q = -(b + root) / 2, without a difference
    of nearly equal numbers.
    """
    a, b, c = (parabolas[:, i : i + 1] for i in range(3))
    constant = a - _POLES
    root = np.sqrt(b * b - 4.0 * c * constant)
    q = -0.5 * (b + np.where((np.conj(b) * root).real < 0.0, -root, root))
    with np.errstate(divide="ignore", invalid="ignore"):  # lines have one root
        found = np.concatenate([q / c, constant / q], axis=None)
    return np.asarray(found[np.isfinite(found)])
