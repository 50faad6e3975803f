"""Partial conflicts, grouped by the collection of sets in conflict.

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
from dstheory.combine.sources import check_sources, refuse_subnormal
from dstheory.kernels import bits, pairwise, setwise
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction

__all__ = ["Disputes", "Sides", "sides_of"]

# Collections times rows held at once: the fastest of 2^14 to 2^20 (bench_combine.py).
_BLOCK_VALUES = 1 << 16
# Pairs of a collection and a focal set: 2^26 take some ten seconds a block of rows.
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

    def returned(self, values: NDArray[Any], chosen: Any = True) -> NDArray[Any]:
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
        values = stretch(store, self.batch).reshape(len(focal), math.prod(self.batch))
        result = np.zeros((len(self.sets), values.shape[1]), dtype=store.dtype)
        result[np.searchsorted(self.sets, focal[known])] = values[known]
        return result

    @cached_property
    def columns(self) -> NDArray[Any]:
        """Column sums c(X) = m1(X) + ... + mS(X), (U, rows)."""
        spread = [self.spread(source.focal, source.store) for source in self.sources]
        return np.asarray(sum(spread[1:], start=spread[0]))

    def blocks(self, *, happen: bool = False) -> Iterator[tuple[slice, Disputes]]:
        """Disputes, one block of rows at a time; masses 1 (possible) or 0 with `happen`."""
        step = max(1, _BLOCK_VALUES // self._count())
        codes = [self._codes(source) for source in self.sources]
        n_rows = math.prod(self.batch)
        for start in range(0, n_rows, step):
            rows = slice(start, min(start + step, n_rows))
            yield rows, self._disputes([(code, self._rows(m, rows)) for code, m in codes], happen)

    def _codes(self, source: MassFunction) -> tuple[NDArray[Any], MassFunction]:
        places = np.searchsorted(self.sets, source.focal).tolist()
        return bits.mask_array((1 << place for place in places), len(self.sets)), source

    def _rows(self, source: MassFunction, rows: slice) -> NDArray[Any]:
        store = stretch(source.store, self.batch)
        return store.reshape(len(store), math.prod(self.batch))[:, rows]

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

    def _disputes(self, parts: list[tuple[NDArray[Any], NDArray[Any]]], happen: bool) -> Disputes:
        if happen:
            parts = [(code, np.asarray(store != 0, dtype=np.float64)) for code, store in parts]
        found = reduce(_happening if happen else _united, parts)
        chosen = bits.members(found[0], len(self.sets)).T
        against = _meets(chosen, self.sets) == 0
        chosen, masses = chosen[np.asarray(against, dtype=bool)], found[1][against]
        return Disputes(chosen & ~_contain_another(chosen, self.sets), masses)


def sides_of(rule: str, sources: tuple[MassFunction, ...]) -> Sides:
    """The sources of a rule that needs them normalized, after a check."""
    check_sources(*sources)
    refuse_subnormal(rule, *sources)
    return Sides(rule, sources)


_Part = tuple[NDArray[Any], NDArray[Any]]


def _united(one: _Part, two: _Part) -> _Part:
    return pairwise.combine_pairs(*one, *two, np.bitwise_or)


def _happening(one: _Part, two: _Part) -> _Part:
    codes, counts = _united(one, two)
    return codes, np.minimum(counts, 1)


def _meets(chosen: Bool, sets: NDArray[Any]) -> NDArray[Any]:
    """Intersection (D,) of the sets of each collection (D, U)."""
    everything = np.bitwise_or.reduce(sets)
    met = np.full(len(chosen), everything, dtype=sets.dtype)
    for column, mask in zip(chosen.T, sets, strict=True):
        met[column] &= mask
    return met


def _contain_another(chosen: Bool, sets: NDArray[Any]) -> Bool:
    """Which sets contain another set of their collection, (D, U)."""
    inside = np.asarray(np.bitwise_and.outer(sets, sets) == sets[:, np.newaxis], dtype=bool)
    np.fill_diagonal(inside, False)
    return (chosen.astype(np.float32) @ inside.astype(np.float32)) > 0
