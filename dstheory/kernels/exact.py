"""Exact numbers beside others, where one float or a quotient of integers makes floats of all."""

from collections.abc import Sequence
from decimal import Decimal
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


def without_decimals(values: NDArray[Any]) -> NDArray[Any]:
    """Objects whose decimals and floats are float64, or whose decimals are fractions.

    Decimals, as databases have them, are fractions only beside exact numbers, as they are rounded.

    Examples
    --------
    >>> from decimal import Decimal
    >>> without_decimals(np.array([Decimal("0.25"), 1], dtype=object))
    array([0.25, 1.  ])
    >>> without_decimals(np.array([Decimal("0.25"), Fraction(3, 4)], dtype=object))
    array([Fraction(1, 4), Fraction(3, 4)], dtype=object)
    """
    flat = values.ravel().tolist()
    rounded = [isinstance(value, Decimal | float | np.floating) for value in flat]
    if not any(rounded):
        return values
    if all(r or isinstance(v, int | np.integer) for r, v in zip(rounded, flat, strict=True)):
        plain = [float(value) if isinstance(value, Decimal) else value for value in flat]
        return np.asarray(plain).reshape(values.shape)  # of float32, if all are
    exact = values.copy()
    for place, value in np.ndenumerate(values):
        if isinstance(value, Decimal) and value.is_finite():
            exact[place] = Fraction(value)
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
