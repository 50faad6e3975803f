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

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Utilities
from dstheory.checks.arguments import check_atol
from dstheory.decide._expectations import (
    Belief,
    best_table,
    expected,
    valued,
    worst_table,
)
from dstheory.kernels.rounding import ROUNDING
from dstheory.mass import MassFunction


def margins(
    utilities: NDArray[Any], atol: float | None, rounding: float = ROUNDING
) -> NDArray[np.float64]:
    """Difference (A,) up to which an act counts as equal to others, in the unit of its utilities.

    Of two acts the larger one holds, so that an act of huge utilities does not blur the others.
    """
    if atol is None:
        with suppress(TypeError, OverflowError):  # symbols have no size, and integers none here
            largest: NDArray[np.float64] = np.abs(utilities).max(axis=1).astype(np.float64)
            return rounding * largest
        atol = rounding
    check_atol(atol)
    return np.full(len(utilities), atol, dtype=np.float64)


def interval_dominance(
    m: Belief, utilities: Utilities = None, *, atol: float | None = None
) -> NDArray[np.bool_]:
    """Find the acts whose upper expectation is at least every lower expectation.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float, optional
        Margin of the comparison, so that rounding cannot break ties; 0 compares exactly. By
        default 1e-12 of the largest utility, without its sign, of the two acts.

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
    lower, upper, margin = _bounds(m, utilities, atol)
    best = lower.max(axis=0)
    # The first part too: rounding can put the upper bound of the best act below its lower one.
    kept = _holds(lower == best)
    margin = np.maximum(margin, np.where(kept, margin, 0).max(axis=0))
    return np.moveaxis(kept | _holds(best - upper <= margin), 0, -1)


def _bounds(
    m: Belief, utilities: Utilities, atol: float | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Lower and upper expected utilities, and margins, with the acts first, (A, *batch)."""
    normal, matrix = valued(m, utilities)
    lower = expected(normal, matrix, "lower_expected_utility", worst_table)
    upper = expected(normal, matrix, "upper_expected_utility", best_table)
    lower, upper = np.moveaxis(lower, -1, 0), np.moveaxis(upper, -1, 0)
    margin = margins(matrix, atol)
    return lower, upper, margin.reshape(-1, *(1,) * (lower.ndim - 1))


def _holds(comparison: NDArray[Any]) -> NDArray[np.bool_]:
    """A comparison of numbers, which may be objects, as an array of bool."""
    return np.asarray(comparison, dtype=bool)


def strong_dominance(
    m: Belief, utilities: Utilities = None, *, atol: float | None = None
) -> NDArray[np.bool_]:
    """Which acts remain if f beats g whenever lower(f) >= upper(g).

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float, optional
        Differences up to this count as equal; 0 compares exactly. By default 1e-12 of the largest
        utility, without its sign, of the two acts.

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
    lower, upper, margin = _bounds(m, utilities, atol)
    dropped = np.zeros(lower.shape, dtype=bool)
    for low, high, one in zip(lower, upper, margin, strict=True):
        equal = np.maximum(margin, one)
        dropped |= _holds(upper - low <= equal) & ~_holds(high - lower <= equal)
    return np.moveaxis(~dropped, 0, -1)


def weak_dominance(
    m: Belief, utilities: Utilities = None, *, atol: float | None = None
) -> NDArray[np.bool_]:
    """Which acts remain if f beats g whenever neither bound of f is lower and one is higher.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float, optional
        Differences up to this count as equal; 0 compares exactly. By default 1e-12 of the largest
        utility, without its sign, of the two acts.

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
    lower, upper, margin = _bounds(m, utilities, atol)
    dropped = np.zeros(lower.shape, dtype=bool)
    for low, high, one in zip(lower, upper, margin, strict=True):
        equal = np.maximum(margin, one)
        least, most = np.minimum(low - lower, high - upper), np.maximum(low - lower, high - upper)
        dropped |= _holds(least >= -equal) & _holds(most > equal)
    return np.moveaxis(~dropped, 0, -1)


def maximality(
    m: Belief, utilities: Utilities = None, *, atol: float | None = None
) -> NDArray[np.bool_]:
    """Which acts remain if f beats g whenever it is better under every probability.

    Parameters
    ----------
    m : MassFunction or Expectations
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float, optional
        How much better f must be, so that rounding cannot break ties; 0 compares exactly. By
        default 1e-12 of the largest utility, without its sign, of the two acts.

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
    normal, matrix = valued(m, utilities)
    margin = margins(matrix, atol)
    is_belief = isinstance(normal, MassFunction) or normal.is_belief
    if is_belief and len(matrix) > 1 and np.array_equal(matrix, np.eye(len(normal.frame))):
        return interval_dominance(normal, matrix, atol=atol)
    kept = []
    for row, one in zip(matrix, margin, strict=True):
        advantages = expected(normal, matrix - row, "lower_expected_utility", worst_table)
        kept.append(~_holds(advantages > np.maximum(margin, one)).any(axis=-1))
    return np.stack(kept, axis=-1)
