"""Sums of products over pairs of focal sets: the work of every combination rule.

A batch shares its sets, so the result that each pair contributes to is determined once; the masses
are then processed in blocks that stay in the cache. Sets without contributing pairs never appear,
so sparse results stay sparse. Nothing is subtracted, so high conflict costs no precision.

Dempster's rule needs masses only up to a factor. If products leave the range of floats (as for a
conflict of 1 - 1e-600, which is not total), `agreement` adds up logarithms relative to the largest
term.

Sums over pairs of focal sets of a single row, accumulated in a dense table.

For frames of about 20 elements and many pairs, adding each product to its entry in a table of all
subsets beats sorting the pairs. The loop is compiled if numba is installed; otherwise bincount does
the work.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.errors import TotalConflictError
from dstheory.kernels import bitsets
from dstheory.kernels.batches import added_up, batch_sums, blocks, flattened, placed, stretch
from dstheory.kernels.jit import HAVE_NUMBA, compiled
from dstheory.kernels.limits import check_pairs, check_result, fits_table, table_size
from dstheory.kernels.rows import in_rows

Masks = NDArray[np.int64]
Part = tuple[NDArray[Any], NDArray[Any]]

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
    table: Any = None
    for block in blocks(len(focal1), max(_BLOCK_PAIRS, size) // len(focal2)):
        sets = operation.outer(focal1[block], focal2).ravel()
        products = np.multiply.outer(masses1[block], masses2).ravel()
        sums = np.bincount(sets, products, size)
        table = sums if table is None else np.add(table, sums, out=table)
    return np.asarray(table)


# Products below 2.2e-308 lose digits; if the sum exceeds this, they are less than 1e-17 of it.
SMALL_TOTAL = 1e-290
# Sums held at once: 2^17 doubles are 1 MiB.
_BLOCK_VALUES = 1 << 17


def pair_targets(
    focal1: NDArray[Any], focal2: NDArray[Any], operation: np.ufunc
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Result sets (T,) of all pairs, and for each pair (F1 F2,) the index of its result.

    Examples
    --------
    >>> pair_targets(np.array([1, 3]), np.array([2, 3]), np.bitwise_and)
    (array([0, 1, 2, 3]), array([0, 1, 2, 3]))
    """
    outer = operation.outer(focal1, focal2).ravel()
    if outer.dtype == object:
        return bitsets.distinct(outer)
    if not fits_table(focal1, focal2):
        focal, index = np.unique(outer, return_inverse=True)
        return focal, index.reshape(-1)
    size = table_size(focal1, focal2)
    present = np.zeros(size, dtype=bool)
    present[outer] = True
    focal = np.flatnonzero(present)
    position = np.empty(size, dtype=np.intp)
    position[focal] = np.arange(len(focal))
    return focal, position[outer]


