"""Regret: the shortfall of an act from the best act under each class.

The criteria choose the act with the smallest expected regret. Within a focal set, regret is the
largest (Savage 1951; Yager 2004, "Decision making using minimization of regret") or, for the
pignistic criterion, the mean.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.decide._acts import first_best
from dstheory.decide._criteria import named
from dstheory.decide._expectations import Expectations, upper_expected_utility, valued
from dstheory.decide._utilities import as_matrix
from dstheory.mass import MassFunction

__all__ = ["minimax_regret", "regrets"]


def regrets(utilities: Any) -> NDArray[Any]:
    """Regret of each act under each class: the best utility under the class minus its own.

    Parameters
    ----------
    utilities : (A, K) array

    Returns
    -------
    (A, K) array
        Non-negative; `expected_utility` and its bounds turn regrets into expected regrets.

    Raises
    ------
    ValueError
        If `utilities` is not a matrix or not finite.

    Examples
    --------
    >>> regrets([[4, 0], [1, 3]])
    array([[0., 3.],
           [3., 0.]])
    """
    matrix = as_matrix(utilities, "utilities")
    return np.asarray(matrix.max(axis=0) - matrix)


def minimax_regret(
    m: MassFunction | Expectations, utilities: Any = None, *, acts: Iterable[Any] | None = None
) -> Any:
    """The act with the smallest upper expected regret.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    acts : sequence of A names, optional
        Names of the acts.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where `acts` are given, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `acts` has another length.

    Notes
    -----
    The sum over focal sets of m(A) times the largest regret in A (Yager 2004). As always with
    regret, adding an act that nobody would choose can change the decision. Ties go to the first
    act.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {("ant", "bee"): 1})
    >>> minimax_regret(m, [[4, 0], [1, 3], [2, 1]])
    2
    """
    normal, matrix = valued(m, utilities)
    return first_best(-upper_expected_utility(normal, regrets(matrix)), named(m, utilities, acts))
