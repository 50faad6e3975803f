"""The first four proportional conflict redistribution rules, kept for comparison.

PCR1 and PCR2 share out the whole conflict at once; PCR3 and PCR4 share out each partial conflict.
Shares are proportional to the sum of the masses that all sources give to a set (its column sum) or,
in PCR4, to its conjunctive mass. A set that contains another set of the same partial conflict takes
no part in it. Smarandache & Dezert 2005, who recommend PCR5 or PCR6 instead.
"""

import math
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import collect
from dstheory.combine._average import mixing
from dstheory.combine._boolean import conjunctive
from dstheory.combine._disputes import Disputes, Sides, sides_of
from dstheory.combine._global_conflict import lefevre
from dstheory.combine.sources import check_sources, combination_rule, nonempty, refuse_subnormal
from dstheory.kernels import setwise
from dstheory.kernels.batches import stretch
from dstheory.kernels.pairwise import SMALL_TOTAL, log_agreement, logarithms
from dstheory.mass import MassFunction

__all__ = ["pcr1", "pcr2", "pcr3", "pcr4"]


@combination_rule
def pcr1(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 1: the conflict goes to all sets.

    m(X) = m∩(X) + κ (m1(X) + ... + mS(X)) / S. This is also the weighted average operator with
    equal weights.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    References
    ----------
    Smarandache, F. & Dezert, J. (2005). Proportional conflict redistribution rules for
    information fusion. arXiv:cs/0408064.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> pcr1(m1, m2)
    MassFunction on {a, b}
      {a}     0.3125
      {b}     0.3125
      {a, b}  0.375
    """
    check_sources(m1, m2, *more)
    refuse_subnormal("PCR1", m1, m2, *more)
    return lefevre(m1, m2, *more, share=mixing)


@combination_rule
def pcr2(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 2: the conflict goes to the sets involved.

    m(X) = m∩(X) + κ c(X) / e for X in some partial conflict, where c(X) = m1(X) + ... + mS(X) is
    the column sum and e is the sum of c over these sets.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If the sources can choose too many different collections of focal sets.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    The vacuous mass function is neutral.

    References
    ----------
    Smarandache & Dezert (2005), as for `pcr1`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> pcr2(m1, m2)
    MassFunction on {a, b}
      {a}     0.375
      {b}     0.375
      {a, b}  0.25
    """
    return lefevre(*sides_of("PCR2", (m1, m2, *more)).sources, share=_involved)


@combination_rule
def pcr3(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 3: each conflict to its sets, by column sums.

    A partial conflict X1, ..., XS returns to its minimal sets, in proportion to the column
    sums c(X) = m1(X) + ... + mS(X).

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If the sources can choose too many different collections of focal sets.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    The vacuous mass function is neutral. The cost grows with the number of different
    collections of sets, one focal set of each source.

    References
    ----------
    Smarandache & Dezert (2005), as for `pcr1`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.75, frame: 0.25})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.25, frame: 0.75})
    >>> m = pcr3(m1, m2)  # the conflict 3/16 is shared as 3 to 1
    >>> m.mass("a") - (m1 & m2).mass("a"), m.mass("b") - (m1 & m2).mass("b")
    (0.140625, 0.046875)
    """
    sides = sides_of("PCR3", (m1, m2, *more))
    returned = np.zeros_like(sides.columns)
    for rows, disputes in sides.blocks():
        returned[:, rows] = disputes.returned(sides.columns[:, rows])
    return _result(sides, returned)


@combination_rule
def pcr4(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 4: each conflict by conjunctive masses.

    As `pcr3`, but in proportion to the conjunctive masses m∩(X), or to the column sums if one of
    these masses is zero.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If the sources can choose too many different collections of focal sets.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    The vacuous mass function is neutral. The cost grows with the number of different
    collections of sets, one focal set of each source.

    References
    ----------
    Smarandache & Dezert (2005), as for `pcr1`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1, 2), "b": Fraction(1, 2)})
    >>> m2 = MassFunction.from_dict(frame, {"a": Fraction(3, 4), "b": Fraction(1, 4)})
    >>> pcr4(m1, m2)  # two conflicts, 1/8 and 3/8, are shared as 3 to 1
    MassFunction on {a, b}
      {a}  3/4
      {b}  1/4
    """
    sides = sides_of("PCR4", (m1, m2, *more))
    values, logs = _agreed(sides)
    zero = np.asarray(values == 0, dtype=bool) if logs is None else np.isneginf(logs)
    returned = np.zeros_like(sides.columns)
    for rows, disputes in sides.blocks():
        lacking = disputes.totals(zero[:, rows]) > 0
        returned[:, rows] = disputes.returned(sides.columns[:, rows], lacking)
        if logs is None:
            returned[:, rows] += disputes.returned(values[:, rows], ~lacking)
        else:
            returned[:, rows] += _by_logarithms(disputes, logs[:, rows], ~lacking)
    return _result(sides, returned)


