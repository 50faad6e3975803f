"""The relative likelihood of the sigmoid's two parameters, and its profile along a line.

The relative likelihood is ``exp(-D)``, with `D` convex. Scores are standardized by the Fisher
information at the optimum, so that `D` is close to half the squared distance from the optimum in
units of one standard error, in every direction. The supremum along all the sigmoids that have a
given log-odds at a given score is then a one-dimensional convex problem near its solution.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 33-40.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evical.errors import ConvergenceError
from evical.likelihood.polar import TURN

Array = NDArray[np.float64]

# Elements of one temporary (64 kB): a pass stays in cache, and its products below the 9216 elements
# from which OpenBLAS starts threads, which wait for each other where the cores are busy.
_CHUNK = 1 << 13
_MAX_STEPS = 200
NO_PROFILE = (
    "the profile of the likelihood was not found: scores or weights differ by too many powers of "
    "ten; leave out the extreme ones, use transform='rank' or model='bayesian'"
)
_JOINT_STEPS = 2
_PATIENCE = 5  # steps; then every other one expands the bracket or bisects it


@dataclass(frozen=True, eq=False)
class Deviance:
    """Minus the log relative likelihood of a line of log-odds ``a + b * y``.

    Attributes
    ----------
    nodes, weights : ndarray of shape (m,)
        Standardized scores and weights: the sample or a quadrature of it.
    intercept, slope : float
        The log-odds at the optimum are ``intercept + slope * y``.
    unit : float
        Standard error of the intercept and of the slope (they are uncorrelated).
    """

    nodes: Array
    weights: Array
    intercept: float
    slope: float
    unit: float
    axis: ClassVar = TURN
    dimension: ClassVar = 2

    @cached_property
    def _powers(self) -> Array:
        first = self.weights * self.nodes
        return np.stack([self.weights, first, first * self.nodes], axis=1)

    @cached_property
    def _signs(self) -> Array:
        """Signs that make the log-odds at the optimum negative, so that no p there is near 1.

        Which class is called positive at a node changes D by no more than rounding. Where heavy
        weights saturate, 1 - p loses all digits, and p none.
        """
        return np.where(self.intercept + self.slope * self.nodes > 0.0, -1.0, 1.0)

    @cached_property
    def _optimum(self) -> tuple[float, Array]:
        """The sum of log(1 + exp(.)) and the sums of p and of p * y at the optimum, signed.

        The latter equal the sums of the targets, so that the labels are no longer needed.
        """
        sums = self._raw_sums(np.array([self.intercept]), np.array([self.slope]))
        return float(sums[0, 0]), sums[1:3, 0]

    def lines(self, along: Array, across: Array, y: Array) -> tuple[Array, Array]:
        """Return the lines at given standard errors from the optimum, seen from score `y`.

        `along` moves the log-odds at `y` by ``along * unit * hypot(1, y)``; `across` leaves
        them as they are.
        """
        norm = np.hypot(1.0, y)
        cos, sin = 1.0 / norm, y / norm
        a = self.intercept + self.unit * (along * cos - across * sin)
        b = self.slope + self.unit * (along * sin + across * cos)
        return a, b

    def value(self, a: Array, b: Array) -> Array:
        """Return D for lines of any common shape."""
        a, b = np.broadcast_arrays(a, b)
        return np.maximum(self._sums(a.ravel(), b.ravel())[0], 0.0).reshape(a.shape)

    def profile(
        self, along: Array, y: Array, across: Array, atol: float = 1e-6
    ) -> tuple[Array, Array]:
        """Return the least D over `across`, and where; `across` is the guess to start from.

        All arrays have one shape (k,). The method is Newton's, with a bracket: the gradient is
        increasing in `across`, so that each evaluation narrows the bracket, and a step that
        leaves it is replaced by bisection. It ends at a squared Newton decrement of `atol`,
        relative to D where D is below 1, and the error left is of third order, 1e-9 by default;
        or at a bracket without a number between its ends, where D has as good as a corner.

        Raises
        ------
        ConvergenceError
            If it does not end.
        """
        result, guess = np.empty(along.size), across.copy()
        low, high = np.full(along.size, -np.inf), np.full(along.size, np.inf)
        active = np.arange(along.size)
        for step in range(_MAX_STEPS):
            x = guess[active]
            value, gradient, curvature = self._derivatives(along[active], y[active], x)
            with np.errstate(over="ignore"):  # no curvature: go on by the bracket
                decrement = gradient * gradient / curvature
            left = decrement > atol * np.clip(value, 1e-9, 1.0)
            left &= np.nextafter(low[active], high[active]) < high[active]
            done = decrement <= atol
            result[active] = np.where(done, value - 0.5 * decrement, value)
            if not left.any():
                break
            active, x = active[left], x[left]
            gradient, curvature = gradient[left], curvature[left]
            low[active] = np.where(gradient < 0.0, x, low[active])
            high[active] = np.where(gradient > 0.0, x, high[active])
            limit = 2.0 * (1.0 + np.abs(x) + np.abs(along[active]))
            with np.errstate(over="ignore"):
                move = gradient / curvature
            creeping = bool(step % 2) and step > _PATIENCE  # where an outlier saturates
            if creeping:
                move = np.sign(gradient) * np.inf
            new = x - np.clip(move, -limit, limit)
            outside = (new <= low[active]) | (new >= high[active])
            outside |= creeping & np.isfinite(high[active] - low[active])
            guess[active] = np.where(outside, 0.5 * (low[active] + high[active]), new)
        else:
            raise ConvergenceError(NO_PROFILE)
        return np.maximum(result, 0.0), guess

    def mle(self, y: Array) -> Array:
        """Return the most plausible log-odds at scores `y`."""
        return self.intercept + self.slope * y

    def spread(self, y: Array) -> Array:
        """Return the standard error of the log-odds at scores `y`."""
        return np.asarray(self.unit * np.hypot(1.0, y))

    def distance(self, y: Array, log_odds: Array) -> Array:
        """Return how many standard errors log-odds (k, q) are from the optimum at scores (k,)."""
        return np.asarray((log_odds - self.mle(y)[:, None]) / self.spread(y)[:, None])

    def at(self, y: Array, log_odds: Array) -> Array:
        """Return the profile D of log-odds (k, q), those of row i at score i of `y` (k,)."""
        along = self.distance(y, log_odds)
        scores = np.repeat(y, along.shape[1])
        return self.profile(along.ravel(), scores, np.zeros(along.size))[0].reshape(along.shape)

    def reach(self, y: Array, sign: Array, level: float) -> tuple[Array, Array]:
        """Return how far to go `along` for a profile D near ``level**2 / 2``, and `across` there.

        `y` and `sign`, the direction to go to (+-1), are of one shape (k,).
        """
        return reach_level(self.profile, (y, sign), level, *self._approach(y, sign, level))

    def _approach(self, y: Array, sign: Array, level: float) -> tuple[Array, Array]:
        """Return a start for `reach`, by a few steps along and across at once."""
        along, across = sign * level, np.zeros(y.size)
        for _ in range(_JOINT_STEPS):
            value, gradient, curvature = self._derivatives(along, y, across)
            with np.errstate(over="ignore"):  # no curvature
                gain = np.minimum(0.5 * gradient * gradient / curvature, 0.5 * value)
            factor = level / np.maximum(np.sqrt(2.0 * np.maximum(value - gain, 0.0)), 1e-300)
            factor = np.clip(factor, 0.5, 2.0)
            limit = 1.0 + np.abs(across) + np.abs(along)
            with np.errstate(over="ignore"):
                across = (across - np.clip(gradient / curvature, -limit, limit)) * factor**2
            along = along * factor
        return along, across

    def _derivatives(self, along: Array, y: Array, across: Array) -> tuple[Array, Array, Array]:
        """Return D and its first and second derivative in `across`."""
        norm = np.hypot(1.0, y)
        cos, sin = 1.0 / norm, y / norm
        value, g, v = self._sums(*self.lines(along, across, y))
        gradient = self.unit * (cos * g[1] - sin * g[0])
        first, cross, last = sin * sin * v[0], -2.0 * sin * cos * v[1], cos * cos * v[2]
        floor = 1e-15 * (first + last)  # what cancellation may leave
        curvature = self.unit**2 * np.maximum(first + cross + last, floor)
        return value, gradient, np.maximum(curvature, 1e-300)

    def _sums(self, a: Array, b: Array) -> tuple[Array, Array, Array]:
        """Return D (k,), its gradient (2, k), and the moments (3, k) of p (1 - p)."""
        floor, means = self._optimum
        sums = self._raw_sums(a, b)
        sums[1:3] -= means[:, None]
        sums[0] -= floor + means[0] * (a - self.intercept) + means[1] * (b - self.slope)
        return sums[0], sums[1:3], sums[3:]

    def _raw_sums(self, a: Array, b: Array) -> Array:
        """Return the sums (6, k) of log(1 + exp(.)), p, p y, and p (1 - p) times 1, y, y**2.

        The first three are those of log-odds with the signs of `_signs`.
        """
        sums = np.zeros((6, a.size))
        columns = min(_CHUNK, self.nodes.size)
        rows = max(1, _CHUNK // columns)
        for begin in range(0, self.nodes.size, columns):
            sample = slice(begin, begin + columns)
            nodes, powers, signs = self.nodes[sample], self._powers[sample], self._signs[sample]
            signed = powers[:, :2] * signs[:, None]
            for first in range(0, a.size, rows):
                part = slice(first, first + rows)
                eta = b[part, None] * nodes
                eta += a[part, None]
                eta *= signs
                loss, probability, variance = _logistic(eta)
                sums[0, part] += loss @ powers[:, 0]
                sums[1:3, part] += (probability @ signed).T
                sums[3:, part] += (variance @ powers).T
        return sums


def reach_level(
    profile: Callable[..., tuple[Array, Array]],
    ray: tuple[Array, Array],
    level: float,
    along: Array,
    across: Array,
) -> tuple[Array, Array]:
    """Return how far to go `along` for a profile D near ``level**2 / 2``, and `across` there.

    `ray` are the scores (k,) and the signs of the directions; `along` (k,) and `across` (..., k)
    the start.
    The square root of 2 D is about `along`, so steps are proportional; where both sides of the
    level are known they are bisections. The level is met within 0.4.

    Raises
    ------
    ConvergenceError
        If it is not.
    """
    (y, sign), along, across = ray, along.copy(), across.copy()
    near, far = np.zeros(y.size), np.full(y.size, np.inf)
    active = np.arange(y.size)
    for step in range(_MAX_STEPS):
        value, across[..., active] = profile(
            along[active], y[active], across[..., active], atol=1e-2
        )
        root = np.sqrt(2.0 * value)
        left = np.abs(root - level) > 0.4
        active, root = active[left], root[left]
        if not active.size:
            break
        size = np.abs(along[active])
        near[active] = np.where(root < level, size, near[active])
        far[active] = np.where(root > level, size, far[active])
        factor = np.clip(level / np.maximum(root, 1e-300), 0.25, 4.0)
        if step % 2 and step > _PATIENCE:
            factor = np.where(root < level, 4.0, 0.25)
        new = size * factor
        outside = (new <= near[active]) | (new >= far[active])
        new = np.where(outside, 0.5 * (near[active] + far[active]), new)
        across[..., active] *= (new / size) ** 2
        along[active] = sign[active] * new
    else:
        raise ConvergenceError(NO_PROFILE)
    return along, across


def _logistic(eta: Array) -> tuple[Array, Array, Array]:
    """Return log(1 + exp(eta)), the sigmoid p and p (1 - p), without overflow."""
    small = np.exp(-np.abs(eta))
    upper = 1.0 / (1.0 + small)
    lower = small * upper
    loss = np.log1p(small)
    loss += np.maximum(eta, 0.0)
    return loss, np.where(eta >= 0.0, upper, lower), upper * lower
