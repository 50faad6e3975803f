"""Helpers of the approximations: ranks of focal sets, and loops over rows.

A batch shares its focal sets, but each row keeps its own choice of them. A set that a row drops has
mass 0 there, and sets that no row keeps disappear.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import collect
from dstheory.kernels import bits
from dstheory.mass import MassFunction

Sets = dict[int, Any]
DIGITS = 12  # that rounding leaves of sums of masses, so that ties are ties


def mass_ranks(store: NDArray[Any]) -> NDArray[np.intp]:
    """Rank of each set (F, rows) by decreasing mass, from 0; ties go to the lower mask."""
    order = np.argsort(-store, axis=0, kind="stable")
    return np.argsort(order, axis=0, kind="stable")


def unflatten(m: MassFunction, sets: NDArray[Any], store: NDArray[Any]) -> MassFunction:
    """Mass function on the frame of `m` from sets (F,), which may repeat, and (F, rows)."""
    return collect(m.frame, (sets, store.reshape(len(sets), *m.batch_shape))).prune()


def by_row(m: MassFunction, approximate: Callable[[Sets], Sets]) -> MassFunction:
    """Apply a function of sets (masks, ascending) to masses, without zeros, to each row."""
    masks = m.focal.tolist()
    rows: list[Sets] = []
    for column in m.store.reshape(len(masks), -1).T:
        present = {mask: mass for mask, mass in zip(masks, column, strict=True) if mass != 0}
        rows.append(approximate(present))
    focal = bits.mask_array(sorted(set().union(*rows)) if rows else masks, len(m.frame))
    store = np.zeros((len(focal), len(rows)), dtype=m.store.dtype)
    places = {mask: place for place, mask in enumerate(focal.tolist())}
    for number, row in enumerate(rows):
        for mask, mass in row.items():
            store[places[mask], number] = mass
    return MassFunction.from_store(m.frame, focal, store.reshape(len(focal), *m.batch_shape))
