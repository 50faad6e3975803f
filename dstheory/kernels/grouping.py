"""Adding up the parts of a result, each with its own sets: masses that meet at one set.

Which mass goes to which set is decided once. The rows of a batch then go through in blocks,
so that what is held beside the result does not grow with the batch.
"""

import math
from functools import reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.shapes import stretched

__all__ = ["Part", "added_up"]

# Sets (F,), which may repeat; masses (F, *batch); and, if any, what scales each row of them.
Part = tuple[NDArray[Any], NDArray[Any]] | tuple[NDArray[Any], NDArray[Any], Any]
_Factors = list[NDArray[Any]]

# Values held at once: 2^16 doubles are 512 KiB, which is the size of a level-2 cache.
_BLOCK_VALUES = 1 << 16
# Set-major values of fewer rows would be read one by one.
_LEAST_ROWS = 64


def added_up(*parts: Part) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distinct sets (T,) of all parts, ascending, and the sums (T, *batch) of their masses.

    Batches broadcast, also with what scales the rows of a part.

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
    starts = starts[: len(sets)]  # without any set there is no first one
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
    flat = [[stretched(a, batch).reshape(len(a), n_rows) for a in part] for part in parts]
    sums = np.empty((len(starts), n_rows), dtype=np.result_type(*(a for p in parts for a in p)))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        block = _joined([[a[:, rows] for a in part] for part in flat], (rows.stop - start,))
        sums[:, rows] = np.add.reduceat(block[order], starts, axis=0)
    return sums


def _joined(parts: list[_Factors], batch: tuple[int, ...]) -> NDArray[Any]:
    """The scaled masses of all parts, one below the other."""
    whole = [[a if a.shape[1:] == batch else stretched(a, batch) for a in part] for part in parts]
    return np.concatenate([reduce(mul, part) for part in whole])
