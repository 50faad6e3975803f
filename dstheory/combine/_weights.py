"""Canonical conjunctive weights on the few sets where they can differ from one.

A non-dogmatic mass function is the conjunctive combination of simple ones, A with weight
w(A) for the frame (Smets 1995; Denoeux 2008). A weight can differ from 1 only on intersections of
focal sets, so no tables of all 2^K sets are needed and large frames work. Weights of floating-point
masses are stored as ln w, which never overflows; those of exact masses are stored as they are.
Lowering a weight is combining with a simple mass function: it takes only products and sums of
non-negative numbers, so no digits cancel.

Combination of one mass function with many simple ones, in a closed family of sets.

Combining with a simple mass function on A moves part of the mass of each set B to B ∩ A. In a
family closed under intersection no new sets appear and nothing is sorted: each step is a table
lookup and a sum of non-negative numbers, so no digits cancel.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import sub, truediv
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Scalar
from dstheory.combine.sources import nonempty
from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import added_up, blocks, flattened, placed, stretch
from dstheory.kernels.limits import check_cost, check_fold
from dstheory.kernels.orthogonal import (
    Agreed,
    least_positive,
    log_fold,
    normalized,
    normalized_logs,
)
from dstheory.kernels.pairwise import SMALL_TOTAL, combine_pairs, logarithms
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction

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
    places_of = _places_in(family)
    for mask, stays, goes in zip(sets, kept, moved, strict=True):
        if goes.any():
            target = places_of(family & mask)
            columns = [
                stay * column + np.bincount(target, go * column, len(family))
                for column, stay, go in zip(columns, stays, goes, strict=True)
            ]
    return np.stack(columns, axis=1) if columns else store


def _places_in(family: NDArray[Any]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """A function to positions of sets in a family, by a table if the frame is small enough."""
    if family.dtype == object or int(family[-1]).bit_length() > _MAX_TABLE_BITS:
        return lambda sets: np.searchsorted(family, sets)
    table = np.zeros(int(family[-1]) + 1, dtype=np.int32)
    table[family] = np.arange(len(family))
    return table.__getitem__


# Below this, pairs of sets are sorted set by set, which is as fast for few sets.
_MANY_SETS = 1 << 9
# So few sets have at most 2^12 intersections with each focal set.
_FEW_MOVES = 12
# ln w of a weight of zero is below this (see `_norms`).
_LEAST_LOG = -1e299
# Pairs of a set and a focal set compared at once.
_BLOCK_PAIRS = 1 << 22

Operation = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]
_Move = tuple[int, NDArray[Any], NDArray[Any]]


def intersections(*sources: MassFunction) -> NDArray[Any]:
    """All intersections of focal sets and of the frame, ascending masks (C,)."""
    frame = sources[0].frame
    found = bits.mask_array([frame.full], len(frame))
    for source in sources:
        found = closure(found, source.focal)
    return found


def commonalities(m: MassFunction, sets: NDArray[Any]) -> NDArray[Any]:
    """q(A) of each of the sets, (C, *batch)."""
    parts = blocks(len(sets), _BLOCK_PAIRS // max(1, len(m.focal)))
    inside = (_inside(sets[part], m.focal) for part in parts)
    return np.concatenate([setwise.weighted_sum(one, m.store) for one in inside])


def _inside(sets: NDArray[Any], focal: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each set (C,) is a subset of each focal set, (C, F)."""
    meets = np.bitwise_and.outer(sets, focal)
    return np.asarray(meets == sets[:, np.newaxis], dtype=bool)


def lacks_ignorance(m: MassFunction) -> NDArray[np.bool_]:
    """Rows in which the frame has no mass; floats there can be -1e-17."""
    mass = m.mass(mask=m.frame.full)
    return np.asarray(mass == 0 if m.store.dtype == object else mass <= 0, dtype=bool)


