"""Reader for mass functions of the R package dst."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_array, check_label_order
from dstheory.errors import DSTheoryError
from dstheory.frame import Frame
from dstheory.mass import MassFunction


def from_dst_matrix(frame: Frame, tt: ArrayLike, spec: Numbers) -> MassFunction:
    """Mass function from the matrices `tt` and `spec` of the R package dst.

    Parameters
    ----------
    frame : Frame
        K labels, in the order of the columns of `tt`.
    tt : (F, K) array of 0 and 1
        Each row is a focal set.
    spec : (F, 2) array, or (F,) array
        Number of the set and its mass, as in a `bca`; or masses only.

    Returns
    -------
    MassFunction

    Raises
    ------
    DSTheoryError
        If shapes do not fit, `tt` holds anything but 0 and 1, a set has several rows (a relation
        between variables, made by `bcaRel`), or masses do not sum to 1.
    TypeError
        If a mass is not a number.

    References
    ----------
    Boivin, dst: Using the Theory of Belief Functions, CRAN, manual of `bca`.

    Examples
    --------
    >>> frame = Frame(["a", "b", "c"])
    >>> m = from_dst_matrix(frame, [[0, 1, 1], [1, 1, 1]], [[1, 0.75], [2, 0.25]])
    >>> m.to_dict()
    {('b', 'c'): 0.75, ('a', 'b', 'c'): 0.25}
    """
    check_label_order(tt, checks.as_frame(frame), "tt")
    table, numbers = as_array(tt, "tt"), checks.as_numbers(spec)
    if table.ndim != 2 or table.shape[1] != len(frame):
        raise DSTheoryError(f"tt has shape {table.shape}, but the frame has {len(frame)} labels")
    wrong = np.argwhere((table != 0) & (table != 1))
    if len(wrong):
        raise DSTheoryError(f"tt has {table[tuple(wrong[0])]} in row {wrong[0][0]}, not 0 or 1")
    if numbers.shape not in ((len(table),), (len(table), 2)):
        raise DSTheoryError(f"spec has shape {numbers.shape}, not ({len(table)}, 2)")
    if numbers.ndim == 2:
        _check_numbers(numbers[:, 0])
        numbers = numbers[:, 1]
    focal = [sum(1 << i for i, cell in enumerate(row) if cell) for row in table.tolist()]
    return MassFunction(frame, focal, numbers)


def _check_numbers(numbers: NDArray[Any]) -> None:
    values, counts = np.unique(numbers, return_counts=True)
    if (counts > 1).any():
        raise DSTheoryError(
            f"set number {values[counts > 1][0]:g} has several rows in spec; relations of "
            "several variables are not read, build them on a product of frames"
        )
