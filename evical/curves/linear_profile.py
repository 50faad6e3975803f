"""Profile likelihood of log-odds that are linear in a few parameters.

The regularized log-likelihood is concave in the parameters and log-odds at a score are a linear
function of them, so that the profile likelihood is a convex problem with one linear constraint,
solved by Newton's method for many scores and log-odds at once.

Some coefficients may have to stay above zero. Newton's steps under such bounds are solved exactly,
for two of them at most. Where a coefficient reaches zero the profile has a corner in its second
derivative, and no table of it would do. But on both sides of the corner it is smooth, the profile
of a model with or without that coefficient. So each of these models has a table, of its profile and
of the coefficients there, and the coefficients tell which of them holds: the optimum under the
bounds has a zero among the coefficients that are negative without them, else one could move towards
the latter optimum.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 33-40.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.newton import Sums, minimize_convex, newton_step, unit_diagonal
from evical.errors import ConvergenceError
from evical.likelihood.integrals import CORNERS, NO_PROFILE, belief_log_odds
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import ENOUGH, Axis, PolarProfile, RayTable, tabulate_profile

# Elements of a temporary: in cache, and its products are too small for OpenBLAS to start threads,
# which wait for each other where the cores are busy.
_CHUNK = 1 << 14
_MAX_STEPS = 200
_CONVERGED = 1e-8  # squared Newton decrement; the error left is of third order
_BOUNDED = 2e-6  # the same under bounds
_LARGEST = 1e150  # change of a coefficient, whose products with features are finite

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
        variance = _dots(ray, h)
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
        rest = across.T - (_dots(across.T, h) / spread)[:, None] * ray
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
            gain = np.minimum(gain, -_dots(gradient, step))
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
        limit = 20.0 + 2.0 * np.abs(places @ change.T).max(axis=0)
        move = np.abs(places @ step.T).max(axis=0)
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


def _dots(u: Floats, v: Floats) -> Floats:
    """Dot products (k,) of rows; sums along short axes would take longer."""
    return np.asarray(np.einsum("kd,kd->k", u, v))


def _feasible(h: Floats) -> Floats:
    """Orthonormal basis (k, d, d - 1) of the changes with h @ change = 0: Householder's."""
    v = h / np.sqrt(_dots(h, h))[:, None]
    v[:, 0] += np.where(v[:, 0] < 0.0, -1.0, 1.0)
    size = _dots(v, v)[:, None, None]
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


_IMPLAUSIBLE = 27.0  # exp(-27) = 2e-12
_MOST = 50.0
_FARTHEST = 150.0  # below the optimum under the bounds; tables would have to reach too far
Columns = tuple[int, ...]
"""The features that a part of a model has."""


