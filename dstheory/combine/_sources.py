"""What every rule asks of its sources: mass functions, on one frame, with batches that fit.

Rules that combine all sources at once also need them over common focal sets, or
broadcast to one batch; both are done here, once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import _checks
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.mass import MassFunction

__all__ = ["batch_of", "check_sources", "focal_union", "store_over", "stretched"]


def check_sources(*sources: MassFunction) -> Frame:
    """The common frame of all sources; raise where there is none."""
    for position, source in enumerate(sources):
        if not isinstance(source, MassFunction):
            raise TypeError(
                f"a rule combines mass functions, but argument {position} is {source!r}; "
                "a batch axis is combined by combine_axis"
            )
    frame = sources[0].frame
    for source in sources[1:]:
        _checks.same_frame(frame, source.frame)
    batch_of(*sources)
    return frame


def batch_of(*sources: MassFunction) -> tuple[int, ...]:
    """Batch shape that all sources broadcast to."""
    shapes = [source.batch_shape for source in sources]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        listed = ", ".join(map(str, shapes))
        raise ValueError(f"batch shapes {listed} do not broadcast together") from error


def focal_union(*sources: MassFunction, extra: tuple[int, ...] = ()) -> NDArray[Any]:
    """Masks (F,) of all sets that are focal in some source, ascending."""
    masks = {int(mask) for source in sources for mask in source.focal} | set(extra)
    return bits.mask_array(sorted(masks), len(sources[0].frame))


def store_over(m: MassFunction, focal: NDArray[Any]) -> NDArray[Any]:
    """Masses (F, *batch) of `m` over the sets `focal`, which include all of its own."""
    store = np.zeros((len(focal), *m.batch_shape), dtype=m.store.dtype)
    store[np.searchsorted(focal, m.focal)] = m.store
    return store


def stretched(m: MassFunction, batch: tuple[int, ...]) -> NDArray[Any]:
    """Masses (F, *batch) of `m`, its batch broadcast to `batch` (a view)."""
    missing = len(batch) - len(m.batch_shape)
    aligned = m.store.reshape(len(m.focal), *(1,) * missing, *m.batch_shape)
    return np.broadcast_to(aligned, (len(m.focal), *batch))
