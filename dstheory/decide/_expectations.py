"""Expected utilities: pignistic, lower and upper.

A mass function defines a set of probabilities. The lower and upper expectations bound the expected
utility over that set, and the pignistic one lies between them (Denoeux 2019, "Decision-making with
belief functions: a review", IJAR 109; Shafer 1981, "Constructive probability"; Smets & Kennes 1994,
"The transferable belief model").
"""

from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Utilities
from dstheory.decide._tables import best_table, mean_table, worst_table
from dstheory.decide._utilities import checked_utilities, prepared
from dstheory.frame import Frame
from dstheory.kernels import setwise
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


def mean_over_sets(m: MassFunction, table: NDArray[Any]) -> NDArray[Any]:
    """Sum over the focal sets of mass times `table` (A, F): values (*batch, A)."""
    return np.moveaxis(setwise.weighted_sum(table, m.store), 0, -1)


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
    normal, matrix = valued(m, utilities)
    if not isinstance(normal, MassFunction):
        return np.asarray(normal.expected_utility(matrix))
    return mean_over_sets(normal, mean_table(matrix, normal.focal))


def lower_expected_utility(m: Belief, utilities: Utilities = None) -> NDArray[Any]:
    """Lower expected utility of each act: the worst case in each focal set.

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
    normal, matrix = valued(m, utilities)
    if not isinstance(normal, MassFunction):
        return np.asarray(normal.lower_expected_utility(matrix))
    return mean_over_sets(normal, worst_table(matrix, normal.focal))


def upper_expected_utility(m: Belief, utilities: Utilities = None) -> NDArray[Any]:
    """Upper expected utility of each act: the best case in each focal set.

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
    The sum over focal sets of m(A) max u(A), which is minus the lower expectation of -u.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 0.5, ("ant", "bee"): 0.5})
    >>> upper_expected_utility(m)
    array([1. , 0.5])
    """
    normal, matrix = valued(m, utilities)
    if not isinstance(normal, MassFunction):
        return np.asarray(normal.upper_expected_utility(matrix))
    return mean_over_sets(normal, best_table(matrix, normal.focal))
