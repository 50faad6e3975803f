"""Moving the mass of each focal set to another set: what most revisions come down to.

The masses of sets that meet at one target add up; floats, exact numbers and batches alike.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.frame import Frame
from dstheory.mass import MassFunction

__all__ = ["collected", "image", "stretched", "transfer"]


def transfer(m: MassFunction, targets: NDArray[Any], frame: Frame | None = None) -> MassFunction:
    """Mass function in which each focal set's mass has moved to its target (F,)."""
    return collected(m.frame if frame is None else frame, targets, m.store)


def collected(frame: Frame, sets: NDArray[Any], store: NDArray[Any]) -> MassFunction:
    """Mass function on sets (F,), which may repeat, with masses (F, *batch)."""
    if len(sets) == 0:  # what an empty batch may consist of
        return MassFunction.from_store(frame, sets.copy(), store.copy())
    order = np.argsort(sets, kind="stable")
    ascending = sets[order]
    starts = np.flatnonzero(np.append(True, np.asarray(ascending[1:] != ascending[:-1], bool)))
    sums = np.add.reduceat(store[order], starts, axis=0)
    return MassFunction.from_store(frame, ascending[starts], np.ascontiguousarray(sums))


def image(masks: NDArray[Any], images: NDArray[Any]) -> NDArray[Any]:
    """For each set the union of the images (K,) of its elements."""
    targets = np.zeros(len(masks), dtype=images.dtype)
    for bit, of_bit in enumerate(images):
        inside = np.asarray((masks >> bit) & 1, dtype=bool)
        targets[inside] |= of_bit
    return targets


def stretched(store: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Masses (F, *own batch) broadcast to (F, *batch), a view."""
    missing = len(batch) - (store.ndim - 1)
    aligned = store.reshape(len(store), *(1,) * missing, *store.shape[1:])
    return np.broadcast_to(aligned, (len(store), *batch))
