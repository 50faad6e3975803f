"""Checks of tables of scores for multiclass calibrators."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.scores.checks import real_numbers

__all__ = ["check_table", "check_unit_table"]


def check_table(scores: Any) -> Floats:
    """Scores as a finite float64 array (n, C).

    Parameters
    ----------
    scores : (n, C) array, list of lists, or pandas object; (n,) is one column

    Returns
    -------
    (n, C) array

    Raises
    ------
    TypeError
        If a score is not a real number.
    ValueError
        If there are no scores, or a score is NaN or infinite.

    Examples
    --------
    >>> check_table([[0.5, 2]])
    array([[0.5, 2. ]])
    >>> check_table([[0.5, float("nan")]])
    Traceback (most recent call last):
    ValueError: scores[0, 1] is nan, but every value must be finite (neither NaN nor infinity)
    """
    array = real_numbers(scores, "scores")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"scores have shape {array.shape}, expected (n, columns)")
    if array.size == 0:
        raise ValueError("scores are empty; at least one sample is needed")
    _refuse(array, ~np.isfinite(array), "finite (neither NaN nor infinity)")
    return array


def check_unit_table(scores: Floats) -> None:
    """Raise unless all scores are probabilities.

    Parameters
    ----------
    scores : (n, C) array

    Raises
    ------
    ValueError
        The message names the first score that is not.

    Examples
    --------
    >>> check_unit_table(np.array([[0.5, 2.0]]))
    Traceback (most recent call last):
    ValueError: scores[0, 1] is 2.0, but every value must be a probability, within [0, 1]
    """
    _refuse(scores, (scores < 0) | (scores > 1), "a probability, within [0, 1]")


def _refuse(array: Floats, wrong: NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"scores[{row}, {column}] is {array[row, column]}, but every value must be {expected}"
        )
