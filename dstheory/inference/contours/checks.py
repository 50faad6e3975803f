"""Checks of the arguments of contours: bounds, scales, regions, levels, log-likelihood values."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Floats
from dstheory.checks.arguments import (
    as_floats,
    check_above_zero,
    check_callable,
    check_count,
    check_rows,
    common_shape,
)
from dstheory.kernels.batches import blocks
from dstheory.kernels.rows import in_row

Space = tuple[tuple[float, float], ...]


def numbers(name: str, values: ArrayLike) -> Floats:
    """Real numbers without NaN, as floats.

    >>> numbers("theta", [1, 2])
    array([1., 2.])
    """
    array = as_floats(values, name)
    refuse(f"{name} is", array, np.isnan(array), "numbers")
    return array


def as_bounds(bounds: ArrayLike) -> Space:
    """Bounds as one or two pairs of floats.

    >>> as_bounds((0, 1)), as_bounds([(0, 1), (2, np.inf)])
    (((0.0, 1.0),), ((0.0, 1.0), (2.0, inf)))
    """
    array = numbers("bounds", bounds)
    pairs = array[None, :] if array.ndim == 1 else array
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.shape[0] not in (1, 2):
        raise ValueError(f"bounds have shape {array.shape}; give (low, high), or a pair of them")
    for low, high in pairs:
        if not low < high or low == np.inf or high == -np.inf:
            raise ValueError(f"bounds ({low:g}, {high:g}) are not an interval; give low < high")
    return tuple((float(low), float(high)) for low, high in pairs)


def as_scales(scale: ArrayLike | None, dimension: int) -> tuple[float, ...]:
    """Positive scales, one per dimension, 1 by default.

    >>> as_scales(None, 2), as_scales(3, 1)
    ((1.0, 1.0), (3.0,))
    """
    array = np.ones(dimension) if scale is None else np.atleast_1d(numbers("scale", scale))
    if array.shape != (dimension,):
        raise ValueError(f"scale has shape {array.shape}; give {dimension} (one per dimension)")
    refuse("scale is", array, ~(np.isfinite(array) & (array > 0)), "positive numbers")
    return tuple(float(x) for x in array)


def as_interval(region: tuple[ArrayLike, ...]) -> tuple[Floats, Floats]:
    """Ends of intervals, broadcast to one shape.

    >>> as_interval((0, [1, 2]))
    (array([0., 0.]), array([1., 2.]))
    """
    if len(region) != 2:
        raise ValueError(f"an interval has 2 ends (low, high), not {len(region)}")
    ends = [numbers("interval", end) for end in region]
    check_rows(low=region[0], high=region[1])
    common_shape("ends", *(end.shape for end in ends))
    low, high = np.broadcast_arrays(*ends)
    refuse("the low end is", low, low > high, "at most the high end")
    return low, high


def as_box(region: tuple[ArrayLike, ...]) -> tuple[Floats, ...]:
    """Ends of one box, as 0-d arrays.

    >>> [float(end) for end in as_box((0, 1, 2, 3))]
    [0.0, 1.0, 2.0, 3.0]
    """
    if len(region) != 4 or any(np.ndim(end) for end in region):
        raise ValueError("a region in dimension 2 is a box: give 4 numbers (low, high, low, high)")
    return *as_interval(region[:2]), *as_interval(region[2:])


def as_levels(name: str, values: ArrayLike) -> Floats:
    """Numbers in [0, 1].

    >>> as_levels("gamma", 0.5)
    array(0.5)
    """
    array = numbers(name, values)
    if not array.size:
        raise ValueError(f"{name} is empty; expected numbers in [0, 1]")
    refuse(f"{name} is", array, (array < 0) | (array > 1), "numbers in [0, 1]")
    return array


def as_level(name: str, value: ArrayLike) -> float:
    """One number in [0, 1].

    >>> as_level("p", 0.5)
    0.5
    """
    array = as_levels(name, value)
    if array.ndim:
        raise ValueError(f"{name} has shape {array.shape}; expected one number in [0, 1]")
    return float(array)


def as_ends(region: tuple[ArrayLike, ...], shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Ends of intervals that broadcast with a shape.

    >>> as_ends((0, 1), (2,))
    (array([0., 0.]), array([1., 1.]))
    """
    low, high = as_interval(region)
    common = common_shape("ends and the quantity", low.shape, shape)
    if 0 in common:
        raise ValueError("ends are empty; give one interval or more")
    return np.broadcast_to(low, common), np.broadcast_to(high, common)


