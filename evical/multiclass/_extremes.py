"""Extremes of a class's log-odds over the level sets of a deviance: Newton on the surface.

The log-odds g of class k against all others is concave in the logits. Its maximum over a convex
level set is a convex problem; its minimum is not, so it is sought from one start per rival class.
All problems of a batch advance together: each takes a Newton step for the Lagrangian, returns to
the level set along the ray from the optimum, and keeps the step only if g improved.
"""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats

_STEPS = 40
_HALVINGS = 12
_RAY_STEPS = 60
_CONVERGED = 1e-11  # expected gain of log-odds; the remaining gain is about its square
_ON_LEVEL = 1e-12  # relative


_Level: TypeAlias = "tuple[LogOdds, Deviance, float, float]"


class Deviance(Protocol):
    """A convex function with value 0, gradient 0 and Hessian 1 at the origin."""

    def along(self, u: Floats) -> tuple[Floats, Floats]:
        """Values (b,) at points (b, P), and u times the gradients there."""

    def derivatives(self, u: Floats) -> tuple[Floats, Floats]:
        """Gradients (b, P) and Hessians (b, P, P)."""


class Quadratic:
    """Half the square of the distance."""

    def along(self, u: Floats) -> tuple[Floats, Floats]:
        """Values (b,) at points (b, P), and u times the gradients there."""
        square = (u * u).sum(axis=1)
        return square / 2, square

    def derivatives(self, u: Floats) -> tuple[Floats, Floats]:
        """Gradients (b, P) and Hessians (b, P, P)."""
        eye = np.eye(u.shape[1])
        return u, np.broadcast_to(eye, (len(u), *eye.shape))


