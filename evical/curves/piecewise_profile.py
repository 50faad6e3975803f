"""Profile likelihood of piecewise linear log-odds with given knots.

The regularized log-likelihood is concave in the four parameters and log-odds at a score are a
linear function of them, so that the profile likelihood is a convex problem with one linear
constraint, solved by Newton's method for many scores and log-odds at once. The sample is reduced
to a quadrature first, area by area, so that the cost does not depend on its size.

Source: Gebel (2009), section 4.2.2; Xu, Davoine, Zha & Denoeux (2016), equations 33-40.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from evical.curves.newton import newton_step
from evical.curves.piecewise_logistic import PiecewiseFit, features
from evical.errors import ConvergenceError
from evical.likelihood.deviance import NO_PROFILE
from evical.likelihood.integrals import CORNERS, belief_log_odds
from evical.likelihood.quadrature import compress, panel_edges
from evical.scores.counts import ScoreCounts

__all__ = ["PiecewiseProfile", "piecewise_profile"]

Floats = NDArray[np.float64]

_EXACT = 64  # samples with at most that many distinct scores are kept as they are
_LENGTH = 0.5  # of panels, in the metric of `panel_edges`: half of what one line needs
_LEVEL = 6.0  # standard errors by which the log-odds at the knots may be elsewhere
# Elements of a temporary: in cache, and its products are too small for OpenBLAS to start threads,
# which wait for each other where the cores are busy.
_CHUNK = 1 << 13
_MAX_STEPS = 200
_CONVERGED = 1e-8  # squared Newton decrement; the error left is of third order


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
    def _design(self) -> Floats:
        return self.features(self.nodes)

    @cached_property
    def _signs(self) -> Floats:
        """Signs (m,) of log-odds that make those at the optimum negative; see `Deviance`."""
        return np.where(self._design @ self.fit.parameters > 0.0, -1.0, 1.0)

    @cached_property
    def _weighted_design(self) -> Floats:
        return (self.weights * self._signs)[:, None] * self._design

    @cached_property
    def _products(self) -> Floats:
        weighted = self.weights[:, None] * self._design
        pairs = weighted[:, :, None] * self._design[:, None, :]
        return pairs.reshape(len(pairs), -1)

    @cached_property
    def _ridge(self) -> Floats:
        return np.where(np.arange(len(self.fit.parameters)) < 2, 0.0, self.fit.strength)

    @cached_property
    def _at_optimum(self) -> tuple[Floats, Floats, Floats]:
        """Signed log-odds at the nodes, their log(1 + exp(.)), and their sigmoid."""
        log_odds = self._signs * (self._design @ self.fit.parameters)
        return log_odds, np.logaddexp(0.0, log_odds), np.asarray(expit(log_odds))

    @cached_property
    def covariance(self) -> Floats:
        """Inverse of the information (d, d) at the optimum."""
        hessian = self._derivatives(np.zeros((1, len(self.fit.parameters))))[2][0]
        scale = np.sqrt(np.diag(hessian))
        inverse = np.linalg.inv(hessian / np.outer(scale, scale)) / np.outer(scale, scale)
        return np.asarray((inverse + inverse.T) / 2)

    def features(self, x: Floats) -> Floats:
        """Coefficients (k, d) of the parameters in the log-odds at standardized scores."""
        return features(x, self.fit.inner)[:, : len(self.fit.parameters)]

    def mass_log_odds(self, x: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at standardized scores (k,)."""
        h = self.features(x)
        spread = np.sqrt(((h @ self.covariance) * h).sum(axis=1))
        return belief_log_odds(x, h @ self.fit.parameters, spread, self.deviance, rough=CORNERS)

    def deviance(self, x: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at standardized scores (k,)."""
        h = np.repeat(self.features(x), log_odds.shape[1], axis=0)
        gap = log_odds.ravel() - h @ self.fit.parameters
        rows = max(1, _CHUNK // len(self.nodes))
        parts = [
            self._constrained(h[i : i + rows], gap[i : i + rows]) for i in range(0, len(gap), rows)
        ]
        return np.concatenate(parts).reshape(log_odds.shape)

    def _constrained(self, h: Floats, gap: Floats) -> Floats:
        """Least deviance where h @ change = gap, for each row: Newton's method, damped."""
        along = h @ self.covariance
        change = along * (gap / (along * h).sum(axis=1))[:, None]
        result = np.empty(len(gap))
        active, length, basis = np.arange(len(gap)), np.ones(len(gap)), _feasible(h)
        value, gradient, hessian = self._derivatives(change)
        noise = 1e-15 * float(self.weights @ self._at_optimum[1])  # rounding of sums of losses
        for _ in range(_MAX_STEPS):
            step, decrement = _newton_step(gradient, hessian, basis[active])
            result[active] = value - 0.5 * decrement
            left = decrement > _CONVERGED * np.clip(value, 1e-6, 1.0) + noise
            if not left.any():
                break
            active, length, decrement = active[left], length[left], decrement[left]
            change, value, gradient, hessian = (
                part[left] for part in (change, value, gradient, hessian)
            )
            step = self._damped(change, step[left], (gradient, hessian, basis[active]), decrement)
            trial = change + length[:, None] * step
            decrement = np.minimum(decrement, -(gradient * step).sum(axis=1))
            new = self._derivatives(trial)
            better = new[0] <= value - 1e-4 * length * decrement + 1e-13 * value + noise
            change[better] = trial[better]
            for part, update in zip((value, gradient, hessian), new, strict=True):
                part[better] = update[better]
            length = np.where(better, np.minimum(4.0 * length, 1.0), 0.5 * length)
        else:
            raise ConvergenceError(NO_PROFILE)
        return np.maximum(result, 0.0)

    def _damped(
        self,
        change: Floats,
        step: Floats,
        model: tuple[Floats, Floats, Floats],
        decrement: Floats,
    ) -> Floats:
        """Steps (k, d) that at most triple the changes of log-odds, and add 20.

        Where the sigmoid is flat, Newton's method leaps without measure, in some directions only:
        a second derivative is added there that keeps to the measure, and leaves the others.
        """
        knots = self.features(np.array([0.0, *self.fit.inner, 1.0]))
        limit = 20.0 + 2.0 * np.abs(change @ knots.T).max(axis=1)
        move = np.abs(step @ knots.T).max(axis=1)
        far = move > limit
        if far.any():
            gradient, hessian, basis = (part[far] for part in model)
            lift = decrement[far] / (move[far] * limit[far])
            lifted = hessian + lift[:, None, None] * (knots.T @ knots)
            step = step.copy()
            step[far] = _newton_step(gradient, lifted, basis)[0]
            again = np.abs(step[far] @ knots.T).max(axis=1)
            step[far] *= np.minimum(1.0, limit[far] / np.maximum(again, 1e-300))[:, None]
        return step

    def _derivatives(self, change: Floats) -> tuple[Floats, Floats, Floats]:
        """Deviance (k,), gradient (k, d) and Hessian (k, d, d) of changes (k, d)."""
        mle, loss_at_mle, mean = self._at_optimum
        move = (change @ self._design.T) * self._signs
        eta = mle + move
        small = np.exp(-np.abs(eta))
        upper = 1.0 / (1.0 + small)
        p = np.where(eta >= 0.0, upper, small * upper)
        # The sums of the targets are those of the fitted probabilities, ridge aside.
        loss = np.maximum(eta, 0.0) + np.log1p(small) - loss_at_mle - mean * move
        value = np.einsum("km,m->k", loss, self.weights) + change**2 @ self._ridge
        gradient = (p - mean) @ self._weighted_design + 2.0 * self._ridge * change
        size = len(self._ridge)
        hessian = ((small * upper * upper) @ self._products).reshape(-1, size, size)
        hessian[:, range(size), range(size)] += 2.0 * self._ridge
        return value, gradient, hessian


def _feasible(h: Floats) -> Floats:
    """Orthonormal basis (k, d, d - 1) of the changes with h @ change = 0: Householder's."""
    v = h / np.sqrt((h**2).sum(axis=1))[:, None]
    v[:, 0] += np.where(v[:, 0] < 0.0, -1.0, 1.0)
    size = (v**2).sum(axis=1)[:, None, None]
    reflection = np.eye(h.shape[1]) - 2.0 * v[:, :, None] * v[:, None, :] / size
    return np.asarray(reflection[:, :, 1:])


def _newton_step(gradient: Floats, hessian: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """Newton step (k, d) within the span of a basis, and the squared decrement (k,).

    In the span, not by a multiplier: where all sigmoids are flat the multiplier cancels all
    digits, and the step would leave the constraint.
    """
    across = np.swapaxes(basis, 1, 2)
    within, inner = (across @ gradient[:, :, None])[..., 0], across @ hessian @ basis
    move, decrement = newton_step(within, inner)
    return (basis @ move[:, :, None])[..., 0], np.maximum(decrement, 0.0)


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
