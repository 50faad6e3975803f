"""Validation of masses, in one place.

Every failure names the value and the row, and says what to do. Nothing is repaired.
"""

from collections.abc import Iterable, Mapping
from math import prod
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import (
    as_array,
    as_collection,
    as_shape,
    check_rows,
    common_shape,
    shown,
)
from dstheory.errors import CostLimitError, MassError
from dstheory.frame import Frame
from dstheory.kernels import bits, predicates
from dstheory.kernels.exact import integers_exact, without_decimals
from dstheory.kernels.rounding import SUM_TOLERANCE, sum_tolerance
from dstheory.kernels.rows import in_row, refuse_rows

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
    if isinstance(masses, Mapping):
        raise TypeError(
            "numbers are a mapping; give its values in the order of the labels, or masses of "
            "events to MassFunction.from_dict"
        )
    try:
        array = as_array(masses, "masses")
    except ValueError as error:
        raise MassError(
            "rows have different lengths; each needs one number for each set"
        ) from error
    if array.dtype == object:
        for value in array.ravel():
            if not _is_number(value):
                raise TypeError(f"a mass is {value!r}, expected a real number")
        array = without_decimals(array)
        return integers_exact(array) if array.dtype == object else array
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
    given = list(masses)
    check_rows(**{f"mass {place}": values for place, values in enumerate(given)})
    columns = [as_numbers(values) for values in given]
    common_shape("masses", *(column.shape for column in columns), error=MassError)
    array = np.stack(np.broadcast_arrays(*columns), axis=-1)
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
    check_nonnegative(masses, "mass", atol)
    totals = np.asarray(masses.sum(axis=-1), dtype=masses.dtype)
    right = predicates.ones(totals, atol)
    if not right.all():
        wrong = np.argwhere(~right)
        raise MassError(_sum_message(masses, totals[tuple(wrong[0])], wrong, name))


def check_finite(rows: NDArray[Any], name: str, inner: int = 1) -> None:
    """Refuse values that are not finite; rows exclude the last `inner` axes."""
    _refuse(rows, ~predicates.finite(rows), name, "is not finite", inner)


def check_nonnegative(rows: NDArray[Any], name: str, atol: float = 0.0) -> None:
    """Refuse values (*batch, K) that are not finite, or known to be below -atol."""
    check_finite(rows, name)
    _refuse(rows, predicates.below(rows, atol), name, "is negative")


def check_shares(rows: NDArray[Any], name: str, inner: int = 1) -> None:
    """Refuse values that do not lie in [0, 1]; rows exclude the last `inner` axes."""
    check_finite(rows, name, inner)
    outside = predicates.below(rows) | predicates.below(1 - rows)
    _refuse(rows, outside, name, "does not lie between 0 and 1", inner)


def _refuse(
    rows: NDArray[Any], wrong: NDArray[np.bool_], name: str, fault: str, inner: int = 1
) -> None:
    if wrong.any():
        where = tuple(np.argwhere(wrong)[0])
        raise MassError(f"{name} {rows[where]}{in_row(where[: len(where) - inner])} {fault}")


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


def check_table_size(size: int, advice: str, most: int = MAX_TABLE_LABELS) -> None:
    """Raise if a table of all subsets of `size` labels is too large to be made."""
    if size > most:
        raise CostLimitError(
            f"a table on {size} labels has 2^{size} entries per row, more than 2^{most}; {advice}"
        )


def check_number(value: object, name: str) -> None:
    """Raise unless `value` is one real number, possibly symbolic."""
    if not _is_number(value) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, expected a number")


def _is_number(value: object) -> bool:
    if isinstance(value, complex):
        return False
    return isinstance(value, Number) or hasattr(value, "free_symbols")


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
    refuse_rows(total == 0, f"no focal set has more than {atol:g}", "prune with a lower atol")
    return total
