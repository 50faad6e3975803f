"""Specifications of the fields of a saved state: shape, range and order.

A calibrator declares its state as ``{name: field}``; what is read from a file is checked against it
before any use. Fields inside a dict are called ``owner.name``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evical._typing import Floats

State = dict[str, "Field"]

_GREATEST, _LEAST = float(np.finfo(np.float64).max), 5e-324  # the least float above 0
_COUNT = 2.0**54  # of samples: twice what weights may add up to
_FACTOR = 1e100
_LOG_ODDS = 1e4  # far beyond the flat ends of the sigmoid
_SIZE = re.compile(r"(\d*)([a-z])([+-]\d+)?")
_ROUNDING = 1e-9


class SavedError(ValueError):
    """What is wrong with something saved; its reader says what that is."""

    kind = "calibrator"

    def __str__(self) -> str:
        return f"saved {self.kind} is damaged: {self.args[0]}"


@dataclass(frozen=True)
class Field:
    """An array of finite numbers.

    Parameters
    ----------
    shape : tuple of int or str
        Sizes are numbers or expressions such as "n", "n+1" or "2n-1"; a name stands for the same
        number, at least 1, throughout a state.
    least, most : float
    order : {"", "ascends", "rises"}
        Along the last axis; "rises" excludes repeated numbers.
    is_whole, is_optional, is_mass : bool
        Whole numbers only; may be missing or empty; the first axis sums to 1 at most.
    """

    shape: tuple[int | str, ...] = ()
    least: float = -_GREATEST
    most: float = _GREATEST
    order: str = ""
    is_whole: bool = False
    is_optional: bool = False
    is_mass: bool = False

    def check(self, name: str, array: Floats, sizes: dict[str, int]) -> None:
        """Raise unless the array is such a field; named sizes are learned on the way."""
        _check_shape(name, array.shape, self.shape, sizes)
        if self.order:
            left, right = array[..., :-1], array[..., 1:]  # a difference of them may overflow
            if (left > right).any() or (self.order == "rises" and (left == right).any()):
                raise SavedError(f"state {name} is not in ascending order")
        wrong = (array < self.least) | (array > self.most)
        if self.is_mass and (wrong.any() or array.sum(axis=0).max() > 1 + _ROUNDING):
            raise SavedError(f"state {name} are not masses")
        kind = "whole numbers" if self.is_whole else "numbers"
        wrong |= self.is_whole & (array != np.floor(array))
        if wrong.any():
            raise SavedError(
                f"state {name} holds {array[wrong][0]:g}, expected "
                f"{kind} from {self.least:g} to {self.most:g}"
            )


def finite(*shape: int | str) -> Field:
    """Any numbers."""
    return Field(shape)


def ascending(*shape: int | str) -> Field:
    """Thresholds: numbers that never fall."""
    return Field(shape, order="ascends")


def rising(*shape: int | str) -> Field:
    """Scores: numbers of which each is above the one before it."""
    return Field(shape, order="rises")


def positive(*shape: int | str) -> Field:
    """Units and scales."""
    return Field(shape, least=_LEAST)


def weights(*shape: int | str) -> Field:
    """Weights of samples, possibly none."""
    return Field(shape, 0.0, _COUNT)


def shares(*shape: int | str) -> Field:
    """Probabilities."""
    return Field(shape, 0.0, 1.0)


def masses(*shape: int | str) -> Field:
    """m({positive}) and m({negative}), the first axis."""
    return Field((2, *shape), 0.0, 1.0, is_mass=True)


def log_odds(*shape: int | str) -> Field:
    """Log-odds, or coefficients of a polynomial for them."""
    return Field(shape, -_LOG_ODDS, _LOG_ODDS)


def product(*shape: int | str) -> Field:
    """Factors of scores, whose products are to remain finite."""
    return Field(shape, -_FACTOR, _FACTOR)


def whole(*shape: int | str) -> Field:
    """Numbers of things."""
    return Field(shape, 0.0, 2.0**31, is_whole=True)


def optional(field: Field) -> Field:
    """The same, or nothing."""
    return replace(field, is_optional=True)


def required(state: State | tuple[str, ...]) -> tuple[str, ...]:
    """Names of a state without which nothing can be restored."""
    if isinstance(state, tuple):
        return state
    return tuple(name for name, field in state.items() if not field.is_optional)


def owners(state: State | tuple[str, ...]) -> tuple[str, ...]:
    """Names at the top of a state."""
    return tuple(dict.fromkeys(name.split(".")[0] for name in state))


def checked_fields(
    arrays: dict[str, Any], state: State, known: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Arrays, nested in dicts, as what the state says that they are: arrays, or single numbers.

    Sizes that are known, by their letters, need not follow from the arrays.

    Raises
    ------
    ValueError
        With the name of the field, and what is wrong with it.

    Examples
    --------
    >>> state = {"edges": rising("n+1"), "total": weights("n")}
    >>> checked_fields({"edges": np.array([0.0, 1.0]), "total": np.array([3.0])}, state)
    {'edges': array([0., 1.]), 'total': array([3.])}
    >>> checked_fields({"edges": np.array([0.0, 1.0]), "total": np.array([3.0, 4.0])}, state)
    Traceback (most recent call last):
    evical.calibrators.fields.SavedError: saved calibrator is damaged: state total has shape (2,)...
    """
    flat, sizes = dict(_flat(arrays, "")), dict(known or {})
    foreign = [name for name in flat if name not in state]
    if foreign:
        raise SavedError(f"state {foreign[0]} is unknown")
    for name, field in state.items():
        array = flat.get(name)
        if field.is_optional and (array is None or array.size == 0):
            continue
        if array is None:
            raise SavedError(f"state {name} missing")
        field.check(name, array, sizes)
    return {name: _plain(value, name, state) for name, value in arrays.items()}


