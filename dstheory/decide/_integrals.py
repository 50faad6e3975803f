"""Choquet and Sugeno integrals of utilities with respect to belief or plausibility.

Both use the level sets of an act: the classes where it is worth at least u, for every u. Choquet
integrates the beliefs in these sets; Sugeno finds the best compromise between u and the belief
(Choquet 1954, "Theory of capacities"; Sugeno 1974, "Theory of fuzzy integrals"; Grabisch 1996, "The
application of fuzzy integrals in multicriteria decision making").
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Utilities
from dstheory.checks.arguments import check_choice
from dstheory.decide._utilities import prepared
from dstheory.kernels import bits, setwise
from dstheory.mass import MassFunction

Capacity = Literal["bel", "pl"]


def choquet_expectation(
    m: MassFunction, utilities: Utilities = None, capacity: Capacity = "bel"
) -> NDArray[Any]:
    """Choquet integral of each act.

    Parameters
    ----------
    m : MassFunction
        With m(empty) > 0 it is normalized first, by the sum of the non-empty masses.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: the identity.
    capacity : {"bel", "pl"}
        Measure of the level sets.

    Returns
    -------
    (*batch, A) array
        Exact where masses and utilities are (fractions or integers).

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `capacity` is unknown.

    Notes
    -----
    With u_(1) >= u_(2) >= ... and u_(K + 1) = 0, it is the sum of (u_(i) - u_(i + 1)) times the
    capacity of the i best classes. With Bel it equals `lower_expected_utility`, with Pl
    `upper_expected_utility` (Gilboa & Schmeidler 1994, "Additive representations of non-additive
    measures and the Choquet integral"). Those two are faster.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame([0, 1]), [1, 2, 3], [0.25, 0.25, 0.5])
    >>> choquet_expectation(m, [[1, 0], [4, 8], [5, 1]])
    array([0.25, 5.  , 2.  ])
    """
    normal, matrix = prepared(m, utilities)
    ordered, measures = _levels(normal, matrix, capacity)
    following = np.concatenate([ordered[:, 1:], np.zeros_like(ordered[:, :1])], axis=1)
    steps = (ordered - following).reshape(*ordered.shape, *(1,) * len(normal.batch_shape))
    return np.moveaxis((steps * measures).sum(axis=1), 0, -1)


def sugeno_expectation(
    m: MassFunction, utilities: Utilities = None, capacity: Capacity = "bel"
) -> NDArray[Any]:
    """Sugeno integral of each act.

    Parameters
    ----------
    m : MassFunction
        With m(empty) > 0 it is normalized first, by the sum of the non-empty masses.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column), from 0 to 1, because the integral
        compares them with beliefs. Default: the identity.
    capacity : {"bel", "pl"}
        Measure of the level sets.

    Returns
    -------
    (*batch, A) array
        Exact where masses and utilities are (fractions or integers).

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or leaves [0, 1], or `capacity` is unknown.

    Notes
    -----
    With u_(1) >= u_(2) >= ..., it is the largest of min(u_(i), capacity of the i best classes).

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame([0, 1]), [1, 2, 3], [0.25, 0.25, 0.5])
    >>> sugeno_expectation(m, [[1, 0], [0.5, 0.75]])
    array([0.25, 0.5 ])
    """
    normal, matrix = prepared(m, utilities)
    for row in np.flatnonzero(((matrix < 0) | (matrix > 1)).any(axis=1)):
        raise ValueError(
            f"utilities leave [0, 1] in row {row}: {matrix[row].tolist()}; "
            "scale them, since Sugeno's integral compares them with beliefs"
        )
    ordered, measures = _levels(normal, matrix, capacity)
    ordered = ordered.reshape(*ordered.shape, *(1,) * len(normal.batch_shape))
    return np.moveaxis(np.minimum(ordered, measures).max(axis=1), 0, -1)


def _levels(
    m: MassFunction, utilities: NDArray[Any], capacity: Capacity
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Decreasing utilities (A, K), and the capacities (A, K, *batch) of the i best classes."""
    check_choice("capacity", capacity, ("bel", "pl"))
    order = np.argsort(-utilities, axis=1, kind="stable")
    inside = bits.members(m.focal, utilities.shape[1])[order]  # (A, K, F)
    if capacity == "pl":
        counted = np.logical_or.accumulate(inside, axis=1)
    else:  # a focal set lies within the i best classes if it contains none of the others
        others = np.logical_or.accumulate(inside[:, ::-1], axis=1)[:, ::-1]
        counted = ~np.concatenate([others[:, 1:], np.zeros_like(others[:, :1])], axis=1)
    measures = setwise.weighted_sum(counted.reshape(-1, len(m.focal)), m.store)
    ordered = np.take_along_axis(utilities, order, axis=1)
    return ordered, measures.reshape(*order.shape, *m.batch_shape)
