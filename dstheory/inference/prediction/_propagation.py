"""Range of a function over boxes: at their corners, or by grids that close in on both extremes.

The image of a focal box is the interval between the extremes of the function (Dubois & Prade 1991,
Random sets and fuzzy interval analysis, Fuzzy Sets and Systems 42; Oberkampf, Helton, Joslyn,
Wojtkiewicz & Ferson 2004, Challenge problems, Reliability Engineering and System Safety 85).
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.kernels.batches import blocks

_POINTS = {1: 33, 2: 11, 3: 7}  # of a grid, in each of so many dimensions
_MOST = 1 << 20  # points in one call of the function
_SHARE = 1e-8  # of the range of values, within which an extreme is found
_STARTS = 4  # valleys of the first grid, in each of which a search goes on
_ROUNDS = 60  # each divides the sides of a box by two or more, or moves it


def function_range(
    function: Callable[..., Any],
    low: Floats,
    high: Floats,
    *,
    corners: bool = False,
    atol: float | None = None,
) -> tuple[Floats, Floats]:
    """Least and greatest value over N boxes (d, N), or at their corners only.

    By default `atol` is a share of the range of the values of each box, whatever their unit.

    >>> low, high = np.array([[0.0]]), np.array([[2.0]])
    >>> [end.round(9).tolist() for end in function_range(lambda x: (x - 1) ** 2, low, high)]
    [[0.0], [1.0]]
    """
    size = 2 if corners else _POINTS.get(len(low), 5)
    grid = np.array(list(product(np.linspace(0, 1, size), repeat=len(low)))).T
    parts = list(blocks(low.shape[1], _MOST // grid.shape[1]))
    rounds = 1 if corners else _ROUNDS
    ends = [
        [
            sign * _least(function, sign, low[:, part], high[:, part], grid, rounds, atol)
            for part in parts
        ]
        for sign in (1, -1)
    ]
    lowest, highest = (np.concatenate(end) for end in ends)
    return lowest, highest


def _least(
    function: Callable[..., Any],
    sign: int,
    low: Floats,
    high: Floats,
    grid: Floats,
    rounds: int,
    atol: float | None,
) -> Floats:
    """Least value of sign * function: around the valleys of a grid finer ones, then patterns."""
    best = np.full(low.shape[1], np.inf)
    rows = np.arange(low.shape[1])
    side = len(np.unique(grid[0])) - 1
    bottom, top = low, high
    for left in reversed(range(rounds)):
        first = left == rounds - 1
        if left == rounds - 3:  # then a pattern of 3 points a side moves or shrinks
            grid, side = np.array(list(product((0, 0.5, 1), repeat=len(low)))).T, 4
        width = (top - bottom)[..., np.newaxis]
        share = grid[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # corners of an unbounded box follow
            points = bottom[..., np.newaxis] + share * width
        points = np.where(share == 0, bottom[..., np.newaxis], points)
        points = np.where(share == 1, top[..., np.newaxis], points)
        values = sign * _called(function, points)
        found, most = values.min(axis=1), values.max(axis=1)
        np.minimum.at(best, rows, found)
        if first:
            finite = np.isfinite(values)
            range_ = values.max(axis=1, initial=-np.inf, where=finite)
            range_ -= values.min(axis=1, initial=np.inf, where=finite)
            allowed = _SHARE * np.maximum(range_, 0) if atol is None else np.full_like(best, atol)
        # Values that differ by no more than the tolerance have nothing better between them, and a
        # valley that lies higher than it is deep has no lower floor.
        with np.errstate(invalid="ignore"):  # of infinite values
            open_ = (most - found > allowed[rows]) & (width.max(axis=0)[:, 0] > 0)
            open_ &= first | (found - best[rows] <= most - found)
        (left_open,) = np.nonzero(open_)
        if not (left and left_open.size):
            break
        if first:
            box, place = _valleys(values[open_], side)
        else:
            box, place = np.arange(left_open.size), values[open_].argmin(axis=1)
        box = left_open[box]
        rows, center, width = rows[box], points[:, box, place], width[:, box, 0]
        bottom, top = bottom[:, box], top[:, box]
        # A best point at an end that is none of the whole box is followed beyond it.
        inner = (center == bottom) & (center > low[:, rows])
        inner |= (center == top) & (center < high[:, rows])
        reach = np.where(inner, width / 2, width / side)
        bottom = np.maximum(center - reach, low[:, rows])
        top = np.minimum(center + reach, high[:, rows])
    return best


def _valleys(values: Floats, side: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and places of the lowest points of each grid that are no higher than their neighbors."""
    from scipy.ndimage import minimum_filter

    d = round(np.log(values.shape[1]) / np.log(side + 1))
    cells = values.reshape(len(values), *[side + 1] * d)
    least = minimum_filter(cells, size=(1, *[3] * d), mode="nearest").reshape(values.shape)
    heights = np.where(values == least, values, np.inf)
    order = np.argsort(heights, axis=1, kind="stable")[:, :_STARTS]
    row, rank = np.nonzero(np.take_along_axis(heights, order, axis=1) < np.inf)
    return row, order[row, rank]


def _called(function: Callable[..., Any], points: NDArray[Any]) -> Floats:
    try:
        with np.errstate(all="ignore"):  # a value that is not a number is refused below
            values = np.asarray(function(*points))
    except (TypeError, ValueError) as error:
        error.add_note("the function is called with arrays; numpy.vectorize wraps one of numbers")
        raise
    if values.shape != points.shape[1:]:
        raise ValueError(
            f"the function gives shape {values.shape} for arrays of shape {points.shape[1:]}; it "
            "is called with arrays and returns one value for each element"
        )
    wrong = np.argwhere(np.isnan(values))
    if len(wrong):
        place = ", ".join(f"{x[tuple(wrong[0])]:g}" for x in points)
        raise ValueError(f"the function is nan at ({place}); it must be defined on all boxes")
    return values.astype(np.float64)
