"""Generalized Hurwicz criterion: pessimism that depends on what is at stake.

In each focal set, an act is valued between its worst and its best utility there. The degree of
pessimism is a function of these two (Jaffray 1988, "Application of linear utility theory to belief
functions"; Denoeux 2019, "Decision-making with belief functions: a review").
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.decide._acts import first_best
from dstheory.decide._criteria import named
from dstheory.decide._expectations import mean_over_sets
from dstheory.decide._tables import best_table, worst_table
from dstheory.decide._utilities import prepared
from dstheory.mass import MassFunction


def generalized_hurwicz(
    m: MassFunction,
    utilities: Any = None,
    pessimism: Callable[[Any, Any], Any] | None = None,
    *,
    acts: Iterable[Any] | None = None,
) -> Any:
    """The act with the largest expectation under a local degree of pessimism.

    Parameters
    ----------
    m : MassFunction
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    pessimism : function of (worst, best)
        Called once with two arrays (A, F), the worst and the best utility of each act in
        each focal set; returns degrees from 0 to 1, of that shape or a number.
    acts : sequence of A names, optional
        Names of the acts.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where `acts` are given, else a row index.

    Raises
    ------
    TypeError
        If `pessimism` is not a function; for one number use `hurwicz`.
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If a degree is outside [0, 1], `utilities` is not (A, K) or not finite, or `acts`
        has another length.

    Notes
    -----
    The criterion is the sum over focal sets of m(A) (a worst + (1 - a) best), where a = `pessimism`
    (worst, best) (Jaffray 1988). A constant gives `hurwicz`. Ties go to the first act.

    Examples
    --------
    Cautious only if something can be lost:

    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {("ant", "bee"): 1})
    >>> generalized_hurwicz(m, [[-1, 9], [0, 2]], lambda worst, best: worst < 0)
    1
    """
    if not callable(pessimism):
        raise TypeError(f"pessimism is {pessimism!r}, expected a function of (worst, best)")
    normal, matrix = prepared(m, utilities)
    worst, best = worst_table(matrix, normal.focal), best_table(matrix, normal.focal)
    degrees = _degrees(pessimism(worst.copy(), best.copy()), worst)
    mixed = degrees * worst + (1 - degrees) * best
    return first_best(mean_over_sets(normal, mixed), named(m, utilities, acts))


def _degrees(values: Numbers, worst: NDArray[Any]) -> NDArray[Any]:
    degrees = np.asarray(values)
    degrees = degrees.astype(int).astype(worst.dtype) if degrees.dtype == bool else degrees
    outside = degrees[~np.asarray((degrees >= 0) & (degrees <= 1), dtype=bool)]
    if outside.size:
        raise ValueError(
            f"pessimism is {outside.flat[0]}, but a degree of pessimism lies between 0 and 1"
        )
    return np.broadcast_to(degrees, worst.shape)
