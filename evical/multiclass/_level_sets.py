"""Bounds and contours of class probabilities, from the extremes of their log-odds on level sets.

Logits of a sample are known functions of coordinates in which a deviance has Hessian 1. For each
class and both sides, this module finds the extreme log-odds on a few level sets, and beliefs from
them.

Bel of class k is the mean of the smallest probability of k over random level sets of the relative
likelihood, and Pl is the mean of the largest one. These are the integrals of Xu et al. (2016, eq.
22-23) of the contour (eq. 40), written over the level. The deviance of a level set is half the
square of a Rayleigh variable r. The extreme log-odds are a smooth function of r and are
interpolated; their sigmoid can be steep, which the quadrature is made for.

The log-odds g of class k against all others is concave in the logits. Its maximum over a convex
level set is a convex problem; its minimum is not, so it is sought from one start per rival class.
All problems of a batch advance together: each takes a Newton step for the Lagrangian, returns to
the level set along the ray from the optimum, and keeps the step only if g improved.

Source: Xu, Davoine & Denoeux, "Evidential multinomial logistic regression for multiclass classifier
calibration", FUSION (2015); Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 33-40.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import dct
from scipy.special import expit, logit, ndtri

from dstheory.checks.arguments import as_floats
from dstheory.kernels.batches import blocks
from evical._typing import Flags, Floats
from evical.beliefs.bounded import Bounded
from evical.beliefs.estimate import Estimate
from evical.scores.checks import check_label, refuse

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


_REACH = 6.5  # exp(-6.5^2 / 2) = 7e-10 of all level sets are larger
_BISECTIONS = 60
# Double-exponential quadrature on [0, 1], for functions that are steep at an end: distances of the
# points from 0 and from 1, each with full precision.
_T = np.pi / 2 * np.sinh(np.arange(-32, 33) * 0.1)
_FROM_0, _FROM_1 = expit(2 * _T), expit(-2 * _T)
_WEIGHTS = 0.1 * np.pi * np.cosh(np.arange(-32, 33) * 0.1) * _FROM_0 * _FROM_1


def levels(count: int) -> Floats:
    """Chebyshev points of (0, 6.5]; 0 is a further node, where log-odds are known.

    Examples
    --------
    >>> levels(2).round(9)
    array([3.25, 6.5 ])
    """
    return np.asarray(_REACH / 2 * (1 - np.cos(np.pi * np.arange(1, count + 1) / count)))


def coefficients(start: Floats, values: Floats) -> Floats:
    """Chebyshev coefficients on [0, 6.5] of functions known at 0 and at `levels`.

    Parameters
    ----------
    start : (b,) array
    values : (q, b) array

    Returns
    -------
    (q + 1, b) array

    Examples
    --------
    >>> line = coefficients(np.array([1.0]), 1 + 2 * levels(4)[:, np.newaxis])
    >>> (line[:2, 0].round(9) + 0.0).tolist()
    [7.5, 6.5]
    """
    samples = np.concatenate([start[np.newaxis], values])[::-1]
    found = dct(samples, type=1, axis=0) / len(values)
    found[[0, -1]] /= 2
    return np.asarray(found)


def _at(series: Floats, r: Floats) -> Floats:
    """Values (b, m) of the series at r (b, m)."""
    x = 2 / _REACH * r - 1
    return np.asarray(np.polynomial.chebyshev.chebval(x, series[:, :, np.newaxis], tensor=False))


def crossing(series: Floats, level: Floats) -> Floats:
    """Where each increasing function takes a value, in [0, 6.5]; the nearer end if it does not.

    Parameters
    ----------
    series : (q, b) array
    level : (b,) array

    Returns
    -------
    (b,) array

    Examples
    --------
    >>> line = coefficients(np.array([1.0]), 1 + 2 * levels(4)[:, np.newaxis])
    >>> crossing(line, np.array([4.0])).round(9)
    array([1.5])
    """
    low, high = np.zeros(len(level)), np.full(len(level), _REACH)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = _at(series, middle[:, np.newaxis])[:, 0] < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def expected_probability(series: Floats, sign: Floats) -> Floats:
    """Mean of the sigmoid of an increasing function of a Rayleigh variable, times a sign.

    Parameters
    ----------
    series : (q, b) array
        Chebyshev coefficients on [0, 6.5].
    sign : (b,) array of 1 and -1

    Returns
    -------
    (b,) array

    Examples
    --------
    Log-odds that are 0 everywhere:

    >>> expected_probability(np.zeros((2, 1)), np.array([1.0])).round(12)
    array([0.5])
    """
    middle = crossing(series, np.zeros(series.shape[1]))[:, np.newaxis]
    total = np.exp(-(_REACH**2) / 2) * expit(sign * _at(series, np.full_like(middle, _REACH))[:, 0])
    for start, length in ((np.zeros_like(middle), middle), (middle, _REACH - middle)):
        r = start + length * _FROM_0
        density = r * np.exp(-r * r / 2)
        total += (length * _WEIGHTS * density * expit(sign[:, None] * _at(series, r))).sum(axis=1)
    return np.asarray(total)


@dataclass(frozen=True, eq=False)
class LevelSets:
    """Searches for extremes for n samples of K classes, in chunks.

    Parameters
    ----------
    shape : (n, K)
    local : callable
        Maps a slice of samples to their logits (m, K) and the slopes of these (m, K, P).
    deviance : Deviance
    n_levels : int
    chunk : int
        Samples per chunk.
    outside : (n,) array of bool
        Samples about which nothing is known.
    """

    shape: tuple[int, int]
    local: Callable[[slice], tuple[Floats, Floats]]
    deviance: Deviance
    n_levels: int
    chunk: int
    outside: Flags

    def problems(self, rows: slice) -> LogOdds:
        """Log-odds to optimize, for each sample, class and side."""
        logits, slopes = self.local(rows)
        n, k = logits.shape
        sample, rest = np.divmod(np.arange(n * k * 2), 2 * k)
        sign = np.where(rest % 2, 1.0, -1.0)
        return LogOdds(logits[sample], slopes[sample], rest // 2, sign)

    def _searched(self) -> Iterator[tuple[slice, LogOdds, Floats]]:
        """Chunks of samples, with problems (sample, class, side) and series of their extremes."""
        for rows in blocks(self.shape[0], self.chunk):
            odds = self.problems(rows)
            values = extremes(odds, self.deviance, levels(self.n_levels))
            yield rows, odds, coefficients(odds.at_origin(), values)

    def bounds(self, p: Floats) -> Floats:
        """Bel and Pl (n, K, 2), given the most likely probabilities (n, K)."""
        found = np.empty((*self.shape, 2))
        for rows, odds, series in self._searched():
            found[rows] = expected_probability(series, odds.sign).reshape(-1, self.shape[1], 2)
        # Bel <= p <= Pl always holds, but interpolation may violate it by its error.
        lower, upper = np.minimum(found[:, :, 0], p), np.maximum(found[:, :, 1], p)
        lower[self.outside], upper[self.outside] = 0, 1
        return np.stack([lower, upper], axis=2)

    def beliefs(self, classes: NDArray[Any], p: Floats) -> Bounded:
        """Beliefs (n,) whose intervals are found now, and their ends when they are asked for."""
        lower, upper = np.moveaxis(self.bounds(p), 2, 0)
        return Bounded(classes, len(p), lambda: (lower, upper), estimate=Estimate(self.ends))

    def ends(self, level: float) -> Floats:
        """Ends (n, K, 2) of confidence intervals, as level sets by Wilks' theorem."""
        found = np.empty((*self.shape, 2))
        radius = float(ndtri((1 + level) / 2))
        for rows, odds, series in self._searched():
            reached = _at(series, np.full((series.shape[1], 1), radius))[:, 0]
            found[rows] = expit(odds.sign * reached).reshape(-1, self.shape[1], 2)
        found[self.outside] = [0, 1]
        return found

    def contour(self, place: int, tau: Floats) -> Floats:
        """Plausibility (n, q) that the class at a place has probabilities tau (q,)."""
        found = np.empty((self.shape[0], len(tau)))
        for rows, odds, series in self._searched():
            for side in (0, 1):
                pick = np.flatnonzero((odds.classes == place) & (odds.sign == 2 * side - 1))
                _fill(found[rows], series[:, pick], odds.at_origin()[pick], side, tau)
        found[self.outside] = 1.0
        found[:, (tau == 0) | (tau == 1)] = 0.0
        return found


