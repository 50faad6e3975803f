"""Profile likelihood of linear log-odds of which some coefficients may not be negative.

Newton's steps under such bounds are solved exactly, for two of them at most. Where a coefficient
reaches zero the profile has a corner in its second derivative, and no table of it would do. But on
both sides of the corner it is smooth, the profile of a model with or without that coefficient. So
each of these models has a table, of its profile and of the coefficients there, and the coefficients
tell which of them holds: the optimum under the bounds has a zero among the coefficients that are
negative without them, else one could move towards the latter optimum.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.linear_profile import Features, LinearProfile, dots
from evical.curves.newton import Sums, minimize_convex
from evical.likelihood.integrals import CORNERS, belief_log_odds
from evical.likelihood.polar import ENOUGH, PolarProfile, RayTable, tabulate_profile

_BOUNDED = 2e-6  # squared Newton decrement; the error left is of third order
_LARGEST = 1e150  # change of a coefficient, whose products with features are finite
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
        variance = dots(h @ inverse, h)
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
