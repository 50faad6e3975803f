"""Partial conflicts: choices of one focal set per source with an empty intersection.

Which sets conflict does not depend on masses, so the conflicts are found once, in blocks of arrays,
for all rows of a batch. The rules of the PCR family differ only in what share of a conflict its
sets claim.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, collect
from dstheory.combine._boolean import conjunctive
from dstheory.combine.sources import any_exact, check_sources, nonempty, refuse_subnormal
from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction

__all__ = ["Claims", "Conflict", "n_choices", "only", "redistribute"]

# Choices examined at a time; for four sources the masks take 128 KiB.
_BLOCK_CHOICES = 1 << 12
# Values held at once, in a block of conflicts times rows: the fastest of 2^13 to 2^17
# (10^5 pairs of 15 focal sets: 113 ms; 138 ms with 2^13 or 2^17).
_BLOCK_VALUES = 1 << 16
# PCR5 takes 10^6 choices a second, 10^8 in a batch, and 5,000 of fractions.
_MAX_CHOICES = 1 << 26
_MAX_VALUES = 1 << 33
_MAX_EXACT = 1 << 20


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

    @cached_property
    def first(self) -> NDArray[np.bool_]:
        """Whether no earlier source chose the same set, (S, T)."""
        new = np.ones(self.sets.shape, dtype=bool)
        for i, earlier in np.ndindex(len(new), len(new)):
            if earlier < i:
                new[i] &= np.asarray(self.sets[i] != self.sets[earlier], dtype=bool)
        return new

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Keeping index (S, T): whether a set takes part in the conflict (Dezert et al. 2021)."""
        size = bits.cardinality(self.sets.ravel()).reshape(self.sets.shape)
        holds = np.ones(self.sets.shape, dtype=bool)  # contains every set that is not larger
        for i, other in np.ndindex(len(holds), len(holds)):
            inside = np.asarray((self.sets[i] & self.sets[other]) == self.sets[other], dtype=bool)
            holds[i] &= inside | (size[other] > size[i])
        kept = np.zeros(self.sets.shape, dtype=bool)
        for i, larger in np.ndindex(len(kept), len(kept)):
            kept[i] |= ~holds[larger] & (size[larger] >= size[i])
        return kept

    def products(self, masses: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """For each source, the product (T, rows) of the masses of all that chose its set."""
        result = list(masses)
        for i, other in np.ndindex(len(masses), len(masses)):
            same = np.asarray(self.sets[i] == self.sets[other], dtype=bool)
            if i != other and same.any():
                result[i] = result[i] * np.where(same[:, np.newaxis], masses[other], 1)
        return result


Claims = Callable[[Conflict, list[NDArray[Any]], slice], list[NDArray[Any]]]


def only(claims: list[NDArray[Any]], entitled: NDArray[np.bool_]) -> list[NDArray[Any]]:
    """The claims (T, rows) of the entitled sets (S, T); the others are 0."""
    return [
        claim if takes.all() else np.where(takes[:, np.newaxis], claim, 0)
        for claim, takes in zip(claims, entitled, strict=True)
    ]


def redistribute(rule: str, sources: tuple[MassFunction, ...], claims: Claims) -> MassFunction:
    """Conjunctive combination with each partial conflict redistributed in proportion to `claims`.

    `claims(block, masses, rows)` returns an array (T, rows) for each source.
    """
    frame = check_sources(*sources)
    refuse_subnormal(rule, *sources)
    _check_choices(rule, sources)
    batch = batch_of(*sources)
    returned = [np.zeros((len(m.focal), math.prod(batch)), dtype=m.store.dtype) for m in sources]
    for block, masses, rows in _row_blocks(sources):
        for total, share, index in zip(
            returned, _shares(masses, claims(block, masses, rows)), block.index, strict=True
        ):
            receivers = index == np.arange(len(total))[:, np.newaxis]
            total[:, rows] += setwise.weighted_sum(receivers, share)
    back = [(m.focal, r.reshape(len(r), *batch)) for m, r in zip(sources, returned, strict=True)]
    return collect(frame, nonempty(conjunctive(*sources)), *back)


def n_choices(sources: tuple[MassFunction, ...]) -> int:
    """Number of choices of one focal set per source."""
    return math.prod(len(source.focal) for source in sources)


def _check_choices(rule: str, sources: tuple[MassFunction, ...]) -> None:
    """Refuse what would take more than a minute (a few minutes for exact masses)."""
    choices, rows = n_choices(sources), math.prod(batch_of(*sources))
    if any_exact(sources):
        task, advice = f"{rule} of {len(sources)} exact sources", "convert masses to float"
        check_cost(choices * rows, _MAX_EXACT, task, "choices of focal sets", advice)
    advice = "approximate the sources (dstheory.approximate), or combine in several steps"
    if rule != "PCR6":
        advice = f"use pcr6, {advice}"
    task = f"{rule} of {len(sources)} sources"
    check_cost(choices, _MAX_CHOICES, task, "choices of focal sets", advice)
    task = f"{rule} of {len(sources)} sources in {rows:,} rows"
    check_cost(choices * rows, _MAX_VALUES, task, "choices of focal sets", advice)


def _row_blocks(
    sources: tuple[MassFunction, ...],
) -> Iterator[tuple[Conflict, list[NDArray[Any]], slice]]:
    """Blocks of conflicts, with the masses (T, rows) of their sets for blocks of rows."""
    batch = batch_of(*sources)
    n_rows = math.prod(batch)
    stores = [stretch(source.store, batch).reshape(len(source.focal), n_rows) for source in sources]
    for block in _conflicts([source.focal for source in sources]):
        step = max(1, _BLOCK_VALUES // block.index.shape[1])
        for start in range(0, n_rows, step):
            rows = slice(start, start + step)
            yield block, [s[i, rows] for s, i in zip(stores, block.index, strict=True)], rows


def _shares(masses: list[NDArray[Any]], claims: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """What the set of each source receives (T, rows) from each of the T conflicts."""
    total = sum(claims[1:], start=claims[0])
    # Where nothing is claimed, a source gave its set no mass, and there is nothing to share.
    per_claim = reduce(mul, masses) / np.where(np.asarray(total == 0, dtype=bool), 1, total)
    return [claim * per_claim for claim in claims]


def _conflicts(focals: list[NDArray[Any]]) -> Iterator[Conflict]:
    """All partial conflicts of sources with these focal sets, in blocks.

    Examples
    --------
    >>> [block] = _conflicts([np.array([1, 3]), np.array([2, 3])])
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
