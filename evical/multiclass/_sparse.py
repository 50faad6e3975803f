"""Search for a sparse code: random columns, and the matrix whose rows are farthest apart.

Random entries hardly ever make a valid matrix of few classes. Columns are drawn instead, from
the same distribution given that they are valid, so that every draw counts (Gebel 2009,
sec. 5.2.2, shows the trouble; the distribution is that of Allwein et al. 2000).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_sparse_code", "complete_columns", "complete_size"]

CANDIDATES = 10_000

# Up to here the columns of a complete code (3025) are few enough to draw from the list, and
# draws of entries would often repeat a column.
MAX_LISTED = 8

# Entries of the candidates held at a time: 16 MB of float32 in the products of rows.
CHUNK = 4_000_000


def complete_size(n_classes: int) -> int:
    """Number of columns with both signs, those with exchanged sides counted once.

    Parameters
    ----------
    n_classes : int

    Returns
    -------
    int
        (3^K - 2^(K+1) + 1) / 2.

    Examples
    --------
    >>> [complete_size(k) for k in (2, 3, 10)]
    [1, 6, 28501]
    """
    return int(3**n_classes - 2 ** (n_classes + 1) + 1) // 2


def complete_columns(n_classes: int) -> NDArray[np.int8]:
    """All columns with both signs whose first sign is positive.

    Parameters
    ----------
    n_classes : int

    Returns
    -------
    (K, B) array of int8

    Examples
    --------
    >>> complete_columns(3)
    array([[ 1,  1,  1,  1,  1,  0],
           [ 1,  0, -1, -1, -1,  1],
           [-1, -1,  1,  0, -1, -1]], dtype=int8)
    """
    columns = np.zeros((0, 1), dtype=np.int8)
    signs = np.array([1, 0, -1], dtype=np.int8)
    for _ in range(n_classes):
        size = columns.shape[1]
        columns = np.vstack([np.repeat(columns, 3, axis=1), np.tile(signs, size)])
        # Canonical columns only: nothing but zeros before, or a positive first sign.
        columns = columns[:, (columns[:-1] != 0).any(axis=0) | (columns[-1] >= 0)]
    return columns[:, (columns < 0).any(axis=0)]


def best_sparse_code(
    n_classes: int, n_columns: int, rng: np.random.Generator, candidates: int = CANDIDATES
) -> NDArray[np.int8]:
    """Random sparse code with the largest minimum distance between two rows.

    Parameters
    ----------
    n_classes, n_columns : int
    rng : numpy.random.Generator
    candidates : int
        Matrices to choose from.

    Returns
    -------
    (K, B) array of int8

    Raises
    ------
    ValueError
        If no candidate is valid, which happens only where columns are too few to tell the
        classes apart.

    Examples
    --------
    >>> best_sparse_code(3, 6, np.random.default_rng(0)).shape
    (3, 6)
    """
    best: NDArray[np.int8] | None = None
    best_distance = -1.0
    for block in _candidates(n_classes, n_columns, rng, candidates):
        distances = _least_distances(block)
        index = int(np.argmax(distances))
        if distances[index] > best_distance:
            best, best_distance = block[index].copy(), float(distances[index])
    if best is None:
        raise ValueError(
            f"none of {candidates:,} random codes of {n_columns} columns tells {n_classes} classes "
            "apart; take more columns"
        )
    return best


def _candidates(
    n_classes: int, n_columns: int, rng: np.random.Generator, candidates: int
) -> Iterator[NDArray[np.int8]]:
    """Blocks (C, K, B) whose columns all have both signs."""
    listed = complete_columns(n_classes) if n_classes <= MAX_LISTED else None
    width = n_columns * n_classes if listed is None else listed.shape[1]
    block = max(1, CHUNK // max(width, n_classes**2))
    for start in range(0, candidates, block):
        count = min(block, candidates - start)
        if listed is None:
            columns = _draw_columns(n_classes, count * n_columns, rng)
            yield columns.reshape(n_classes, count, n_columns).transpose(1, 0, 2)
        else:
            yield _draw_listed(listed, count, n_columns, rng)


def _draw_columns(n_classes: int, count: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """(K, count) random entries; columns without both signs are drawn again."""
    entries = np.array([0, 0, 1, -1], dtype=np.int8)
    columns = entries[rng.integers(4, size=(n_classes, count), dtype=np.uint8)]
    again = np.flatnonzero((columns.max(axis=0) < 1) | (columns.min(axis=0) > -1))
    if len(again):
        columns[:, again] = _draw_columns(n_classes, len(again), rng)
    return columns


def _draw_listed(
    listed: NDArray[np.int8], count: int, n_columns: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Columns of a list without replacement, a column of z zeros with weight 2^z."""
    zeros = (listed == 0).sum(axis=0)
    # The first arrivals of exponential clocks are a weighted draw without replacement.
    arrivals = rng.standard_exponential((count, listed.shape[1])) / 2.0**zeros
    chosen = np.argpartition(arrivals, n_columns - 1, axis=1)[:, :n_columns]
    return np.asarray(listed[:, chosen].transpose(1, 0, 2))


def _least_distances(block: NDArray[np.int8]) -> NDArray[np.float64]:
    """Minimum distance between two rows of each candidate, -1 for an invalid one."""
    rows = np.ascontiguousarray(block, dtype=np.float32)  # exact: products are small integers
    products = rows @ rows.transpose(0, 2, 1)
    first, second = np.triu_indices(rows.shape[1], 1)
    largest = products[:, first, second].max(axis=1)
    distances = np.asarray((rows.shape[2] - largest.astype(np.float64)) / 2)
    distances[_repeats_a_column(block) | _repeats_a_row(products)] = -1
    return distances


def _repeats_a_column(block: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether two columns are equal up to the sign; a wrong yes has probability 2^-64."""
    n_classes = block.shape[1]
    # Fixed odd multipliers: a hash of the column, whose negative is that of its twin.
    multipliers = np.random.default_rng(0).integers(2**64, size=n_classes, dtype=np.uint64)
    signed = multipliers.view(np.int64)
    keys = np.einsum("k,ckb->cb", signed, block, dtype=np.int64, casting="unsafe")
    keys.sort(axis=1)
    keys = np.maximum(keys, -keys)
    keys.sort(axis=1)
    return np.asarray((keys[:, 1:] == keys[:, :-1]).any(axis=1))


def _repeats_a_row(products: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether two rows are equal, or one is 0: |u - v|^2 = u.u + v.v - 2 u.v."""
    squares = np.diagonal(products, axis1=1, axis2=2)
    differences = squares[:, :, np.newaxis] + squares[:, np.newaxis, :] - 2 * products
    first, second = np.triu_indices(products.shape[1], 1)
    return np.asarray((differences[:, first, second] == 0).any(axis=1) | (squares == 0).any(axis=1))
