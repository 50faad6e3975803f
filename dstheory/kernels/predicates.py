"""Predicates of numbers of any kind, and of mass functions by set-major masses (F, *batch).

Numbers are floats, or objects that are exact or symbolic. A set counts as focal in a row if its
mass there is not exactly zero.
"""

from collections.abc import Callable
from math import isfinite
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.kernels import bits


def _present(masses: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(masses != 0, dtype=bool)


def _only(masses: NDArray[Any], allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(~_present(masses[~allowed]).any(axis=0))


def is_vacuous(focal: NDArray[Any], masses: NDArray[Any], full: int) -> NDArray[np.bool_]:
    """All mass on the frame."""
    return _only(masses, np.asarray(focal == full, dtype=bool))


def is_categorical(focal: NDArray[Any], masses: NDArray[Any]) -> NDArray[np.bool_]:
    """Exactly one focal set."""
    return np.asarray(_present(masses).sum(axis=0) == 1)


def is_simple(focal: NDArray[Any], masses: NDArray[Any], full: int) -> NDArray[np.bool_]:
    """At most one focal set besides the frame."""
    others = np.asarray(focal != full, dtype=bool)
    return np.asarray(_present(masses[others]).sum(axis=0) <= 1)


def is_bayesian(focal: NDArray[Any], masses: NDArray[Any]) -> NDArray[np.bool_]:
    """Singletons only."""
    return _only(masses, bits.cardinality(focal) == 1)


def is_consonant(focal: NDArray[Any], masses: NDArray[Any]) -> NDArray[np.bool_]:
    """All focal sets nested."""
    present = _present(masses).astype(np.float64)
    clash = np.tensordot(bits.incomparable(focal).astype(np.float64), present, axes=1)
    return np.asarray(~((clash * present) > 0).any(axis=0))


def small(values: Numbers, atol: float) -> NDArray[np.bool_]:
    """Whether values are within `atol` of zero, exactly zero with 0.

    A symbolic value counts as small if it is provably zero or, without symbols, within `atol`.
    """
    array = np.asarray(values)
    if array.dtype == object:
        return _each(array, lambda value: _is_small(value, atol))
    return np.asarray(abs(array) <= atol)


def below(values: Numbers, atol: float = 0.0) -> NDArray[np.bool_]:
    """Whether values are known to be negative, below ``-atol`` or, if exact, below 0."""
    array = np.asarray(values)  # arithmetic on a 0-d object array returns the bare object
    if array.dtype == object:
        return _each(array, lambda value: _is_below(value, atol))
    return np.asarray(array < -atol)


def positive(values: Numbers) -> NDArray[np.bool_]:
    """Whether values are positive, or may be because the sign of a symbol is unknown."""
    array = np.asarray(values)
    return _each(array, _may_be_positive) if array.dtype == object else np.asarray(array > 0)


def finite(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether values are finite; a symbol is, unless the opposite is known."""
    return _each(values, _is_finite) if values.dtype == object else np.asarray(np.isfinite(values))


def ones(values: NDArray[Any], atol: float) -> NDArray[np.bool_]:
    """Whether values are 1 within `atol`, exactly if they are rational, provably if symbolic."""
    if values.dtype == object:
        return _each(values, lambda value: _is_one(value, atol))
    return np.asarray(abs(values - 1) <= atol)


def _each(values: NDArray[Any], test: Callable[[Any], bool]) -> NDArray[np.bool_]:
    return np.array([test(value) for value in values.ravel()], dtype=bool).reshape(values.shape)


def _is_small(value: Any, atol: float) -> bool:
    if getattr(value, "free_symbols", None):
        return value.equals(0) is True
    return bool(abs(value) <= atol)


def _is_below(value: Any, atol: float) -> bool:
    if isinstance(value, Rational):
        return bool(value < 0)
    if hasattr(value, "is_negative"):
        return value.is_negative is True
    return bool(value < -atol)


def _may_be_positive(value: Any) -> bool:
    if hasattr(value, "is_positive"):
        return value.is_positive is not False
    return bool(value > 0)


def _is_finite(value: Any) -> bool:
    if hasattr(value, "free_symbols"):
        known = bool(value.free_symbols or value.is_comparable)  # nan and zoo are not comparable
        return known and value.is_finite is not False
    return isinstance(value, Rational) or isfinite(value)


def _is_one(value: Any, atol: float) -> bool:
    if isinstance(value, Rational):
        return bool(value == 1)
    if hasattr(value, "equals") and (value == 1 or value.equals(1) is True):
        return True
    return not getattr(value, "free_symbols", None) and bool(abs(value - 1) <= atol)