@dataclass(frozen=True, eq=False)
class SampleDeviance:
    """Negative log relative likelihood of a softmax model, as a function of coefficient changes.

    Parameters
    ----------
    features : (m, M) array
    probability : (m, K) array
        At the optimum.
    weight : (m,) array
    basis : (K M, P) array
        Changes of the coefficients (K, M) by a unit of each coordinate.
    """

    features: Floats
    probability: Floats
    weight: Floats
    basis: Floats

    def _changes(self, u: Floats) -> Floats:
        """Changes of the logits, (b, m, K)."""
        m = self.features.shape[1]
        w = (u @ self.basis.T).reshape(len(u), self.probability.shape[1], m)
        return np.asarray(self.features @ w.transpose(0, 2, 1))

    def _tilted(self, change: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the mean factors (b, m), and the changed probabilities (b, m, K)."""
        top = change.max(axis=2)
        tilted = np.exp(change - top[:, :, np.newaxis]) * self.probability
        # The largest logit may belong to a class whose probability underflows to 0.
        total = np.maximum(tilted.sum(axis=2), 1e-300)
        return np.log(total) + top, tilted / total[:, :, np.newaxis]

    def along(self, u: Floats) -> tuple[Floats, Floats]:
        """Values (b,) at points (b, P), and u times the gradients there."""
        change = self._changes(u)
        mean = np.einsum("bmk,mk->bm", change, self.probability)
        logs, tilted = self._tilted(change)
        slope = np.einsum("bmk,bmk->bm", change, tilted) - mean
        return (logs - mean) @ self.weight, slope @ self.weight

    def derivatives(self, u: Floats) -> tuple[Floats, Floats]:
        """Gradients (b, P) and Hessians (b, P, P)."""
        _, tilted = self._tilted(self._changes(u))
        gain = (tilted - self.probability) * self.weight[:, np.newaxis]
        b, m, k = tilted.shape
        size = k * self.features.shape[1]
        gradient = (gain.transpose(0, 2, 1) @ self.features).reshape(b, size)
        y = (tilted[:, :, :, np.newaxis] * self.features[:, np.newaxis, :]).reshape(b, m, size)
        weighted = y * self.weight[:, np.newaxis]
        curvature = -weighted.transpose(0, 2, 1) @ y
        blocks = curvature.reshape(b, k, size // k, k, size // k)
        parts = weighted.reshape(b, m, k, size // k)
        for i in range(k):
            blocks[:, i, :, i, :] += parts[:, :, i].transpose(0, 2, 1) @ self.features
        hessian = self.basis.T @ curvature @ self.basis
        return gradient @ self.basis, hessian


@dataclass(frozen=True, eq=False)
class LogOdds:
    """Signed log-odds of one class per problem, as functions of P coordinates.

    Parameters
    ----------
    logits : (b, K) array
        At the origin.
    slopes : (b, K, P) array
        Derivatives of the logits.
    classes : (b,) array
    sign : (b,) array
        1 to maximize the log-odds, -1 to minimize them.
    """

    logits: Floats
    slopes: Floats
    classes: NDArray[np.intp]
    sign: Floats

    def __getitem__(self, rows: NDArray[np.intp]) -> "LogOdds":
        """Some of the problems."""
        return LogOdds(self.logits[rows], self.slopes[rows], self.classes[rows], self.sign[rows])

    def value(self, u: Floats) -> Floats:
        """Values (b,) at points (b, P)."""
        return self._parts(u)[0]

    def at_origin(self) -> Floats:
        """Values (b,) at the most likely coefficients."""
        return self.value(np.zeros((len(self.sign), self.slopes.shape[2])))

    def _parts(self, u: Floats) -> tuple[Floats, Floats]:
        """Values, and the shares (b, K) of the rivals in the odds against the class."""
        eta = self.logits + (self.slopes @ u[:, :, np.newaxis])[:, :, 0]
        rows = np.arange(len(eta))
        own = eta[rows, self.classes]
        eta[rows, self.classes] = -np.inf
        top = eta.max(axis=1)
        rivals = np.exp(eta - top[:, np.newaxis])
        total = rivals.sum(axis=1)
        return self.sign * (own - top - np.log(total)), rivals / total[:, np.newaxis]

    def derivatives(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        """Values (b,), gradients (b, P) and Hessians (b, P, P)."""
        value, shares = self._parts(u)
        direction = -shares
        direction[np.arange(len(u)), self.classes] = 1.0
        gradient = (direction[:, np.newaxis, :] @ self.slopes)[:, 0] * self.sign[:, np.newaxis]
        mean = shares[:, np.newaxis, :] @ self.slopes
        spread = (self.slopes * shares[:, :, np.newaxis]).transpose(0, 2, 1) @ self.slopes
        hessian = (mean.transpose(0, 2, 1) @ mean - spread) * self.sign[:, np.newaxis, np.newaxis]
        return value, gradient, hessian

    def rival_starts(self) -> Floats:
        """Directions (S, b, P) that favor each other class over this one."""
        b, k, p = self.slopes.shape
        starts = np.empty((k - 1, b, p))
        own = self.slopes[np.arange(b), self.classes]
        for i in range(k - 1):
            rival = (self.classes + 1 + i) % k
            starts[i] = self.slopes[np.arange(b), rival] - own
        return starts


def extremes(odds: LogOdds, deviance: Deviance, levels: Floats) -> Floats:
    """Largest signed log-odds on each level set.

    Parameters
    ----------
    odds : LogOdds
        b problems.
    deviance : Deviance
    levels : (q,) array
        Square roots of twice the deviances, positive and ascending.

    Returns
    -------
    (q, b) array

    Examples
    --------
    Two classes whose log-odds change by 1 per unit: they change by the distance.

    >>> odds = LogOdds(
    ...     np.zeros((1, 2)), np.array([[[-0.5], [0.5]]]), np.array([1]), np.array([1.0])
    ... )
    >>> extremes(odds, Quadratic(), np.array([1.0, 2.0])).ravel()
    array([1., 2.])
    """
    b = len(odds.sign)
    found = np.empty((len(levels), b))
    u = odds.derivatives(np.zeros((b, odds.slopes.shape[2])))[1]
    falling = np.flatnonzero(odds.sign < 0) if odds.slopes.shape[1] > 2 else np.empty(0, np.intp)
    rivals = odds[falling].rival_starts() if len(falling) else np.empty((0, 0, 0))
    for place, level in enumerate(levels):
        target = level * level / 2
        u = _on_level(u, deviance, target, level)
        value = odds.value(u)
        for start in rivals:
            other = _on_level(start, deviance, target, level)
            reached = odds[falling].value(other)
            better = reached > value[falling]
            u[falling[better]], value[falling[better]] = other[better], reached[better]
        u, found[place] = _ascended(u, value, odds, deviance, target, level)
    return found


def _on_level(u: Floats, deviance: Deviance, target: float, level: float) -> Floats:
    """Points of the level set on the rays through `u`: Newton's method with a bracket."""
    length = np.sqrt((u * u).sum(axis=1, keepdims=True))
    # If the score does not affect the odds, any direction will do.
    u = np.where(length > 0, u, 1.0)
    t = level / np.sqrt((u * u).sum(axis=1))
    low, high = np.zeros_like(t), np.full_like(t, np.inf)
    left = np.arange(len(u))
    for _ in range(_RAY_STEPS):
        at = t[left]
        value, slope = deviance.along(u[left] * at[:, np.newaxis])
        short = value < target
        low[left[short]], high[left[~short]] = at[short], at[~short]
        # Newton's step for the square root of the deviance, which is nearly linear.
        root = np.sqrt(np.maximum(value, 0.0))
        change = 2 * root * (np.sqrt(target) - root) / np.maximum(slope, 1e-300)
        going = np.abs(value - target) > _ON_LEVEL * target
        left, new = left[going], (at * np.clip(1 + change, 0.1, 10.0))[going]
        if not len(left):
            break
        inside = (new > low[left]) & (new < high[left])
        middle = np.where(np.isinf(high[left]), 2 * t[left], (low[left] + high[left]) / 2)
        t[left] = np.where(inside, new, middle)
    return np.asarray(u * t[:, np.newaxis])


def _ascended(
    u: Floats, value: Floats, odds: LogOdds, deviance: Deviance, target: float, level: float
) -> tuple[Floats, Floats]:
    """Points of the level set where no step gains, and the log-odds there."""
    u, value = u.copy(), value.copy()
    left = np.arange(len(u))
    for _ in range(_STEPS):
        step, gain = _tangent_step(u[left], odds[left], deviance)
        going = gain > _CONVERGED * (1 + np.abs(value[left]))
        left, step = left[going], step[going]
        if not len(left):
            break
        left = left[_searched(u, value, left, step, (odds, deviance, target, level))]
    return u, value


def _searched(
    u: Floats, value: Floats, left: NDArray[np.intp], step: Floats, problem: _Level
) -> NDArray[np.bool_]:
    """Move points along steps that gain, halving the steps of those that do not."""
    odds, deviance, target, level = problem
    moved = np.zeros(len(left), dtype=bool)
    length = 1.0
    for _ in range(_HALVINGS):
        todo = np.flatnonzero(~moved)
        rows = left[todo]
        new = _on_level(u[rows] + length * step[todo], deviance, target, level)
        reached = odds[rows].value(new)
        good = reached > value[rows]
        u[rows[good]], value[rows[good]] = new[good], reached[good]
        moved[todo[good]] = True
        length /= 2
        if moved.all():
            break
    return moved


def _tangent_step(u: Floats, odds: LogOdds, deviance: Deviance) -> tuple[Floats, Floats]:
    """Newton steps along the level set, and their expected gains."""
    _, slope, bend = odds.derivatives(u)
    normal, curvature = deviance.derivatives(u)
    multiplier = (slope * normal).sum(axis=1) / (normal * normal).sum(axis=1)
    # Near an optimum the multiplier is positive; elsewhere its size is a sensible scale.
    pull = np.maximum(np.abs(multiplier), 1e-300)[:, np.newaxis, np.newaxis] * curvature
    rest = slope - multiplier[:, np.newaxis] * normal
    step = _constrained(pull - bend, normal, rest)
    gain = (step * rest).sum(axis=1)
    # If the Lagrangian is not concave along the surface, follow its linear part.
    bad = ~(gain >= 0)
    if bad.any():
        step[bad] = _constrained(pull[bad], normal[bad], rest[bad])
        gain[bad] = (step[bad] * rest[bad]).sum(axis=1)
    return step, gain


def _constrained(matrix: Floats, normal: Floats, rest: Floats) -> Floats:
    """Solutions of matrix @ x = rest up to a multiple of normal, with x orthogonal to it."""
    b, p = rest.shape
    # Scale the row and column of the constraint to the size of the matrix.
    unit = normal * (np.abs(matrix).max(axis=(1, 2)) / np.abs(normal).max(axis=1))[:, np.newaxis]
    system = np.zeros((b, p + 1, p + 1))
    system[:, :p, :p] = matrix
    system[:, :p, p] = system[:, p, :p] = unit
    right = np.concatenate([rest, np.zeros((b, 1))], axis=1)
    return np.linalg.solve(system, right[:, :, np.newaxis])[:, :p, 0]
