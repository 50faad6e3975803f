"""Expected utilities: pignistic, lower and upper; and Sugeno's integral.

Each expectation is the mean over the focal sets of a table: the worst, best or mean utility of an
act over the classes of the set, (A, F) for utilities (A, K) and non-empty focal masks (F,). Within
a set nothing is known, so a criterion under ignorance values the act.

A mass function defines a set of probabilities. The lower and upper expectations bound the expected
utility over that set, and the pignistic one lies between them (Denoeux 2019, "Decision-making with
belief functions: a review", IJAR 109; Shafer 1981, "Constructive probability"; Smets & Kennes 1994,
"The transferable belief model").
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Utilities
from dstheory.checks.arguments import check_choice
from dstheory.decide._utilities import checked_utilities, prepared
from dstheory.frame import Frame
from dstheory.kernels import bits, setwise
from dstheory.mass import MassFunction


class Expectations(ABC):
    """A belief that computes expected utilities without listing its focal sets.

    Subclasses have a frame and compute three expectations. Criteria that need only these accept
    them in place of a mass function: `maximin`, `maximax`, `hurwicz`, `maximize_expected_utility`,
    `minimax_regret`, `interval_dominance`, `strong_dominance`, `weak_dominance` and `maximality`.
    The others need the focal sets.

    Notes
    -----
    If the acts are the classes and a correct one is worth 1, the lower and upper expectations are
    Bel and Pl of single classes, and nothing else matters.

    Examples
    --------
    >>> from dstheory.decide import maximin
    >>> class Sure(Expectations):
    ...     frame = Frame(["ant", "bee"])
    ...     def expected_utility(self, utilities):
    ...         return utilities[:, 0]
    ...     lower_expected_utility = upper_expected_utility = expected_utility
    >>> maximin(Sure(), [[1, 0], [0, 4]], acts=["stay", "go"])
    'stay'
    """

    frame: Frame

    is_belief = True
    """Whether the bounds are those of a belief function, not of a credal set of another kind."""

    @abstractmethod
    def expected_utility(self, utilities: NDArray[Any]) -> NDArray[Any]:
        """Pignistic expectations (*batch, A) of acts (A, K)."""

    @abstractmethod
    def lower_expected_utility(self, utilities: NDArray[Any]) -> NDArray[Any]:
        """Lower expectations (*batch, A) of acts (A, K)."""

    @abstractmethod
    def upper_expected_utility(self, utilities: NDArray[Any]) -> NDArray[Any]:
        """Upper expectations (*batch, A) of acts (A, K)."""


Belief: TypeAlias = MassFunction | Expectations


def valued(m: Belief, utilities: Utilities) -> tuple[Belief, NDArray[Any]]:
    """The belief and its utilities (A, K), checked, as the expectations need them."""
    if isinstance(m, Expectations):
        return m, checked_utilities(m.frame, utilities)
    return prepared(m, utilities)


def _extreme(utilities: NDArray[Any], focal: NDArray[Any], ufunc: np.ufunc) -> NDArray[Any]:
    n_acts, n_classes = utilities.shape
    start = np.inf if ufunc is np.minimum else -np.inf
    table = np.full((n_acts, len(focal)), start, dtype=utilities.dtype)
    for column, inside in zip(utilities.T, bits.members(focal, n_classes), strict=True):
        table[:, inside] = ufunc(table[:, inside], column[:, np.newaxis])
    return table


def worst_table(utilities: NDArray[Any], focal: NDArray[Any]) -> NDArray[Any]:
    """Smallest utility of each act within each focal set.

    >>> worst_table(np.eye(2), np.array([1, 3]))
    array([[1., 0.],
           [0., 0.]])
    """
    return _extreme(utilities, focal, np.minimum)


def best_table(utilities: NDArray[Any], focal: NDArray[Any]) -> NDArray[Any]:
    """Largest utility of each act within each focal set.

    >>> best_table(np.eye(2), np.array([1, 3]))
    array([[1., 1.],
           [0., 1.]])
    """
    return _extreme(utilities, focal, np.maximum)


def mean_table(utilities: NDArray[Any], focal: NDArray[Any]) -> NDArray[Any]:
    """Mean utility of each act within each focal set.

    >>> mean_table(np.eye(2), np.array([1, 3]))
    array([[1. , 0.5],
           [0. , 0.5]])
    """
    inside = bits.members(focal, utilities.shape[1])
    sizes = bits.cardinality(focal)
    if utilities.dtype == object:
        shares = np.array([Fraction(1, int(size)) for size in sizes], dtype=object)
        return np.asarray(utilities @ inside.astype(int).astype(object) * shares)
    return np.asarray(utilities @ inside.astype(np.float64) / sizes)


def mean_over_sets(m: MassFunction, table: NDArray[Any]) -> NDArray[Any]:
    """Sum over the focal sets of mass times `table` (A, F), values (*batch, A)."""
    return np.moveaxis(setwise.weighted_sum(table, m.store), 0, -1)


def expected(
    m: Belief, utilities: NDArray[Any], kind: str, table: Callable[..., NDArray[Any]]
) -> NDArray[Any]:
    """Expectations (*batch, A) of one kind, from what `valued` returns."""
    if isinstance(m, MassFunction):
        return mean_over_sets(m, table(utilities, m.focal))
    return np.asarray(getattr(m, kind)(utilities))


def expected_utility(m: Belief, utilities: Utilities = None) -> NDArray[Any]:
    """Expected utility of each act under the pignistic probability.

    Parameters
    ----------
    m : MassFunction or Expectations
        With m(empty) > 0 it is normalized first, by the sum of the non-empty masses.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: the identity; the
        result is then the pignistic probability of each label.

    Returns
    -------
    (*batch, A) array
        Exact where masses and utilities are (fractions or integers).

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite.

    Notes
    -----
    The sum over focal sets of m(A) times the mean utility in A (Smets & Kennes 1994).

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, ("ant", "bee"): 0.5})
    >>> expected_utility(m)
    array([0.75, 0.25])
    >>> expected_utility(m, [[1, 0], [0, 4]])
    array([0.75, 1.  ])
    """
    return expected(*valued(m, utilities), "expected_utility", mean_table)


def lower_expected_utility(m: Belief, utilities: Utilities = None) -> NDArray[Any]:
    """Lower expected utility of each act, by the worst case in each focal set.

    Parameters
    ----------
    m : MassFunction or Expectations
        With m(empty) > 0 it is normalized first, by the sum of the non-empty masses.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: the identity; the
        result is then the belief in each label.

    Returns
    -------
    (*batch, A) array
        Exact where masses and utilities are (fractions or integers).

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite.

    Notes
    -----
    The sum over focal sets of m(A) min u(A), which is the Choquet integral with respect
    to Bel and the smallest expected utility over all probabilities P >= Bel.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, ("ant", "bee"): 0.5})
    >>> lower_expected_utility(m)
    array([0.5, 0. ])
    """
    return expected(*valued(m, utilities), "lower_expected_utility", worst_table)


def upper_expected_utility(m: Belief, utilities: Utilities = None) -> NDArray[Any]:
    """Upper expected utility of each act, by the best case in each focal set.

    Parameters
    ----------
    m : MassFunction or Expectations
        With m(empty) > 0 it is normalized first, by the sum of the non-empty masses.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: the identity; the
        result is then the plausibility of each label.

    Returns
    -------
    (*batch, A) array
        Exact where masses and utilities are (fractions or integers).

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite.

    Notes
    -----
    The sum over focal sets of m(A) max u(A), which is minus the lower expectation of -u, and the
    Choquet integral with respect to Pl (Gilboa & Schmeidler 1994, "Additive representations of
    non-additive measures and the Choquet integral").

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, ("ant", "bee"): 0.5})
    >>> upper_expected_utility(m)
    array([1. , 0.5])
    """
    return expected(*valued(m, utilities), "upper_expected_utility", best_table)


def sugeno_expectation(
    m: MassFunction, utilities: Utilities = None, capacity: Literal["bel", "pl"] = "bel"
) -> NDArray[Any]:
    """Sugeno integral of each act, a compromise between its utilities and a belief.

    The belief is that in the classes where the act is worth at least u (Sugeno 1974, "Theory of
    fuzzy integrals"; Grabisch 1996, "The application of fuzzy integrals in multicriteria decision
    making").

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
    m: MassFunction, utilities: NDArray[Any], capacity: str
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
