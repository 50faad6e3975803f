"""A table of the profile deviance in polar coordinates around the optimum.

The sigmoids with a given log-odds at score `y` are a straight line in the plane of parameters,
which lies in the direction ``phi = arctan(y)`` at a signed distance from the optimum. The square
root of the profile deviance over that distance is smooth in both, nearly 1, and the table holds it:
panels in `phi`, on each a tensor product of Chebyshev polynomials in `phi` and in ``asinh`` of the
distance. All scores, however many, share the directions; so few likelihoods serve all integrals.
With more parameters the directions of scores are still a curve, and the table the same.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equation 40; L. N. Trefethen, "Approximation
Theory and Approximation Practice" (2013), chapters 3 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from evical.likelihood.interpolant import chebyshev

Array = NDArray[np.float64]

_LEVEL = 7.4  # standard errors: where the table ends; `reach` keeps to that within 0.4
# Of exp(-D), for the last coefficients. They overrate: beliefs erred by 1e-9 at most, in all cases.
_TOLERANCE = 1e-7
_DEGREE = 12  # number of coefficients in the direction
_SIZES = (24, 32, 48, 72, 108)  # numbers of coefficients in the distance to try
# Panels and size to begin with, below and above a standard error of 0.3 (some sixty samples).
_SMALL_ERROR = 0.3
_EASY, _HARD = (4, 24), (6, 48)
_MOST_PANELS = 48  # visited; more cost more than they save
_SPILL = 1e-9  # of exp(-D) at the ends, where none should be left
_DIRECTIONS = 16  # in which the distance of `_LEVEL` is looked for


class Profiled(Protocol):
    """A likelihood whose log-odds at a score are linear in the parameters: `Deviance`, for one."""

    @property
    def unit(self) -> float:
        """Standard error of log-odds among the training scores."""

    @property
    def half_turn(self) -> float:
        """Sign of the direction at ``phi + pi`` to that at `phi`."""

    def mle(self, y: Array) -> Array:
        """Return the most plausible log-odds at scores (k,)."""

    def spread(self, y: Array) -> Array:
        """Return the standard error of the log-odds at scores (k,)."""

    def at(self, y: Array, log_odds: Array) -> Array:
        """Return the profile D of log-odds (k, q), those of row i at score i of `y` (k,)."""

    def distance(self, y: Array, log_odds: Array) -> Array:
        """Return how many standard errors log-odds (k, q) are from the optimum at scores (k,)."""

    def profile(
        self, along: Array, y: Array, across: Array, atol: float = ...
    ) -> tuple[Array, Array]:
        """Return the least D at distances (k,), and where it is across.

        `across`, (k,) or one row for each coordinate, is a guess.
        """

    def reach(self, y: Array, sign: Array, level: float) -> tuple[Array, Array]:
        """Return how far to go for a profile D near ``level**2 / 2``, and where it is across."""


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
        Panels in ``arctan(y)``.
    ranges : ndarray of shape (p, 2)
        First and last stretched distance on each panel.
    coefficients : ndarray of shape (p, q, n)
        Chebyshev coefficients of ``sqrt(2 D) / abs(distance)`` in direction and distance.
    """

    deviance: Profiled
    stretch: float
    edges: Array
    ranges: Array
    coefficients: Array

    def at(self, y: Array, log_odds: Array) -> Array:
        """Return the profile D of log-odds (k, q), those of row i at score i of `y` (k,).

        Beyond the table, where nothing is plausible, D grows with the square of the distance.
        """
        rows, panel = self._rows(y)
        along = self.deviance.distance(y, log_odds)
        middle, half = (0.5 * self.ranges[panel] @ part for part in ([1.0, 1.0], [-1.0, 1.0]))
        t = (np.arcsinh(along / self.stretch) - middle[:, None]) / half[:, None]
        t = np.clip(t, -1.0, 1.0)
        twice = 2.0 * t
        current, previous, following = np.zeros((3, *t.shape))
        for column in rows.T[:0:-1]:  # Clenshaw's recurrence
            np.multiply(twice, current, out=following)
            following -= previous
            following += column[:, None]
            current, previous, following = following, current, previous
        ratio = t * current - previous + rows[:, :1]
        return np.asarray(0.5 * (ratio * along) ** 2)

    def _rows(self, y: Array) -> tuple[Array, NDArray[np.intp]]:
        """Return the coefficients (k, n) in the distance at scores `y`, and their panels (k,)."""
        phi = np.arctan(y)
        panel = np.searchsorted(self.edges[1:-1], phi, side="right")
        low, high = self.edges[panel], self.edges[panel + 1]
        basis = chebvander((2.0 * phi - low - high) / (high - low), _DEGREE - 1)
        return np.asarray((basis[:, None, :] @ self.coefficients[panel])[:, 0]), panel