def _result(sides: Sides, returned: NDArray[Any]) -> MassFunction:
    """Conjunctive combination plus what the sets (U, rows) receive from the conflicts."""
    back = returned.reshape(len(sides.sets), *sides.batch)
    agreed = conjunctive(*sides.sources)
    return collect(agreed.frame, nonempty(agreed), (sides.sets, back))


def _involved(*sources: MassFunction) -> MassFunction:
    """Normalized column sums of the sets that take part in some conflict (zero if none does)."""
    sides = Sides("PCR2", sources)
    columns = sides.columns
    involved = np.zeros(columns.shape, dtype=bool)
    for rows, disputes in sides.blocks(happen=True):
        involved[:, rows] = setwise.weighted_sum(disputes.least.T, disputes.masses) > 0
    total = np.where(involved, columns, 0).sum(axis=0)
    total = np.where(np.asarray(total == 0, dtype=bool), 1, total)
    store = np.where(involved, columns / total, 0)
    shaped = store.reshape(len(sides.sets), *sides.batch)
    return MassFunction.from_store(sources[0].frame, sides.sets, shaped)


def _by_logarithms(disputes: Disputes, logs: NDArray[Any], chosen: NDArray[Any]) -> NDArray[Any]:
    """The share of each set (U, rows), proportional to numbers that floats may not hold.

    The numbers are given as logarithms (U, rows), relative to the largest of their dispute.
    """
    least = disputes.least[:, :, np.newaxis]
    top = np.where(least, logs, -np.inf).max(axis=1, initial=-np.inf)
    top = np.where(np.isneginf(top), 0, top)
    shares = np.where(least, np.exp(np.minimum(logs - top[:, np.newaxis], 0)), 0)
    total = shares.sum(axis=1)
    rate = np.where(chosen, disputes.masses, 0) / np.where(total == 0, 1, total)
    return np.asarray((shares * rate[:, np.newaxis]).sum(axis=0))


def _agreed(sides: Sides) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Conjunctive masses (U, rows) of the sets, and their logarithms where they may underflow."""
    agreed = conjunctive(*sides.sources)
    values = sides.spread(agreed.focal, agreed.store)
    if values.dtype == object or _least_product(sides.sources) >= SMALL_TOTAL:
        return values, None
    parts = [(m.focal, logarithms(stretch(m.store, sides.batch))) for m in sides.sources]
    focal, logs = reduce(log_agreement, parts)
    known = np.isin(focal, sides.sets)
    result = np.full(values.shape, -np.inf)
    result[np.searchsorted(sides.sets, focal[known])] = logs[known].reshape(-1, values.shape[1])
    return values, result


def _least_product(sources: tuple[MassFunction, ...]) -> float:
    """Smallest product of positive masses, one of each source."""
    return math.prod(float(m.store.min(initial=1, where=m.store > 0)) for m in sources)
