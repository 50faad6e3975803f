"""Piecewise Chebyshev interpolation of a smooth vector-valued function of one variable.

Panels are halved until the last Chebyshev coefficients are small enough for a caller's criterion.
The result is two plain arrays, and evaluating it costs the same few operations at every point.

Source: L. N. Trefethen, "Approximation Theory and Approximation Practice" (2013), chapters 3, 8.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.polynomial.chebyshev import cheb2poly
from numpy.typing import NDArray

from evical._typing import Floats
from evical.errors import ConvergenceError

_DEGREE = 12  # number of coefficients a panel: fewest evaluations in total, of 8, 12 and 16
_NARROWEST = 5e-3  # panels are not halved below this width, whatever the criterion says
# Visited in all. Samples of which the masses can be tabulated took 650 at most, of 10,000 extreme
# ones; where rounding shows, panels would be halved without end.
_MOST_PANELS = 1000
_CHUNK = 1 << 14


def fit_piecewise(
    function: Callable[[Floats], Floats],
    edges: Floats,
    accept: Callable[[Floats, Floats], NDArray[np.bool_]],
) -> tuple[Floats, Floats]:
    """Interpolate a function on adaptive panels.

    Parameters
    ----------
    function : callable
        Maps points (k,) to values (k, c).
    edges : ndarray of shape (p + 1,)
        Ascending edges of the panels to begin with.
    accept : callable
        Called with the values at the nodes (p, q, c) and an estimate of the interpolation error
        (p, c); returns which panels (p,) are good enough.

    Returns
    -------
    edges : ndarray of shape (p' + 1,)
    coefficients : ndarray of shape (c, q, p')
        Chebyshev coefficients of each component on each panel.

    Raises
    ------
    ConvergenceError
        If a thousand panels are not good enough.

    Examples
    --------
    >>> edges, coef = fit_piecewise(lambda x: x[:, None] ** 2, np.array([0.0, 1.0]),
    ...                             lambda values, error: error[:, 0] < 1e-12)
    >>> evaluate_piecewise(edges, coef, np.array([0.5])).round(12).tolist()
    [[0.25]]
    """
    nodes, transform = chebyshev(_DEGREE)
    left, right = edges[:-1], edges[1:]
    done: list[tuple[Floats, Floats, Floats]] = []
    visited = 0
    while left.size:
        visited += left.size
        if visited > _MOST_PANELS:
            raise ConvergenceError(
                "the masses cannot be tabulated, as rounding shows in them: scores or weights "
                "differ by too many powers of ten; leave out the extreme ones, use "
                "transform='rank' or model='bayesian'"
            )
        middle, half = 0.5 * (left + right), 0.5 * (right - left)
        points = middle[:, None] + half[:, None] * nodes
        values = function(points.ravel()).reshape(left.size, _DEGREE, -1)
        coefficients = np.einsum("jk,pkc->pjc", transform, values)
        error = np.abs(coefficients[:, -2:]).max(axis=1)
        good = accept(values, error) | (half < _NARROWEST)
        done.append((left[good], right[good], coefficients[good]))
        left, middle, right = left[~good], middle[~good], right[~good]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    lefts, rights, coefs = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(lefts)
    return np.append(lefts[order], rights.max()), coefs[order].transpose(2, 1, 0).copy()


def evaluate_piecewise(edges: Floats, coefficients: Floats, x: Floats) -> Floats:
    """Evaluate a piecewise Chebyshev interpolant.

    Powers of `t` in [-1, 1] instead of Chebyshev polynomials: for the dozen coefficients here
    Horner's rule is as accurate to some 1e-14, and takes three quarters of the time of
    Clenshaw's recurrence.

    Parameters
    ----------
    edges : ndarray of shape (p + 1,)
    coefficients : ndarray of shape (c, q, p)
        As returned by `fit_piecewise`.
    x : ndarray of shape (n,)
        Points; those outside of the panels take the value at the nearest end.

    Returns
    -------
    ndarray of shape (c, n)

    Examples
    --------
    >>> evaluate_piecewise(np.array([0.0, 2.0]), np.array([[[1.0], [1.0]]]), np.array([2.0, 9.0]))
    array([[2., 2.]])
    """
    result = np.empty((coefficients.shape[0], x.size))
    powers = np.einsum("cjp,jk->ckp", coefficients, _powers(coefficients.shape[1]))
    for first in range(0, x.size, _CHUNK):
        part = np.clip(x[first : first + _CHUNK], edges[0], edges[-1])
        panel = np.searchsorted(edges[1:-1], part, side="right")
        low, high = edges[panel], edges[panel + 1]
        t = (2.0 * part - low - high) / (high - low)
        for component, table in zip(result, powers, strict=True):
            component[first : first + _CHUNK] = _horner(table, panel, t)
    return result


def _horner(table: Floats, panel: NDArray[np.intp], t: Floats) -> Floats:
    value: Floats = np.take(table[-1], panel)
    for row in table[-2::-1]:
        value *= t
        value += np.take(row, panel)
    return value


@lru_cache
def _powers(size: int) -> Floats:
    """Return the coefficients of each Chebyshev polynomial, row by row, in powers."""
    rows = [cheb2poly(np.eye(size)[k, : k + 1]) for k in range(size)]
    table: Floats = np.stack([np.pad(row, (0, size - row.size)) for row in rows])
    table.flags.writeable = False
    return table


@lru_cache
def chebyshev(size: int) -> tuple[Floats, Floats]:
    """Return nodes on [-1, 1] and the matrix from values there to Chebyshev coefficients.

    Parameters
    ----------
    size : int
        Number of nodes and of coefficients.

    Returns
    -------
    nodes : ndarray of shape (size,)
    transform : ndarray of shape (size, size)
        Both read-only.
    """
    order = np.arange(size)
    angle = np.pi * (order + 0.5) / size
    nodes, transform = np.cos(angle), 2.0 / size * np.cos(order[:, None] * angle)
    transform[0] *= 0.5
    nodes.flags.writeable = transform.flags.writeable = False
    return nodes, transform
