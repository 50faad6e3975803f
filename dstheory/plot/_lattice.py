"""The sets of a frame that a Hasse diagram shows, and their covering relation."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dstheory.mass import MassFunction

__all__ = ["all_sets", "closure", "covers"]

# The whole lattice of 6 labels; its widest level has 20 sets.
MAX_SETS = 64


def all_sets(m: MassFunction) -> range:
    size = len(m.frame)
    if 1 << size > MAX_SETS:
        raise ValueError(
            f"a frame of {size} labels has {1 << size} sets, more than {MAX_SETS}; "
            "leave out whole=True, or use MassDisplay"
        )
    return range(1 << size)


def closure(m: MassFunction) -> Iterable[int]:
    """Unions and intersections of focal sets, with the empty set and the frame."""
    closed = {0, m.frame.full}
    for mask in m.prune().focal.tolist():
        # Closing a lattice with one more set: each new set is a union, an intersection, or both.
        pending = [mask]
        while pending:
            new = pending.pop()
            if new not in closed:
                pending.extend(one for old in closed for one in (new | old, new & old))
                closed.add(new)
            if len(closed) > MAX_SETS:
                raise ValueError(
                    f"the focal sets ({len(m.focal)} of them) with their unions and intersections "
                    f"are more than {MAX_SETS} sets; approximate the mass function by fewer "
                    "focal sets (dstheory.approximate), or take MassDisplay"
                )
    return closed


def covers(masks: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs (smaller, larger) without a set between them."""
    below: NDArray[np.bool_] = np.array([[a != b and a & b == a for b in masks] for a in masks])
    between = below.astype(np.int64) @ below.astype(np.int64)
    pairs = np.argwhere(below & (between == 0)).tolist()
    return [(masks[i], masks[j]) for i, j in pairs]
