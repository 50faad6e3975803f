"""Set-valued decisions by comparing acts in pairs: strong, weak, and maximality.

Each criterion drops an act that another act beats strictly. Equal acts never beat each other, so
ties are kept and no row is empty (Troffaes 2007, "Decision making under uncertainty using imprecise
probabilities", IJAR 45; Ma & Denoeux 2021, "Partial classification in the belief function
framework", KBS 214; Walley 1991, "Statistical reasoning with imprecise probabilities", for
maximality).

Interval dominance: keep every act that is not certainly worse than another.

Each act has an interval of expected utilities, from the lower to the upper one. An act is dropped
only if the interval of another act lies completely above its own (Troffaes 2007, "Decision making
under uncertainty using imprecise probabilities", IJAR 45).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Utilities
from dstheory.checks.arguments import check_atol
from dstheory.decide._expectations import (
    Belief,
    expected,
    lower_expected_utility,
    upper_expected_utility,
    valued,
    worst_table,
)
from dstheory.mass import MassFunction


def interval_dominance(
    m: Belief, utilities: Utilities = None, *, atol: float = 1e-12
) -> NDArray[np.bool_]:
    """Find the acts whose upper expectation is at least every lower expectation.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float
        Margin of the comparison, so that rounding cannot break ties; 0 compares exactly.

    Returns
    -------
    (*batch, A) array of bool
        At least one True in each row: equal acts are kept together.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `atol` is negative.

    See Also
    --------
    chosen_acts : the kept acts by name.

    Notes
    -----
    Without utilities, class k stays if Pl({k}) is at least the largest Bel({j}); `maximality` then
    agrees.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.5, ("ant", "bee"): 0.4, "cat": 0.1})
    >>> interval_dominance(m)
    array([ True, False, False])
    >>> interval_dominance(MassFunction.from_dict(frame, {"ant": 0.5, "bee": 0.5}))
    array([ True,  True, False])
    """
    check_atol(atol)
    lower, upper = lower_expected_utility(m, utilities), upper_expected_utility(m, utilities)
    best = lower.max(axis=-1, keepdims=True)
    # Second part: rounding can put the upper bound of the best act below its lower one.
    return np.asarray((best - upper <= atol) | (lower == best), dtype=bool)


def _bounds(m: Belief, utilities: Utilities) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lower and upper expected utilities with the acts first, (A, *batch)."""
    lower = np.moveaxis(lower_expected_utility(m, utilities), -1, 0)
    return lower, np.moveaxis(upper_expected_utility(m, utilities), -1, 0)


def _holds(comparison: NDArray[Any]) -> NDArray[np.bool_]:
    """A comparison of numbers, which may be objects, as an array of bool."""
    return np.asarray(comparison, dtype=bool)


def strong_dominance(
    m: Belief, utilities: Utilities = None, *, atol: float = 1e-12
) -> NDArray[np.bool_]:
    """Which acts remain if f beats g whenever lower(f) >= upper(g).

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float
        Differences up to this count as equal; 0 compares exactly.

    Returns
    -------
    (*batch, A) array of bool
        At least one True in each row.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `atol` is negative.

    Notes
    -----
    An act g is dropped if some f has lower(f) >= upper(g) without lower(g) >= upper(f); two equal
    precise acts satisfy both and stay. Keeps a subset of `interval_dominance`, which requires
    lower(f) > upper(g) (Ma & Denoeux 2021).

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> strong_dominance(MassFunction(frame, [1, 6], [0.5, 0.5]))
    array([ True, False, False])
    >>> strong_dominance(MassFunction(frame, [1, 2], [0.5, 0.5]))
    array([ True,  True, False])
    """
    check_atol(atol)
    lower, upper = _bounds(m, utilities)
    dropped = np.zeros(lower.shape, dtype=bool)
    for low, high in zip(lower, upper, strict=True):
        dropped |= _holds(upper - low <= atol) & ~_holds(high - lower <= atol)
    return np.moveaxis(~dropped, 0, -1)


def weak_dominance(
    m: Belief, utilities: Utilities = None, *, atol: float = 1e-12
) -> NDArray[np.bool_]:
    """Which acts remain if f beats g whenever neither bound of f is lower and one is higher.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float
        Differences up to this count as equal; 0 compares exactly.

    Returns
    -------
    (*batch, A) array of bool
        At least one True in each row.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `atol` is negative.

    Notes
    -----
    Also called interval bound dominance (Denoeux 2019). Keeps a subset of `strong_dominance` and,
    for every degree of pessimism, one of the best acts of `hurwicz`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> weak_dominance(MassFunction(frame, [1, 6], [0.25, 0.75]))
    array([ True,  True,  True])
    >>> weak_dominance(MassFunction(frame, [1, 3, 7], [0.25, 0.25, 0.5]))
    array([ True, False, False])
    """
    check_atol(atol)
    lower, upper = _bounds(m, utilities)
    dropped = np.zeros(lower.shape, dtype=bool)
    for low, high in zip(lower, upper, strict=True):
        least, most = np.minimum(low - lower, high - upper), np.maximum(low - lower, high - upper)
        dropped |= _holds(least >= -atol) & _holds(most > atol)
    return np.moveaxis(~dropped, 0, -1)


def maximality(m: Belief, utilities: Utilities = None, *, atol: float = 1e-12) -> NDArray[np.bool_]:
    """Which acts remain if f beats g whenever it is better under every probability.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float
        How much better f must be, so that rounding cannot break ties; 0 compares exactly.

    Returns
    -------
    (*batch, A) array of bool
        At least one True in each row.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `atol` is negative.

    Notes
    -----
    An act g is dropped if the lower expectation of f - g is positive for some f (Walley 1991).
    It keeps more acts than `e_admissibility` and fewer than `interval_dominance`. Without utilities
    it equals the latter: the minimum of 1_j - 1_k over a focal set is -1 if the set contains k,
    else 1 if it is {j}, else 0, so the lower expectation is Bel({j}) - Pl({k}).

    Examples
    --------
    Six gambles on a coin (Troffaes 2007):

    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["H", "T"]), [1, 2, 3], [0.28, 0.3, 0.42])
    >>> maximality(m, [[4, 0], [0, 4], [3, 2], [0.5, 3], [2.35, 2.35], [4.1, -0.3]])
    array([ True,  True,  True, False,  True, False])
    """
    check_atol(atol)
    normal, matrix = valued(m, utilities)
    is_belief = isinstance(normal, MassFunction) or normal.is_belief
    if is_belief and len(matrix) > 1 and np.array_equal(matrix, np.eye(len(normal.frame))):
        return interval_dominance(normal, matrix, atol=atol)
    kept = []
    for row in matrix:
        advantages = expected(normal, matrix - row, "lower_expected_utility", worst_table)
        kept.append(~np.asarray(advantages > atol, dtype=bool).any(axis=-1))
    return np.stack(kept, axis=-1)
