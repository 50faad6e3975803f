"""Checks of the arguments of constructors; errors name the value and its row."""

from collections.abc import Callable
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_label_order
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels.limits import check_cost
from dstheory.kernels.rows import in_row

# 4 GiB: singletons of 262,144 labels, or the nested sets of 185,363.
_MAX_MASK_BYTES = 1 << 32


def as_rows(values: Numbers, frame: Frame, name: str) -> NDArray[Any]:
    """Values (*batch, K), one for each label, as floats or exact objects."""
    return checks.as_masses(row_numbers(values, frame, name))


def row_numbers(values: Numbers, frame: Frame, name: str) -> NDArray[Any]:
    """The same in the type in which they come."""
    array = checks.as_numbers(values)
    if array.ndim == 0 or array.shape[-1] != len(checks.as_frame(frame)):
        raise MassError(
            f"{name} has shape {array.shape}, but its last axis runs over the "
            f"{len(frame)} labels of the frame"
        )
    check_label_order(values, frame.labels, name)
    return array


def as_table(values: Numbers, frame: Frame, name: str) -> NDArray[Any]:
    """Values (*batch, 2**K), one for each subset of the frame, as floats or exact objects."""
    array = checks.as_masses(values)
    n_sets = checks.as_frame(frame).full + 1
    if array.ndim == 0 or array.shape[-1] != n_sets:
        raise MassError(
            f"{name} shape {array.shape}, but the last axis runs over the "
            f"2^{len(frame)} = {n_sets} subsets of the frame"
        )
    return array


def check_masks(n_bits: int, task: str) -> None:
    """Refuse sets that take too much memory."""
    advice = "group the labels, or work on part of the rows"
    check_cost(n_bits // 8, _MAX_MASK_BYTES, task, "bytes of sets", advice)


def check_finite(rows: NDArray[Any], name: str) -> None:
    """Refuse NaN and infinite values (*batch, K)."""
    _refuse(rows, _not_finite(rows), name, "is not finite")


def check_nonnegative(rows: NDArray[Any], name: str) -> None:
    """Refuse values (*batch, K) that are not finite, or negative."""
    check_finite(rows, name)
    _refuse(rows, below(rows), name, "is negative")


def check_shares(rows: NDArray[Any], name: str) -> None:
    """Refuse values (*batch, K) that do not lie in [0, 1]."""
    check_finite(rows, name)
    _refuse(rows, below(rows) | below(1 - rows), name, "does not lie between 0 and 1")


def below(values: Numbers, atol: float = 0.0) -> NDArray[np.bool_]:
    """Which values are known to be negative, below ``-atol`` or, if exact, below 0."""
    values = np.asarray(values)  # arithmetic on a 0-d object array returns the bare object
    if values.dtype != object:
        return np.asarray(values < -atol)
    return _each(values, lambda value: _is_below(value, atol))


def not_positive(values: Numbers) -> NDArray[np.bool_]:
    """Which values are known not to be positive, as the sign of a symbol may be unknown."""
    values = np.asarray(values)
    if values.dtype != object:
        return np.asarray(~(values > 0))
    return _each(values, _is_not_positive)


def _is_not_positive(value: object) -> bool:
    if isinstance(value, Rational | float):
        return bool(value <= 0)
    return getattr(value, "is_positive", None) is False


def _refuse(rows: NDArray[Any], wrong: NDArray[np.bool_], name: str, fault: str) -> None:
    if wrong.any():
        where = np.argwhere(wrong)[0]
        raise MassError(f"{name} {rows[tuple(where)]}{in_row(where[:-1])} {fault}")


def _not_finite(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype != object:
        return np.asarray(~np.isfinite(values))
    return _each(values, lambda value: isinstance(value, float) and not np.isfinite(value))


def _is_below(value: object, atol: float) -> bool:
    if isinstance(value, Rational):
        return bool(value < 0)
    if isinstance(value, float):
        return value < -atol
    return bool(getattr(value, "is_negative", False))  # None if the sign of a symbol is unknown


def _each(values: NDArray[Any], test: Callable[[Any], bool]) -> NDArray[np.bool_]:
    return np.array([test(value) for value in values.ravel()], dtype=bool).reshape(values.shape)
