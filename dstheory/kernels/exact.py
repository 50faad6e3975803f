"""Exact numbers beside others, where one float or a quotient of integers makes floats of all."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FRACTION = np.frompyfunc(lambda value: Fraction(int(value)), 1, 1)


def integers_exact(values: NDArray[Any]) -> NDArray[Any]:
    """Objects with integers as fractions, if there is a fraction among them.

    Examples
    --------
    >>> integers_exact(np.array([Fraction(1, 2), 1], dtype=object))
    array([Fraction(1, 2), Fraction(1, 1)], dtype=object)
    """
    flat = values.ravel()
    if not any(isinstance(value, Fraction) for value in flat):
        return values
    whole = [isinstance(value, int | np.integer) for value in flat]
    exact = values.copy()
    exact[np.reshape(whole, values.shape)] = [
        Fraction(int(value)) for value, chosen in zip(flat, whole, strict=True) if chosen
    ]
    return exact


def exact_together(stores: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Arrays of masses; floats that are all 0 or 1 as fractions, if others are objects.

    A categorical or vacuous mass function has such floats because nothing in it says otherwise.

    Examples
    --------
    >>> half = np.array([Fraction(1, 2)], dtype=object)
    >>> exact_together([half, np.array([1.0])])[1]
    array([Fraction(1, 1)], dtype=object)
    >>> exact_together([half, np.array([0.5])])[1]
    array([0.5])
    """
    if len({store.dtype == object for store in stores}) < 2:
        return list(stores)
    return [_whole_exact(store) for store in stores]


def _whole_exact(store: NDArray[Any]) -> NDArray[Any]:
    if store.dtype == object or not ((store == 0) | (store == 1)).all():
        return store
    return np.asarray(_FRACTION(store), dtype=object)
