"""Interval dominance: keep every act that is not certainly worse than another.

Each act has an interval of expected utilities, from the lower to the upper one. An act is dropped
only if the interval of another act lies completely above its own (Troffaes 2007, "Decision making
under uncertainty using imprecise probabilities", IJAR 45).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_atol
from dstheory.decide._expectations import (
    Expectations,
    lower_expected_utility,
    upper_expected_utility,
)
from dstheory.mass import MassFunction

__all__ = ["interval_dominance"]


def interval_dominance(
    m: MassFunction | Expectations, utilities: Any = None, *, atol: float = 1e-12
) -> NDArray[np.bool_]:
    """Which acts remain: those whose upper expectation is at least every lower expectation.

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
