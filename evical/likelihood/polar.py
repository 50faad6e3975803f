"""A table of the profile deviance in polar coordinates around the optimum.

The sigmoids with a given log-odds at score `y` are a straight line in the plane of parameters,
which lies in the direction ``phi = arctan(y)`` at a signed distance from the optimum. The square
root of the profile deviance over that distance is smooth in both, nearly 1, and the table holds it:
panels in `phi`, on each a tensor product of Chebyshev polynomials in `phi` and in ``asinh`` of the
distance. All scores, however many, share the directions; so few likelihoods serve all integrals.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equation 40; L. N. Trefethen, "Approximation
Theory and Approximation Practice" (2013), chapters 3 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from evical.likelihood.deviance import Deviance
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


@dataclass(frozen=True, eq=False)
class PolarProfile:
    """Interpolated profile deviance; see `tabulate_profile`.

    Attributes
    ----------
    intercept, slope, unit : float
        As in `Deviance`.
    stretch : float
        Distances, in standard errors, are tabulated in ``asinh(distance / stretch)``.
    edges : ndarray of shape (p + 1,)
        Panels in ``arctan(y)``.
    ranges : ndarray of shape (p, 2)
        First and last stretched distance on each panel.
    coefficients : ndarray of shape (p, q, n)
        Chebyshev coefficients of ``sqrt(2 D) / abs(distance)`` in direction and distance.
    """

    intercept: float
    slope: float
    unit: float
    stretch: float
    edges: Array
    ranges: Array
    coefficients: Array

    def slices(self, y: Array, sign: Array) -> PolarSlices:
        """Return the profiles at scores `y`, to be followed to the side that `sign` (+-1) tells."""
        phi = np.arctan(y)
        panel = np.searchsorted(self.edges[1:-1], phi, side="right")
        low, high = self.edges[panel], self.edges[panel + 1]
        basis = chebvander((2.0 * phi - low - high) / (high - low), _DEGREE - 1)
        rows = np.empty((y.size, self.coefficients.shape[2]))
        for p in np.unique(panel):
            here = panel == p
            rows[here] = basis[here] @ self.coefficients[p]
        first, last = self.ranges[panel].T
        end = self.stretch * np.sinh(np.where(sign > 0.0, last, first))
        return PolarSlices(self.stretch, end, first, last, rows)


@dataclass(frozen=True, eq=False)
class PolarSlices:
    """Profiles at some scores, cut out of a `PolarProfile`; `end` is where each leaves it."""

    stretch: float
    end: Array
    first: Array
    last: Array
    rows: Array

    def take(self, index: NDArray[np.intp]) -> PolarSlices:
        """Return the profiles of that index."""
        parts = (part[index] for part in (self.end, self.first, self.last, self.rows))
        return PolarSlices(self.stretch, *parts)

    def values(self, along: Array) -> Array:
        """Return the deviance at distances (k, q), those of row i for score i."""
        middle, half = 0.5 * (self.last + self.first), 0.5 * (self.last - self.first)
        t = (np.arcsinh(along / self.stretch) - middle[:, None]) / half[:, None]
        t = np.clip(t, -1.0, 1.0)
        twice = 2.0 * t
        current, previous, following = np.zeros((3, *t.shape))
        for column in self.rows.T[:0:-1]:
            np.multiply(twice, current, out=following)
            following -= previous
            following += column[:, None]
            current, previous, following = following, current, previous
        ratio = t * current - previous + self.rows[:, :1]
        return np.asarray(0.5 * (ratio * along) ** 2)


@dataclass(frozen=True, eq=False)
class _Window:
    """Where the level is met, and how the profile bends on the way, in some directions `phi` (k,).

    `ends` (2, k) are distances at the negative and at the positive side; `bends` (2, k) are such
    that the profile is, more or less, at ``bend * distance**2`` across.
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
        back, forth = (np.interp(phi, self.phi, bend)[:, None] for bend in self.bends)
        return np.asarray(np.where(along < 0.0, back, forth) * along**2)


def tabulate_profile(deviance: Deviance) -> PolarProfile | None:
    """Tabulate the profile deviance, or return None where a table would not pay.

    Parameters
    ----------
    deviance : Deviance
        Relative likelihood.

    Returns
    -------
    PolarProfile or None
        Beliefs from the table are within 1e-9 of those from `deviance`. None where outliers give
        the profile something like corners, and where rounding shows (huge weights).
    """
    window = _window(deviance)
    panels, size = _EASY if deviance.unit < _SMALL_ERROR else _HARD
    edges = np.linspace(-0.5 * np.pi, 0.5 * np.pi, panels + 1)
    while True:
        table = _fitted(deviance, window, edges, size)
        if isinstance(table, PolarProfile):
            return table
        # Coefficients decay geometrically: try no size that will not do.
        sizes = (s for s in _SIZES if s > size and table ** (s / size) < 10.0 * _TOLERANCE)
        size = next(sizes, 0)
        if not size:
            return None


