"""The order of the floats: their number on the line, and the first of them past a point.

A step is exact if it lies at the first float on its far side. Floats are numbered in their order,
so halving such numbers finds it in 64 steps, whatever the scale of the scores.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats

__all__ = ["first_floats", "midpoint_floats", "next_float", "previous_float"]

_LEAST = np.iinfo(np.int64).min


def _number(values: Floats) -> NDArray[np.int64]:
    """Numbers of floats, ascending with them; that of zero is 0."""
    bits = np.asarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, _LEAST - np.minimum(bits, 0), bits)


def _float(numbers: NDArray[np.int64]) -> Floats:
    bits = np.where(numbers < 0, _LEAST - np.minimum(numbers, 0), numbers)
    return np.asarray(bits, dtype=np.int64).view(np.float64)


def previous_float(values: Floats) -> Floats:
    """The floats before these.

    >>> previous_float(np.array([1.0])).tolist()
    [0.9999999999999999]
    """
    return _float(_number(np.asarray(values)) - 1)


def next_float(values: Floats, steps: int | NDArray[np.int64] = 1) -> Floats:
    """The floats after these, or some steps on.

    >>> next_float(np.array([1.0])).tolist()
    [1.0000000000000002]
    """
    return _float(_number(np.asarray(values)) + steps)


def midpoint_floats(low: Floats, high: Floats) -> Floats:
    """Floats with as many others down to `low` as up to `high`.

    Of the same sign they are near the geometric mean.

    >>> midpoint_floats(np.array([1.0]), np.array([16.0])).tolist()
    [4.0]
    """
    return _float(_middle(_number(low), _number(high)))


def _middle(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray((a >> 1) + (b >> 1) + (a & b & 1))  # their sum may overflow


def first_floats(
    rising: Callable[[Floats], Floats], values: Floats, low: float, high: float
) -> Floats:
    """The first float from `low` to `high` at which a rising function reaches each value.

    Values that it reaches nowhere, or everywhere, are left out.

    >>> first_floats(np.sqrt, np.array([0.0, 2.0]), 0.0, 9.0).tolist()
    [4.0]
    """
    ends = rising(np.array([low, high]))
    values = values[(values > ends[0]) & (values <= ends[1])]
    a = np.full(len(values), _number(np.array([low]))[0])
    b = np.full(len(values), _number(np.array([high]))[0])
    for _ in range(65):
        middle = _middle(a, b)
        reached = rising(_float(middle)) >= values
        b = np.where(reached, middle, b)
        a = np.where(reached, a, middle)
    return np.unique(_float(b))
