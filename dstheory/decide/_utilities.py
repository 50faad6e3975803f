"""Utility matrices: what each act (row) is worth under each class of the frame (column).

Without a matrix, the acts are the labels: a correct label is worth 1, a wrong one 0. Costs become
utilities by 1 - cost, and a reject act is a row of constant utility (Chow 1970, "On optimum
recognition error and reject tradeoff"; Denoeux 2019, "Decision-making with belief functions: a
review", IJAR 109).
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory._typing import Numbers, Scalar, Table, Utilities
from dstheory.checks.arguments import as_array, axis_labels, check_degree, check_label_order
from dstheory.checks.masses import check_number
from dstheory.frame import Frame
from dstheory.kernels import predicates
from dstheory.kernels.exact import without_decimals
from dstheory.mass import MassFunction


@overload
def utilities_from_costs(costs: Table) -> Table: ...
@overload
def utilities_from_costs(costs: Numbers) -> NDArray[Any]: ...
def utilities_from_costs(costs: Numbers | Table) -> Any:
    """Turn costs into utilities 1 - cost, so that zero-one costs become the identity.

    Parameters
    ----------
    costs : (A, K) array
        Cost of each act (row) under each class (column), in the order of the frame.

    Returns
    -------
    (A, K) array, or data frame
        float64, or objects where the costs are exact. A pandas frame stays one, with its names.

    Raises
    ------
    ValueError
        If `costs` is not a matrix or not finite.

    Examples
    --------
    >>> utilities_from_costs([[0, 5], [1, 0]])
    array([[ 1., -4.],
           [ 0.,  1.]])
    """
    return named_like(costs, np.asarray(1 - as_matrix(costs, "costs")))


def utilities_from_threshold(threshold: Scalar) -> NDArray[Any]:
    """Utilities of the acts no and yes, such that yes needs a probability above a threshold.

    Parameters
    ----------
    threshold : number, from 0 to 1
        Probability of the second class above which its act is chosen: the cost of a false
        alarm divided by the sum of the costs of a false alarm and a miss.

    Returns
    -------
    (2, 2) array
        1 - cost, with cost `threshold` for a false alarm and 1 - `threshold` for a miss.

    Raises
    ------
    ValueError
        If `threshold` is outside [0, 1].

    Notes
    -----
    Elkan 2001, "The foundations of cost-sensitive learning". At the threshold itself both acts are
    equal, and the first one is chosen. With `maximin`, the worst case must exceed the threshold.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.decide import maximize_expected_utility
    >>> utilities_from_threshold(0.25)
    array([[1.  , 0.25],
           [0.75, 1.  ]])
    >>> m = MassFunction(Frame(["no", "yes"]), [1, 2], [[0.8, 0.2], [0.7, 0.3]])
    >>> maximize_expected_utility(m, utilities_from_threshold(0.25), acts=m.frame)
    array(['no', 'yes'], dtype='<U3')
    """
    check_degree("threshold", threshold)
    return np.asarray([[1, threshold], [1 - threshold, 1]])


@overload
def with_reject(utilities: Table, cost: Scalar) -> Table: ...
@overload
def with_reject(utilities: Numbers, cost: Scalar) -> NDArray[Any]: ...
def with_reject(utilities: Numbers | Table, cost: Scalar) -> Any:
    """Utilities with a reject act as last row, at the same cost under every class.

    Parameters
    ----------
    utilities : (A, K) array
        ``np.eye(K)`` for the labels of a frame of K classes.
    cost : number
        Cost of rejecting; its utility is 1 - `cost`. With the identity, rejecting pays if no label
        has a probability above 1 - `cost`.

    Returns
    -------
    (A + 1, K) array, or data frame
        A pandas frame stays one; if its rows have names, the last is called "reject".

    Raises
    ------
    ValueError
        If `utilities` is not a matrix, or a number is not finite.

    Examples
    --------
    >>> with_reject(np.eye(2), 0.25)
    array([[1.  , 0.  ],
           [0.  , 1.  ],
           [0.75, 0.75]])
    """
    matrix = as_matrix(utilities, "utilities")
    check_number(cost, "cost")
    if cost != cost or abs(cost) == math.inf:
        raise ValueError(f"cost is not finite: {cost}")
    rows = act_rows(utilities)
    return named_like(
        utilities,
        np.vstack([matrix, 1 - as_matrix([[cost] * matrix.shape[1]], "cost")]),
        rows and [*rows, "reject"],
    )


def act_rows(utilities: object) -> list[Any] | None:
    """Names of the rows of a pandas frame, unless they are numbers; None for anything else."""
    names = [name for axis in axis_labels(utilities)[:1] for name in axis]
    return None if all(isinstance(name, Real) for name in names) else names


def named_like(values: Any, matrix: NDArray[Any], rows: list[Any] | None = None) -> Any:
    """A matrix (A, K) with the columns of `values`, if these are a pandas frame.

    So `check_label_order` still sees which class a column is about.
    """
    if not (hasattr(values, "columns") and hasattr(values, "index")):
        return matrix
    own = values.index if len(values) == len(matrix) else None
    return type(values)(matrix, index=own if rows is None else rows, columns=values.columns)


def as_matrix(values: Numbers, name: str) -> NDArray[Any]:
    """A finite matrix of float64, or of objects where they are exact."""
    array = as_array(values, name)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"{name} have dtype {array.dtype.name}, expected real numbers")
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name} have shape {array.shape}, expected (A, K): a row for each act, "
            "a column for each class"
        )
    array = array if array.dtype == object else array.astype(np.float64)
    for value in array.flat if array.dtype == object else ():
        check_number(value, name)
    array = without_decimals(array) if array.dtype == object else array
    for row in np.flatnonzero(~predicates.finite(array).all(axis=1)):
        raise ValueError(f"{name} are not finite in row {row}: {array[row].tolist()}")
    return array


def prepared(m: object, utilities: Utilities) -> tuple[MassFunction, NDArray[Any]]:
    """The normalized mass function, and the utilities (A, K) converted to its kind of number."""
    m = check_mass(m)
    matrix = checked_utilities(m.frame, utilities)
    if m.store.dtype != object:
        return m.normalize(), matrix.astype(np.float64)
    if utilities is None or np.asarray(utilities).dtype.kind in "biu":
        matrix = matrix.astype(int)  # floats would make Fractions inexact
    return m.normalize(), matrix.astype(object)


def checked_utilities(frame: Frame, utilities: Utilities, name: str = "utilities") -> NDArray[Any]:
    """Utilities (A, K) of acts under the classes of a frame, by default the identity."""
    if utilities is None:
        return np.eye(len(frame))
    matrix = as_matrix(utilities, name)
    if matrix.shape[1] != len(frame):
        raise ValueError(
            f"{name} have shape {matrix.shape}, expected (A, {len(frame)}): a row for each "
            f"act, a column for each class of {frame!r}"
        )
    check_label_order(utilities, frame.labels, name)
    return matrix
