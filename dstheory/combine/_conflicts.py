"""Partial conflicts: choices of one focal set a source that have nothing in common.

Which sets stand against each other does not depend on masses, so it is found once, in
blocks of arrays, and serves every row of a batch.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import bits

__all__ = ["Conflict", "conflicts"]

# Choices examined at once; for four sources the masks take 128 KiB.
_BLOCK_CHOICES = 1 << 12


@dataclass(frozen=True)
class Conflict:
    """A block of T partial conflicts of S sources.

    Attributes
    ----------
    index : (S, T) array
        Position of the chosen set among the focal sets of its source.
    sets : (S, T) array of masks
        The chosen sets; the intersection of each column is empty.
    """

    index: NDArray[np.intp]
    sets: NDArray[Any]

    def first(self) -> NDArray[np.bool_]:
        """Whether no earlier source chose the same set, (S, T)."""
        new = np.ones(self.sets.shape, dtype=bool)
        for i, earlier in np.ndindex(len(new), len(new)):
            if earlier < i:
                new[i] &= np.asarray(self.sets[i] != self.sets[earlier], dtype=bool)
        return new

    def products(self, masses: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """For each source the product (T, rows) of the masses of all that chose its set."""
        result = list(masses)
        for i, other in np.ndindex(len(masses), len(masses)):
            if i != other:
                same = np.asarray(self.sets[i] == self.sets[other], dtype=bool)
                result[i] = result[i] * np.where(same[:, np.newaxis], masses[other], 1)
        return result

    def kept(self) -> NDArray[np.bool_]:
        """Keeping index (S, T): which sets take part in the conflict (Dezert et al., eq. 23)."""
        size = bits.cardinality(self.sets.ravel()).reshape(self.sets.shape)
        holds = np.ones(self.sets.shape, dtype=bool)  # contains all that are no larger
        for i, other in np.ndindex(len(holds), len(holds)):
            inside = np.asarray((self.sets[i] & self.sets[other]) == self.sets[other], dtype=bool)
            holds[i] &= inside | (size[other] > size[i])
        kept = np.zeros(self.sets.shape, dtype=bool)
        for i, larger in np.ndindex(len(kept), len(kept)):
            kept[i] |= ~holds[larger] & (size[larger] >= size[i])
        return kept


def conflicts(focals: list[NDArray[Any]]) -> Iterator[Conflict]:
    """All partial conflicts of sources with these focal sets, in blocks.

    Examples
    --------
    >>> [block] = conflicts([np.array([1, 3]), np.array([2, 3])])
    >>> block.sets
    array([[1],
           [2]])
    """
    shape = tuple(map(len, focals))
    for start in range(0, math.prod(shape), _BLOCK_CHOICES):
        numbers = np.arange(start, min(start + _BLOCK_CHOICES, math.prod(shape)))
        index = np.stack(np.unravel_index(numbers, shape))
        sets = np.stack([focal[i] for focal, i in zip(focals, index, strict=True)])
        against = np.asarray(reduce(np.bitwise_and, sets) == 0, dtype=bool)
        if against.any():
            yield Conflict(index[:, against], sets[:, against])
