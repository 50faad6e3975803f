"""Code matrices: binary problems that represent a multiclass problem.

Row k, column b of a code matrix gives the role of class k in binary problem b: on the positive side
(1), on the negative side (-1), or ignored (0). The rows of a good code are far apart, so it
tolerates a few wrong binary answers (Allwein, Schapire & Singer 2000, "Reducing multiclass to
binary"; Zadrozny 2001; Gebel 2009, sec. 5.2).

Search for a sparse code: random columns, and the matrix whose rows are farthest apart.

With few classes, random entries hardly ever make a valid matrix (Gebel 2009, sec. 5.2.2). So
columns are drawn instead, from the same distribution (Allwein et al. 2000) given that they are
valid, and every draw counts.
"""

from collections.abc import Iterator
from math import log2
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_array, check_choice, check_count
from dstheory.kernels.batches import blocks
from evical._fitting import as_random_state
from evical.scores.checks import refuse

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


def best_sparse_code(n_classes: int, n_columns: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Random sparse code with the largest minimum distance between two rows.

    Parameters
    ----------
    n_classes, n_columns : int
    rng : numpy.random.Generator

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
    candidates = min(CANDIDATES, max(1, WORK // (n_classes**2 * n_columns)))
    for block in _candidates(n_classes, n_columns, rng, candidates):
        distances = _least_distances(block)
        while distances.max() > best_distance:
            index = int(np.argmax(distances))
            if _is_valid(block[index]):
                best, best_distance = block[index].copy(), float(distances[index])
            distances[index] = -1
    if best is None:
        raise ValueError(
            f"none of {candidates:,} random codes of {n_columns} columns separates {n_classes} "
            "classes; take more columns"
        )
    return best


def _candidates(
    n_classes: int, n_columns: int, rng: np.random.Generator, candidates: int
) -> Iterator[NDArray[np.int8]]:
    """Blocks (C, K, B) whose columns all have both signs."""
    listed = complete_columns(n_classes) if n_classes <= MAX_LISTED else None
    width = n_columns * n_classes if listed is None else listed.shape[1]
    for block in blocks(candidates, CHUNK // max(width, n_classes**2)):
        count = block.stop - block.start
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


CodeKind: TypeAlias = Literal["one_vs_rest", "all_pairs", "sparse", "complete"]

KINDS = ("one_vs_rest", "all_pairs", "sparse", "complete")

# Allwein et al. call it intractable above this: 788,970 columns for 13 classes.
MAX_COMPLETE = 13
# A matrix takes 100 MB with a column per class, and 2 GB with a column per pair.
MAX_CLASSES, MAX_BYTES = 10_000, 1 << 31


def code_matrix(
    kind: CodeKind,
    n_classes: int,
    n_columns: int | None = None,
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
) -> NDArray[np.int8]:
    """Binary problems that represent a multiclass problem.

    Parameters
    ----------
    kind : {"one_vs_rest", "all_pairs", "sparse", "complete"}
        Each class against all others; all pairs of classes, ignoring the rest; a random code whose
        rows are far apart; or all possible problems.
    n_classes : int
        K, two or more.
    n_columns : int, optional
        For "sparse" only: by default 15 log2 K, rounded, but at most the number of possible
        columns.
    random_state : int, RandomState, Generator or None
        For "sparse" only.

    Returns
    -------
    (K, B) array of int8
        1, -1 or 0: class on the positive side, on the negative side, or ignored. No column repeats
        another one, even with its sides exchanged.

    Raises
    ------
    ValueError
        For an unknown kind, fewer than two classes, a complete code of more than 13 classes,
        or more columns than exist.

    Notes
    -----
    Two classes make one binary problem, so every kind has one column.

    A sparse code has the largest minimum distance of two rows (of Hamming, where 0 is half a
    difference) among 10,000 random codes (fewer above 100 classes, 67 for 1000, so that the search
    takes seconds). Entries are 0 with probability 1/2, and 1 or -1 with 1/4 each, given that each
    column has both signs and no column repeats another. Drawing entries and discarding invalid
    matrices, as printed, finds none below nine classes (Gebel, sec. 5.2.2). So columns are drawn
    instead of entries; for eight classes or fewer, they are drawn from the complete code without
    replacement. Gebel writes that the distance is minimized, which would defeat its purpose.

    References
    ----------
    .. [1] B. Zadrozny (2001), "Reducing multiclass to binary by coupling probability
       estimates", sec. 5.
    .. [2] M. Gebel (2009), "Multivariate calibration of classifier scores into the
       probability space", sec. 5.2, table 5.5.

    Examples
    --------
    >>> code_matrix("all_pairs", 3)
    array([[ 1,  1,  0],
           [-1,  0,  1],
           [ 0, -1, -1]], dtype=int8)
    >>> [code_matrix("complete", k).shape[1] for k in (3, 4, 5)]
    [6, 25, 90]
    """
    check_choice("kind", kind, KINDS)
    check_count("n_classes", n_classes, 2)
    _check_size(kind, int(n_classes))
    if n_columns is not None and kind != "sparse":
        raise ValueError(f"n_columns is for kind 'sparse'; that of {kind!r} is fixed")
    if kind == "sparse":
        return _sparse(int(n_classes), n_columns, random_state)
    if kind == "complete":
        return _complete(int(n_classes))
    if kind == "all_pairs" or n_classes == 2:
        return _all_pairs(int(n_classes))
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def _check_size(kind: str, n_classes: int) -> None:
    """Refuse a code that exceeds memory, before anything is built."""
    if n_classes > MAX_CLASSES:
        size = (
            f"{n_classes:,}" if n_classes < 10**20 else f"10^{n_classes.bit_length() * 0.301:.0f}"
        )
        raise ValueError(f"n_classes is {size}, at most {MAX_CLASSES:,}: merge classes first")
    n_bytes = n_classes**2 * (n_classes - 1) // 2 if kind == "all_pairs" else 0
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"a code 'all_pairs' of {n_classes:,} classes takes {n_bytes / 2**30:.3g} GiB, more "
            f"than the limit of {MAX_BYTES >> 30} GiB; take 'one_vs_rest', or fewer classes"
        )


def _all_pairs(n_classes: int) -> NDArray[np.int8]:
    """Columns (0, 1), (0, 2), ..., (1, 2), ...: the first of each pair is positive."""
    first, second = np.triu_indices(n_classes, 1)
    code = np.zeros((n_classes, len(first)), dtype=np.int8)
    columns = np.arange(len(first))
    code[first, columns] = 1
    code[second, columns] = -1
    return code


def _complete(n_classes: int) -> NDArray[np.int8]:
    if n_classes > MAX_COMPLETE:
        raise ValueError(
            f"a complete code of {n_classes} classes has {_listed(complete_size(n_classes))} "
            f"columns; take 'sparse', or at most {MAX_COMPLETE} classes"
        )
    return complete_columns(n_classes)


def _listed(count: int) -> str:
    return f"{count:,}" if count < 10**15 else "more than 10^15"  # Python prints 4300 digits


def _sparse(
    n_classes: int,
    n_columns: int | None,
    random_state: int | np.random.RandomState | np.random.Generator | None,
) -> NDArray[np.int8]:
    there_are = complete_size(n_classes)
    if n_columns is None:
        n_columns = min(round(15 * log2(n_classes)), there_are)
    least = int(np.ceil(log2(n_classes)))
    if not least <= n_columns <= there_are:
        raise ValueError(
            f"n_columns is {n_columns}, but a code of {n_classes} classes has from {least} to "
            f"{_listed(there_are)} different columns"
        )
    rng = random_state
    if not isinstance(rng, np.random.Generator):
        rng = np.random.default_rng(as_random_state(rng).randint(2**31, size=4))
    return best_sparse_code(n_classes, n_columns, rng)


def sparse_code_probability(
    n_classes: int, n_columns: int | None = None, n_draws: int = 1
) -> float:
    """Upper bound of the probability that random entries make a valid sparse code.

    Entries are 0 with probability 1/2, and 1 or -1 with 1/4 each. `code_matrix` draws columns
    instead, because this is next to nothing for few classes.

    Parameters
    ----------
    n_classes : int
        K, two or more.
    n_columns : int, optional
        B; by default 15 log2 K, rounded, as in the thesis.
    n_draws : int
        Matrices drawn, of which one is to be valid at least; 10,000 in the thesis.

    Returns
    -------
    float
        Of one matrix P (P - 4^-K) ... (P - (B - 1) 4^-K), where P = 1 - 2 (3/4)^K + (1/2)^K is the
        probability that a column has both signs.

    Raises
    ------
    ValueError
        For fewer than two classes, or no column or matrix.

    References
    ----------
    Gebel (2009), Multivariate calibration of classifier scores into the probability space,
    section 5.2.2, equations 5.4 and 5.5, figures 5.2 and 5.3.

    Examples
    --------
    A column of two classes has both signs if it is (1, -1) or (-1, 1), of probability 1/16 each:

    >>> sparse_code_probability(2, 1)
    0.125
    >>> [round(sparse_code_probability(k, n_draws=10_000), 3) for k in (7, 8, 9)]
    [0.031, 0.409, 0.989]
    """
    check_count("n_classes", n_classes, 2)
    if n_columns is None:
        n_columns = round(15 * log2(n_classes))
    check_count("n_columns", n_columns, 1)
    check_count("n_draws", n_draws, 1)
    both = 1 - 2 * 0.75**n_classes + 0.5**n_classes
    left = both - np.arange(n_columns) * 0.25**n_classes  # that the next column is valid too
    one = float(np.prod(np.maximum(left, 0.0)))
    with np.errstate(divide="ignore"):  # of many classes it is 1
        return float(-np.expm1(n_draws * np.log1p(-one)))


def check_code_matrix(matrix: ArrayLike, n_classes: int | None = None) -> NDArray[np.int8]:
    """Validate a code matrix.

    Parameters
    ----------
    matrix : (K, B) array of 1, -1 and 0
        A row for each class, a column for each binary problem.
    n_classes : int, optional
        K, if known.

    Returns
    -------
    (K, B) array of int8
        A copy.

    Raises
    ------
    ValueError
        If the shape or an entry is wrong, a column has no class on one side, a column repeats
        another one (sides exchanged or not), or two classes have the same row, so that no column
        separates them.

    Examples
    --------
    >>> check_code_matrix([[1, 1], [1, -1], [-1, 0]])
    array([[ 1,  1],
           [ 1, -1],
           [-1,  0]], dtype=int8)
    >>> check_code_matrix([[1, 1], [1, 1], [-1, 0]])
    Traceback (most recent call last):
    ...
    ValueError: column 1 of the code has no class on its negative side
    """
    if n_classes is not None:
        check_count("n_classes", n_classes, 2)
    values = as_array(matrix, "code")
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 1:
        raise ValueError(
            f"code has shape {values.shape}, expected a row for each of two or more classes and "
            "a column for each binary problem"
        )
    if n_classes is not None and len(values) != n_classes:
        raise ValueError(f"code has {len(values)} rows, but there are {n_classes} classes")
    expected = "1 (positive side), -1 (negative side) or 0 (ignored)"
    refuse(values, ~np.isin(values, (-1, 0, 1)), "code", expected)
    code = values.astype(np.int8)
    _check_columns(code)
    _check_rows(code)
    return code


def _check_columns(code: NDArray[np.int8]) -> None:
    for sign, name in ((1, "positive"), (-1, "negative")):
        empty = ~(code == sign).any(axis=0)
        if empty.any():
            raise ValueError(
                f"column {np.argmax(empty)} of the code has no class on its {name} side"
            )
    first_sign = code[np.argmax(code != 0, axis=0), np.arange(code.shape[1])]
    pair = _first_repeated(code.T * first_sign[:, np.newaxis])
    if pair is not None:
        raise ValueError(
            f"columns {pair[0]} and {pair[1]} of the code are one binary problem (equal, or equal "
            "with the sides exchanged); remove one"
        )


def _check_rows(code: NDArray[np.int8]) -> None:
    unused = ~code.any(axis=1)
    if unused.any():
        raise ValueError(
            f"row {np.argmax(unused)} of the code is 0: this class takes part in no column"
        )
    pair = _first_repeated(code)
    if pair is not None:
        raise ValueError(
            f"rows {pair[0]} and {pair[1]} of the code are equal: no column separates these classes"
        )


def _first_repeated(rows: NDArray[np.int8]) -> tuple[int, int] | None:
    seen: dict[bytes, int] = {}
    for index, row in enumerate(rows):
        earlier = seen.setdefault(row.tobytes(), index)
        if earlier != index:
            return earlier, index
    return None
