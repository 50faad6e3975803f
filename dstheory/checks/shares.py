"""Shares of trust, refused by value and row unless between 0 and 1; see `checks.naming`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks import masses as checks
from dstheory.errors import MassError
from dstheory.kernels.rows import in_row


def as_share(values: object, name: str, inner: int = 0) -> NDArray[Any]:
    """Numbers between 0 and 1, as floats or exact objects; rows exclude the last `inner` axes."""
    array = checks.as_masses(values)
    if array.dtype == object:
        flat = [_known_outside(value) for value in array.ravel()]
        outside = np.array(flat, dtype=bool).reshape(array.shape)
    else:
        outside = ~((array >= 0) & (array <= 1))  # NaN is outside, too
    if outside.any():
        place = tuple(np.argwhere(outside)[0])
        where = in_row(place[: len(place) - inner])
        raise MassError(f"{name} {array[place]}{where} does not lie between 0 and 1")
    return array


def complement(share: NDArray[Any]) -> NDArray[Any]:
    """1 minus a share, an array of its kind."""
    # Arithmetic on a 0-d object array gives the bare object, whose type NumPy would guess.
    return np.asarray(1 - share, dtype=share.dtype)


def lost_and_kept(share: NDArray[Any], *, lost: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lost and the kept share; the one that was given keeps all its digits."""
    return (share, complement(share)) if lost else (complement(share), share)


def _known_outside(value: Any) -> bool:
    if getattr(value, "free_symbols", None):
        return value.is_negative is True or (1 - value).is_negative is True
    return not 0 <= value <= 1