@dataclass(frozen=True, eq=False)
class _Window:
    """Where the level is met, and how the profile bends on the way, in some directions `phi` (k,).

    `ends` (2, k) are distances at the negative and at the positive side; `bends` (..., 2, k) are
    such that the profile is, more or less, at ``bend * distance**2`` across.
    """

    phi: Array
    ends: Array
    bends: Array

    def ranges(self, left: Array, right: Array) -> Array:
        """Return the distances (p, 2) that suffice on panels, from the directions in and next.

        A level set is convex, so that between two directions hardly any distance is larger.
        """
        first = np.maximum(np.searchsorted(self.phi, left) - 1, 0)
        last = np.minimum(np.searchsorted(self.phi, right) + 1, self.phi.size)
        pairs = [slice(i, j) for i, j in zip(first, last, strict=True)]
        return np.array([(self.ends[0, p].min(), self.ends[1, p].max()) for p in pairs])

    def guess(self, phi: Array, along: Array) -> Array:
        """Return about where the profile is, for directions (k,) and distances (k, q)."""
        back, forth = (
            np.apply_along_axis(lambda v: np.interp(phi, self.phi, v), -1, self.bends[..., i, :])
            for i in (0, 1)
        )
        bend = np.where(along < 0.0, back[..., None], forth[..., None])
        return np.asarray(bend * along**2)


def tabulate_profile(deviance: Profiled) -> PolarProfile | None:
    """Tabulate the profile deviance, or return None where a table would not pay.

    Parameters
    ----------
    deviance : Profiled
        Relative likelihood.

    Returns
    -------
    PolarProfile or None
        Beliefs from the table are within 1e-9 of those from `deviance`. None where outliers give
        the profile something like corners, and where rounding shows (huge weights).
    """
    window = _window(deviance)
    panels, size = _EASY if deviance.unit < _SMALL_ERROR else _HARD
    stretch = min(3.0, 1.0 / deviance.unit)  # of the order of the distance of the poles
    edges = np.linspace(-0.5 * np.pi, 0.5 * np.pi, panels + 1)
    left, right, sizes = edges[:-1], edges[1:], np.full(panels, size)
    done: list[tuple[Array, Array, Array]] = []
    visited = 0
    while left.size:
        size = int(sizes.min())
        now = sizes == size
        first, last = left[now], right[now]
        ranges = np.arcsinh(window.ranges(first, last) / stretch)
        root, along = _roots(deviance, window, (first, last), ranges, stretch, size)
        angular, radial = _errors(root, along)
        longer, visited = _next_sizes(radial, size), visited + first.size
        spilt = np.exp(-0.5 * root[..., [0, -1]] ** 2).max() > _SPILL
        if visited > _MOST_PANELS or spilt or not longer.all():
            return None
        turning = angular >= _TOLERANCE
        good = ~turning & (longer == size)
        table = chebyshev(_DEGREE)[1] @ (root / along)[good] @ chebyshev(size)[1].T
        unused = _SIZES[-1] - size
        done.append((first[good], ranges[good], np.pad(table, ((0, 0), (0, 0), (0, unused)))))
        middle, whole = 0.5 * (first + last), ~turning & ~good
        left = np.concatenate([left[~now], first[whole], first[turning], middle[turning]])
        right = np.concatenate([right[~now], last[whole], middle[turning], last[turning]])
        sizes = np.concatenate([sizes[~now], longer[whole], np.tile(longer[turning], 2)])
    lefts, spans, tables = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(lefts)
    used = np.flatnonzero(tables.any(axis=(0, 1)))[-1] + 1
    edges = np.append(lefts[order], 0.5 * np.pi)
    return PolarProfile(deviance, stretch, edges, spans[order], tables[order][:, :, :used])


