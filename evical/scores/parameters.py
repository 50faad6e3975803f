"""Checks of the numbers among the parameters of calibrators and fusions."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from dstheory.kernels.arguments import as_real, check_count, shown

__all__ = ["as_random_state", "check_not_negative"]


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Randomness of an estimator, from a seed, a generator of NumPy's old kind, or None.

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
    """Raise unless all values are finite numbers from 0.

    Examples
    --------
    >>> check_not_negative(penalty=-1)
    Traceback (most recent call last):
    ValueError: penalty is -1, expected a finite number from 0
    """
    for name, value in values.items():
        if not 0 <= as_real(name, value, "a finite number from 0") < np.inf:
            raise ValueError(f"{name} is {shown(value)}, expected a finite number from 0")
