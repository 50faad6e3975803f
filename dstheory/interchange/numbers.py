"""Masses as text and back: floats and fractions, without loss of digits."""

import re
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.errors import DSTheoryError

# Python refuses to parse integers of more than 4300 digits.
_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")


def as_written(masses: NDArray[Any]) -> tuple[str, list[Any]]:
    """Kind of the numbers, "float" or "fraction", and the masses in a flat list."""
    flat = masses.ravel().tolist()
    if masses.dtype != object:
        return "float", flat
    for value in flat:
        if not isinstance(value, Rational):
            raise TypeError(
                f"mass {value!r} stands among exact masses but is not a fraction; make all masses "
                "fractions or all floats, and substitute symbols"
            )
    return "fraction", [f"{value.numerator}/{value.denominator}" for value in flat]


def from_written(values: list[Any], kind: object) -> NDArray[Any]:
    """Masses (n,) from the output of `as_written`."""
    if kind == "fraction":
        array = np.empty(len(values), dtype=object)
        array[:] = [as_fraction(value) for value in values]
        return array
    if kind != "float":
        raise DSTheoryError(f"numbers are {kind!r}, not 'float' or 'fraction'")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise DSTheoryError(f"mass {value!r} is not a number")
        if isinstance(value, int) and abs(value) > 1:  # may not fit into a float
            raise DSTheoryError(f"mass {value!r:.20} does not lie between 0 and 1")
    return np.array(values, dtype=np.float64)


def as_fraction(text: object) -> Fraction:
    """A fraction from "p/q" or "p"."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise DSTheoryError(f"mass {text!r} is not a fraction 'p/q'")
    numerator, _, denominator = text.partition("/")
    if denominator and int(denominator) == 0:
        raise DSTheoryError(f"mass {text!r} has a denominator of 0")
    return Fraction(int(numerator), int(denominator or 1))
