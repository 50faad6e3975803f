"""Shares of trust, refused by value and row unless between 0 and 1; see `checks.naming`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks import masses as checks


def as_share(values: object, name: str, inner: int = 0) -> NDArray[Any]:
    """Numbers between 0 and 1, as floats or exact objects; rows exclude the last `inner` axes."""
    array = checks.as_masses(values)
    checks.check_shares(array, name, inner)
    return array


def complement(share: NDArray[Any]) -> NDArray[Any]:
    """1 minus a share, an array of its kind."""
    # Arithmetic on a 0-d object array gives the bare object, whose type NumPy would guess.
    return np.asarray(1 - share, dtype=share.dtype)


def lost_and_kept(share: NDArray[Any], *, lost: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lost and the kept share; the one that was given keeps all its digits."""
    return (share, complement(share)) if lost else (complement(share), share)
