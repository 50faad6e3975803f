"""Checks of the arguments of revisions: shares, contexts and rows."""

from collections.abc import Mapping
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks.arguments import common_shape, shown
from dstheory.checks.naming import one_of
from dstheory.checks.shares import as_share, lost_and_kept
from dstheory.mass import MassFunction

Shares = tuple[NDArray[Any], NDArray[Any]]


def given_rate(rate: Numbers | None, reliability: Numbers | None, m: MassFunction) -> Shares:
    """The shares lost and kept, given one of them; they broadcast with the batch of `m`."""
    return as_rate(*one_of(rate=rate, reliability=reliability), m)


def given_contexts(rates: object, reliabilities: object) -> tuple[str, Mapping[Any, Any]]:
    """Name of the shares (rates or reliabilities), and the shares of all contexts."""
    name, shares = one_of(rates=rates, reliabilities=reliabilities)
    if not isinstance(shares, Mapping):
        raise TypeError(
            f"{name} are {shown(shares)}, expected a mapping of contexts (events) to {name}"
        )
    return "rate" if name == "rates" else "reliability", shares


def as_rate(name: str, value: object, m: MassFunction, of: str = "") -> Shares:
    """The lost and the kept share, given one of them by name."""
    share = as_share(value, f"{name}{of}")
    common_shape(f"{name}{of} and the batch", share.shape, m.batch_shape)
    return lost_and_kept(match_numbers(share, m.store), lost=name == "rate")


def match_numbers(numbers: NDArray[Any], store: NDArray[Any]) -> NDArray[Any]:
    """Numbers converted to the kind of the masses, exact or floats."""
    if store.dtype == object:
        listed = [int(value) if value in (0, 1) else value for value in numbers.ravel().tolist()]
        exact = np.empty(len(listed), dtype=object)
        exact[:] = listed
        return exact.reshape(numbers.shape)
    if numbers.dtype != object:
        return numbers
    rational = all(isinstance(value, Rational | float) for value in numbers.ravel())
    return numbers.astype(np.float64) if rational else numbers
