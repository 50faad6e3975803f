"""Profile likelihood of log-odds that are linear in a few parameters.

The regularized log-likelihood is concave in the parameters and log-odds at a score are a linear
function of them, so that the profile likelihood is a convex problem with one linear constraint,
solved by Newton's method for many scores and log-odds at once.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 33-40.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.newton import Sums, newton_step, unit_diagonal
from evical.errors import ConvergenceError
from evical.likelihood.integrals import NO_PROFILE
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import Axis

# Elements of a temporary: in cache, and its products are too small for OpenBLAS to start threads,
# which wait for each other where the cores are busy.
_CHUNK = 1 << 14
_MAX_STEPS = 200
_CONVERGED = 1e-8  # squared Newton decrement; the error left is of third order
_TINY = 1e-200  # of a curvature, where all sigmoids are flat

Features = Callable[[Floats], Floats]
"""From scores (k,) to features (k, d)."""
Steps = Callable[[NDArray[np.intp], Floats, Floats, Floats], tuple[Floats, Floats]]
"""From rows (k,), changes, gradients and Hessians there to steps (k, d) and what they gain (k,)."""


@dataclass(frozen=True, eq=False)
class LinearProfile:
    """Profile likelihood of log-odds ``features(score) @ parameters``: see `Profiled`.

    Parameters
    ----------
    features : callable
    axis : Axis
    nodes, weights : (m,) arrays
        Scores of the sample, or a quadrature of it.
    parameters : (d,) array
        At the optimum.
    places : (c,) array
        Scores where steps of Newton's method are measured; their features are of rank d.
    ridge : (d,) array, optional
        Weights of the squared parameters in the objective.
    slope : (d,) array, optional
        Derivative of the log-likelihood at the optimum, if bounds keep it there.
    """

    features: Features
    axis: Axis
    nodes: Floats
    weights: Floats
    parameters: Floats
    places: Floats
    ridge: Floats = field(default_factory=partial(np.zeros, 1))
    slope: Floats = field(default_factory=partial(np.zeros, 1))

    @property
    def dimension(self) -> int:
        """Number of parameters."""
        return len(self.parameters)

    @cached_property
    def unit(self) -> float:
        """Least standard error of the log-odds at a score of the sample."""
        return float(self.spread(self.nodes).min())

    @cached_property
    def _design(self) -> Floats:
        return self.features(self.nodes)

    @cached_property
    def _signs(self) -> Floats:
        """Signs (m,) that make the log-odds at the optimum negative, so that no p there is near 1.

        Which class is called positive at a node changes D by no more than rounding. Where heavy
        weights saturate, 1 - p loses all digits, and p none.
        """
        return np.where(self._design @ self.parameters > 0.0, -1.0, 1.0)

    @cached_property
    def _signed(self) -> Floats:
        return np.ascontiguousarray((self._design * self._signs[:, None]).T)

    @cached_property
    def _weighted(self) -> Floats:
        return (self.weights * self._signs)[:, None] * self._design

    @cached_property
    def _products(self) -> Floats:
        weighted = self.weights[:, None] * self._design
        return (weighted[:, :, None] * self._design[:, None, :]).reshape(len(weighted), -1)

    @cached_property
    def _at_optimum(self) -> tuple[Floats, Floats, Floats]:
        """Signed log-odds at the nodes, their log(1 + exp(.)), and their sigmoid."""
        log_odds = -np.abs(self._design @ self.parameters)
        small = np.exp(log_odds)
        return log_odds, np.log1p(small), small / (1.0 + small)

    @cached_property
    def _noise(self) -> float:
        """Rounding of the sum of losses at the optimum, which shows in differences."""
        return 1e-15 * float(self.weights @ self._at_optimum[1])

    @cached_property
    def _measure(self) -> Floats:
        return self.features(self.places)

    @cached_property
    def information(self) -> Floats:
        """Second derivative (d, d) of the deviance at the optimum."""
        return np.asarray(self.derivatives(np.zeros((1, self.dimension)))[2][0])

    @cached_property
    def covariance(self) -> Floats:
        """Inverse of the information."""
        scaled, scale = unit_diagonal(self.information)
        inverse = np.linalg.inv(scaled) / np.outer(scale, scale)
        return np.asarray((inverse + inverse.T) / 2)

    def mle(self, y: Floats) -> Floats:
        """Most plausible log-odds at scores (k,)."""
        return np.asarray(self.features(y) @ self.parameters)

    def spread(self, y: Floats) -> Floats:
        """Standard errors of the log-odds at scores (k,)."""
        return self.rays(y)[2]

    def rays(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Features, changes (k, d) by one standard error of the log-odds, and that (k,)."""
        h = self.features(y)
        ray = h @ self.covariance
        variance = dots(ray, h)
        if not (variance > 0.0).all():  # rounding
            raise ConvergenceError(NO_PROFILE)
        spread = np.sqrt(variance)
        return h, ray / spread[:, None], spread

    def at(self, y: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at scores (k,)."""
        h, ray, spread = (np.repeat(part, log_odds.shape[1], axis=0) for part in self.rays(y))
        along = (log_odds.ravel() - h @ self.parameters) / spread
        return self._least(h, along[:, None] * ray)[0].reshape(log_odds.shape)

    def profile(
        self, along: Floats, y: Floats, across: Floats, atol: float = 1e-5
    ) -> tuple[Floats, Floats]:
        """The same at distances (k,) in standard errors, and the change (d, k) across.

        `across` is a guess of the latter. The error of the deviance is of third order in `atol`.
        """
        h, ray, spread = self.rays(y)
        # Rounding, or a guess for another direction, must not move the log-odds.
        rest = across.T - (dots(across.T, h) / spread)[:, None] * ray
        value, change = self._least(h, along[:, None] * ray + rest, atol)
        return value, (change - along[:, None] * ray).T

    def level_set(self, y: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return level_set(y, self.mle(y), self.spread(y), self.at, level)

    def value(self, parameters: Floats) -> Floats:
        """Minus the log relative likelihood (k,) of parameters (k, d), without ridge and slope."""
        change, m = parameters - self.parameters, len(self.weights)
        parts = [slice(first, first + _CHUNK) for first in range(0, m, _CHUNK)]
        return np.maximum(sum(self._losses(change, part)[0] for part in parts), 0.0)

    def _least(
        self, h: Floats, start: Floats, converged: float = _CONVERGED
    ) -> tuple[Floats, Floats]:
        """Least deviance (k,) of changes that move log-odds as `start` does, and these (k, d).

        The log-odds are those where the features are h (k, d).
        """
        basis = _feasible(h)

        def steps(
            rows: NDArray[np.intp], change: Floats, gradient: Floats, hessian: Floats
        ) -> tuple[Floats, Floats]:
            model = gradient, hessian, basis[rows]
            step, decrement = _newton_step(*model)
            return self._damped(change, step, model, decrement), 0.5 * decrement

        return self.descend(start, steps, 0.5 * converged)

    def descend(self, start: Floats, steps: Steps, converged: float) -> tuple[Floats, Floats]:
        """Least deviance (k,) from changes (k, d) on, and where it is.

        Steps are halved until they gain; the search ends where they gain no more than a share of
        the deviance, or of 1.
        """
        change, found, result = start.copy(), start.copy(), np.empty(len(start))
        active, length = np.arange(len(start)), np.ones(len(start))
        value, gradient, hessian = self.derivatives(change)
        for _ in range(_MAX_STEPS):
            step, gain = steps(active, change, gradient, hessian)
            result[active], found[active] = value - gain, change
            left = gain > converged * np.clip(value, 1e-6, 1.0) + self._noise
            if not left.any():
                break
            if not left.all():
                active, length, gain, step = active[left], length[left], gain[left], step[left]
                change, value, gradient, hessian = (
                    part[left] for part in (change, value, gradient, hessian)
                )
            gain = np.minimum(gain, -dots(gradient, step))
            trial = change + length[:, None] * step
            new = self.derivatives(trial)
            better = new[0] <= value - 1e-4 * length * gain + 1e-13 * value + self._noise
            if better.all():
                change, value, gradient, hessian = trial, *new
            else:
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
        places = self._measure
        moves = np.abs(places @ step.T)
        if not (moves > 20.0).any():
            return step
        move, limit = moves.max(axis=0), 20.0 + 2.0 * np.abs(places @ change.T).max(axis=0)
        far = move > limit
        if far.any():
            gradient, hessian, basis = (part[far] for part in model)
            lift = decrement[far] / (move[far] * limit[far])
            lifted = hessian + lift[:, None, None] * (places.T @ places)
            step = step.copy()
            step[far] = _newton_step(gradient, lifted, basis)[0]
            again = np.abs(places @ step[far].T).max(axis=0)
            step[far] *= np.minimum(1.0, limit[far] / np.maximum(again, 1e-300))[:, None]
        return step

    def derivatives(self, change: Floats) -> Sums:
        """Deviance (k,), gradient (k, d) and Hessian (k, d, d) of changes (k, d)."""
        value, gradient, hessian = self._sums(change)
        if self.ridge.any():
            value += change**2 @ self.ridge
            gradient += 2.0 * self.ridge * change
            hessian[:, :: self.dimension + 1] += 2.0 * self.ridge
        if self.slope.any():
            value -= change @ self.slope
            gradient -= self.slope
        return value, gradient, hessian.reshape(-1, self.dimension, self.dimension)

    def _sums(self, change: Floats) -> Sums:
        """The same without ridge and slope, in blocks of some changes and nodes."""
        m = len(self.weights)
        size = max(1, _CHUNK // m)
        if len(change) <= size and m <= _CHUNK:
            return self._sums_of(change, slice(None))
        parts = [
            [self._sums_of(change[i : i + size], slice(j, j + _CHUNK)) for j in range(0, m, _CHUNK)]
            for i in range(0, len(change), size)
        ]
        totals = [[sum(each) for each in zip(*part, strict=True)] for part in parts]
        value, gradient, hessian = (np.concatenate(each) for each in zip(*totals, strict=True))
        return value, gradient, hessian

    def _sums_of(self, change: Floats, sample: slice) -> Sums:
        value, excess, curvature = self._losses(change, sample)
        return value, excess @ self._weighted[sample], curvature @ self._products[sample]

    def _losses(self, change: Floats, sample: slice) -> tuple[Floats, Floats, Floats]:
        """Deviance (k,) of some nodes, and what p is above that at the optimum, and p (1 - p)."""
        mle, loss_at_mle, mean = (part[sample] for part in self._at_optimum)
        move = change @ self._signed[:, sample]
        eta = mle + move
        positive = eta >= 0.0
        small = np.exp(-np.abs(eta))
        loss = np.maximum(eta, 0.0, out=eta)
        loss += np.log1p(small)
        loss -= loss_at_mle
        # The sums of the targets are those of the fitted probabilities, ridge and slope aside.
        loss -= np.multiply(move, mean, out=move)
        upper = np.reciprocal(1.0 + small)
        lower = np.multiply(small, upper, out=small)
        excess = np.where(positive, upper, lower)
        excess -= mean
        value = np.einsum("km,m->k", loss, self.weights[sample])
        return value, excess, np.multiply(lower, upper, out=lower)


def dots(u: Floats, v: Floats) -> Floats:
    """Dot products (k,) of rows; sums along short axes would take longer."""
    if u.shape[1] == 2:
        return u[:, 0] * v[:, 0] + u[:, 1] * v[:, 1]
    return np.asarray(np.einsum("kd,kd->k", u, v))


def _feasible(h: Floats) -> Floats:
    """Orthonormal basis (k, d, d - 1) of the changes with h @ change = 0: Householder's."""
    v = h / np.sqrt(dots(h, h))[:, None]
    v[:, 0] += np.where(v[:, 0] < 0.0, -1.0, 1.0)
    size = dots(v, v)[:, None, None]
    basis = v[:, :, None] * v[:, None, 1:] * (-2.0 / size)
    basis[:, range(1, h.shape[1]), range(h.shape[1] - 1)] += 1.0
    return np.asarray(basis)


def _newton_step(gradient: Floats, hessian: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """Newton step (k, d) within the span of a basis, and the squared decrement (k,).

    In the span, not by a multiplier: where all sigmoids are flat the multiplier cancels all
    digits, and the step would leave the constraint.
    """
    if basis.shape[1:] == (2, 1):  # products of small matrices would take longer
        along = basis[:, :, 0]
        x, y = along.T
        slope = x * gradient[:, 0] + y * gradient[:, 1]
        inner = x * x * hessian[:, 0, 0] + 2.0 * (x * y) * hessian[:, 0, 1]
        inner += y * y * hessian[:, 1, 1]
        move = slope / np.maximum(inner, _TINY)
        return -move[:, None] * along, move * slope
    across = np.swapaxes(basis, 1, 2)
    within, inner = (across @ gradient[:, :, None])[..., 0], across @ hessian @ basis
    move, decrement = newton_step(within, inner)
    return (basis @ move[:, :, None])[..., 0], np.maximum(decrement, 0.0)
