"""Predicates of mass functions: exact tests on set-major masses (F, *batch).

A set counts as focal in a row if its mass there is not exactly zero.
"""

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
        answers = [_is_small(value, atol) for value in array.ravel()]
        return np.array(answers, dtype=bool).reshape(array.shape)
    return np.asarray(abs(array) <= atol)


def _is_small(value: Any, atol: float) -> bool:
    if getattr(value, "free_symbols", None):
        return value.equals(0) is True
    return bool(abs(value) <= atol)
