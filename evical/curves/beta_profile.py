"""Profile likelihood of the log-odds of beta calibration.

The most plausible map with given log-odds at a score solves a convex problem in at most two free
coefficients, which are not negative: Newton's method with exactly solved steps, for many scores
and log-odds at once. Where a coefficient reaches zero the profile has a corner in its second
derivative, so that integrals over it are adaptive. Large samples become a quadrature first.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 33-40, for the family of
Kull, Silva Filho & Flach (2017).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.curves._bounded_profile import BoundedTable, Part, bounded_step, tabulate_bounded
from evical.curves._linear_profile import LinearProfile
from evical.curves.beta import BetaFit, beta_features
from evical.curves.newton import logistic_terms, minimize_convex
from evical.curves.platt import soft_counts
from evical.errors import ConvergenceError
from evical.likelihood.deviance import NO_PROFILE
from evical.likelihood.integrals import CORNERS, belief_log_odds
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import Axis
from evical.likelihood.profile_table import MassTable, fit_mass_table
from evical.likelihood.quadrature import NODES_PER_PANEL, compress
from evical.scores.counts import ScoreCounts

_EXACT = 64  # samples with at most that many distinct scores are kept as they are
_LENGTH = 1.1  # of panels of ten Gauss nodes, in asinh(log-odds / pi): they err by 3.7**-20 = 4e-12
_LEVEL = 6.0  # standard errors by which the coefficients may be elsewhere
_CHUNK = 1 << 14  # elements of a temporary: in cache, and too few for OpenBLAS to start threads
_MAX_STEPS = 100
_END = 36.1  # log-odds of scores are cut off at about 36.04
_TIES = {"abm": np.eye(3), "am": np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])}  # what is free
_NARROW = 1e-3  # spread of scores whose features have too few digits for tables, relative to them
_CONVERGED = 1e-6  # gain left, relative to a deviance below 1; the error is of third order


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

    @cached_property
    def _origin(self) -> Floats:
        """Means (3, 1) of the features; differences from them cost no digits where they are small.

        Coefficients are then those of the features less their means, and c the log-odds there.
        """
        means = beta_features(self.nodes) @ self.weights / self.weights.sum()
        return np.array([[means[0]], [means[1]], [0.0]])

    @cached_property
    def _design(self) -> Floats:
        return self._features(self.nodes)

    @cached_property
    def _slope(self) -> Floats:
        return np.asarray(self.slope - self._origin[:, 0] * self.slope[2])

    def _features(self, x: Floats) -> Floats:
        return np.asarray(beta_features(x) - self._origin)

    @cached_property
    def _weighted(self) -> Floats:
        return np.ascontiguousarray((self._design * (self.weights * self._signs)).T)

    @cached_property
    def _products(self) -> Floats:
        weighted = (self._design * self.weights).T
        products = weighted[:, :, None] * self._design.T[:, None, :]
        return products.reshape(-1, 9)

    @cached_property
    def _signs(self) -> Floats:
        """Signs (m,) of log-odds that make those at the optimum negative; see `Deviance`."""
        return np.where(self.log_odds(self.nodes) > 0.0, -1.0, 1.0)

    @cached_property
    def _at_optimum(self) -> tuple[Floats, Floats, Floats]:
        """Signed log-odds at the nodes, their log(1 + exp(.)), and their sigmoid."""
        eta = self._signs * self.log_odds(self.nodes)
        return eta, np.logaddexp(0.0, eta), np.asarray(expit(eta))

    @cached_property
    def information(self) -> Floats:
        """Second derivative (3, 3) of the deviance at the optimum."""
        p = self._at_optimum[2]
        return ((p * (1.0 - p)) @ self._products).reshape(3, 3)

    def log_odds(self, x: Floats) -> Floats:
        """Most plausible log-odds at log-odds of scores."""
        return np.asarray(np.einsum("dm,d->m", beta_features(x), self.coefficients))

    def mass_log_odds(self, x: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at log-odds of scores (k,)."""
        mle, spread = self.log_odds(x), self._guess(x)
        return belief_log_odds(x, mle, spread, self.at, self._ends, CORNERS)

    def level_set(self, x: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return level_set(x, self.log_odds(x), self._guess(x), self.at, level)

    def at(self, x: Floats, log_odds: Floats) -> Floats:
        """Deviance of log-odds (k, q) at log-odds of scores (k,)."""
        each = self.deviance(np.repeat(x, log_odds.shape[1]), log_odds.ravel())
        return each.reshape(log_odds.shape)

    def table(self, points: Callable[[Floats], Floats], edges: Floats) -> MassTable:
        """Masses over an axis, given the log-odds of scores at its points and panels to begin."""

        parts = self._parts()

        def mass_log_odds(t: Floats) -> Floats:
            x = points(t)
            if parts is None:
                return self.mass_log_odds(x)
            return parts.mass_log_odds(x, self.log_odds(x), self._guess(x))

        return fit_mass_table(mass_log_odds, edges)

    def _parts(self) -> BoundedTable | None:
        """Tables of the maps with all and with some of the coefficients, if they pay."""
        share = self.weights / self.weights.sum()
        center = float(share @ self.nodes)
        unit = float(np.sqrt(share @ (self.nodes - center) ** 2))
        if self.parameters not in _TIES or unit < _NARROW * max(1.0, abs(center)):
            return None
        ties = _TIES[self.parameters]

        def place(x: Floats) -> Floats:
            return np.arctan((x - center) / unit)

        def score(phi: Floats) -> Floats:
            return np.clip(center + unit * np.tan(phi), -_END, _END)

        def features(x: Floats) -> Floats:
            return (ties @ self._features(x)).T

        columns = tuple(range(len(ties)))
        axis = Axis(place(np.array([-_END, _END])), place, score)
        try:
            return tabulate_bounded(self._part, features, axis, columns, columns[:-1])
        except (ConvergenceError, np.linalg.LinAlgError):
            return None

    def _part(self, columns: tuple[int, ...]) -> Part:
        """Maps that have only these columns of the ties, around their optimum without bounds."""
        ties = _TIES[self.parameters][list(columns)]
        best = self.coefficients.copy()
        best[2] += self.coefficients @ self._origin[:, 0]
        start = np.linalg.solve(ties @ self.information @ ties.T, ties @ self.information @ best)
        found = minimize_convex(
            lambda u: self._derivatives(-best[None], ties.T[None], u), start[None], 1e-10, 1e-20
        )
        places = np.linspace(self.nodes[0], self.nodes[-1], len(columns))
        linear = LinearProfile(
            (ties @ self._design).T,
            self.weights,
            found.parameters[0],
            np.zeros(len(columns)),
            (ties @ self._features(places)).T,
        )
        return Part(linear, float(found.value[0]))

    def _guess(self, x: Floats) -> Floats:
        """About the standard error of the log-odds."""
        curvature = np.diag(self.information).mean()
        inverse = np.linalg.pinv(self.information, rcond=1e-9, hermitian=True)
        h = self._features(x)
        variance = ((inverse @ h) * h).sum(axis=0)
        return np.asarray(np.sqrt(np.maximum(variance, 1e-6 / curvature)))

    def _ends(self, x: Floats) -> tuple[Floats, Floats]:
        """Least and greatest log-odds that maps of the family can have at scores."""
        far = np.full_like(x, np.inf)
        if self.parameters.endswith("m"):
            return -far, far
        return np.where(x < 0.0, -far, 0.0), np.where(x > 0.0, far, 0.0)

    def deviance(self, x: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds at scores, both (k,), perhaps infinite."""
        low, high = self._ends(x)
        possible = (low <= log_odds) & (log_odds <= high)
        result = np.where(possible, 0.0, np.inf)
        if not self.parameters.endswith("m"):
            possible &= x != 0.0
        if possible.any():
            result[possible] = self._least(x[possible], log_odds[possible])
        return result

    def _least(self, x: Floats, log_odds: Floats) -> Floats:
        """Least deviance of the maps through points: Newton's method under bounds, damped."""
        base, basis, low, high = self._chart(x, log_odds)
        flat = np.einsum("ij,kj->ki", self.information, base) - self._slope
        u = bounded_step(
            np.einsum("kiq,ki->kq", basis, flat),
            np.einsum("kiq,ij,kjr->kqr", basis, self.information, basis),
            low,
            high,
        )[0]
        result = np.empty(len(x))
        active, length = np.arange(len(x)), np.ones(len(x))
        value, gradient, hessian = self._derivatives(base, basis, u)
        noise = 1e-15 * self._noise
        for _ in range(_MAX_STEPS):
            step, gain = bounded_step(gradient, hessian, low - u, high - u)
            result[active] = value - gain
            left = gain > _CONVERGED * np.clip(value, 1e-6, 1.0) + noise
            if not left.any():
                break
            active, length, gain, step = active[left], length[left], gain[left], step[left]
            base, basis, low, high, u = (part[left] for part in (base, basis, low, high, u))
            value, gradient, hessian = value[left], gradient[left], hessian[left]
            trial = u + length[:, None] * step
            new = self._derivatives(base, basis, trial)
            better = new[0] <= value - 1e-4 * length * gain + 1e-13 * value + noise
            u = np.where(better[:, None], trial, u)
            for part, update in zip((value, gradient, hessian), new, strict=True):
                part[better] = update[better]
            length = np.where(better, np.minimum(4.0 * length, 1.0), 0.5 * length)
        else:
            raise ConvergenceError(NO_PROFILE)
        return np.maximum(result, 0.0)

    @cached_property
    def _noise(self) -> float:
        """Size of the losses at the optimum, the rounding of which shows in differences."""
        return float(self.weights @ self._at_optimum[1])

    def _chart(self, x: Floats, log_odds: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Changes ``base + basis @ u`` of the coefficients for maps through points, and bounds."""
        # Where log(s) and log(1 - s) stand among the features, and where s = 1/2 does.
        first, second, _ = self._features(x)
        gap = log_odds - self.log_odds(x)
        one, zero = np.ones_like(x), np.zeros_like(x)
        a, b, _ = self.coefficients
        if self.parameters == "abm":
            base, columns = [zero, zero, gap], [[one, zero, -first], [zero, one, -second]]
            low, high = [-a * one, -b * one], [np.inf * one, np.inf * one]
        elif self.parameters == "am":
            base, columns = [zero, zero, gap], [[one, one, -first - second]]
            low, high = [-a * one], [np.inf * one]
        elif self.parameters == "ab":
            middle = -self._features(np.zeros(1))[:, 0]
            # As the features rise from 1/2, without a difference of nearly equal numbers.
            rise = np.log1p(np.expm1(x) / 2.0)
            ratio, change = -np.log1p(np.expm1(-x) / 2.0) / rise, gap / rise
            base = [zero, change, middle[1] * change]
            columns = [[one, -ratio, middle[0] - middle[1] * ratio]]
            # Where b is 0, a is at its greatest.
            low, high = [-a * one], [np.maximum((b + change) / ratio, -a)]
        else:
            middle = -self._features(np.zeros(1))[:, 0]
            change = gap / x
            base, columns = [change, change, (middle[0] + middle[1]) * change], []
            low, high = [], []
        basis = np.array(columns).reshape(-1, 3, len(x)).transpose(2, 1, 0)
        bounds = [np.array(part).reshape(-1, len(x)).T for part in (low, high)]
        return np.stack(base, axis=1), basis, bounds[0], bounds[1]

    def _derivatives(self, base: Floats, basis: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
        """Deviance (k,), and its derivatives (k, q) and (k, q, q) in `u`."""
        rows = max(1, _CHUNK // len(self.nodes))
        if len(u) <= rows:
            return self._derivatives_of_few(base, basis, u)
        parts = [
            self._derivatives_of_few(*(part[first : first + rows] for part in (base, basis, u)))
            for first in range(0, len(u), rows)
        ]
        value, gradient, hessian = (np.concatenate(part) for part in zip(*parts, strict=True))
        return value, gradient, hessian

    def _derivatives_of_few(
        self, base: Floats, basis: Floats, u: Floats
    ) -> tuple[Floats, Floats, Floats]:
        mle, loss_at_mle, mean = self._at_optimum
        change = base + (basis @ u[:, :, None])[:, :, 0]
        move = (change @ self._design) * self._signs
        eta = mle + move
        small = np.exp(-np.abs(eta))
        upper = 1.0 / (1.0 + small)
        p = np.where(eta >= 0.0, upper, small * upper)
        loss = np.maximum(eta, 0.0) + np.log1p(small) - loss_at_mle - mean * move
        value = np.einsum("km,m->k", loss, self.weights) - change @ self._slope
        gradient = (p - mean) @ self._weighted - self._slope
        hessian = ((small * upper * upper) @ self._products).reshape(-1, 3, 3)
        across = np.swapaxes(basis, 1, 2)
        return value, (across @ gradient[:, :, None])[:, :, 0], across @ hessian @ basis


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
    >>> profile.deviance(np.array([0.0]), np.array([0.0])).round(9) + 0.0
    array([0.])
    """
    x, weights = sample.scores, sample.total
    downhill = logistic_terms(fit.log_odds(x), *soft_counts(sample, smooth))[1]
    slope = -np.einsum("dm,m->d", beta_features(x), downhill)
    if len(x) > _EXACT:
        x, weights = compress(x, weights, _panel_edges(x, _extremes(fit)))
    return BetaProfile(fit.coefficients, parameters, x, weights, slope)


def _extremes(fit: BetaFit) -> Floats:
    """Coefficients (p, 3) around those that are plausible."""
    values, vectors = np.linalg.eigh(fit.covariance)
    moves = _LEVEL * np.sqrt(np.maximum(values, 0.0)) * vectors
    around = np.concatenate([moves.T, -moves.T]) + fit.coefficients
    around = np.concatenate([around, [fit.coefficients, 2.0 * fit.coefficients, [1.0, 1.0, 0.0]]])
    around[:, :2] = np.maximum(around[:, :2], 0.0)
    return around


def _panel_edges(x: Floats, coefficients: Floats) -> Floats:
    """Interior edges of panels on which all these maps, and the features, are resolved.

    The maps increase. The map with coefficients 1, 1, 0, which is one of them, has the
    singularities of the features.
    """
    edges = x[[0, -1]]
    while True:
        counted = np.diff(np.searchsorted(x, edges[1:-1]), prepend=0, append=len(x))
        place = np.arcsinh(coefficients @ beta_features(edges) / np.pi)
        long = (np.diff(place, axis=1) > _LENGTH).any(axis=0) & (counted > NODES_PER_PANEL)
        left, right = edges[:-1][long], edges[1:][long]
        middles = 0.5 * (left + right)
        if not ((middles > left) & (middles < right)).any():
            return np.asarray(edges[1:-1])
        edges = np.unique(np.concatenate([edges, middles]))
