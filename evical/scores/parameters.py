"""Checks of parameters that calibrators, fusions and measures share."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from dstheory.kernels.arguments import as_real, check_count, check_instance, shown

__all__ = [
    "as_random_state",
    "check_above_zero",
    "check_jobs",
    "check_label",
    "check_not_negative",
]

_MOST_JOBS = 9999


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Random state of an estimator, from a seed, a `RandomState`, or None.

    Raises
    ------
    ValueError
        If it is none of them, or a seed beyond 32 bits.

    Examples
    --------
    >>> as_random_state(-1)
    Traceback (most recent call last):
    ValueError: random_state is -1, expected at least 0
    """
    if isinstance(random_state, int | np.integer):
        check_count("random_state", random_state, 0, 2**32 - 1)
    rng: np.random.RandomState = check_random_state(random_state)
    return rng


def check_not_negative(**values: Any) -> None:
    """Raise unless all values are finite and not negative.

    Examples
    --------
    >>> check_not_negative(penalty=-1)
    Traceback (most recent call last):
    ValueError: penalty is -1, expected a finite number from 0
    """
    for name, value in values.items():
        if not 0 <= as_real(name, value, "a finite number from 0") < np.inf:
            raise ValueError(f"{name} is {shown(value)}, expected a finite number from 0")


def check_above_zero(**values: Any) -> None:
    """Raise unless all values are finite and positive.

    Examples
    --------
    >>> check_above_zero(penalty=0)
    Traceback (most recent call last):
    ValueError: penalty is 0, expected a finite number above 0
    """
    for name, value in values.items():
        if not 0 < as_real(name, value, "a finite number above 0") < np.inf:
            raise ValueError(f"{name} is {shown(value)}, expected a finite number above 0")


def check_jobs(n_jobs: Any) -> None:
    if n_jobs is None:
        return
    expected = "None, or a whole number other than 0"
    check_instance("n_jobs", n_jobs, (int, np.integer), expected)
    if n_jobs == 0 or not -_MOST_JOBS <= n_jobs <= _MOST_JOBS:
        raise ValueError(f"n_jobs is {shown(n_jobs)}, expected {expected}, of 4 digits at most")


def check_label(name: str, value: Any) -> None:
    """Raise TypeError unless an argument can be the label of a class: a text, a number or the like.

    Parameters
    ----------
    name : str
        Its name in errors.
    value : label

    Raises
    ------
    TypeError

    Examples
    --------
    >>> check_label("pos_label", ["yes"])
    Traceback (most recent call last):
    TypeError: pos_label is ['yes'], expected one label
    """
    huge = isinstance(value, int) and abs(value) >= 2**63
    if huge or isinstance(value, np.ndarray) or not isinstance(value, Hashable):
        raise TypeError(f"{name} is {shown(value)}, expected one label")
