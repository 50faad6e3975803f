"""Search for a sparse code: random columns, and the matrix whose rows are farthest apart.

With few classes, random entries hardly ever make a valid matrix (Gebel 2009, sec. 5.2.2). So
columns are drawn instead, from the same distribution (Allwein et al. 2000) given that they are
valid, and every draw counts.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_sparse_code", "complete_columns", "complete_size"]

CANDIDATES = 10_000
# Products of entries in the search, about ten seconds: all candidates up to 100 classes, 67 for
# 1000.
WORK = 10_000_000_000

# Up to this many classes, the columns of a complete code (3025) are few enough to draw from a list;
# independent draws would often repeat a column.
MAX_LISTED = 8

# Entries of candidates per block: 16 MB of float32 in the products of rows.
CHUNK = 4_000_000


def complete_size(n_classes: int) -> int:
    """Number of columns with both signs, where exchanged sides count once.

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
        # Canonical columns only: the first sign is positive.
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
        Matrices to choose from; fewer above about 100 classes.

    Returns
    -------
    (K, B) array of int8

    Raises
    ------
    ValueError
        If no candidate is valid, which happens only if there are too few columns to separate the
        classes.

    Examples
    --------
    >>> best_sparse_code(3, 6, np.random.default_rng(0)).shape
    (3, 6)
    """
    best: NDArray[np.int8] | None = None
    best_distance = -1.0
    candidates = min(candidates, max(1, WORK // (n_classes**2 * n_columns)))
    for block in _candidates(n_classes, n_columns, rng, candidates):
        distances = _least_distances(block)
        while distances.max() > best_distance:
            index = int(np.argmax(distances))
            if _is_valid(block[index]):
                best, best_distance = block[index].copy(), float(distances[index])
            distances[index] = -1
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
    """Random entries (K, count); columns without both signs are redrawn."""
    entries = np.array([0, 0, 1, -1], dtype=np.int8)
    columns = entries[rng.integers(4, size=(n_classes, count), dtype=np.uint8)]
    again = np.flatnonzero((columns.max(axis=0) < 1) | (columns.min(axis=0) > -1))
    if len(again):
        columns[:, again] = _draw_columns(n_classes, len(again), rng)
    return columns


def _draw_listed(
    listed: NDArray[np.int8], count: int, n_columns: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Columns drawn from a list without replacement; a column with z zeros has weight 2^z."""
    zeros = (listed == 0).sum(axis=0)
    # The first exponential clocks to ring are a weighted draw without replacement.
    arrivals = rng.standard_exponential((count, listed.shape[1])) / 2.0**zeros
    chosen = np.argpartition(arrivals, n_columns - 1, axis=1)[:, :n_columns]
    return np.asarray(listed[:, chosen].transpose(1, 0, 2))


def _least_distances(block: NDArray[np.int8]) -> NDArray[np.float64]:
    """Minimum distance between two rows of each candidate."""
    rows = np.ascontiguousarray(block, dtype=np.float32)  # exact: products are small integers
    products = rows @ rows.transpose(0, 2, 1)
    diagonal = np.arange(rows.shape[1])
    products[:, diagonal, diagonal] = -np.inf
    largest = products.max(axis=(1, 2))
    return np.asarray((rows.shape[2] - largest.astype(np.float64)) / 2)


def _is_valid(code: NDArray[np.int8]) -> bool:
    """Whether no column repeats (even with exchanged sides), no row repeats, and no row is 0."""
    signs = np.take_along_axis(code, (code != 0).argmax(axis=0)[np.newaxis], axis=0)
    distinct = len(np.unique(code * signs, axis=1).T), len(np.unique(code, axis=0))
    return distinct == code.shape[::-1] and bool(code.any(axis=1).all())
