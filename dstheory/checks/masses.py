"""Validation of masses, in one place.

Every failure names the value and the row, and says what to do. Nothing is repaired.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite, prod
from numbers import Number, Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_collection, as_shape, shown, without_mask
from dstheory.errors import CostLimitError, MassError
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.kernels.exact import integers_exact
from dstheory.kernels.rounding import SUM_TOLERANCE, sum_tolerance
from dstheory.kernels.rows import in_row

__all__ = [
    "MAX_TABLE_LABELS",
    "SUM_TOLERANCE",
    "as_batch_shape",
    "as_distribution",
    "as_frame",
    "as_masses",
    "as_numbers",
    "check_masses",
    "check_number",
    "check_table_size",
    "kept_sum",
    "side_by_side",
    "sorted_focal",
]

# 2^26 doubles are half a gigabyte.
MAX_TABLE_LABELS = 26


def as_frame(frame: object) -> Frame:
    """The frame, if it is one."""
    if not isinstance(frame, Frame):
        raise TypeError(f"frame is {shown(frame)}, expected a Frame; make one with Frame(labels)")
    return frame


def as_masses(masses: object) -> NDArray[Any]:
    """Masses as a float64 array, or as objects where they are exact or symbolic."""
    return _in_float64(as_numbers(masses))


def as_numbers(masses: object) -> NDArray[Any]:
    """Masses as an array of their own type; integers beside fractions become fractions."""
    try:
        array = np.asarray(without_mask(masses))
    except ValueError as error:  # NumPy's own message mentions inhomogeneous shapes
        raise MassError(
            "rows have different lengths; each needs one number for each set"
        ) from error
    if array.dtype == object:
        for value in array.ravel():
            if not _is_number(value):
                raise TypeError(f"a mass is {value!r}, expected a real number")
        return integers_exact(array)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"masses have dtype {array.dtype.name}, expected real numbers")
    return array


def _in_float64(numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers if numbers.dtype == object else numbers.astype(np.float64)


def as_distribution(
    numbers: NDArray[Any], name: str = "masses", dtype: np.dtype[Any] | None = None
) -> NDArray[Any]:
    """Masses (*batch, F) that are not negative and sum to 1, as far as their type can tell.

    Those of float32 and float16 are divided by their sum in float64. `dtype` is the type in which
    they came, if that of `numbers` is another one.
    """
    masses = _in_float64(numbers)
    size = masses.shape[-1] if masses.ndim else 1
    atol = sum_tolerance(numbers.dtype if dtype is None else dtype, size)
    check_masses(masses, atol, name)
    if masses.dtype == object or atol <= SUM_TOLERANCE:
        return masses
    masses = np.maximum(masses, 0)
    return np.asarray(masses / masses.sum(axis=-1, keepdims=True))


def side_by_side(masses: Iterable[Any]) -> tuple[NDArray[Any], np.dtype[Any]]:
    """Masses (*batch, F) of focal sets, whose shapes broadcast, and the coarsest of their types."""
    columns = [as_numbers(values) for values in masses]
    try:
        array = np.stack(np.broadcast_arrays(*columns), axis=-1)
    except ValueError as error:
        shapes = ", ".join(str(column.shape) for column in columns)
        raise MassError(f"masses of shapes {shapes} do not broadcast to one batch") from error
    coarsest = max((column.dtype for column in columns), key=lambda kind: sum_tolerance(kind, 1))
    return (integers_exact(array) if array.dtype == object else array), coarsest


def sorted_focal(
    frame: Frame, focal: Iterable[int], masses: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distinct masks in ascending order, and the masses (*batch, F) in that order."""
    masks = as_collection(focal, "focal", "a sequence of masks (int)")
    array = bits.mask_array((frame.check_mask(mask) for mask in masks), len(frame))
    if masses.ndim == 0 or masses.shape[-1] != len(array):
        raise MassError(
            f"masses have shape {masses.shape}, but there are {len(array)} focal sets; "
            "the last axis of masses runs over the focal sets"
        )
    order = np.argsort(array, kind="stable")
    array = array[order]
    repeated = np.flatnonzero(array[1:] == array[:-1])
    if len(repeated):
        event = frame.event(int(array[repeated[0]]))
        raise MassError(f"focal set {event!r} occurs twice; add its masses into one")
    return array, masses[..., order]