def _next_sizes(errors: Array, size: int) -> NDArray[np.int_]:
    """Return with how many coefficients to go on after errors (p,) of so many; 0 is in vain.

    Coefficients decay geometrically: no size is tried that will not do.
    """
    result = np.zeros(errors.size, dtype=np.int_)
    for longer in reversed(_SIZES):
        if longer > size:
            result[errors ** (longer / size) < 10.0 * _TOLERANCE] = longer
    result[errors <= _TOLERANCE] = size
    return result


def _window(deviance: Profiled) -> _Window:
    phi = np.pi * ((np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS - 0.5)
    y, sign = np.tile(np.tan(phi), 2), np.repeat([-1.0, 1.0], phi.size)
    end, across = deviance.reach(y, sign, _LEVEL)
    ends = _closed(end.reshape(2, -1), deviance.half_turn)
    bends = (across / end**2).reshape(*across.shape[:-1], 2, -1)
    closed = np.concatenate([phi[-1:] - np.pi, phi, phi[:1] + np.pi])
    return _Window(closed, ends, _closed(bends, deviance.half_turn))


def _closed(values: Array, half_turn: float) -> Array:
    """Return values (..., 2, k + 2) with those half a turn before the first, and after the last."""
    before, after = values[..., -1:], values[..., :1]
    if half_turn < 0.0:  # it exchanges the sides and turns all signs
        before, after = -before[..., ::-1, :], -after[..., ::-1, :]
    return np.concatenate([before, values, after], axis=-1)


def _errors(root: Array, along: Array) -> tuple[Array, Array]:
    """Return the errors (p,) of exp(-D) that the last coefficients in direction and distance show.

    `root` (p, q, n) is ``sqrt(2 D)`` and `along` the absolute distance. Errors of their ratio show
    in exp(-D) by the derivative, which vanishes at both ends.
    """
    ratio = root / along
    weight = (along * root * np.exp(-0.5 * root**2)).max(axis=1)
    last = chebyshev(_DEGREE)[1][-2:] @ ratio
    angular = (np.abs(last).max(axis=1) * weight).max(axis=1)
    outer = np.abs(ratio @ chebyshev(root.shape[2])[1][-3:].T).max(axis=(1, 2))
    return angular, outer * weight.max(axis=1)


def _spread(left: Array, right: Array, size: int) -> Array:
    """Return the Chebyshev nodes (p, size) of intervals."""
    middle, half = 0.5 * (left + right)[:, None], 0.5 * (right - left)[:, None]
    return np.asarray(middle + half * chebyshev(size)[0])


def _roots(
    deviance: Profiled,
    window: _Window,
    panels: tuple[Array, Array],
    ranges: Array,
    stretch: float,
    size: int,
) -> tuple[Array, Array]:
    """Return ``sqrt(2 D)`` and the absolute distances on the grids (p, q, n) of some panels.

    Where the profile is at a few distances tells nearly where it is at the many.
    """
    phi = _spread(*panels, _DEGREE)
    directions, few = phi.ravel(), size // 4
    low, high = np.repeat(ranges, phi.shape[1], axis=0).T
    some, many = (stretch * np.sinh(_spread(low, high, n)) for n in (few, size))
    across = _solved(deviance, directions, some, window.guess(directions, some))[1]
    basis = chebvander(chebyshev(size)[0], few - 1) @ chebyshev(few)[1]
    root = np.sqrt(2.0 * _solved(deviance, directions, many, across @ basis.T)[0])
    shape = (*phi.shape, size)
    return root.reshape(shape), np.maximum(np.abs(many), 1e-300).reshape(shape)


def _solved(deviance: Profiled, phi: Array, along: Array, guess: Array) -> tuple[Array, Array]:
    """Return the profile deviance, and where it is, for directions (k,) and distances (k, q)."""
    y = np.repeat(np.tan(phi), along.shape[1])
    value, across = deviance.profile(along.ravel(), y, guess.reshape(*guess.shape[:-2], -1))
    return value.reshape(along.shape), across.reshape(guess.shape)
