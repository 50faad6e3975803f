"""Checks of the inputs of couplings and decodings: answers of the columns, and weights."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_array, as_floats
from evical._typing import Floats
from evical.scores.checks import refuse


def column_masses(columns: Any, n_columns: int | None = None) -> NDArray[Any]:
    """Masses of the sides of columns, as floats or Fractions.

    Parameters
    ----------
    columns : (3, B, *batch) array
    n_columns : int, optional
        B, if known.

    Returns
    -------
    (3, B, *batch) array
        Not a copy if `columns` is already an array of float64 or Fractions.

    Raises
    ------
    TypeError
        If a mass is not a real number.
    ValueError
        If the shape is another one.

    Examples
    --------
    >>> column_masses([0.5, 0.5])
    Traceback (most recent call last):
    ValueError: columns have shape (2,), expected (3, B, ...): masses of the negative side, the \
positive side and either for each column
    """
    masses, floats = as_array(columns, "columns"), as_floats(columns, "columns")
    wanted = "B" if n_columns is None else n_columns
    known = masses.ndim < 2 or n_columns in (None, masses.shape[1])
    if masses.ndim < 2 or masses.shape[0] != 3 or masses.shape[1] == 0 or not known:
        raise ValueError(
            f"columns have shape {masses.shape}, expected (3, {wanted}, ...): masses of the "
            "negative side, the positive side and either for each column"
        )
    return masses if masses.dtype == object else floats


def probabilities(r: ArrayLike, n_columns: int | None = None, name: str = "r") -> Floats:
    """Validated probabilities of the positive sides of columns.

    Parameters
    ----------
    r : (n, B) array
    n_columns : int, optional
        B, if known.
    name : str
        Name in error messages.

    Returns
    -------
    (n, B) array of float64
        Not a copy if `r` is one already.

    Raises
    ------
    TypeError
        If a value is not a real number.
    ValueError
        If the shape is wrong, or a value is not a probability; the message names row and column.

    Examples
    --------
    >>> probabilities([[0.5, 1.5]])
    Traceback (most recent call last):
    ...
    ValueError: r[0, 1] is 1.5, expected a probability
    """
    values = as_floats(r, name)
    wanted = "two dimensions" if n_columns is None else f"(n, {n_columns})"
    if values.ndim != 2 or (n_columns is not None and values.shape[1] != n_columns):
        raise ValueError(f"{name} has shape {values.shape}, expected {wanted}")
    refuse(values, ~((values >= 0) & (values <= 1)), name, "a probability")
    return values


def column_weights(weights: ArrayLike | None, n_columns: int) -> Floats:
    """Weights of the columns, rescaled to a mean of 1.

    Parameters
    ----------
    weights : (B,) array, optional
        Positive, such as the sizes of the training samples; equal by default.
    n_columns : int
        B.

    Returns
    -------
    (B,) array

    Raises
    ------
    TypeError
        If a value is not a real number.
    ValueError
        If the shape is wrong, or a weight is not a positive number.

    Examples
    --------
    >>> column_weights([10, 30], 2)
    array([0.5, 1.5])
    """
    if weights is None:
        return np.ones(n_columns)
    values = as_floats(weights, "weights")
    if values.shape != (n_columns,):
        raise ValueError(f"weights have shape {values.shape}, expected ({n_columns},)")
    refuse(values, ~((values > 0) & np.isfinite(values)), "weights", "a positive number")
    scaled = values / values.max()
    return np.asarray(scaled / scaled.mean())
