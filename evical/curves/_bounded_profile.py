"""The profile of linear log-odds whose coefficients are not negative, from profiles without bounds.

Where a coefficient reaches zero the profile has a corner in its second derivative, and no table of
it would do. But on both sides of the corner it is smooth, the profile of a model with or without
that coefficient. So each of these models has a table, of its profile and of the coefficients there,
and the coefficients tell which of them holds.

The optimum under the bounds has a zero among the coefficients that are negative without them, else
one could move towards the latter optimum.

Newton steps under bounds, solved exactly: at most two coordinates, many problems at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves._linear_profile import LinearProfile, LinearRays
from evical.likelihood.integrals import CORNERS, belief_log_odds
from evical.likelihood.polar import ENOUGH, Axis, PolarProfile, RayTable, tabulate_profile


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
    """Change of the quadratic model, one coordinate or two."""
    if step.shape[1] == 1:
        return np.asarray(step[:, 0] * (gradient[:, 0] + 0.5 * hessian[:, 0, 0] * step[:, 0]))
    s, t = step.T
    squares = hessian[:, 0, 0] * s * s + hessian[:, 1, 1] * t * t
    return np.asarray(
        s * gradient[:, 0] + t * gradient[:, 1] + 0.5 * squares + hessian[:, 0, 1] * s * t
    )


_IMPLAUSIBLE = 27.0  # exp(-27) = 2e-12
_MOST = 50.0
_FARTHEST = 150.0  # below the optimum under the bounds; tables would have to reach too far


class Part(NamedTuple):
    """A model that has some of the coefficients, the others being zero.

    Parameters
    ----------
    linear : LinearProfile
        Around its own optimum.
    floor : float
        D there.
    """

    linear: LinearProfile
    floor: float


class _Table(NamedTuple):
    """A part with its table; there is none where nothing of it is plausible."""

    columns: tuple[int, ...]
    floor: float
    polar: PolarProfile | None


@dataclass(frozen=True, eq=False)
class BoundedTable:
    """Tables of all parts, those with all coefficients first."""

    bounded: tuple[int, ...]
    tables: dict[tuple[int, ...], _Table]

    def mass_log_odds(self, x: Floats, mle: Floats, spread: Floats) -> Floats:
        """Log-odds (k, 2) of m({1}) and m({0}) at scores (k,)."""
        rays = {name: _Rays(table, self.bounded, x) for name, table in self.tables.items()}
        whole = next(iter(rays))

        def deviance(ray: NDArray[np.intp], log_odds: Floats) -> Floats:
            return _least(rays, whole, ray, log_odds)

        return belief_log_odds(np.arange(len(x)), mle, spread, deviance, rough=CORNERS)


class _Rays:
    """The table of a part at some scores."""

    def __init__(self, table: _Table, bounded: tuple[int, ...], x: Floats) -> None:
        self.floor = table.floor
        self.bounded = [(i, c) for i, c in enumerate(table.columns) if c in bounded]
        self.table: RayTable | None = None
        if table.polar is not None:
            rays = table.polar.deviance
            assert isinstance(rays, LinearRays)
            self.table = table.polar.along(x)
            self.best, self.ray = rays.linear.parameters, rays.rays(x)[1]

    def at(self, ray: NDArray[np.intp], log_odds: Floats) -> tuple[Floats, list[Floats]]:
        """D (m, q), and the coefficients with bounds, each (m, q)."""
        if self.table is None:  # D is more, which nobody needs to know
            return np.full(log_odds.shape, min(self.floor, _MOST)), []
        ratios, along = self.table.ratios(ray, log_odds)
        value = 0.5 * (ratios[0] * along) ** 2 + self.floor
        found = [
            self.best[i] + along * (self.ray[ray, i, None] + beside)
            for (i, _), beside in zip(self.bounded, ratios[1:], strict=True)
        ]
        return value, found


def _least(
    rays: dict[tuple[int, ...], _Rays],
    part: tuple[int, ...],
    ray: NDArray[np.intp],
    log_odds: Floats,
) -> Floats:
    value, coefficients = rays[part].at(ray, log_odds)
    wrong = [(c, v < 0.0) for (_, c), v in zip(rays[part].bounded, coefficients, strict=False)]
    if not any(where.any() for _, where in wrong):
        return value
    owner = np.broadcast_to(ray[:, None], log_odds.shape)
    value[np.logical_or.reduce([where for _, where in wrong])] = np.inf
    for column, where in wrong:
        if where.any():
            rest = tuple(c for c in part if c != column)
            least = _least(rays, rest, owner[where], log_odds[where][:, None])[:, 0]
            value[where] = np.minimum(value[where], least)
    return value


def _columns(features: Callable[[Floats], Floats], columns: tuple[int, ...], x: Floats) -> Floats:
    return features(x)[:, columns]


def tabulate_bounded(
    part: Callable[[tuple[int, ...]], Part],
    features: Callable[[Floats], Floats],
    axis: Axis,
    columns: tuple[int, ...],
    bounded: tuple[int, ...],
) -> BoundedTable | None:
    """Tables of the model with these columns and of its parts, or None where one would not pay.

    Parameters
    ----------
    part : callable
        From columns to that part of the model.
    features : callable
        From scores (k,) to all features (k, d).
    axis : Axis
    columns, bounded : tuples of int
        Which features there are, and of which the coefficients are not negative.

    Returns
    -------
    BoundedTable or None
    """
    tables: dict[tuple[int, ...], _Table] = {}
    left = [columns]
    while left:
        name = left.pop(0)
        if name in tables:
            continue
        found = part(name)
        if found.floor < -_FARTHEST:
            return None
        watched = tuple(i for i, c in enumerate(name) if c in bounded)
        polar = None
        if found.floor < _IMPLAUSIBLE:
            rays = LinearRays(found.linear, partial(_columns, features, name), axis)
            polar = tabulate_profile(rays, ENOUGH, found.floor, watched)
            if polar is None:
                return None
            left += [tuple(c for c in name if c != name[i]) for i in watched]
        tables[name] = _Table(name, found.floor, polar)
    return BoundedTable(bounded, tables)
