"""Checks of the probabilities and names of an argumentation system."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_collection, check_instance, did_you_mean
from dstheory.errors import DSTheoryError
from dstheory.kernels.batches import scalar

__all__ = ["as_names", "as_values", "check_known", "checked_probability"]


def checked_probability(name: str, value: Any) -> Any:
    """A probability: a number as it is, an array of floats or objects, or None."""
    if value is None:
        return None
    if np.ndim(value) > 0:
        return _within(name, checks.as_masses(value))
    number = scalar(value)
    checks.check_number(number, f"probability of {name!r}")
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


def as_names(names: Any) -> tuple[str, ...]:
    """Names of propositions, from one or several."""
    listed = [names] if isinstance(names, str) else names
    found = as_collection(listed, "propositions", "names of propositions")
    for name in found:
        check_instance("proposition", name, str, "a name")
    return tuple(found)


def check_known(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that occur in no rule, or occur twice in the request."""
    listed = list(names)
    for name in listed:
        if name not in known:
            raise DSTheoryError(f"{name!r} occurs in no rule{did_you_mean(name, known)}")
    if len(set(listed)) < len(listed):
        raise DSTheoryError(f"a name occurs twice in {', '.join(listed)}")