def checked_contour(
    label: Hashable, probability: ArrayLike, classes: NDArray[Any]
) -> tuple[int, Floats]:
    """Index of a class, and probabilities (q,), from user input.

    Raises
    ------
    ValueError
        If the label is unknown, or a probability is not in [0, 1].
    """
    tau = np.atleast_1d(as_floats(probability, "probability"))
    if tau.ndim > 1:
        raise ValueError(f"probability has shape {tau.shape}, expected (g,)")
    refuse(tau, ~((tau >= 0) & (tau <= 1)), "probability", "a number in [0, 1]")
    check_label("label", label)
    known = classes.tolist()
    if label not in known:
        raise ValueError(f"label is {label!r}, but the classes are {known}")
    return known.index(label), tau


def contrasts(k: int, m: int) -> Floats:
    """Coefficients (K M, (K - 1) M) whose sum over classes is 0, an orthonormal basis."""
    helmert = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, :-1]]))[0][:, 1:]
    return np.asarray(np.kron(helmert, np.eye(m)))


def minimal(slopes: Floats) -> Floats:
    """Slopes (n, K, K - 1) with the same inner products as slopes (n, K, P)."""
    helmert = contrasts(slopes.shape[1], 1)
    inner = helmert.T @ slopes
    lower = np.linalg.cholesky(inner @ inner.transpose(0, 2, 1))
    return np.asarray(helmert @ lower)


def _fill(result: Floats, series: Floats, origin: Floats, side: int, tau: Floats) -> None:
    """Contour on one side of the most likely log-odds."""
    with np.errstate(divide="ignore"):  # probabilities 0 and 1 are handled later
        level = logit(tau) * (2 * side - 1)
    for j, value in enumerate(level):
        r = crossing(series, np.full(len(origin), value))
        reached = value <= series.sum(axis=0)
        here = value >= origin
        result[here, j] = np.where(reached, np.exp(-r * r / 2), 0.0)[here]