def as_data(name: str, values: ArrayLike, low: float = -np.inf, high: float = np.inf) -> Floats:
    """One or more finite numbers (n,) in [low, high].

    >>> as_data("counts", [0, 2], low=0)
    array([0., 2.])
    """
    array = as_floats(values, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} have shape {array.shape}; give one number for each observation")
    refuse(name, array, ~np.isfinite(array), "finite numbers")
    refuse(name, array, (array < low) | (array > high), f"numbers in [{low:g}, {high:g}]")
    return array


def as_design(name: str, values: ArrayLike, columns: int | None = None) -> Floats:
    """A finite matrix (n, p), with p checked if given.

    >>> as_design("design", [[1, 2]]).shape
    (1, 2)
    """
    array = as_floats(values, name)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; give one row for each observation")
    if columns is not None and array.shape[1] != columns:
        raise ValueError(f"{name} has {array.shape[1]} columns, not {columns} as the design has")
    row = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if row.size:
        raise ValueError(f"{name} is not finite in row {row[0]}; give finite numbers")
    return array


def as_vector(name: str, values: ArrayLike, size: int) -> Floats:
    """Finite numbers (size,).

    >>> as_vector("weights", [1, 0], 2)
    array([1., 0.])
    """
    array = as_data(name, values)
    if array.size != size:
        raise ValueError(f"{name} have {array.size} elements, not {size}")
    return array


def as_positive(name: str, value: float) -> float:
    """A finite positive number.

    >>> as_positive("sigma", 2)
    2.0
    """
    check_above_zero(**{name: value})
    return float(value)


def guard(f: Callable[..., Any], bounds: Space, chunk: int) -> Callable[..., Floats]:
    """The log-likelihood, called with flat arrays of limited size and with its values checked.

    >>> f = guard(lambda u: 0 * np.log(u) + 1, ((0.0, 1.0),), 10)
    >>> f(np.array([[0.0], [1.0]]))
    array([[1.],
           [1.]])
    """
    check_callable("log_likelihood", f, "a callable")
    check_count("chunk", chunk, 1)

    def checked(*theta: Floats) -> Floats:
        flat = [x.ravel() for x in theta]
        result = np.empty(flat[0].size)
        for part in blocks(result.size, chunk):
            result[part] = _values(f, [x[part] for x in flat], bounds)
        return result.reshape(theta[0].shape)

    return checked


def _values(f: Callable[..., Any], theta: list[Floats], bounds: Space) -> Floats:
    # Expect logarithms of 0 on a bound, and overflow far out.
    with np.errstate(all="ignore"):
        values = _call(f, theta)
        for row in np.flatnonzero(np.isnan(values)):
            values[row] = _limit(f, [float(x[row]) for x in theta], bounds)
    wrong = np.flatnonzero(values == np.inf)
    if wrong.size:
        raise ValueError(
            f"log_likelihood is inf at {_place(theta, wrong[0])}: the likelihood is unbounded; "
            "keep the parameter space away from there"
        )
    return values


def _call(f: Callable[..., Any], theta: list[Floats]) -> Floats:
    values = np.asarray(f(*theta))
    if values.shape != theta[0].shape:
        raise ValueError(
            f"log_likelihood gives shape {values.shape} for arrays of shape {theta[0].shape}; "
            "it is called with arrays and returns one value for each element"
        )
    if values.dtype.kind not in "fiu":
        raise TypeError(f"log_likelihood gives {values.dtype.name}, not real numbers")
    return values.astype(np.float64)


def _limit(f: Callable[..., Any], point: list[float], bounds: Space) -> float:
    """Value at the nearest float inside the bound; -inf at infinity if there is none."""
    moved = list(point)
    for i, (x, (low, high)) in enumerate(zip(point, bounds, strict=True)):
        if x in (low, high):
            moved[i] = float(np.nextafter(x, high if x == low else low))
    value = float(_call(f, [np.array([x]) for x in moved])[0])
    if not np.isnan(value):
        return value
    if not np.isfinite(point).all():
        return -np.inf
    raise ValueError(
        f"log_likelihood is nan at {_place([np.array([x]) for x in point], 0)}; "
        "it must be a number or -inf in the whole parameter space; return -inf, or give bounds "
        "away from there"
    )


def _place(theta: list[Floats], row: int) -> str:
    point = ", ".join(f"{x[row]:g}" for x in theta)
    return point if len(theta) == 1 else f"({point})"


def refuse(what: str, values: Floats, wrong: NDArray[np.bool_], expected: str) -> None:
    """Raise where a value is wrong, with the first one and its row."""
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        raise ValueError(f"{what} {values[place]:g}{in_row(place)}; expected {expected}")
