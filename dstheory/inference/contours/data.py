"""Validation of observations and design matrices; errors name the value and its row."""

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_array, as_floats, shown
from dstheory.inference.contours.maximum import Floats


def as_data(name: str, values: ArrayLike, low: float = -np.inf, high: float = np.inf) -> Floats:
    """One or more finite numbers (n,) in [low, high].

    >>> as_data("counts", [0, 2], low=0)
    array([0., 2.])
    """
    array = as_array(values, name)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} have dtype {array.dtype.name}, expected real numbers")
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} have shape {array.shape}; give one number for each observation")
    array = array.astype(np.float64)
    _refuse(name, ~np.isfinite(array), array, "give finite numbers")
    _refuse(name, (array < low) | (array > high), array, f"expected in [{low:g}, {high:g}]")
    return array


def as_design(name: str, values: ArrayLike, columns: int | None = None) -> Floats:
    """A finite matrix (n, p), with p checked if given.

    >>> as_design("design", [[1, 2]]).shape
    (1, 2)
    """
    array = as_array(values, name)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} consists of real numbers, not of {array.dtype.name}")
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; give one row for each observation")
    if columns is not None and array.shape[1] != columns:
        raise ValueError(f"{name} has {array.shape[1]} columns, not {columns} as the design has")
    array = array.astype(np.float64)
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
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} is {value!r}, expected a positive number")
    if not 0 < value < np.inf:
        raise ValueError(f"{name} is {shown(value)}; expected a finite positive number")
    return float(as_floats(value, name))


def _refuse(name: str, wrong: np.ndarray, values: Floats, advice: str) -> None:
    row = np.flatnonzero(wrong)
    if row.size:
        raise ValueError(f"{name} {values[row[0]]} in row {row[0]}: {advice}")