def sparse_weights(m: MassFunction, number: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sets (C,) and w (C, *batch), or ln w of floats; all other sets have weight 1.

    The product of w(B) over the proper subsets B of the frame that contain A is
    q(frame) / q(A); it is solved from the largest sets down. The frame itself gets 1.
    """
    sets = intersections(m)
    fault = f"source {number} is dogmatic (m(frame) = 0) and has no conjunctive weights"
    advice = "discount it first"
    refuse_rows(lacks_ignorance(m), fault, advice)
    q = commonalities(m, sets)
    if q.dtype == object:
        return sets, differences(sets, q[-1] / q, np.multiply, truediv)
    return sets, differences(sets, np.log(q[-1]) - np.log(q))


def differences(
    sets: NDArray[Any], totals: NDArray[Any], add: np.ufunc = np.add, take: Operation = sub
) -> NDArray[Any]:
    """Values (C, *batch) whose sums over the supersets among `sets` are `totals`.

    They are quotients, whose products are the totals, with `add` multiply and `take` divide.
    """
    values = totals.copy()
    for place in range(len(sets) - 2, -1, -1):
        larger = np.asarray((sets[place + 1 :] & sets[place]) == sets[place], dtype=bool)
        values[place] = take(values[place], add.reduce(values[place + 1 :][larger], axis=0))
    return values


def with_weights(sources: tuple[MassFunction, ...], operation: Operation) -> MassFunction:
    """The mass function whose weights are those of the sources, combined by `operation`.

    The operation works on ln w of floats, on w of exact masses, and never exceeds the
    smaller weight.
    """
    sets, parts = common_weights(sources)
    return lowered(sources[0], sets, _factors(parts, operation))


def common_weights(sources: Sequence[MassFunction]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Sets (C,) and, for each source, w or ln w on all of them, as `sparse_weights`."""
    parts = [sparse_weights(m, number) for number, m in enumerate(sources, start=1)]
    sets = np.unique(np.concatenate([part[0] for part in parts]))
    return sets, [_spread(sets, *part) for part in parts]


def joined_normalized(
    source: MassFunction,
    sets: NDArray[Any],
    parts: Sequence[NDArray[Any]],
    operation: Operation,
) -> Agreed:
    """As `with_weights`, from the weights of all sources and the first source, and normalized.

    It is correct even if all masses but that of the empty set underflow.
    """
    factors = _factors(parts, operation)
    if factors.dtype == object:
        focal, store = nonempty(lowered(source, sets, factors))
        return normalized(focal.copy(), store)
    return _lowered_normalized(source, sets, factors)


def _factors(parts: Sequence[NDArray[Any]], operation: Operation) -> NDArray[Any]:
    """Factors for the weights of the first source; logarithms for floats."""
    first, *others = parts
    weights = first
    for other in others:
        weights = operation(*align(weights, other))
    first, weights = align(first, weights)
    return np.asarray(weights / first if weights.dtype == object else weights - first)


def _spread(sets: NDArray[Any], own: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    one: Scalar = Fraction(1) if weights.dtype == object else 0.0
    result = np.full((len(sets), *weights.shape[1:]), one)
    result[np.searchsorted(sets, own)] = weights
    return result


def align(one: NDArray[Any], two: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both with the same number of batch axes, new ones in front."""
    n_axes = max(one.ndim, two.ndim)
    return _with_axes(one, n_axes), _with_axes(two, n_axes)


def _with_axes(values: NDArray[Any], n_axes: int) -> NDArray[Any]:
    return values.reshape(len(values), *(1,) * (n_axes - values.ndim), *values.shape[1:])


def lowered(m: MassFunction, sets: NDArray[Any], factors: NDArray[Any]) -> MassFunction:
    """`m` with its weights on `sets` multiplied by factors (C, *batch) from 0 to 1.

    Factors are given as logarithms, unless they are exact.
    """
    if factors.dtype != object and m.store.dtype != object and len(sets) > _MANY_SETS:
        return _lowered_in_family(m, sets, factors)
    frame, focal, store = m.frame, m.focal, stretch(m.store, factors.shape[1:])
    for mask, kept, moved in _moves(m, sets, factors):
        pair = bits.mask_array([mask, frame.full], len(frame))
        focal, store = combine_pairs(focal, store, pair, np.stack([moved, kept]), np.bitwise_and)
    return MassFunction.from_store(frame, focal.copy(), np.array(store, order="C"))


def _moves(m: MassFunction, sets: NDArray[Any], factors: NDArray[Any]) -> list[_Move]:
    """Sets that take mass, with the shares that stay and go; refuse too many intersections."""
    full, size = m.frame.full, len(m.frame)
    moves = [
        (mask, *shares)
        for mask, shares in zip(sets.tolist(), map(_simple, factors), strict=True)
        if mask != full and np.asarray(shares[1] != 0, dtype=bool).any()
    ]
    if len(moves) > _FEW_MOVES:
        pairs = [bits.mask_array([mask, full], size) for mask, _, _ in moves]
        exact = object in (factors.dtype, m.store.dtype)
        check_fold("a rule on canonical weights", [m.focal, *pairs], size, exact=exact)
    return moves


def _lowered_in_family(
    m: MassFunction, sets: NDArray[Any], logs: NDArray[np.float64]
) -> MassFunction:
    """The same for many sets: see `_family`."""
    batch, full = logs.shape[1:], m.frame.full
    rows = math.prod(batch)
    flat = logs.reshape(len(sets), rows)
    # Larger sets first: they are known before the intersections that they make.
    largest = np.unique(np.concatenate([sets, m.focal]))[::-1]
    family = closure(bits.mask_array([full], len(m.frame)), largest)
    store = placed(family, m.focal, flattened(m.store, batch))
    proper = np.asarray(sets != full, dtype=bool)
    store = moved_in_family(family, store, sets[proper], *_simple(flat[proper]))
    reached = store.any(axis=1) if rows else np.ones(len(family), dtype=bool)
    masses = store[reached].reshape(reached.sum(), *batch)
    return MassFunction.from_store(m.frame, family[reached], masses)


def _lowered_normalized(m: MassFunction, sets: NDArray[Any], logs: NDArray[np.float64]) -> Agreed:
    """`lowered`, normalized: without the empty set, whose mass never moves again."""
    focal, store = nonempty(m, logs.shape[1:])
    moves = _moves(m, sets, logs)
    if least_positive(store) * _least_share(logs) < SMALL_TOTAL:
        parts = [_log_pair(m, mask, log) for mask, log in zip(sets.tolist(), logs, strict=True)]
        return normalized_logs(*log_fold([(focal, logarithms(store)), *parts])[:2])
    for mask, kept, moved in moves:
        hit = np.asarray((focal & mask) != 0, dtype=bool)
        focal, store = added_up((focal, kept * store), (focal[hit] & mask, moved * store[hit]))
    return normalized(focal.copy(), store)


def _least_share(logs: NDArray[np.float64]) -> float:
    """The least product of positive shares, one for each set; 0 if it underflows."""
    kept, moved = _simple(logs)
    kept = np.where(logs > _LEAST_LOG, kept, 1.0)  # exp underflows, but only nothing is 0
    least = np.minimum(kept, np.where(moved > 0, moved, 1.0))
    return float(least.prod(axis=0).min(initial=1.0))


def _log_pair(
    m: MassFunction, mask: int, log: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """A simple mass function on a set, and ln of its masses, from ln of its weight."""
    if mask == m.frame.full:
        return bits.mask_array([mask], len(m.frame)), np.zeros((1, *log.shape))
    log = np.minimum(log, 0)
    kept, moved = np.where(log > _LEAST_LOG, log, -np.inf), logarithms(-np.expm1(log))
    return bits.mask_array([mask, m.frame.full], len(m.frame)), np.stack([moved, kept])


def _simple(factor: Any) -> tuple[Any, Any]:
    """Masses of the frame and of the set in the simple mass function with this weight."""
    if np.asarray(factor).dtype == object:
        return factor, 1 - factor
    log = np.minimum(factor, 0)  # rounding can leave a weight above the first one
    return np.exp(log), -np.expm1(log)
