"""A table of the profile deviance in polar coordinates around the optimum.

The sigmoids with a given log-odds at score `y` are a straight line in the plane of parameters,
which lies in the direction ``phi = arctan(y)`` at a signed distance from the optimum. The square
root of the profile deviance over that distance is smooth in both, nearly 1, and the table holds it:
panels in `phi`, on each a tensor product of Chebyshev polynomials in `phi` and in ``asinh`` of the
distance. All scores, however many, share the directions; so few likelihoods serve all integrals.
With more parameters the directions of scores are still a curve, and the table the same; an axis
says how to go along it.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equation 40; L. N. Trefethen, "Approximation
Theory and Approximation Practice" (2013), chapters 3 and 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from dstheory.kernels.batches import blocks
from evical._typing import Floats
from evical.errors import ConvergenceError
from evical.likelihood.integrals import NO_PROFILE
from evical.likelihood.interpolant import chebyshev

_FAR = 27.4  # D where the table ends; `reach` keeps to its root within 0.4
# Of exp(-D), for the last coefficients. They overrate: beliefs erred by 1e-9 at most, in all cases.
FINE = 7e-8
ENOUGH = 5e-7  # for beliefs within 1e-7
_DEGREE = 16  # number of coefficients in the direction
_SIZES = (20, 28, 36, 48, 72, 108)  # numbers of coefficients in the distance to try
# Panels for each parameter, and size to begin with, below and above a standard error of 0.3 (some
# sixty samples).
_SMALL_ERROR = 0.3
_EASY, _HARD = (1, 20), (2, 36)
_MOST_PANELS = 48  # visited; more cost more than they save
_SPILL = 1e-9  # of exp(-D) at the ends, where none should be left
_CHUNK = 1 << 13  # elements of a temporary of a table look-up, which stays in cache
_DIRECTIONS = 16  # in which the distance of `_FAR` is looked for
_MAX_STEPS = 200
_PATIENCE = 5  # steps; then every other one expands the bracket or bisects it


class Axis(NamedTuple):
    """A way along the directions of scores.

    Attributes
    ----------
    edges : ndarray of shape (e + 1,)
        Its ends, and where directions have corners.
    place, score : callable
        From scores (k,) to places on the axis, and back.
    """

    edges: Floats
    place: Callable[[Floats], Floats]
    score: Callable[[Floats], Floats]


TURN = Axis(np.array([-0.5 * np.pi, 0.5 * np.pi]), np.arctan, np.tan)
"""Of lines and parabolas."""


class Profiled(Protocol):
    """A likelihood whose log-odds at a score are linear in the parameters."""

    @property
    def unit(self) -> float:
        """Standard error of log-odds among the training scores."""

    @property
    def dimension(self) -> int:
        """Number of parameters."""

    @property
    def axis(self) -> Axis:
        """Along which directions change smoothly."""

    def mle(self, y: Floats) -> Floats:
        """Return the most plausible log-odds at scores (k,)."""

    def spread(self, y: Floats) -> Floats:
        """Return the standard error of the log-odds at scores (k,)."""

    def at(self, y: Floats, log_odds: Floats) -> Floats:
        """Return the profile D of log-odds (k, q), those of row i at score i of `y` (k,)."""

    def profile(
        self, along: Floats, y: Floats, across: Floats, atol: float = ...
    ) -> tuple[Floats, Floats]:
        """Return the least D at distances (k,), and where it is across.

        `across`, one row (k,) for each coordinate, is a guess.
        """


@dataclass(frozen=True, eq=False)
class RayTable:
    """The profile deviance along some rays (k,), each for a score.

    Attributes
    ----------
    mle, spread : ndarray of shape (k,)
        Log-odds at the optimum, and their standard error.
    stretch : float
    middle, half : ndarray of shape (k,)
        Of the range of stretched distances.
    rows : ndarray of shape (c, k, n)
        Chebyshev coefficients of ``sqrt(2 D) / abs(distance)``, and of what was asked for beside.
    """

    mle: Floats
    spread: Floats
    stretch: float
    middle: Floats
    half: Floats
    rows: Floats

    def at(self, ray: NDArray[np.intp], log_odds: Floats) -> Floats:
        """Return the profile D of log-odds (m, q), those of row i on ray i of `ray` (m,)."""
        ratio, along = self.ratios(ray, log_odds, 1)
        return np.asarray(0.5 * (ratio[0] * along) ** 2)

    def ratios(
        self, ray: NDArray[np.intp], log_odds: Floats, used: int | None = None
    ) -> tuple[Floats, Floats]:
        """Return what is tabulated (c, m, q), or the first of it, and the distances (m, q)."""
        along = (log_odds - self.mle[ray, None]) / self.spread[ray, None]
        result = np.empty((len(self.rows[:used]), *along.shape))
        for part in blocks(len(ray), _CHUNK // along.shape[1]):
            rows = self.rows[:used, ray[part]]
            t = (np.arcsinh(along[part] / self.stretch) - self.middle[ray[part], None]) / (
                self.half[ray[part], None]
            )
            result[:, part] = _clenshaw(rows, np.clip(t, -1.0, 1.0))
        return result, along


def _clenshaw(rows: Floats, t: Floats) -> Floats:
    """Return the sums (c, m, q) of Chebyshev series (c, m, n) at points (m, q)."""
    twice, columns = 2.0 * t, np.moveaxis(rows, 2, 0)[..., None]
    current, previous, following = np.zeros((3, len(rows), *t.shape))
    for column in columns[:0:-1]:
        np.multiply(twice, current, out=following)
        following -= previous
        following += column
        current, previous, following = following, current, previous
    return np.asarray(t * current - previous + columns[0])


@dataclass(frozen=True, eq=False)
class PolarProfile:
    """Interpolated profile deviance; see `tabulate_profile`.

    Attributes
    ----------
    deviance : Profiled
        What is tabulated.
    stretch : float
        Distances, in standard errors, are tabulated in ``asinh(distance / stretch)``.
    edges : ndarray of shape (p + 1,)
        Panels on the axis.
    ranges : ndarray of shape (p, 2)
        First and last stretched distance on each panel.
    coefficients : ndarray of shape (c, p, q, n)
        Chebyshev coefficients, in direction and distance, of ``sqrt(2 D) / abs(distance)``, and of
        those coordinates across, over the distance, that were asked for.
    """

    deviance: Profiled
    stretch: float
    edges: Floats
    ranges: Floats
    coefficients: Floats

    def at(self, y: Floats, log_odds: Floats) -> Floats:
        """Return the profile D of log-odds (k, q), those of row i at score i of `y` (k,).

        Beyond the table, where nothing is plausible, D grows with the square of the distance.
        """
        return self.along(y).at(np.arange(y.size), log_odds)

    def along(self, y: Floats) -> RayTable:
        """Return the table at scores (k,)."""
        phi = self.deviance.axis.place(y)
        panel = np.searchsorted(self.edges[1:-1], phi, side="right")
        low, high = self.edges[panel], self.edges[panel + 1]
        basis = chebvander((2.0 * phi - low - high) / (high - low), _DEGREE - 1)
        rows = np.empty((len(self.coefficients), y.size, self.coefficients.shape[3]))
        for number in np.unique(panel):
            here = panel == number
            rows[:, here] = basis[here] @ self.coefficients[:, number]
        middle, half = (0.5 * self.ranges[panel] @ part for part in ([1.0, 1.0], [-1.0, 1.0]))
        mle, spread = self.deviance.mle(y), self.deviance.spread(y)
        return RayTable(mle, spread, self.stretch, middle, half, rows)


@dataclass(frozen=True, eq=False)
class _Window:
    """Where the level is met, and how the profile bends on the way, in some directions `phi` (k,).

    `ends` (2, k) are distances at the negative and at the positive side; `bends` (d, 2, k) are
    such that the profile is, more or less, at ``bend * distance**2`` across.
    """

    phi: Floats
    ends: Floats
    bends: Floats

    def ranges(self, left: Floats, right: Floats) -> Floats:
        """Return the distances (p, 2) that suffice on panels, from the directions in and next.

        A level set is convex, so that between two directions hardly any distance is larger.
        """
        first = np.maximum(np.searchsorted(self.phi, left) - 1, 0)
        last = np.minimum(np.searchsorted(self.phi, right) + 1, self.phi.size)
        pairs = [slice(i, j) for i, j in zip(first, last, strict=True)]
        return np.array([(self.ends[0, p].min(), self.ends[1, p].max()) for p in pairs])

    def guess(self, phi: Floats, along: Floats) -> Floats:
        """Return about where the profile is, for directions (k,) and distances (k, q)."""
        back, forth = (
            np.array([np.interp(phi, self.phi, row[i]) for row in self.bends]) for i in (0, 1)
        )
        bend = np.where(along < 0.0, back[..., None], forth[..., None])
        return np.asarray(bend * along**2)


def tabulate_profile(
    deviance: Profiled,
    tolerance: float = FINE,
    floor: float = 0.0,
    watched: tuple[int, ...] = (),
) -> PolarProfile | None:
    """Tabulate the profile deviance, or return None where a table would not pay.

    Parameters
    ----------
    deviance : Profiled
        Relative likelihood.
    tolerance : float
        Error of exp(-D) that last coefficients may show.
    floor : float
        Added to D, where the optimum of `deviance` is that of a part of a model; it tells which D
        are plausible.
    watched : tuple of int
        Coordinates across that are tabulated too, as far as D needs them.

    Returns
    -------
    PolarProfile or None
        Beliefs from the table are within a tenth of the tolerance of those from `deviance`. None
        where outliers give the profile something like corners, and where rounding shows (huge
        weights).
    """
    window = _window(deviance, floor)
    panels, size = _EASY if deviance.unit < _SMALL_ERROR else _HARD
    stretch = min(3.0, 1.0 / deviance.unit)  # of the order of the distance of the poles
    edges = _divided(deviance.axis.edges, panels * deviance.dimension)
    left, right, sizes = edges[:-1], edges[1:], np.full(len(edges) - 1, size)
    done: list[tuple[Floats, Floats, Floats]] = []
    visited = 0
    while left.size:
        size = int(sizes.min())
        now = sizes == size
        first, last = left[now], right[now]
        ranges = np.arcsinh(window.ranges(first, last) / stretch)
        ratios, along = _ratios(deviance, window, (first, last), ranges, stretch, size, watched)
        angular, radial, spilt = _errors(ratios[0], np.abs(along), floor)
        longer, visited = _next_sizes(radial / tolerance, size), visited + first.size
        if visited > _MOST_PANELS or spilt > _SPILL or not longer.all():
            return None
        turning = angular >= tolerance
        good = ~turning & (longer == size)
        table = chebyshev(_DEGREE)[1] @ ratios[:, good] @ chebyshev(size)[1].T
        table = np.pad(table, ((0, 0), (0, 0), (0, 0), (0, _SIZES[-1] - size)))
        done.append((first[good], ranges[good], np.moveaxis(table, 1, 0)))
        middle, whole = 0.5 * (first + last), ~turning & ~good
        left = np.concatenate([left[~now], first[whole], first[turning], middle[turning]])
        right = np.concatenate([right[~now], last[whole], middle[turning], last[turning]])
        sizes = np.concatenate([sizes[~now], longer[whole], np.tile(longer[turning], 2)])
    lefts, spans, tables = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(lefts)
    used = np.flatnonzero(tables.any(axis=(0, 1, 2)))[-1] + 1
    edges = np.append(lefts[order], edges[-1])
    tables = np.moveaxis(tables[order][..., :used], 0, 1)
    return PolarProfile(deviance, stretch, edges, spans[order], tables)


def _next_sizes(errors: Floats, size: int) -> NDArray[np.int_]:
    """Return with how many coefficients to go on after errors (p,) of so many; 0 is in vain.

    Errors are in units of what is permitted. Coefficients decay geometrically: no size is tried
    that will not do.
    """
    result = np.zeros(errors.size, dtype=np.int_)
    for longer in reversed(_SIZES):
        if longer > size:
            result[(errors * FINE) ** (longer / size) < 10.0 * FINE] = longer
    result[errors <= 1.0] = size
    return result


def _divided(edges: Floats, parts: int) -> Floats:
    """Return edges with others between them, so that there are so many parts or more."""
    shares = np.linspace(0.0, 1.0, -(-parts // (len(edges) - 1)) + 1)[:-1]
    inner = edges[:-1, None] + np.diff(edges)[:, None] * shares
    return np.append(inner.ravel(), edges[-1])


def _window(deviance: Profiled, floor: float) -> _Window:
    axis = deviance.axis
    phi = _divided(axis.edges, _DIRECTIONS)
    y, sign = np.tile(axis.score(phi), 2), np.repeat([-1.0, 1.0], phi.size)
    end, across = reach(deviance, y, sign, float(np.sqrt(2.0 * (_FAR - floor))))
    bends = (across / end**2).reshape(len(across), 2, -1)
    return _Window(phi, end.reshape(2, -1), bends)


def reach(deviance: Profiled, y: Floats, sign: Floats, level: float) -> tuple[Floats, Floats]:
    """Return how far to go for a profile D near ``level**2 / 2``, and where it is across.

    `y` and `sign`, the direction to go to (+-1), are of one shape (k,). The square root of 2 D is
    about the distance, so steps are proportional; where both sides of the level are known they are
    bisections. The level is met within 0.4.

    Raises
    ------
    ConvergenceError
        If it is not.
    """
    along, across = level * sign, np.zeros((deviance.dimension, y.size))
    near, far = np.zeros(y.size), np.full(y.size, np.inf)
    active = np.arange(y.size)
    for step in range(_MAX_STEPS):
        value, across[:, active] = deviance.profile(
            along[active], y[active], across[:, active], atol=0.1
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
        across[:, active] *= (new / size) ** 2
        along[active] = sign[active] * new
    else:
        raise ConvergenceError(NO_PROFILE)
    return along, across


def _errors(ratio: Floats, along: Floats, floor: float) -> tuple[Floats, Floats, float]:
    """Return the errors (p,) of exp(-D) that the last coefficients in direction and distance show.

    `ratio` (p, q, n) is ``sqrt(2 D)`` over the absolute distance `along`. Its errors show in
    exp(-D) by the derivative, which vanishes at both ends. What is left of exp(-D) at the ends
    comes with them.
    """
    root = ratio * along
    plausible = np.exp(-np.maximum(0.5 * root**2 + floor, 0.0))
    weight = (along * root * plausible).max(axis=1)
    last = chebyshev(_DEGREE)[1][-2:] @ ratio
    angular = (np.abs(last).max(axis=1) * weight).max(axis=1)
    outer = np.abs(ratio @ chebyshev(along.shape[2])[1][-3:].T).max(axis=(1, 2))
    return angular, outer * weight.max(axis=1), float(plausible[..., [0, -1]].max())


def _spread(left: Floats, right: Floats, size: int) -> Floats:
    """Return the Chebyshev nodes (p, size) of intervals."""
    middle, half = 0.5 * (left + right)[:, None], 0.5 * (right - left)[:, None]
    return np.asarray(middle + half * chebyshev(size)[0])


def _ratios(
    deviance: Profiled,
    window: _Window,
    panels: tuple[Floats, Floats],
    ranges: Floats,
    stretch: float,
    size: int,
    watched: tuple[int, ...],
) -> tuple[Floats, Floats]:
    """Return what is tabulated (c, p, q, n), and the distances, on the grids of some panels.

    Where the profile is at a few distances tells nearly where it is at the many.
    """
    phi = _spread(*panels, _DEGREE)
    directions, few = phi.ravel(), 2 * size // 5
    low, high = np.repeat(ranges, phi.shape[1], axis=0).T
    some, many = (stretch * np.sinh(_spread(low, high, n)) for n in (few, size))
    across = _solved(deviance, directions, some, window.guess(directions, some))[1]
    basis = chebvander(chebyshev(size)[0], few - 1) @ chebyshev(few)[1]
    value, across = _solved(deviance, directions, many, across @ basis.T)
    many = np.where(many == 0.0, 1e-300, many)
    beside = [across[i] / many for i in watched]
    ratios = np.stack([np.sqrt(2.0 * value) / np.abs(many), *beside])
    return ratios.reshape(-1, *phi.shape, size), many.reshape(*phi.shape, size)


def _solved(deviance: Profiled, phi: Floats, along: Floats, guess: Floats) -> tuple[Floats, Floats]:
    """Return the profile deviance, and where it is, for directions (k,) and distances (k, q)."""
    y = np.repeat(deviance.axis.score(phi), along.shape[1])
    value, across = deviance.profile(along.ravel(), y, guess.reshape(len(guess), -1))
    return value.reshape(along.shape), across.reshape(guess.shape)