@dataclass(frozen=True, eq=False)
class BoundedProfile(LinearProfile):
    """The profile where the first coefficients, or all, are not negative.

    Parameters
    ----------
    bounded : int
        Number of coefficients with that bound: all but the last one, or all; two at most.
    """

    bounded: int = 0

    @property
    def _last_is_free(self) -> bool:
        return self.bounded < self.dimension

    def spread(self, y: Floats) -> Floats:
        """About the standard errors of the log-odds at scores (k,)."""
        h = self.features(y)
        inverse = np.linalg.pinv(self.information, rcond=1e-9, hermitian=True)
        variance = _dots(h @ inverse, h)
        curvature = float(np.diag(self.information).mean())
        return np.sqrt(np.maximum(variance, 1e-6 / max(curvature, 1e-6)))

    def ends(self, y: Floats) -> tuple[Floats, Floats]:
        """Least and greatest possible log-odds at scores (k,)."""
        h, far = self.features(y), np.full(len(y), np.inf)
        if self._last_is_free:
            return -far, far
        return np.where((h < 0.0).any(axis=1), -far, 0.0), np.where((h > 0.0).any(axis=1), far, 0.0)

    def at(self, y: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at scores (k,), perhaps infinite."""
        low, high = (end[:, None] for end in self.ends(y))
        possible = (low <= log_odds) & (log_odds <= high)
        result = np.where(possible, 0.0, np.inf)
        h = self.features(y)
        row, column = np.nonzero(possible & (h != 0.0).any(axis=1, keepdims=True))
        if len(row):
            gap = log_odds[row, column] - h[row] @ self.parameters
            result[row, column] = self._least_within(h[row], gap)
        return result

    def _least_within(self, h: Floats, gap: Floats) -> Floats:
        """Least deviance (k,) of changes that move the log-odds by a gap where features are h.

        The last coefficient follows from the others, in which Newton's steps have bounds.
        """
        with np.errstate(over="ignore"):  # nothing that large is plausible
            move = np.clip(gap / h[:, -1], -_LARGEST, _LARGEST)
        ratios = h[:, :-1] / h[:, -1:]
        across = np.tile(np.eye(self.dimension)[:-1], (len(h), 1, 1))
        across[:, :, -1] = -ratios
        base = np.zeros_like(h)
        base[:, -1] = move
        low = np.tile(-self.parameters[:-1], (len(h), 1))
        high = np.full_like(low, np.inf)
        if not self._last_is_free:
            high = np.maximum((self.parameters[-1] + move)[:, None] / ratios, low)

        def steps(
            rows: NDArray[np.intp], change: Floats, gradient: Floats, hessian: Floats
        ) -> tuple[Floats, Floats]:
            within, back = across[rows], np.swapaxes(across[rows], 1, 2)
            step, gain = bounded_step(
                (within @ gradient[:, :, None])[..., 0],
                within @ hessian @ back,
                low[rows] - change[:, :-1],
                high[rows] - change[:, :-1],
            )
            return (step[:, None, :] @ within)[:, 0], gain

        first = (base @ self.information - self.slope)[:, :, None]
        second = across @ self.information @ np.swapaxes(across, 1, 2)
        u = bounded_step((across @ first)[..., 0], second, low, high)[0]
        start = base + (u[:, None, :] @ across)[:, 0]
        return self.descend(start, steps, 0.5 * _BOUNDED)[0]

    def mass_log_odds(self, y: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at scores (k,)."""
        return belief_log_odds(y, self.mle(y), self.spread(y), self.at, self.ends, CORNERS)

    def part(self, columns: Columns) -> tuple[LinearProfile, float]:
        """The model with these features only, around its optimum without bounds, and D there."""
        used, best = list(columns), self.parameters

        def derivatives(u: Floats) -> Sums:
            change = np.tile(-best, (len(u), 1))
            change[:, used] += u
            value, gradient, hessian = self.derivatives(change)
            return value, gradient[:, used], hessian[:, used][:, :, used]

        inner = self.information[used]
        start = np.asarray(np.linalg.solve(inner[:, used], inner @ best))
        found = minimize_convex(derivatives, start[None], 1e-10, 1e-20)
        profile = LinearProfile(
            partial(_columns, self.features, columns),
            self.axis,
            self.nodes,
            self.weights,
            found.parameters[0],
            np.linspace(self.nodes[0], self.nodes[-1], len(used)),
        )
        return profile, float(found.value[0])

    def tabulated(self) -> "BoundedTable | None":
        """Tables of the model and of its parts, or None where one would not pay."""
        tables: dict[Columns, _Table] = {}
        waiting = [tuple(range(self.dimension))]
        while waiting:
            columns = waiting.pop(0)
            if columns in tables:
                continue
            profile, floor = self.part(columns)
            if floor < -_FARTHEST:
                return None
            watched = tuple(i for i, c in enumerate(columns) if c < self.bounded)
            polar = None
            if floor < _IMPLAUSIBLE:
                polar = tabulate_profile(profile, ENOUGH, floor, watched)
                if polar is None:
                    return None
                waiting += [columns[:i] + columns[i + 1 :] for i in watched]
            tables[columns] = _Table(profile, floor, polar, watched)
        return BoundedTable(self, tables)


def bounded_step(
    gradient: Floats, hessian: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Step (k, q) within bounds that is best for the quadratic model, and what it gains (k,).

    With two coordinates the bounds are lower ones: the optimum is the free one or on an edge.
    """
    k, q = gradient.shape
    if q == 0:
        return gradient, np.zeros(k)
    # Lifted where saturation leaves nothing.
    diagonal = np.maximum(hessian[:, range(q), range(q)] * (1.0 + 1e-13), 1e-100)
    if q == 1:
        step = np.clip(-gradient / diagonal, low, high)
        return step, -_model(step, gradient, hessian)
    cross = hessian[:, 0, 1]
    scale = np.sqrt(diagonal)
    g0, g1 = (gradient / scale).T
    r = cross / (scale[:, 0] * scale[:, 1])
    rest = np.maximum(1.0 - r * r, 1e-13)
    step = np.stack([r * g1 - g0, r * g0 - g1], axis=1) / (rest[:, None] * scale)
    out = np.flatnonzero((step < low).any(axis=1))
    if len(out):
        bounds, slope, curved, sizes = low[out], gradient[out], hessian[out], diagonal[out]
        edges = []
        for fixed, free in ((0, 1), (1, 0)):
            edge = bounds.copy()
            best = -(slope[:, free] + curved[:, 0, 1] * bounds[:, fixed]) / sizes[:, free]
            edge[:, free] = np.maximum(best, bounds[:, free])
            edges.append(edge)
        first = _model(edges[0], slope, curved) <= _model(edges[1], slope, curved)
        step[out] = np.where(first[:, None], edges[0], edges[1])
    return step, np.maximum(-_model(step, gradient, hessian), 0.0)


def _model(step: Floats, gradient: Floats, hessian: Floats) -> Floats:
    """Change (k,) of the quadratic model."""
    return np.asarray((step * (gradient + 0.5 * (hessian @ step[:, :, None])[..., 0])).sum(axis=1))


def _columns(features: Features, columns: Columns, y: Floats) -> Floats:
    return features(y)[:, columns]


class _Table(NamedTuple):
    """A part with its table; there is none where nothing of it is plausible."""

    profile: LinearProfile
    floor: float
    polar: PolarProfile | None
    watched: Columns  # its coefficients that have a bound


@dataclass(frozen=True, eq=False)
class BoundedTable:
    """Tables of all parts, the one with all features first."""

    whole: BoundedProfile
    tables: dict[Columns, _Table]

    def mass_log_odds(self, y: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at scores (k,)."""
        mle, spread = self.whole.mle(y), self.whole.spread(y)
        return belief_log_odds(np.arange(len(y)), mle, spread, self.along(y), rough=CORNERS)

    def along(self, y: Floats) -> Callable[[NDArray[np.intp], Floats], Floats]:
        """From positions (m,) in scores and log-odds (m, q) there to deviances (m, q)."""
        rays = {columns: _Rays(table, y) for columns, table in self.tables.items()}
        return partial(_least, rays, next(iter(rays)))


class _Rays:
    """The table of a part at some scores."""

    def __init__(self, table: _Table, y: Floats) -> None:
        self.floor, self.watched = table.floor, table.watched
        self.table: RayTable | None = None
        if table.polar is not None:
            self.table = table.polar.along(y)
            self.best, self.ray = table.profile.parameters, table.profile.rays(y)[1]

    def at(self, ray: NDArray[np.intp], log_odds: Floats) -> tuple[Floats, list[Floats]]:
        """D (m, q), and the coefficients with bounds, each (m, q)."""
        if self.table is None:  # D is more, which nobody needs to know
            return np.full(log_odds.shape, min(self.floor, _MOST)), []
        ratios, along = self.table.ratios(ray, log_odds)
        value = 0.5 * (ratios[0] * along) ** 2 + self.floor
        found = [
            self.best[i] + along * (self.ray[ray, i, None] + beside)
            for i, beside in zip(self.watched, ratios[1:], strict=True)
        ]
        return value, found


def _least(
    rays: dict[Columns, _Rays], part: Columns, ray: NDArray[np.intp], log_odds: Floats
) -> Floats:
    value, coefficients = rays[part].at(ray, log_odds)
    wrong = [(i, v < 0.0) for i, v in zip(rays[part].watched, coefficients, strict=False)]
    if not any(where.any() for _, where in wrong):
        return value
    owner = np.broadcast_to(ray[:, None], log_odds.shape)
    value[np.logical_or.reduce([where for _, where in wrong])] = np.inf
    for i, where in wrong:
        if where.any():
            rest = part[:i] + part[i + 1 :]
            least = _least(rays, rest, owner[where], log_odds[where][:, None])[:, 0]
            value[where] = np.minimum(value[where], least)
    return value
