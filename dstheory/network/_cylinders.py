"""Sets of configurations on more and on fewer variables, cached.

Extension turns each configuration into its cylinder; projection finds the cylinders that a set
meets. `kernels.bitsets` does both. A network has many scopes of the same shape with few sets on
each, so small scopes cache their results: a message then costs a few lookups.
"""

import math
from collections.abc import Callable, Collection
from typing import Any

from numpy.typing import NDArray

from dstheory.kernels import bits, bitsets

__all__ = ["Cylinders"]

Change = Callable[[NDArray[Any]], NDArray[Any]]

# 2^16 sets of 64 bits take about 10 MiB; sets on larger scopes rarely recur.
_MAX_CELLS = 64
_MEMORY = 1 << 16


class Cylinders:
    """Sets on the kept axes of a shape, and sets on all of it.

    >>> both = Cylinders((2, 2), (0,))  # the first of two variables
    >>> both.extend([2]), both.project([6])
    ([12], [3])
    """

    def __init__(self, shape: tuple[int, ...], kept: tuple[int, ...]) -> None:
        self.shape = shape
        self.kept = kept
        self.n_cells = math.prod(shape)
        self.n_kept = math.prod(shape[axis] for axis in kept)
        self._extended: dict[int, int] = {}
        self._projected: dict[int, int] = {}

    def extend(self, masks: Collection[int]) -> list[int]:
        """Cylinders over sets on the kept axes."""
        change = self._extend_array
        return self._recalled(masks, self._extended, change, self.n_kept)

    def project(self, masks: Collection[int]) -> list[int]:
        """Projections of sets to the kept axes."""
        change = self._project_array
        return self._recalled(masks, self._projected, change, self.n_cells)

    def _extend_array(self, masks: NDArray[Any]) -> NDArray[Any]:
        return bitsets.extend_masks(masks, self.kept, self.shape)

    def _project_array(self, masks: NDArray[Any]) -> NDArray[Any]:
        return bitsets.project_masks(masks, self.shape, self.kept)

    def _recalled(
        self, masks: Collection[int], memory: dict[int, int], change: Change, size: int
    ) -> list[int]:
        if self.n_cells > _MAX_CELLS:
            return _ints(change(bits.mask_array(masks, size)))
        new = [mask for mask in masks if mask not in memory]
        if new:
            if len(memory) > _MEMORY:
                memory.clear()
                new = list(masks)
            memory.update(zip(new, _ints(change(bits.mask_array(new, size))), strict=True))
        return [memory[mask] for mask in masks]


def _ints(masks: NDArray[Any]) -> list[int]:
    found: list[int] = masks.tolist()
    return found
