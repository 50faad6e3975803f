"""Evidential reduction: beliefs about many classes from binary problems.

A binary classifier that separates the classes I from the classes J and never saw the classes Z is
evidence on a coarsening of the frame: its m({1}) supports "I or Z", its m({0}) "J or Z", and its
m({0, 1}) goes to all classes. Dempster's rule combines the columns (refinement: Shafer 1976, A
Mathematical Theory of Evidence, ch. 6; Quost, Denoeux & Masson 2007, "Pairwise classifier
combination using belief functions"). For one-vs-rest, the result has a closed form and needs no
table of 2^K sets.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_array, check_choice, check_instance
from dstheory.errors import TotalConflictError
from evical.beliefs.products import MAX_CLASSES, Products
from evical.multiclass._inputs import column_masses

__all__ = ["MAX_CLASSES", "column_evidence", "without_total_conflict"]


def column_evidence(m: MassFunction, frame: Frame, column: ArrayLike) -> MassFunction:
    """Evidence of one binary classifier about all classes.

    Parameters
    ----------
    m : MassFunction
        Belief about the two sides, on a frame of two labels, the second one positive.
    frame : Frame
        The K classes.
    column : (K,) array of 1, -1 and 0
        Column of a code matrix: class k is on the positive side, on the negative side, or
        was not seen.

    Returns
    -------
    MassFunction
        On `frame`, with the batch of `m`.

    Raises
    ------
    ValueError
        If `m` is not on two labels, or `column` has another length, other entries, or no
        class on one side.

    Examples
    --------
    >>> sides = MassFunction(Frame([0, 1]), [1, 2, 3], [0.25, 0.5, 0.25])
    >>> column_evidence(sides, Frame(["a", "b", "c"]), [1, -1, 0])
    MassFunction on {a, b, c}
      {a, c}     0.5
      {b, c}     0.25
      {a, b, c}  0.25
    """
    check_instance("m", m, MassFunction, "a mass function")
    check_instance("frame", frame, Frame, "a Frame")
    code = as_array(column, "column")
    if len(m.frame) != 2:
        raise ValueError(f"m is on {m.frame!r}, but the sides of a column are two labels")
    if code.shape != (len(frame),) or not np.isin(code, (-1, 0, 1)).all():
        raise ValueError(f"column is {code.tolist()}, expected 1, -1 or 0 for {len(frame)} classes")
    if not ((code == 1).any() and (code == -1).any()):
        raise ValueError(f"column is {code.tolist()}, but each side needs a class")
    sides = [sum(1 << k for k in np.flatnonzero(code != sign).tolist()) for sign in (1, -1)]
    meaning = [0, *sides, frame.full]
    return MassFunction(frame, [meaning[mask] for mask in m.focal], m.masses)


def without_total_conflict(columns: NDArray[Any], total_conflict: str = "error") -> NDArray[Any]:
    """Columns whose one-vs-rest combination exists.

    Parameters
    ----------
    columns : (3, K, *batch) array
        Masses of "not k", "k" and "either" for each class k.
    total_conflict : {"error", "vacuous"}
        What to do if two columns are certain of their class, or all columns exclude theirs: raise,
        or make these samples vacuous.

    Returns
    -------
    (3, K, *batch) array

    Raises
    ------
    TotalConflictError
        With the number of such samples and the first one.

    Examples
    --------
    >>> impossible = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> without_total_conflict(impossible, "vacuous")[2]
    array([1., 1., 1.])
    """
    columns = column_masses(columns)
    dead = np.asarray(Products.of_columns(columns).total() == 0, dtype=bool)
    return settled(columns, dead, total_conflict)


def settled(columns: NDArray[Any], dead: NDArray[np.bool_], total_conflict: str) -> NDArray[Any]:
    """Columns with samples in total conflict refused, or made vacuous.

    Parameters
    ----------
    columns : (3, B, *batch) array
    dead : (*batch,) array of bool
    total_conflict : {"error", "vacuous"}

    Returns
    -------
    (3, B, *batch) array

    Raises
    ------
    TotalConflictError
        With the number of such samples and the first one.
    """
    check_choice("total_conflict", total_conflict, ("error", "vacuous"))
    if not dead.any():
        return columns
    if total_conflict == "vacuous":
        nothing = np.array([0, 0, 1]).reshape(3, *(1,) * (columns.ndim - 1))
        return np.where(dead, nothing, columns)
    where = f" in {dead.sum()} of {dead.size} rows (first: row {np.argmax(dead)})"
    raise TotalConflictError(
        f"total conflict (kappa = 1){where if dead.ndim else ''}: the calibrators of the classes "
        "exclude each other; use an evidential model, or total_conflict='vacuous'"
    )