def _plain(value: Any, name: str, state: State) -> Any:
    """Single numbers as such, and whole numbers as integers."""
    if isinstance(value, dict):
        if name in state:
            raise SavedError(f"state {name} holds no numbers")
        return {key: _plain(part, f"{name}.{key}", state) for key, part in value.items()}
    field = state[name]
    array = value.astype(np.int64) if field.is_whole else value
    return array if field.shape or not array.size else array.item()


def _flat(value: Any, name: str) -> list[tuple[str, Floats]]:
    if not isinstance(value, dict):
        return [(name, value)]
    start = f"{name}." if name else ""
    return [item for key, part in value.items() for item in _flat(part, f"{start}{key}")]


def _check_shape(
    name: str, found: tuple[int, ...], shape: tuple[int | str, ...], sizes: dict[str, int]
) -> None:
    if len(found) == len(shape):
        for size, wanted in zip(found, shape, strict=True):
            _learn(size, wanted, sizes)
    check_shape(name, found, tuple(_value(wanted, sizes) for wanted in shape))


def check_shape(name: str, found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Raise unless a restored array has the shape that others call for."""
    if found != expected:
        raise SavedError(f"state {name} has shape {found}, but the rest calls for {expected}")


def _parts(wanted: str) -> tuple[int, str, int]:
    match = _SIZE.fullmatch(wanted)
    if match is None:
        raise TypeError(f"size is {wanted!r}, expected a form as 'n', 'n+1' or '2n-1'")
    return int(match[1] or 1), match[2], int(match[3] or 0)


def _learn(size: int, wanted: int | str, sizes: dict[str, int]) -> None:
    if isinstance(wanted, str):
        factor, name, more = _parts(wanted)
        sizes.setdefault(name, max((size - more) // factor, 1))


def _value(wanted: int | str, sizes: dict[str, int]) -> int:
    if isinstance(wanted, int):
        return wanted
    factor, name, more = _parts(wanted)
    return factor * sizes.get(name, 1) + more
