"""Profile likelihood of log-odds that are linear in a few parameters.

The regularized log-likelihood is concave in the parameters and log-odds at a score are a linear
function of them, so that the profile likelihood is a convex problem with one linear constraint,
solved by Newton's method for many scores and log-odds at once.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 33-40.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.curves.newton import newton_step
from evical.errors import ConvergenceError
from evical.likelihood.deviance import NO_PROFILE, reach_level
from evical.likelihood.integrals import CORNERS, belief_log_odds
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import Axis

# Elements of a temporary: in cache, and its products are too small for OpenBLAS to start threads,
# which wait for each other where the cores are busy.
_CHUNK = 1 << 14
_MAX_STEPS = 200
_CONVERGED = 1e-8  # squared Newton decrement; the error left is of third order


@dataclass(frozen=True, eq=False)
class LinearProfile:
    """Profile likelihood of log-odds ``h @ parameters``, for any features h.

    Parameters
    ----------
    design : (m, d) array
        Features at the scores of the sample, or of a quadrature of it.
    weights : (m,) array
    parameters : (d,) array
        At the optimum.
    ridge : (d,) array
        Weights of the squared parameters in the objective.
    places : (c, d) array
        Features at scores where steps of Newton's method are measured; of rank d.
    """

    design: Floats
    weights: Floats
    parameters: Floats
    ridge: Floats
    places: Floats

    @cached_property
    def _signs(self) -> Floats:
        """Signs (m,) of log-odds that make those at the optimum negative; see `Deviance`."""
        return np.where(self.design @ self.parameters > 0.0, -1.0, 1.0)

    @cached_property
    def _signed(self) -> Floats:
        return np.ascontiguousarray((self.design * self._signs[:, None]).T)

    @cached_property
    def _weighted_design(self) -> Floats:
        return (self.weights * self._signs)[:, None] * self.design

    @cached_property
    def _products(self) -> Floats:
        weighted = self.weights[:, None] * self.design
        pairs = weighted[:, :, None] * self.design[:, None, :]
        return pairs.reshape(len(pairs), -1)

    @cached_property
    def _at_optimum(self) -> tuple[Floats, Floats, Floats]:
        """Signed log-odds at the nodes, their log(1 + exp(.)), and their sigmoid."""
        log_odds = self._signs * (self.design @ self.parameters)
        return log_odds, np.logaddexp(0.0, log_odds), np.asarray(expit(log_odds))

    @cached_property
    def covariance(self) -> Floats:
        """Inverse of the information (d, d) at the optimum."""
        hessian = self._derivatives(np.zeros((1, len(self.parameters))))[2][0]
        scale = np.sqrt(np.diag(hessian))
        inverse = np.linalg.inv(hessian / np.outer(scale, scale)) / np.outer(scale, scale)
        return np.asarray((inverse + inverse.T) / 2)

    def mass_log_odds(self, h: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) where the features are h (k, d)."""
        return belief_log_odds(h, *self._optimum(h), self.deviance, rough=CORNERS)

    def level_set(self, h: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return level_set(h, *self._optimum(h), self.deviance, level)

    def _optimum(self, h: Floats) -> tuple[Floats, Floats]:
        """Most plausible log-odds where the features are h, and their standard error."""
        return h @ self.parameters, np.sqrt(((h @ self.covariance) * h).sum(axis=1))

    def deviance(self, h: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) where the features are h (k, d)."""
        h = np.repeat(h, log_odds.shape[1], axis=0)
        gap = log_odds.ravel() - h @ self.parameters
        return self.least(h, self.shift(h, gap))[0].reshape(log_odds.shape)

    def shift(self, h: Floats, gap: Floats) -> Floats:
        """Changes (k, d) of the parameters that move the log-odds where features are h by a gap.

        They are the least in the metric of the information.
        """
        along = h @ self.covariance
        return np.asarray(along * (gap / (along * h).sum(axis=1))[:, None])

    def least(
        self, h: Floats, start: Floats, converged: float = _CONVERGED
    ) -> tuple[Floats, Floats]:
        """Least deviance (k,) of changes that move log-odds as `start` does, and these (k, d).

        The log-odds are those where the features are h (k, d).
        """
        # Newton's method within the changes with the same h @ change, damped.
        change, found, result = start.copy(), start.copy(), np.empty(len(h))
        active, length, basis = np.arange(len(h)), np.ones(len(h)), _feasible(h)
        value, gradient, hessian = self._derivatives(change)
        noise = 1e-15 * float(self.weights @ self._at_optimum[1])  # rounding of sums of losses
        for _ in range(_MAX_STEPS):
            step, decrement = _newton_step(gradient, hessian, basis[active])
            result[active], found[active] = value - 0.5 * decrement, change
            left = decrement > converged * np.clip(value, 1e-6, 1.0) + noise
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
        return np.maximum(result, 0.0), found

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
        limit = 20.0 + 2.0 * np.abs(change @ self.places.T).max(axis=1)
        move = np.abs(step @ self.places.T).max(axis=1)
        far = move > limit
        if far.any():
            gradient, hessian, basis = (part[far] for part in model)
            lift = decrement[far] / (move[far] * limit[far])
            lifted = hessian + lift[:, None, None] * (self.places.T @ self.places)
            step = step.copy()
            step[far] = _newton_step(gradient, lifted, basis)[0]
            again = np.abs(step[far] @ self.places.T).max(axis=1)
            step[far] *= np.minimum(1.0, limit[far] / np.maximum(again, 1e-300))[:, None]
        return step

    def _derivatives(self, change: Floats) -> tuple[Floats, Floats, Floats]:
        """Deviance (k,), gradient (k, d) and Hessian (k, d, d) of changes (k, d)."""
        rows = max(1, _CHUNK // len(self.weights))
        if len(change) <= rows:
            return self._derivatives_of_few(change)
        parts = [
            self._derivatives_of_few(change[first : first + rows])
            for first in range(0, len(change), rows)
        ]
        value, gradient, hessian = (np.concatenate(part) for part in zip(*parts, strict=True))
        return value, gradient, hessian

    def _derivatives_of_few(self, change: Floats) -> tuple[Floats, Floats, Floats]:
        mle, loss_at_mle, mean = self._at_optimum
        move = change @ self._signed
        eta = mle + move
        positive = eta >= 0.0
        small = np.exp(-np.abs(eta))
        loss = np.maximum(eta, 0.0, out=eta)
        loss += np.log1p(small)
        loss -= loss_at_mle
        # The sums of the targets are those of the fitted probabilities, ridge aside.
        loss -= np.multiply(move, mean, out=move)
        value = np.einsum("km,m->k", loss, self.weights)
        upper = np.reciprocal(1.0 + small)
        lower = np.multiply(small, upper, out=small)
        p = np.where(positive, upper, lower)
        p -= mean
        gradient = p @ self._weighted_design
        hessian = np.multiply(lower, upper, out=lower) @ self._products
        hessian = hessian.reshape(-1, len(self.ridge), len(self.ridge))
        if self.ridge.any():
            value += change**2 @ self.ridge
            gradient += 2.0 * self.ridge * change
            hessian += np.diag(2.0 * self.ridge)
        return value, gradient, hessian


@dataclass(frozen=True, eq=False)
class LinearRays:
    """The profile along rays from the optimum, one for each score: see `Profiled`.

    Parameters
    ----------
    linear : LinearProfile
    features : callable
        From scores (k,) to features (k, d).
    axis : Axis
    """

    linear: LinearProfile
    features: Callable[[Floats], Floats]
    axis: Axis

    @property
    def dimension(self) -> int:
        """Number of parameters."""
        return len(self.linear.parameters)

    @cached_property
    def unit(self) -> float:
        """Least standard error of the log-odds at a score of the sample."""
        return float(self._changes(self.linear.design)[1].min())

    def mle(self, y: Floats) -> Floats:
        """Most plausible log-odds at scores (k,)."""
        return np.asarray(self.features(y) @ self.linear.parameters)

    def spread(self, y: Floats) -> Floats:
        """Standard errors of the log-odds at scores (k,)."""
        return self.rays(y)[2]

    def at(self, y: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at scores (k,)."""
        return self.linear.deviance(self.features(y), log_odds)

    def profile(
        self, along: Floats, y: Floats, across: Floats, atol: float = 1e-5
    ) -> tuple[Floats, Floats]:
        """The same at distances (k,) in standard errors, and the change (d, k) across.

        `across` is a guess of the latter. The error of the deviance is of third order in `atol`.
        """
        h, ray, spread = self.rays(y)
        # Rounding, or a guess for another direction, must not move the log-odds.
        rest = across.T - ((across.T * h).sum(axis=1) / spread)[:, None] * ray
        value, change = self.linear.least(h, along[:, None] * ray + rest, atol)
        return value, (change - along[:, None] * ray).T

    def reach(self, y: Floats, sign: Floats, level: float) -> tuple[Floats, Floats]:
        """How far to go for a deviance near ``level**2 / 2``, and the change across."""
        start = np.zeros((len(self.linear.parameters), len(y)))
        return reach_level(self.profile, (y, sign), level, level * sign, start)

    def rays(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Features, changes (k, d) by one standard error of the log-odds, and that (k,)."""
        h = self.features(y)
        return h, *self._changes(h)

    def _changes(self, h: Floats) -> tuple[Floats, Floats]:
        ray = h @ self.linear.covariance
        variance = (ray * h).sum(axis=1)
        if not (variance > 0.0).all():  # rounding
            raise ConvergenceError(NO_PROFILE)
        spread = np.sqrt(variance)
        return ray / spread[:, None], spread


def _feasible(h: Floats) -> Floats:
    """Orthonormal basis (k, d, d - 1) of the changes with h @ change = 0: Householder's."""
    v = h / np.sqrt((h**2).sum(axis=1))[:, None]
    v[:, 0] += np.where(v[:, 0] < 0.0, -1.0, 1.0)
    size = (v**2).sum(axis=1)[:, None, None]
    basis = v[:, :, None] * v[:, None, 1:] * (-2.0 / size)
    basis[:, range(1, h.shape[1]), range(h.shape[1] - 1)] += 1.0
    return np.asarray(basis)


def _newton_step(gradient: Floats, hessian: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """Newton step (k, d) within the span of a basis, and the squared decrement (k,).

    In the span, not by a multiplier: where all sigmoids are flat the multiplier cancels all
    digits, and the step would leave the constraint.
    """
    across = np.swapaxes(basis, 1, 2)
    within, inner = (across @ gradient[:, :, None])[..., 0], across @ hessian @ basis
    move, decrement = newton_step(within, inner)
    return (basis @ move[:, :, None])[..., 0], np.maximum(decrement, 0.0)
