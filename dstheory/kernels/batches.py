"""Sums over set-major arrays: the first axis runs over sets, the others over a batch.

Each row is summed over its sets or pairs of sets; the result that each mass goes to is determined
once for all rows. Rows are processed in blocks that stay in the cache, so temporary memory does not
grow with the batch. Compiled code adds up pairs if numba is installed. Otherwise they are sorted by
result and summed by `numpy.add.reduceat`, or by `numpy.bincount` row by row.
"""

import math
from collections.abc import Iterator
from functools import reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.kernels.jit import HAVE_NUMBA, compiled

Index = NDArray[np.intp]
# Sets (F,), which may repeat; masses (F, *batch); and optionally a scale for each row.
Part = tuple[NDArray[Any], NDArray[Any]] | tuple[NDArray[Any], NDArray[Any], Any]
_Factors = list[NDArray[Any]]

# Values held at once: 2^16 doubles are 512 KiB, the size of a level-2 cache.
_BLOCK_VALUES = 1 << 16
# With fewer rows, set-major values would be read one by one.
_LEAST_ROWS = 64
# Above this many pairs, one row fills a block, and a bincount per row is faster than sorting.
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

    `left` and `right` are (F, n_rows), or (F, 1) if one row serves all.

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
    for rows in blocks(n_rows, _BLOCK_VALUES // max(1, len(index))):
        a = left if left.shape[1] == 1 else left[:, rows]
        b = right if right.shape[1] == 1 else right[:, rows]
        np.add.reduceat(a[i] * b[j], starts, axis=0, out=sums[:, rows])
    return sums


def sums_by_row(left: Floats, right: Floats, index: Index, n_sets: int, n_rows: int) -> Floats:
    """The same without compiled code, for many pairs: one bincount per row, of sets with mass."""
    sums = np.empty((n_sets, n_rows))
    table = index.reshape(len(left), len(right))
    for row in range(n_rows):
        a = left[:, row if left.shape[1] > 1 else 0]
        b = right[:, row if right.shape[1] > 1 else 0]
        i, j = np.flatnonzero(a), np.flatnonzero(b)
        targets = index if len(i) * len(j) == len(index) else table[i[:, np.newaxis], j].ravel()
        sums[:, row] = np.bincount(targets, np.multiply.outer(a[i], b[j]).ravel(), n_sets)
    return sums


def blocks(length: int, size: int) -> Iterator[slice]:
    """Consecutive slices of at most `size` places, at least one, that cover an axis.

    Examples
    --------
    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, size)
    return (slice(start, min(start + step, length)) for start in range(0, length, step))


def stretch(store: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Values (F, *own batch) broadcast to (F, *batch), a view.

    Examples
    --------
    >>> stretch(np.array([0.25, 0.75]), (2,))
    array([[0.25, 0.25],
           [0.75, 0.75]])
    """
    missing = len(batch) - (store.ndim - 1)
    store = store.reshape(len(store), *(1,) * missing, *store.shape[1:])
    return np.broadcast_to(store, (len(store), *batch))


def flattened(store: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Store (F, *own) stretched over a batch, with one axis of rows (F, N)."""
    return stretch(store, batch).reshape(len(store), math.prod(batch))


def placed(sets: NDArray[Any], focal: NDArray[Any], store: NDArray[Any]) -> NDArray[Any]:
    """Store (F, *batch) of sets that are among others (U,), ascending; 0 for those (U, *batch)."""
    result = np.zeros((len(sets), *store.shape[1:]), dtype=store.dtype)
    result[np.searchsorted(sets, focal)] = store
    return result


def scalar(values: Any) -> Any:
    """A NumPy scalar or 0-d array as a Python value, and other arrays unchanged.

    Examples
    --------
    >>> scalar(np.float64(0.5)), scalar(np.array([0.5]))
    (0.5, array([0.5]))
    """
    single = isinstance(values, np.generic | np.ndarray) and values.ndim == 0
    return values.item() if single else values


def added_up(*parts: Part) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distinct sets (T,) of all parts, ascending, and the sums (T, *batch) of their masses.

    Batches broadcast, also with the scale of the rows of a part.

    Examples
    --------
    >>> one, two = (np.array([1, 3]), np.array([0.25, 0.5])), (np.array([3]), np.array([0.5]), 0.5)
    >>> added_up(one, two)
    (array([1, 3]), array([0.25, 0.75]))
    """
    sets = np.concatenate([part[0] for part in parts])
    order = np.argsort(sets, kind="stable")
    sets = sets[order]
    starts = np.flatnonzero(np.append(True, np.asarray(sets[1:] != sets[:-1], dtype=bool)))
    starts = starts[: len(sets)]  # no sets, no start
    factors = [[part[1], *(np.asarray(scale)[np.newaxis] for scale in part[2:])] for part in parts]
    batch = np.broadcast_shapes(*(array.shape[1:] for part in factors for array in part))
    n_rows = math.prod(batch)
    step = max(_LEAST_ROWS, _BLOCK_VALUES // max(1, len(sets)))
    if n_rows <= step:
        sums = np.add.reduceat(_joined(factors, batch)[order], starts, axis=0)
    else:
        sums = _in_blocks(factors, batch, order, starts, step)
    return sets[starts], np.ascontiguousarray(sums).reshape(len(starts), *batch)


def _in_blocks(
    parts: list[_Factors],
    batch: tuple[int, ...],
    order: NDArray[np.intp],
    starts: NDArray[np.intp],
    step: int,
) -> NDArray[Any]:
    n_rows = math.prod(batch)
    flat = [[flattened(a, batch) for a in part] for part in parts]
    sums = np.empty((len(starts), n_rows), dtype=np.result_type(*(a for p in parts for a in p)))
    for rows in blocks(n_rows, step):
        block = _joined([[a[:, rows] for a in part] for part in flat], (rows.stop - rows.start,))
        sums[:, rows] = np.add.reduceat(block[order], starts, axis=0)
    return sums


def _joined(parts: list[_Factors], batch: tuple[int, ...]) -> NDArray[Any]:
    """The scaled masses of all parts, concatenated along the sets."""
    whole = [[a if a.shape[1:] == batch else stretch(a, batch) for a in part] for part in parts]
    return np.concatenate([reduce(mul, part) for part in whole])