def check_masses(masses: NDArray[Any], atol: float = SUM_TOLERANCE, name: str = "masses") -> None:
    """Raise unless every row (last axis) is non-negative and sums to 1."""
    if masses.dtype == object:
        _check_exact(masses, atol, name)
        return
    finite = np.isfinite(masses)
    if not finite.all():
        where = np.argwhere(~finite)[0]
        raise MassError(f"mass {masses[tuple(where)]}{in_row(where[:-1])} is not finite")
    if masses.size and masses.min() < -atol:
        where = np.argwhere(masses < -atol)[0]
        raise MassError(f"mass {masses[tuple(where)]:g}{in_row(where[:-1])} is negative")
    totals = masses.sum(axis=-1)
    wrong = np.argwhere(np.abs(totals - 1) > atol)
    if len(wrong):
        raise MassError(_sum_message(masses, totals[tuple(wrong[0])], wrong, name))


def _check_exact(masses: NDArray[Any], atol: float, name: str) -> None:
    rows = masses.reshape(-1, masses.shape[-1])
    for number, row in enumerate(rows):
        place = np.array(np.unravel_index(number, masses.shape[:-1])) if masses.ndim > 1 else ()
        for value in row:
            if not _is_finite(value):
                raise MassError(f"mass {value}{in_row(place)} is not finite")
            if _is_negative(value, atol):
                raise MassError(f"mass {value}{in_row(place)} is negative")
        total = sum(row, start=Fraction(0)) if _all_rational(row) else sum(row)
        if not _is_one(total, atol):
            raise MassError(_sum_message(masses, total, np.array([place]), name))


def as_batch_shape(shape: tuple[Any, ...], old: tuple[int, ...]) -> tuple[int, ...]:
    """The new shape of a batch, given as numbers or as one tuple; -1 infers one length."""
    given = shape[0] if len(shape) == 1 else shape
    parts = list(given) if isinstance(given, tuple | list) else given
    parts = [-1] if isinstance(parts, int | np.integer) and parts == -1 else parts
    if isinstance(parts, list) and parts.count(-1) == 1:
        place = parts.index(-1)
        others = prod(as_shape("shape", parts[:place] + parts[place + 1 :]))
        parts[place] = prod(old) // max(others, 1)
    lengths = as_shape("shape", parts)
    if prod(lengths) != prod(old):
        raise ValueError(f"a batch of shape {old} does not fit into shape {lengths}")
    return lengths


def check_table_size(size: int, advice: str) -> None:
    """Raise if a table of all subsets of `size` labels is too large to be made."""
    if size > MAX_TABLE_LABELS:
        raise CostLimitError(
            f"a table on {size} labels has 2^{size} entries per row, more than "
            f"2^{MAX_TABLE_LABELS}; {advice}"
        )


def check_number(value: object, name: str) -> None:
    """Raise unless `value` is one real number, possibly symbolic."""
    if not _is_number(value) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, expected a number")


def _is_number(value: object) -> bool:
    if isinstance(value, complex):
        return False
    return isinstance(value, Number) or hasattr(value, "free_symbols")


def _is_finite(value: Any) -> bool:
    if hasattr(value, "free_symbols"):
        known = bool(value.free_symbols or value.is_comparable)  # nan and zoo are not comparable
        return known and value.is_finite is not False
    return isinstance(value, Rational) or isfinite(value)


def _all_rational(row: NDArray[Any]) -> bool:
    return all(isinstance(value, Rational) for value in row)


def _is_negative(value: Any, atol: float) -> bool:
    if isinstance(value, Rational):
        return bool(value < 0)
    if hasattr(value, "is_negative"):
        return value.is_negative is True
    return bool(value < -atol)


def _is_one(total: Any, atol: float) -> bool:
    if isinstance(total, Rational):
        return bool(total == 1)
    if hasattr(total, "equals"):  # a symbolic expression: must be provably 1
        return total == 1 or total.equals(1) is True or _is_near_one(total, atol)
    return bool(abs(total - 1) <= atol)


def _is_near_one(total: Any, atol: float) -> bool:
    return not total.free_symbols and bool(abs(total - 1) <= atol)


def _sum_message(masses: NDArray[Any], total: object, wrong: NDArray[Any], name: str) -> str:
    n_rows = int(np.prod(masses.shape[:-1]))
    value = f"{total:.12g}" if isinstance(total, float) else f"{total}"
    count = f" ({len(wrong)} of {n_rows} rows)" if masses.ndim > 1 else ""
    rest = "give the rest to the frame or " if name == "masses" else ""
    advice = "" if masses.ndim > 1 else f"; {rest}divide by the sum"
    return f"{name} sum to {value}{in_row(wrong[0])}, not 1{count}{advice}"


def kept_sum(store: NDArray[Any], atol: float) -> NDArray[Any]:
    """Sum of the masses that pruning keeps; raise if a row would keep none."""
    total = np.asarray(store.sum(axis=0))
    lost = np.argwhere(np.asarray(total == 0, dtype=bool))
    if len(lost):
        row = in_row(lost[0])
        raise MassError(f"no focal set has more than {atol:g}{row}; prune with a lower atol")
    return total
