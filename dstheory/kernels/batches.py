"""Sums over pairs of focal sets for whole batches: the same pairs in every row.

Rows are taken in blocks that stay in the cache, and within a block each pair adds one row
of products to its result. Compiled where numba is installed, else sorted by result and
added up by `numpy.add.reduceat`, or by `numpy.bincount` row by row.
"""

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.jit import HAVE_NUMBA, compiled

__all__ = ["batch_sums", "sums_by_row", "sums_in_blocks"]

Floats = NDArray[np.float64]
Index = NDArray[np.intp]

# Products held at once: 2^16 doubles are 512 KiB, which is the size of a level-2 cache.
_BLOCK_PRODUCTS = 1 << 16
# Above this many pairs one row fills a block, and a bincount a row is faster than sorting.
_MANY_PAIRS = 1 << 14
# 512 rows of three times 15 sets are 180 KiB.
_BLOCK_ROWS = 512


@compiled
def _add_products(sums: Floats, left: Floats, right: Floats, index: Index, block: int) -> None:
    n_rows = sums.shape[1]
    for start in range(0, n_rows, block):
        stop = min(start + block, n_rows)
        pair = 0
        for i in range(left.shape[0]):
            for j in range(right.shape[0]):
                target = index[pair]
                pair += 1
                if left.shape[1] == 1:
                    for row in range(start, stop):
                        sums[target, row] += left[i, 0] * right[j, row]
                elif right.shape[1] == 1:
                    for row in range(start, stop):
                        sums[target, row] += left[i, row] * right[j, 0]
                else:
                    for row in range(start, stop):
                        sums[target, row] += left[i, row] * right[j, row]


def batch_sums(left: Floats, right: Floats, index: Index, n_sets: int, n_rows: int) -> Floats:
    """Sums (n_sets, n_rows) of left[i] * right[j] at ``index[i * len(right) + j]``.

    `left` and `right` are (F, n_rows), or (F, 1) where one row serves all.

    Examples
    --------
    >>> batch_sums(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([0, 0]), 1, 2)
    array([[ 7., 14.]])
    """
    if not HAVE_NUMBA:
        route = sums_in_blocks if len(index) <= _MANY_PAIRS else sums_by_row
        return route(left, right, index, n_sets, n_rows)
    sums = np.zeros((n_sets, n_rows))
    left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
    _add_products(sums, left, right, index, _BLOCK_ROWS)
    return sums


def sums_in_blocks(left: Floats, right: Floats, index: Index, n_sets: int, n_rows: int) -> Floats:
    """The same without compiled code, for few pairs: sorted by result, block by block."""
    order = np.argsort(index, kind="stable")
    i, j = np.divmod(order, len(right))
    starts = np.searchsorted(index[order], np.arange(n_sets))
    sums = np.empty((n_sets, n_rows))
    block = max(1, _BLOCK_PRODUCTS // max(1, len(index)))
    for start in range(0, n_rows, block):
        rows = slice(start, start + block)
        a = left if left.shape[1] == 1 else left[:, rows]
        b = right if right.shape[1] == 1 else right[:, rows]
        np.add.reduceat(a[i] * b[j], starts, axis=0, out=sums[:, rows])
    return sums


def sums_by_row(left: Floats, right: Floats, index: Index, n_sets: int, n_rows: int) -> Floats:
    """The same without compiled code, for many pairs: one bincount a row."""
    sums = np.empty((n_sets, n_rows))
    for row in range(n_rows):
        a = left[:, row if left.shape[1] > 1 else 0]
        b = right[:, row if right.shape[1] > 1 else 0]
        sums[:, row] = np.bincount(index, np.multiply.outer(a, b).ravel(), n_sets)
    return sums
