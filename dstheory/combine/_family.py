"""Combination of one mass function with many simple ones, in a closed family of sets.

Combining with a simple mass function on A moves part of the mass of each set B to B ∩ A. In a
family closed under intersection no new sets appear and nothing is sorted: each step is a table
lookup and a sum of non-negative numbers, so no digits cancel.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import bits
from dstheory.kernels.limits import check_cost

__all__ = ["closure", "moved_in_family"]

# Families up to this size are found in seconds; weights on them take 2^34 comparisons.
_MAX_FAMILY = 1 << 17
# Moves of mass between two sets; 2 * 10^8 take a second.
_MAX_MOVES = 1 << 33
# A table of places of 2^24 sets takes 64 MiB.
_MAX_TABLE_BITS = 24
_ADVICE = (
    "approximate the sources (dstheory.approximate), merge labels (revise.coarsen), or use a rule "
    "without weights"
)


def closure(found: NDArray[Any], masks: Iterable[Any]) -> NDArray[Any]:
    """Closure under intersection of the closed family `found` and more sets; ascending."""
    for mask in masks:
        place = np.searchsorted(found, mask)
        if found[place] != mask:  # else its intersections are known too
            found = bits.distinct(np.concatenate([found, found & mask]))
            task = "a rule on canonical weights"
            check_cost(len(found), _MAX_FAMILY, task, "or more intersections of sets", _ADVICE)
    return found


def moved_in_family(
    family: NDArray[Any],
    store: NDArray[np.float64],
    sets: NDArray[Any],
    kept: NDArray[np.float64],
    moved: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Masses (G, rows) after each set (C,) has taken its share `moved` (C, rows)."""
    n_moves = len(sets) * store.size
    task = f"a rule on canonical weights of {len(sets):,} sets in {store.shape[1]:,} rows"
    check_cost(n_moves, _MAX_MOVES, task, "moves of mass", _ADVICE)
    columns = [np.ascontiguousarray(column) for column in store.T]
    places = _Places(family)
    for mask, stays, goes in zip(sets, kept, moved, strict=True):
        if goes.any():
            target = places.of(family & mask)
            columns = [
                stay * column + np.bincount(target, go * column, len(family))
                for column, stay, go in zip(columns, stays, goes, strict=True)
            ]
    return np.stack(columns, axis=1) if columns else store


class _Places:
    """Positions of sets in a family; a lookup table if the frame is small enough."""

    def __init__(self, family: NDArray[Any]) -> None:
        self.family = family
        self.table: NDArray[np.int32] | None = None
        if family.dtype != object and int(family[-1]).bit_length() <= _MAX_TABLE_BITS:
            self.table = np.zeros(int(family[-1]) + 1, dtype=np.int32)
            self.table[family] = np.arange(len(family))

    def of(self, sets: NDArray[Any]) -> NDArray[Any]:
        """Positions (G,) of sets of the family."""
        if self.table is None:
            return np.searchsorted(self.family, sets)
        return np.asarray(self.table[sets])
