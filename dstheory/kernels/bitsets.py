"""Long bitsets as arrays: sets of cells of a box, moved, projected and extended.

A mask over a box is unpacked to one byte per cell, processed as an array, and packed again, a block
of masks at a time. Unpacking or packing 1,000 sets of 2^12 cells takes 1 or 2 ms, against 0.5 s bit
by bit. Pairs of sets stay Python integers, whose `&` takes 0.2 microseconds at that length. 64-bit
words would be intersected faster, but finding equal results among rows of words and converting them
back costs the gain (measured: 0.3 to 3 times the speed, slower whenever most results differ).
"""

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import bits
from dstheory.kernels.batches import blocks

# Bytes unpacked at once: 2^22 stay in a level-3 cache.
_BLOCK_CELLS = 1 << 22
# Longer broadcasts lose nothing.
_MAX_SLICES = 16

Table = NDArray[np.bool_]
Change = Callable[[Table], Table]


def pack_masks(table: Table) -> NDArray[Any]:
    """Masks (F,) of the rows of a membership table (F, size).

    Examples
    --------
    >>> pack_masks(np.array([[True, False, True], [False, True, False]]))
    array([5, 2])
    """
    n_rows, size = table.shape
    rows = np.packbits(table, axis=1, bitorder="little")
    if size <= bits.MAX_INT64_BITS:
        words = np.zeros((n_rows, 8), dtype=np.uint8)
        words[:, : rows.shape[1]] = rows
        return words.view("<i8").ravel().astype(np.int64)
    width, data = rows.shape[1], rows.tobytes()
    masks = (int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width))
    return bits.mask_array(masks, size)


def project_masks(masks: NDArray[Any], shape: Sequence[int], axes: Sequence[int]) -> NDArray[Any]:
    """Projections of sets of cells of a box to some of its axes, in their new order.

    Examples
    --------
    >>> project_masks(np.array([0b0110, 0b1000]), (2, 2), (1,))
    array([3, 2])
    """
    kept = [shape[axis] for axis in sorted(axes)]
    ranks = np.argsort(np.argsort(axes)).tolist()

    def project(table: Table) -> Table:
        n_rows, outer = len(table), len(table)
        for is_kept, run in groupby(range(len(shape)), lambda axis: axis in axes):
            size = math.prod(shape[axis] for axis in run)
            if is_kept:
                outer *= size
            else:
                table = _union(table.reshape(outer, size, -1))
        return table.reshape(n_rows, *kept).transpose(0, *(rank + 1 for rank in ranks))

    return _blockwise(masks, shape, math.prod(shape[axis] for axis in axes), project)


def extend_masks(masks: NDArray[Any], axes: Sequence[int], onto: Sequence[int]) -> NDArray[Any]:
    """Cylinders in a box of shape `onto` over sets of cells of the box of some of its axes.

    Examples
    --------
    >>> extend_masks(np.array([0b01, 0b10]), (1,), (2, 2))
    array([ 5, 10])
    """
    order = [int(place) + 1 for place in np.argsort(axes)]

    def extend(table: Table) -> Table:
        n_rows, inner = len(table), 1
        table = np.ascontiguousarray(table.transpose(0, *order))
        for is_old, run in groupby(reversed(range(len(onto))), lambda axis: axis in axes):
            size = math.prod(onto[axis] for axis in run)
            if not is_old:
                table = _repeated(table.reshape(-1, inner), size)
            inner *= size
        return table.reshape(n_rows, -1)

    return _blockwise(masks, [onto[axis] for axis in axes], math.prod(onto), extend)


def distinct(masks: NDArray[np.object_]) -> tuple[NDArray[np.object_], NDArray[np.intp]]:
    """Distinct Python integers, ascending, and the position of each given one among them.

    The same as `numpy.unique`. If most sets recur, as intersections do, hashing is 2 to 5 times
    faster than sorting; if none does, it has 0.6 to 1.3 times the speed (90,000 intersections of
    2^12 bits, `tests/benchmarks/bench_product.py`).

    Examples
    --------
    >>> distinct(np.array([7, 1 << 65, 7], dtype=object))
    (array([7, 36893488147419103232], dtype=object), array([0, 1, 0]))
    """
    places: dict[int, int] = {}
    found = np.array([places.setdefault(mask, len(places)) for mask in masks.tolist()], np.intp)
    sets = np.empty(len(places), dtype=object)
    sets[:] = list(places)
    order = np.argsort(sets, kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return sets[order], rank[found]


def _union(table: Table) -> Table:
    """Union along the middle axis of a contiguous table, by halves.

    Unlike a reduction, this works along the longest contiguous runs: along an axis of length 2
    before one of length 2, it takes a tenth of the time of `any`.
    """
    outer, _, inner = table.shape
    words = _words(table)
    while words.shape[1] > 1:
        half = words.shape[1] // 2
        joined = words[:, :half] | words[:, half : 2 * half]
        if words.shape[1] % 2:
            joined[:, 0] |= words[:, -1]
        words = joined
    return np.ascontiguousarray(words).view(np.bool_).reshape(outer, inner)


def _repeated(table: Table, times: int) -> Table:
    """Each row of a contiguous table several times, in a row.

    Copying slice by slice takes a tenth of the time of a broadcast whose rows are short.
    """
    words = _words(table[:, np.newaxis])
    copies = np.empty((len(table), times, words.shape[2]), dtype=words.dtype)
    if times <= _MAX_SLICES:
        for place in range(times):
            copies[:, place] = words[:, 0]
    else:
        copies[:] = words
    return copies.view(np.bool_).reshape(-1, table.shape[1])


def _words(table: Table) -> NDArray[Any]:
    """A contiguous table whose runs of 2, 4 or 8 bytes along the last axis are single numbers."""
    width = math.gcd(table.shape[-1], 8)
    return np.ascontiguousarray(table).view(f"u{width}")


def _blockwise(
    masks: NDArray[Any], shape: Sequence[int], size: int, change: Change
) -> NDArray[Any]:
    """Masks of `size` bits from tables (F, *shape), changed in blocks."""
    n_cells = math.prod(shape)
    parts = []
    for rows in blocks(len(masks), _BLOCK_CELLS // max(n_cells, size)):
        part = masks[rows]
        table = bits.members(part, n_cells).T.reshape(len(part), *shape)
        parts.append(pack_masks(np.ascontiguousarray(change(table)).reshape(len(part), size)))
    return np.concatenate(parts) if parts else bits.mask_array([], size)