def _window(deviance: Deviance) -> _Window:
    phi = np.pi * ((np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS - 0.5)
    y, sign = np.tile(np.tan(phi), 2), np.repeat([-1.0, 1.0], phi.size)
    end, across = deviance.reach(y, sign, _LEVEL)
    ends, bends = end.reshape(2, -1), (across / end**2).reshape(2, -1)
    # Half a turn exchanges the sides and turns all signs.
    ends, bends = (np.hstack([-v[::-1, -1:], v, -v[::-1, :1]]) for v in (ends, bends))
    return _Window(np.concatenate([phi[-1:] - np.pi, phi, phi[:1] + np.pi]), ends, bends)


def _fitted(deviance: Deviance, window: _Window, edges: Array, size: int) -> PolarProfile | float:
    """Return the table with that many coefficients in the distance, or its error if too large."""
    stretch = min(3.0, 1.0 / deviance.unit)  # of the order of the distance of the poles
    left, right = edges[:-1], edges[1:]
    done: list[tuple[Array, Array, Array, Array]] = []
    visited = 0
    while left.size:
        visited += left.size
        ranges = np.arcsinh(window.ranges(left, right) / stretch)
        few, many = (
            stretch * np.sinh(_spread(ranges[:, 0], ranges[:, 1], n)) for n in (size // 4, size)
        )
        root, along = _roots(deviance, window, _spread(left, right, _DEGREE), few, many)
        angular, radial = _errors(root, along)
        if visited > _MOST_PANELS or np.exp(-0.5 * root[..., [0, -1]] ** 2).max() > _SPILL:
            return np.inf
        if radial > _TOLERANCE:
            return radial
        good = angular < _TOLERANCE
        table = chebyshev(_DEGREE)[1] @ (root / along)[good] @ chebyshev(size)[1].T
        done.append((left[good], right[good], ranges[good], table))
        middle = 0.5 * (left + right)
        left, middle, right = left[~good], middle[~good], right[~good]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    lefts, rights, spans, tables = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(lefts)
    edges = np.append(lefts[order], rights.max())
    line = deviance.intercept, deviance.slope, deviance.unit
    return PolarProfile(*line, stretch, edges, spans[order], tables[order])


def _errors(root: Array, along: Array) -> tuple[Array, float]:
    """Return the errors of exp(-D) that the last coefficients show: (p,) in direction, and at all.

    `root` (p, q, n) is ``sqrt(2 D)`` and `along` the absolute distance. Errors of their ratio show
    in exp(-D) by the derivative, which vanishes at both ends.
    """
    ratio = root / along
    weight = (along * root * np.exp(-0.5 * root**2)).max(axis=1)
    last = chebyshev(_DEGREE)[1][-2:] @ ratio
    angular = (np.abs(last).max(axis=1) * weight).max(axis=1)
    outer = np.abs(ratio @ chebyshev(root.shape[2])[1][-3:].T).max(axis=(1, 2))
    return angular, float((outer * weight.max(axis=1)).max())


def _spread(left: Array, right: Array, size: int) -> Array:
    """Return the Chebyshev nodes (p, size) of intervals."""
    middle, half = 0.5 * (left + right)[:, None], 0.5 * (right - left)[:, None]
    return np.asarray(middle + half * chebyshev(size)[0])


def _roots(
    deviance: Deviance, window: _Window, phi: Array, few: Array, many: Array
) -> tuple[Array, Array]:
    """Return ``sqrt(2 D)`` and the absolute distances on the grids (p, q, n) of some panels.

    Directions are (p, q), distances `few` (p, m) and `many` (p, n). Where the profile is at the few
    tells nearly where it is at the many.
    """
    shape = (*phi.shape, many.shape[1])
    directions = phi.ravel()
    few, many = (np.repeat(d, phi.shape[1], axis=0) for d in (few, many))
    across = _solved(deviance, directions, few, window.guess(directions, few))[1]
    size = few.shape[1]
    basis = chebvander(chebyshev(shape[2])[0], size - 1) @ chebyshev(size)[1]
    value = _solved(deviance, directions, many, across @ basis.T)[0]
    return np.sqrt(2.0 * value).reshape(shape), np.maximum(np.abs(many), 1e-300).reshape(shape)


def _solved(deviance: Deviance, phi: Array, along: Array, guess: Array) -> tuple[Array, Array]:
    """Return the profile deviance, and where it is, for directions (k,) and distances (k, q)."""
    y = np.repeat(np.tan(phi), along.shape[1])
    value, across = deviance.profile(along.ravel(), y, guess.ravel())
    return value.reshape(along.shape), across.reshape(along.shape)
