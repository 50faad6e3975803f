"""The first four proportional conflict redistribution rules, kept for comparison.

PCR1 and PCR2 share out the whole conflict at once; PCR3 and PCR4 share out each partial conflict.
Shares are proportional to the sum of the masses that all sources give to a set (its column sum) or,
in PCR4, to its conjunctive mass. A set that contains another set of the same partial conflict takes
no part in it. Smarandache & Dezert 2005, who recommend PCR5 or PCR6 instead.

Partial conflicts, grouped by the collection of sets in conflict.

If the share of a set in a conflict does not depend on who chose it, the choices of one focal set
per source need not be listed: all choices of the same collection {X, Y, ...} are one dispute. With
one bit for each focal set of any source, a collection is the union of what the sources choose. So
one disjunctive combination gives the masses of all disputes.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of
from dstheory.combine._average import mixing
from dstheory.combine._boolean import conjunctive
from dstheory.combine._global_conflict import lefevre
from dstheory.combine._pcr import with_agreement
from dstheory.combine.sources import combination_rule, refuse_subnormal
from dstheory.kernels import bits, pairwise, setwise
from dstheory.kernels.batches import blocks, flattened, placed, stretch
from dstheory.kernels.limits import check_cost
from dstheory.kernels.orthogonal import least_positive
from dstheory.kernels.pairwise import SMALL_TOTAL, log_agreement, logarithms
from dstheory.mass import MassFunction

# Collections times rows held at once: the fastest of 2^14 to 2^20 (bench_combine.py).
_BLOCK_VALUES = 1 << 16
# Pairs of a collection and a focal set: 2^26 take some ten seconds.
_MAX_PAIRS = 1 << 26

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Disputes:
    """Collections of sets whose intersection is empty.

    Attributes
    ----------
    least : (D, U) array
        Which of the U sets take part: the sets of the collection that contain no other set of it.
    masses : (D, rows) array
        Mass of all choices of each collection.
    """

    least: Bool
    masses: NDArray[Any]

    def totals(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum of values (U, rows) over the sets that take part, (D, rows)."""
        return setwise.weighted_sum(self.least, values)

    def returned(self, values: NDArray[Any], chosen: Bool | bool = True) -> NDArray[Any]:
        """What each set receives (U, rows) from the chosen disputes, in proportion to values."""
        totals = self.totals(values)
        # Where the total is zero, so is the mass: no source has any on these sets.
        rate = self.masses / np.where(np.asarray(totals == 0, dtype=bool), 1, totals)
        return np.asarray(setwise.weighted_sum(self.least.T, np.where(chosen, rate, 0)) * values)


@dataclass(frozen=True)
class Sides:
    """Normalized sources over the U sets that are focal in at least one of them."""

    rule: str
    sources: tuple[MassFunction, ...]

    def __post_init__(self) -> None:
        refuse_subnormal(self.rule, *self.sources)

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """The common batch shape."""
        return batch_of(*self.sources)

    @cached_property
    def sets(self) -> NDArray[Any]:
        """Masks (U,), ascending."""
        return np.unique(np.concatenate([source.focal for source in self.sources]))

    def spread(self, focal: NDArray[Any], store: NDArray[Any]) -> NDArray[Any]:
        """Values (U, rows) on these sets, 0 where none is given; other sets are dropped."""
        known = np.isin(focal, self.sets)
        return placed(self.sets, focal[known], flattened(store, self.batch)[known])

    @cached_property
    def columns(self) -> NDArray[Any]:
        """Column sums c(X) = m1(X) + ... + mS(X), (U, rows)."""
        spread = [self.spread(source.focal, source.store) for source in self.sources]
        return np.asarray(sum(spread[1:], start=spread[0]))

    def disputes(self, *, happen: bool = False) -> Iterator[tuple[slice, Disputes]]:
        """Disputes, one block of rows at a time; masses 1 (possible) or 0 with `happen`."""
        size = _BLOCK_VALUES // self._count()
        against, least, steps = self._collections()
        stores = [flattened(source.store, self.batch) for source in self.sources]
        if happen:
            stores = [np.asarray(store != 0, dtype=np.float64) for store in stores]
        for rows in blocks(math.prod(self.batch), size):
            masses = stores[0][:, rows]
            for store, (index, n_sets) in zip(stores[1:], steps, strict=True):
                more = store[:, rows]
                masses = pairwise.pair_sums(masses, more, index, n_sets, more.shape[1])
                masses = np.minimum(masses, 1) if happen else masses
            yield rows, Disputes(least, masses[against])

    def _collections(self) -> tuple[Bool, Bool, list[tuple[NDArray[np.intp], int]]]:
        """Which collections are disputes (C,), of whom (D, U), and how pairs add up to them."""
        met, steps = self.sources[0].focal, []
        codes = self._codes(met)
        for source in self.sources[1:]:
            both = np.bitwise_and.outer(met, source.focal).ravel()
            codes, index = pairwise.pair_targets(codes, self._codes(source.focal), np.bitwise_or)
            met = np.empty(len(codes), dtype=both.dtype)
            met[index] = both  # the same for all choices of a collection
            steps.append((index, len(codes)))
        against = np.asarray(met == 0, dtype=bool)
        chosen = bits.members(codes[against], len(self.sets)).T
        return against, chosen & ~_contain_another(chosen, self.sets), steps

    def _codes(self, focal: NDArray[Any]) -> NDArray[Any]:
        """Each set as a collection of one."""
        places = np.searchsorted(self.sets, focal).tolist()
        return bits.mask_array((1 << place for place in places), len(self.sets))

    def _count(self) -> int:
        """Upper bound on the number of collections; refuse too many."""
        counts = [len(source.focal) for source in self.sources]
        found, pairs = 1, 0
        for number, count in enumerate(counts, start=1):
            pairs += found * count
            within = sum(math.comb(len(self.sets), size) for size in range(1, number + 1))
            found = min(found * count, within)
        task = f"{self.rule} of {len(counts)} sources with {len(self.sets)} focal sets"
        advice = "use pcr6, or approximate the sources (dstheory.approximate)"
        check_cost(pairs, _MAX_PAIRS, task, "pairs of a collection and a focal set", advice)
        return max(1, found)


