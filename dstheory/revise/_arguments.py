"""What revision asks of its arguments: mass functions, rates, and rows named in errors."""

from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import _checks
from dstheory.errors import DSTheoryError, MassError
from dstheory.mass import MassFunction

__all__ = ["as_rate", "broadcast_shape", "check_mass", "matched", "refuse_rows", "shares"]


def check_mass(m: Any, name: str = "m") -> MassFunction:
    """The mass function, if it is one."""
    if not isinstance(m, MassFunction):
        raise TypeError(f"{name} is a MassFunction, not {m!r}")
    return m


def as_rate(rate: Any, m: MassFunction, name: str = "rate") -> NDArray[Any]:
    """Rates between 0 and 1 that broadcast with the batch of `m`."""
    array = shares(rate, name)
    broadcast_shape(m.batch_shape, array.shape, f"{name}s")
    return matched(array, m.store)


def matched(numbers: NDArray[Any], store: NDArray[Any]) -> NDArray[Any]:
    """Numbers that go with masses: exact beside exact ones, floats beside floating ones."""
    if store.dtype == object:
        listed = [int(value) if value in (0, 1) else value for value in numbers.ravel().tolist()]
        exact = np.empty(len(listed), dtype=object)
        exact[:] = listed
        return exact.reshape(numbers.shape)
    if numbers.dtype != object:
        return numbers
    rational = all(isinstance(value, Rational | float) for value in numbers.ravel())
    return numbers.astype(np.float64) if rational else numbers


def shares(values: Any, name: str, inner: int = 0) -> NDArray[Any]:
    """Numbers between 0 and 1, as floats or exact objects; the last `inner` axes are no rows."""
    array = _checks.as_masses(values)
    if array.dtype == object:
        flat = [_known_outside(value) for value in array.ravel()]
        outside = np.array(flat, dtype=bool).reshape(array.shape)
    else:
        outside = ~((array >= 0) & (array <= 1))  # NaN is outside, too
    if outside.any():
        place = tuple(np.argwhere(outside)[0])
        row = place[: len(place) - inner]
        where = f" in {_row(row)}" if row else ""
        raise MassError(f"{name} {array[place]}{where} does not lie between 0 and 1")
    return array


def broadcast_shape(batch: tuple[int, ...], shape: tuple[int, ...], name: str) -> tuple[int, ...]:
    """The common shape of a batch and what goes with its rows."""
    try:
        return np.broadcast_shapes(batch, shape)
    except ValueError as error:
        raise ValueError(
            f"{name} of shape {shape} do not broadcast with the batch shape {batch}"
        ) from error


def refuse_rows(
    bad: Any, fault: str, advice: str, error: type[DSTheoryError] = DSTheoryError
) -> None:
    """Raise where a row is bad, naming how many are and the first of them."""
    rows = np.argwhere(np.asarray(bad, dtype=bool))
    if len(rows) == 0:
        return
    count = ""
    if np.ndim(bad):
        count = f" in {len(rows)} of {np.size(bad)} rows (first: {_row(tuple(rows[0]))})"
    raise error(f"{fault}{count}; {advice}")


def _row(place: tuple[int, ...]) -> str:
    """``row 3`` or ``row (3, 1)``."""
    index = tuple(int(i) for i in place)
    return f"row {index[0] if len(index) == 1 else index}"


def _known_outside(value: Any) -> bool:
    if getattr(value, "free_symbols", None):
        return value.is_negative is True or (1 - value).is_negative is True
    return not 0 <= value <= 1
