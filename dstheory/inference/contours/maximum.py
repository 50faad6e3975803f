"""Largest value of a log-likelihood on an interval, for many rows at once, without derivatives.

An interval, bounded or not, is the image of the real line under a map that is exponential near a
bound and towards infinity. On the line, a coarse grid brackets the maximum on any scale from 1e-34
to 1e34, and nested grids refine it. This finds the maximum of any concave or unimodal function,
however narrow its peak. Values are logarithms, so nothing underflows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dstheory._typing import Floats

REACH = 80  # exp(80) is 6e34: far beyond any scale of data
POINTS = 17  # per round of nested brackets, each an eighth of the previous one
ROUNDS = 16  # 2 / 8^16 is 7e-15: the coordinate on the line is then exact


@dataclass(frozen=True)
class Line:
    """The map from the line onto an interval, or onto one interval for each row.

    Attributes
    ----------
    low, high : ndarray
        Bounds of the interval, possibly infinite.
    center, scale : ndarray
        Where an unbounded interval is searched most closely, and on what scale.

    Examples
    --------
    >>> Line(np.array(0.0), np.array(1.0), np.array(0.0), np.array(1.0)).point(np.array([-80, 0.0]))
    array([1.8...e-35, 5.0...e-01])
    """

    low: Floats
    high: Floats
    center: Floats
    scale: Floats

    def point(self, v: Floats) -> Floats:
        """Point of the interval at coordinate v (the last axis is that of v)."""
        low, high, center, scale = (
            x[..., None] for x in (self.low, self.high, self.center, self.scale)
        )
        # Each branch is evaluated for all rows; overflowing values are not selected.
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.exp(-np.abs(v))
            share = size / (1 + size)
            inside = np.where(v < 0, low + (high - low) * share, high - (high - low) * share)
            above = low + scale * np.exp(v)
            below = high - scale * np.exp(-v)
            free = center + scale * np.sinh(v)
        has_low, has_high = np.isfinite(low), np.isfinite(high)
        one = np.where(has_low, above, below)
        x = np.where(has_low & has_high, inside, np.where(has_low | has_high, one, free))
        return np.asarray(np.clip(x, low, high))


def maximize_rows(
    f: Callable[[Floats], Floats], line: Line, step: float = 1.0, rounds: int = ROUNDS
) -> tuple[Floats, Floats]:
    """Largest value of each row of f, and where.

    Parameters
    ----------
    f : callable
        Maps points (N, P) to values (N, P); row i is evaluated by the function of row i.
    line : Line
        The interval of each row, of arrays (N,).
    step : float
        Distance on the line between the points that bracket the maximum.
    rounds : int
        Number of nested brackets.

    Returns
    -------
    x, value : ndarray of shape (N,)
        The bounds themselves are candidates.

    Examples
    --------
    >>> line = Line(*(np.array([v]) for v in (-np.inf, np.inf, 0.0, 1.0)))
    >>> x, value = maximize_rows(lambda x: -((x - 3) ** 2), line)
    >>> x.round(6), abs(value).round(6)
    (array([3.]), array([0.]))
    """
    grid = np.arange(-REACH, REACH + step, step)
    v = np.broadcast_to(grid, (line.low.size, grid.size))
    values = f(line.point(v))
    best = np.argmax(values, axis=1)
    left, right = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, grid.size - 1)]
    x, value = zoom(lambda v: f(line.point(v)), left, right, rounds)
    x = line.point(x[:, None])[:, 0]
    for bound in (line.low, line.high):
        bound = np.where(np.isfinite(bound), bound, x)
        at_bound = f(bound[:, None])[:, 0]
        better = at_bound >= value
        x, value = np.where(better, bound, x), np.where(better, at_bound, value)
    return x, value


def zoom(
    f: Callable[[Floats], Floats], left: Floats, right: Floats, rounds: int = ROUNDS
) -> tuple[Floats, Floats]:
    """Maximum of each row between two points (N,), by nested brackets.

    >>> x, value = zoom(lambda x: -abs(x - 0.25), np.zeros(1), np.ones(1))
    >>> x.round(9)
    array([0.25])
    """
    share = np.linspace(0, 1, POINTS)
    rows = np.arange(left.size)
    for _ in range(rounds):
        x = left[:, None] + (right - left)[:, None] * share
        values = f(x)
        best = np.argmax(values, axis=1)
        found, value = x[rows, best], values[rows, best]
        left, right = x[rows, np.maximum(best - 1, 0)], x[rows, np.minimum(best + 1, POINTS - 1)]
    return found, value