def _contain_another(chosen: Bool, sets: NDArray[Any]) -> Bool:
    """Which sets contain another set of their collection, (D, U)."""
    inside = np.asarray(np.bitwise_and.outer(sets, sets) == sets[:, np.newaxis], dtype=bool)
    np.fill_diagonal(inside, False)
    return (chosen.astype(np.float32) @ inside.astype(np.float32)) > 0


@combination_rule
def pcr1(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine by PCR1, which shares the total conflict among all sets.

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
    refuse_subnormal("PCR1", m1, m2, *more)
    return lefevre(m1, m2, *more, share=mixing)


@combination_rule
def pcr2(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine by PCR2, which shares the total conflict among the sets involved.

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
    return lefevre(m1, m2, *more, share=_involved)


@combination_rule
def pcr3(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine by PCR3, which gives each conflict to its sets in proportion to column sums.

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
    sides = Sides("PCR3", (m1, m2, *more))
    returned = np.zeros_like(sides.columns)
    for rows, disputes in sides.disputes():
        returned[:, rows] = disputes.returned(sides.columns[:, rows])
    return with_agreement(sides.sources, (sides.sets, returned))


@combination_rule
def pcr4(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine by PCR4, which gives each conflict to its sets by conjunctive masses.

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
    sides = Sides("PCR4", (m1, m2, *more))
    values, logs = _agreed(sides)
    zero = np.asarray(values == 0, dtype=bool) if logs is None else np.isneginf(logs)
    returned = np.zeros_like(sides.columns)
    for rows, disputes in sides.disputes():
        lacking = disputes.totals(zero[:, rows]) > 0
        returned[:, rows] = disputes.returned(sides.columns[:, rows], lacking)
        if logs is None:
            returned[:, rows] += disputes.returned(values[:, rows], ~lacking)
        else:
            returned[:, rows] += _by_logarithms(disputes, logs[:, rows], ~lacking)
    return with_agreement(sides.sources, (sides.sets, returned))


def _involved(*sources: MassFunction) -> MassFunction:
    """Normalized column sums of the sets that take part in some conflict (zero if none does)."""
    sides = Sides("PCR2", sources)
    columns = sides.columns
    involved = np.zeros(columns.shape, dtype=bool)
    for rows, disputes in sides.disputes(happen=True):
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
    if values.dtype == object or (
        math.prod(least_positive(m.store) for m in sides.sources) >= SMALL_TOTAL
    ):
        return values, None
    parts = [(m.focal, logarithms(stretch(m.store, sides.batch))) for m in sides.sources]
    focal, logs = reduce(log_agreement, parts)
    known = np.isin(focal, sides.sets)
    result = np.full(values.shape, -np.inf)
    result[np.searchsorted(sides.sets, focal[known])] = logs[known].reshape(-1, values.shape[1])
    return values, result
