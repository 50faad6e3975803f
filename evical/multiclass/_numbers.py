"""Checks of the numbers among the parameters of multiclass calibrators."""

from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = ["check_not_negative", "check_whole"]


def check_not_negative(**values: Any) -> None:
    """Raise unless all values are finite numbers from 0.

    Examples
    --------
    >>> check_not_negative(penalty=-1)
    Traceback (most recent call last):
    ValueError: penalty is -1, expected a finite number from 0
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} is {value!r}, expected a finite number from 0")
        if not 0 <= float(value) < np.inf:
            raise ValueError(f"{name} is {value!r}, expected a finite number from 0")


def check_whole(**values: Any) -> None:
    """Raise unless all values are whole numbers from 1.

    Examples
    --------
    >>> check_whole(n_nets=0)
    Traceback (most recent call last):
    ValueError: n_nets is 0, expected a whole number from 1
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name} is {value!r}, expected a whole number from 1")
        if value < 1:
            raise ValueError(f"{name} is {value!r}, expected a whole number from 1")