def combine_pairs(
    focal1: NDArray[Any],
    masses1: NDArray[Any],
    focal2: NDArray[Any],
    masses2: NDArray[Any],
    operation: np.ufunc,
    *,
    keep_empty: bool = True,
    renamed: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sum over pairs (A, B) of m1(A) m2(B), given to `operation`(A, B).

    Parameters
    ----------
    focal1, focal2 : (F1,), (F2,) arrays of masks, ascending
    masses1, masses2 : (F1, *batch1), (F2, *batch2) arrays, set-major
    operation : `numpy.bitwise_and`, `bitwise_or` or `bitwise_xor`
    keep_empty : whether the empty set may be a result
    renamed : the final masks of the results of the operation in ascending order; they may repeat

    Returns
    -------
    focal : (T,) masks, ascending
    masses : (T, *batch), set-major

    Examples
    --------
    >>> combine_pairs(np.array([1, 3]), np.array([0.5, 0.5]),
    ...               np.array([2, 3]), np.array([0.5, 0.5]), np.bitwise_and)
    (array([0, 1, 2, 3]), array([0.25, 0.25, 0.25, 0.25]))
    """
    batch = np.broadcast_shapes(masses1.shape[1:], masses2.shape[1:])
    n_rows = math.prod(batch)
    exact = masses1.dtype == object or masses2.dtype == object
    check_pairs(focal1, focal2, exact=exact)
    if n_rows == 1 and not exact and fits_table(focal1, focal2):
        left, right = masses1.reshape(-1), masses2.reshape(-1)
        size = table_size(focal1, focal2)
        table = pair_table(focal1, left, focal2, right, operation, size)
        focal = np.flatnonzero(table)
        sums = table[focal, np.newaxis]
        if renamed is not None:
            focal, sums = added_up((renamed(focal), sums))
    else:
        focal, index = pair_targets(focal1, focal2, operation)
        if renamed is not None:
            focal, names = np.unique(renamed(focal), return_inverse=True)
            index = names.reshape(-1)[index]
        check_result(len(focal), n_rows)
        left, right = _flat_batch(masses1, batch), _flat_batch(masses2, batch)
        sums = pair_sums(left, right, index, len(focal), n_rows)
    if not keep_empty and len(focal) and focal[0] == 0:
        focal, sums = focal[1:], sums[1:]
    return focal, sums.reshape(len(focal), *batch)


def met(one: Part, two: Part) -> Part:
    """Products of masses on the intersections of sets, as `combine_pairs`; for folds."""
    return combine_pairs(*one, *two, np.bitwise_and)


def _flat_batch(masses: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Masses as (F, n_rows), or (F, 1) if one row serves all."""
    if math.prod(masses.shape[1:]) == 1:
        return masses.reshape(-1, 1)
    return flattened(masses, batch)


def pair_sums(
    left: NDArray[Any], right: NDArray[Any], index: NDArray[np.intp], n_sets: int, n_rows: int
) -> NDArray[Any]:
    """`batch_sums`, of exact numbers too."""
    exact = left.dtype == object or right.dtype == object
    return (_exact if exact else batch_sums)(left, right, index, n_sets, n_rows)


def _exact(
    left: NDArray[Any], right: NDArray[Any], index: NDArray[np.intp], n_sets: int, n_rows: int
) -> NDArray[Any]:
    sums = np.zeros((n_sets, n_rows), dtype=object)
    for pair, target in enumerate(index):
        i, j = divmod(pair, len(right))
        sums[target] = sums[target] + left[i] * right[j]
    return sums


def agreement(
    focal1: NDArray[Any], masses1: NDArray[Any], focal2: NDArray[Any], masses2: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Non-empty intersections, masses proportional to their sums of m1(A) m2(B), and totals.

    Parameters
    ----------
    focal1, focal2 : (F1,), (F2,) arrays of masks, ascending
    masses1, masses2 : (F1, *batch1), (F2, *batch2) arrays, set-major

    Returns
    -------
    focal : (T,) masks, ascending
    masses : (T, *batch), set-major
    total : (*batch,), the sums of the masses; zero only if no sets with mass meet

    Examples
    --------
    >>> agreement(np.array([1, 4]), np.array([1.0, 1e-300]),
    ...           np.array([2, 4]), np.array([1.0, 1e-300]))
    (array([4]), array([1.]), array(1.))
    """
    focal, masses = combine_pairs(
        focal1, masses1, focal2, masses2, np.bitwise_and, keep_empty=False
    )
    total = np.asarray(masses.sum(axis=0))
    if masses.dtype == object or not len(focal1) or not len(focal2):
        return focal, masses, total
    small = total < SMALL_TOTAL
    if not (small.any() if total.ndim else small):
        return focal, masses, total
    parts = ((focal1, masses1), (focal2, masses2))
    sets, logs = log_agreement(
        *[(own, logarithms(stretch(masses, small.shape)[:, small])) for own, masses in parts]
    )
    top = logs.max(axis=0, initial=-np.inf)
    scaled = placed(sets, focal, masses)  # `focal` lacks sets without mass
    scaled[:, small] = np.exp(logs - np.where(np.isneginf(top), 0, top))
    return sets, scaled, np.asarray(scaled.sum(axis=0))


def refuse_total_conflict(total: NDArray[Any]) -> None:
    """Raise where the non-empty masses of a row sum to zero."""
    none = np.asarray(total == 0, dtype=bool)
    if none.any():
        raise TotalConflictError(
            f"total conflict (kappa = 1){in_rows(none)}: the sources exclude each other; discount "
            "a source or use a rule that keeps the conflict"
        )


def logarithms(masses: Floats) -> Floats:
    """Natural logarithms of masses; zero, and rounding below zero, give -inf."""
    with np.errstate(divide="ignore"):  # ln 0 = -inf is intended
        return np.asarray(np.log(np.maximum(masses, 0)))


def log_agreement(
    one: tuple[NDArray[Any], Floats], two: tuple[NDArray[Any], Floats], *, keep_empty: bool = False
) -> tuple[NDArray[Any], Floats]:
    """Non-empty intersections, and ln of their sums of m1(A) m2(B), from ln of the masses.

    Both parts are masks (F,), ascending, with values (F, *batch) of one batch shape; `keep_empty`
    keeps the empty set, too.

    Examples
    --------
    >>> log_agreement((np.array([1, 2]), np.array([-1000.0, 0.0])),
    ...               (np.array([1, 4]), np.array([-1000.0, 0.0])))
    (array([1]), array([-2000.]))
    """
    batch = one[1].shape[1:]
    n_rows = math.prod(batch)
    check_pairs(one[0], two[0])
    focal, index = pair_targets(one[0], two[0], np.bitwise_and)
    if not len(index):  # earlier sources left no set
        return focal, np.empty((0, *batch))
    left, right = (logs.reshape(len(logs), n_rows) for logs in (one[1], two[1]))
    order = np.argsort(index, kind="stable")
    i, j = np.divmod(order, len(right))
    logs = np.empty((len(focal), n_rows))
    for rows in blocks(n_rows, _BLOCK_VALUES // len(index)):
        logs[:, rows] = _grouped_logaddexp(left[i, rows] + right[j, rows], index[order])
    first = int(focal[0] == 0 and not keep_empty)
    return focal[first:].copy(), logs[first:].reshape(len(focal) - first, *batch)


def _grouped_logaddexp(logs: Floats, group: NDArray[np.intp]) -> Floats:
    """ln of the sum of exp over the rows of each group; `group` ascends from 0."""
    starts = np.searchsorted(group, np.arange(group[-1] + 1))
    top = np.maximum.reduceat(logs, starts, axis=0)
    top = np.where(np.isneginf(top), 0, top)  # -inf - -inf is not a number
    with np.errstate(divide="ignore"):  # a group without mass
        return np.asarray(top + np.log(np.add.reduceat(np.exp(logs - top[group]), starts, axis=0)))
