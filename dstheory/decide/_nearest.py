"""Decide for the set of labels that is nearest to the mass function.

A set stands for its categorical mass function, and the distance is Jousselme's. The nearest set has
the largest mean overlap with the focal sets, so no distance has to be computed (Essaid, Martin,
Smits & Ben Yaghlane 2014, "A distance-based decision in the credal level", AISC 2014).
"""

from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_index
from dstheory.decide._cardinality import ROUNDING, by_size, first_largest
from dstheory.decide._utilities import prepared
from dstheory.kernels import bits, setwise
from dstheory.mass import MassFunction

__all__ = ["nearest_set"]

# All sets of 20 labels, or the sets of at most two of a thousand labels.
_MAX_SETS = 1 << 20
# Overlaps held at once: 32 MiB.
_BLOCK_CELLS = 1 << 22


def nearest_set(m: MassFunction, *, max_size: int | None = None) -> NDArray[np.bool_]:
    """The set of labels whose categorical mass function is nearest, by Jousselme's distance.

    Parameters
    ----------
    m : MassFunction
        m(empty) is ignored.
    max_size : int, optional
        Maximum number of labels in a set. Default: no limit, on frames of at most 20 labels.

    Returns
    -------
    (*batch, K) array of bool
        The labels of the chosen set; `chosen_acts` names them. Ties go to the smallest set, then to
        the one whose labels come first.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `max_size` is not a possible size, or there are more than 2^20 sets.

    Notes
    -----
    The nearest set has the largest sum over focal sets B of m(B) |A & B| / |A | B|.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.decide import chosen_acts
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.5, "bee": 0.375, "cat": 0.125})
    >>> chosen_acts(nearest_set(m), frame), chosen_acts(nearest_set(m & m), frame)
    (('ant',), ('ant',))
    >>> chosen_acts(nearest_set(MassFunction(frame, [1, 3, 7], [0.25, 0.5, 0.25])), frame)
    ('ant', 'bee')
    """
    normal, _ = prepared(m, None)
    n_labels = len(m.frame)
    if max_size is not None and not 1 <= as_index("max_size", max_size) <= n_labels:
        raise ValueError(f"max_size is {max_size}, expected 1 to {n_labels}, the number of labels")
    sets = _candidates(n_labels, max_size or n_labels)
    store = normal.store.reshape(len(normal.focal), -1)
    winners = _nearest(sets, normal.focal, store)
    inside = bits.members(winners, n_labels)
    return np.moveaxis(inside.reshape(n_labels, *normal.batch_shape), 0, -1)


def _candidates(n_labels: int, largest: int) -> NDArray[Any]:
    """Masks of the non-empty sets of at most `largest` labels, small sets first."""
    count = sum(comb(n_labels, size) for size in range(1, largest + 1))
    if count > _MAX_SETS:
        raise ValueError(
            f"{n_labels} labels have {count} sets of up to {largest}, more than 2^20; "
            "give a smaller max_size"
        )
    if largest == n_labels:
        return by_size(n_labels)
    sizes = range(1, largest + 1)
    chosen = chain.from_iterable(combinations(range(n_labels), size) for size in sizes)
    return bits.mask_array((sum(1 << i for i in labels) for labels in chosen), n_labels)


def _nearest(sets: NDArray[Any], focal: NDArray[Any], store: NDArray[Any]) -> NDArray[Any]:
    """For each row (R,), the first set with the largest mean overlap, computed in blocks."""
    exact = store.dtype == object
    best = np.full(store.shape[1], -1, dtype=store.dtype)
    winners = np.zeros(store.shape[1], dtype=sets.dtype)
    step = max(1, _BLOCK_CELLS // max(1, *store.shape))
    for start in range(0, len(sets), step):
        block = sets[start : start + step]
        values = setwise.weighted_sum(bits.overlap(block, focal, exact=exact), store)
        places = first_largest(values)
        found = np.take_along_axis(values, places[np.newaxis], axis=0)[0]
        better = np.asarray(found > best + (0 if exact else ROUNDING), dtype=bool)
        winners = np.where(better, block[places], winners)
        best = np.where(better, found, best)
    return winners
