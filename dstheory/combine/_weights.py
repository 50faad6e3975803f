"""Canonical conjunctive weights on the few sets where they can differ from one.

A non-dogmatic mass function is the conjunctive combination of simple ones, A with weight
w(A) for the frame (Smets 1995; Denoeux 2008, sec. 2.3). A weight can differ from 1 only on
intersections of focal sets, so tables of all 2^K sets are not needed, and large frames
work. Lowering a weight is combining with a simple mass function: products and sums of
non-negative numbers, which cancel no digits.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.combine._sources import rows_text, stretched
from dstheory.errors import MassError
from dstheory.kernels import bits, setwise
from dstheory.kernels.pairwise import combine_pairs
from dstheory.mass import MassFunction

__all__ = [
    "aligned",
    "combined_weights",
    "commonalities",
    "differences",
    "intersections",
    "lowered",
    "sparse_weights",
]


def intersections(*sources: MassFunction) -> NDArray[Any]:
    """All intersections of focal sets and of the frame, ascending masks (C,)."""
    frame = sources[0].frame
    found = bits.mask_array([frame.full], len(frame))
    known = {frame.full}
    for source in sources:
        for mask in source.focal.tolist():
            if mask not in known:  # else its intersections are known too
                found = np.unique(np.concatenate([found, found & mask]))
                known = set(found.tolist())
    return found


def sparse_weights(m: MassFunction, number: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sets (C,) and their weights (C, *batch); all other sets have weight 1.

    The product of w(B) over the proper subsets B of the frame that contain A is
    q(frame) / q(A); solved from the largest sets down. The frame itself is given 1.
    """
    sets = intersections(m)
    dogmatic = np.asarray(m.mass(mask=m.frame.full) == 0, dtype=bool)
    if dogmatic.any():
        raise MassError(
            f"source {number} is dogmatic, the frame has no mass{rows_text(dogmatic)}, so that "
            "its conjunctive weights do not exist: discount it"
        )
    q = commonalities(m, sets)
    if q.dtype == object:
        return sets, _divided(sets, q[-1] / q)
    # Logarithms, because products of thousands of weights leave the range of floats.
    return sets, np.exp(differences(sets, np.log(q[-1]) - np.log(q)))


def commonalities(m: MassFunction, sets: NDArray[Any]) -> NDArray[Any]:
    """q(A) of each of the sets, (C, *batch)."""
    contains = np.stack([np.asarray((m.focal & mask) == mask, dtype=bool) for mask in sets])
    return setwise.weighted_sum(contains, m.store)


def _larger(sets: NDArray[Any], place: int) -> NDArray[np.bool_]:
    """Which of the sets after `place`, which sort higher, contain the one there."""
    return np.asarray((sets[place + 1 :] & sets[place]) == sets[place], dtype=bool)


def _divided(sets: NDArray[Any], products: NDArray[Any]) -> NDArray[Any]:
    weights = products.copy()
    for place in range(len(sets) - 2, -1, -1):
        weights[place] = weights[place] / weights[place + 1 :][_larger(sets, place)].prod(axis=0)
    return weights


def differences(sets: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    """Values (C, *batch) whose sums over the supersets among `sets` are `sums`."""
    values = sums.copy()
    for place in range(len(sets) - 2, -1, -1):
        values[place] = values[place] - values[place + 1 :][_larger(sets, place)].sum(axis=0)
    return values


def combined_weights(
    sources: tuple[MassFunction, ...], operation: Any
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Sets (C,), weights (C, *batch) of the first source, and of all, by `operation`."""
    parts = [sparse_weights(m, number) for number, m in enumerate(sources, start=1)]
    sets = np.unique(np.concatenate([part[0] for part in parts]))
    first, *others = (_spread(sets, *part) for part in parts)
    weights = first
    for other in others:
        weights = operation(*aligned(weights, other))
    return sets, first, weights


def _spread(sets: NDArray[Any], own: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    one: Any = Fraction(1) if weights.dtype == object else 1.0
    result = np.full((len(sets), *weights.shape[1:]), one)
    result[np.searchsorted(sets, own)] = weights
    return result


def aligned(one: NDArray[Any], two: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both with the same number of batch axes, new ones in front."""
    n_axes = max(one.ndim, two.ndim)
    return _with_axes(one, n_axes), _with_axes(two, n_axes)


def _with_axes(values: NDArray[Any], n_axes: int) -> NDArray[Any]:
    return values.reshape(len(values), *(1,) * (n_axes - values.ndim), *values.shape[1:])


def lowered(
    m: MassFunction, sets: NDArray[Any], weights: NDArray[Any], wanted: NDArray[Any]
) -> MassFunction:
    """`m`, whose weights on `sets` are `weights`, with `wanted` ones, none of them higher."""
    frame, focal, store = m.frame, m.focal, stretched(m, wanted.shape[1:])
    for mask, old, new in zip(sets, *aligned(weights, wanted), strict=True):
        # Rounding may leave a ratio of 1 + 1e-16: equal weights.
        ratio = np.where(np.asarray(new < old, dtype=bool), new / old, 1)
        if mask != frame.full and np.asarray(ratio != 1, dtype=bool).any():
            pair = bits.mask_array([int(mask), frame.full], len(frame))
            simple = np.stack([1 - ratio, ratio])
            focal, store = combine_pairs(focal, store, pair, simple, np.bitwise_and)
    return MassFunction.from_store(frame, focal.copy(), np.array(store, order="C"))
