"""What the argumentation system asks of probabilities, and its hints about misspelled names."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

from dstheory import _checks
from dstheory.errors import DSTheoryError
from dstheory.kernels.shapes import scalar

__all__ = ["as_values", "checked_probability", "hint"]


def checked_probability(name: str, value: Any) -> Any:
    """A probability: a number as it is, an array of floats or objects, or None."""
    if value is None:
        return None
    if np.ndim(value) > 0:
        return _within(name, _checks.as_masses(value))
    number = scalar(value)
    _checks.check_number(number, f"probability of {name!r}")
    return number if hasattr(number, "free_symbols") else _within(name, number)


def _within(name: str, value: Any) -> Any:
    outside = np.ravel(value)[~np.ravel((value >= 0) & (value <= 1)).astype(bool)]
    if len(outside):
        raise DSTheoryError(f"probability of {name!r} is {outside[0]}, not within [0, 1]")
    return value


def as_values(value: Any) -> Any:
    """A mass as an array, of floats unless it is exact."""
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype != object else array


def hint(name: str, known: Iterable[str]) -> str:
    """End of a message: the known name that comes closest, if one does."""
    close = get_close_matches(name, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
