"""Sums over focal sets without tables: belief, plausibility etc. of one event.

Masses are set-major, (F, *batch). Each sum runs over the focal sets in some relation to the event,
so the cost does not depend on the size of the frame.
"""

import math
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import bits


def _sum(masses: NDArray[Any], wanted: NDArray[np.bool_]) -> Any:
    return masses[wanted].sum(axis=0)


def mass(focal: NDArray[Any], masses: NDArray[Any], event: int) -> Any:
    """Mass of exactly `event`."""
    return _sum(masses, np.asarray(focal == event, dtype=bool))


def belief(focal: NDArray[Any], masses: NDArray[Any], event: int) -> Any:
    """Sum over the non-empty focal subsets of `event`."""
    return _sum(masses, bits.subset_of(focal, event) & np.asarray(focal != 0, dtype=bool))


def implicability(focal: NDArray[Any], masses: NDArray[Any], event: int) -> Any:
    """Sum over all focal subsets of `event`, including the empty set."""
    return _sum(masses, bits.subset_of(focal, event))


def plausibility(focal: NDArray[Any], masses: NDArray[Any], event: int) -> Any:
    """Sum over the focal sets that meet `event`."""
    return _sum(masses, np.asarray((focal & event) != 0, dtype=bool))


def commonality(focal: NDArray[Any], masses: NDArray[Any], event: int) -> Any:
    """Sum over the focal sets that contain `event`."""
    return _sum(masses, np.asarray((focal & event) == event, dtype=bool))


def nonempty_sum(focal: NDArray[Any], masses: NDArray[Any]) -> Any:
    """Sum over the non-empty focal sets, the divisor of Dempster's rule."""
    return _sum(masses, np.asarray(focal != 0, dtype=bool))


def contour(focal: NDArray[Any], masses: NDArray[Any], size: int) -> NDArray[Any]:
    """Plausibility of each element, (size, *batch)."""
    return weighted_sum(bits.members(focal, size), masses)


def take_rows(masses: NDArray[Any], index: Any) -> NDArray[Any]:
    """Copy of the masses (F, *rows) of ``batch[index]``.

    Examples
    --------
    >>> take_rows(np.array([[0.25, 0.5], [0.75, 0.5]]), 1)
    array([0.5, 0.5])
    """
    entries = index if isinstance(index, tuple) else (index,)
    arrays = sum(not isinstance(e, int | np.integer | slice | EllipsisType | None) for e in entries)
    batch = masses.shape[1:]
    try:
        if arrays == 0 or len(entries) == 1:
            return np.array(masses[(slice(None), *entries)], order="C")
        # If slices are mixed with arrays, NumPy moves array axes to the front, before the sets.
        n_rows = math.prod(batch)
        rows = np.arange(n_rows).reshape(batch)[index]
    except IndexError as error:  # NumPy's message would count the axis of the sets
        raise IndexError(f"index {index!r} does not fit batch shape {batch}") from error
    return np.array(masses.reshape(len(masses), n_rows)[:, rows], order="C")


def weighted_sum(weights: NDArray[Any], masses: NDArray[Any]) -> NDArray[Any]:
    """Sums (R, *batch) over focal sets with weights (R, F), on floats or objects.

    Examples
    --------
    >>> weighted_sum(np.array([[1.0, 0.5]]), np.array([0.25, 0.75]))
    array([0.625])
    """
    if masses.dtype == object:
        flat = masses.reshape(len(masses), math.prod(masses.shape[1:]))
        rows = [_exact_row(row, flat) for row in weights]
        return np.array(rows, dtype=object).reshape(len(weights), *masses.shape[1:])
    return np.tensordot(weights.astype(np.float64), masses, axes=1)


def _exact_row(weights: NDArray[Any], masses: NDArray[Any]) -> NDArray[Any]:
    total = np.zeros(masses.shape[1], dtype=object)
    for weight, row in zip(weights.tolist(), masses, strict=True):
        if weight:
            total = total + (row if weight is True else weight * row)
    return total
