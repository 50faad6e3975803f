"""Sums over pairs of focal sets of a single row, accumulated in a dense table.

For frames of about 20 elements and many pairs, adding each product to its entry in a table of all
subsets beats sorting the pairs. The loop is compiled if numba is installed; otherwise bincount does
the work.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.kernels.jit import HAVE_NUMBA, compiled

__all__ = ["pair_table", "pair_table_numpy"]

Masks = NDArray[np.int64]

# Pairs held at once: 2^16 masks and products stay in a level-2 cache.
_BLOCK_PAIRS = 1 << 16
_CODES: dict[np.ufunc, int] = {np.bitwise_and: 0, np.bitwise_or: 1, np.bitwise_xor: 2}


@compiled
def _fill(
    table: Floats, focal1: Masks, masses1: Floats, focal2: Masks, masses2: Floats, code: int
) -> None:
    for i in range(len(focal1)):
        a, x = focal1[i], masses1[i]
        if code == 0:
            for j in range(len(focal2)):
                table[a & focal2[j]] += x * masses2[j]
        elif code == 1:
            for j in range(len(focal2)):
                table[a | focal2[j]] += x * masses2[j]
        else:
            for j in range(len(focal2)):
                table[a ^ focal2[j]] += x * masses2[j]


def pair_table(
    focal1: Masks, masses1: Floats, focal2: Masks, masses2: Floats, operation: np.ufunc, size: int
) -> Floats:
    """Table (size,) of the sums of m1(A) m2(B) at `operation`(A, B).

    Examples
    --------
    >>> pair_table(np.array([1, 3]), np.array([0.5, 0.5]),
    ...            np.array([2, 3]), np.array([0.5, 0.5]), np.bitwise_and, 4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    if not HAVE_NUMBA:
        return pair_table_numpy(focal1, masses1, focal2, masses2, operation, size)
    table = np.zeros(size)
    left, right = np.ascontiguousarray(masses1), np.ascontiguousarray(masses2)
    _fill(table, focal1, left, focal2, right, _CODES[operation])
    return table


def pair_table_numpy(
    focal1: Masks, masses1: Floats, focal2: Masks, masses2: Floats, operation: np.ufunc, size: int
) -> Floats:
    """The same without compiled code, in blocks of rows."""
    rows = max(1, max(_BLOCK_PAIRS, size) // len(focal2))
    table: Any = None
    for start in range(0, len(focal1), rows):
        block = slice(start, start + rows)
        sets = operation.outer(focal1[block], focal2).ravel()
        products = np.multiply.outer(masses1[block], masses2).ravel()
        sums = np.bincount(sets, products, size)
        table = sums if table is None else np.add(table, sums, out=table)
    return np.asarray(table)
