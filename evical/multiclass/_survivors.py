"""Dempster's rule over the columns of a code, as a table of surviving sets of classes.

Each column keeps all classes or strikes out those of one side. The mass of a set is the probability
that exactly its classes survive all columns: the conjunctive rule (Shafer 1976, ch. 3), computed by
sums and products of non-negative numbers, without the differences of inclusion-exclusion. A class
enters the table when a column first names it, which saves more than half of the work for pairs of
classes.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["survivor_blocks"]

# Numbers in a table: the fastest of 2^16 to 2^20 for the 45 pairs of 10 classes.
BLOCK = 1 << 18

# If a product of masses exceeds this, its parts below the smallest float are negligible.
SMALLEST = -460.0  # log(1e-200)


class _Arithmetic(NamedTuple):
    """Sums and products, of numbers or of their logarithms."""

    add: Callable[..., Any]
    multiply: Callable[..., Any]
    zero: Any
    one: Any


PLAIN = _Arithmetic(np.add, np.multiply, 0, 1)
LOGARITHMIC = _Arithmetic(np.logaddexp, np.add, -np.inf, 0.0)


def survivor_blocks(
    columns: NDArray[Any], code: NDArray[np.int8], log_peak: NDArray[Any]
) -> Iterator[tuple[NDArray[np.intp], NDArray[Any]]]:
    """Combined mass functions, in blocks of rows.

    Parameters
    ----------
    columns : (3, B, n) array
        Masses of the negative side, of the positive side and of either.
    code : (K, B) array of 1, -1 and 0
    log_peak : (n,) array
        Logarithm of the largest unnormalized plausibility of a class, not minus infinity. Rows
        where it is tiny are combined by logarithms.

    Yields
    ------
    rows : (r,) array of int
    table : (2^K, r) array
        Normalized masses by mask; that of the empty set is 0.
    """
    size = max(1, BLOCK >> len(code))
    is_tiny = np.asarray(log_peak < SMALLEST, dtype=bool)
    for tiny in (False, True):
        rows = np.flatnonzero(is_tiny == tiny)
        table_of = _table_from_logarithms if tiny else partial(_table, how=PLAIN)
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            table = table_of(columns[..., part], code)
            table[0] = 0
            table /= table.sum(axis=0)
            yield part, table


def _table_from_logarithms(columns: NDArray[Any], code: NDArray[np.int8]) -> NDArray[Any]:
    with np.errstate(divide="ignore"):  # a mass of 0 has the logarithm minus infinity
        table = _table(np.log(columns), code, LOGARITHMIC)
    table[0] = -np.inf  # possibly nearly all of the mass
    return np.asarray(np.exp(table - table.max(axis=0)))


def _table(columns: NDArray[Any], code: NDArray[np.int8], how: _Arithmetic) -> NDArray[Any]:
    """Unnormalized masses of all sets, by mask."""
    last_named = len(code) - 1 - np.argmax(code[::-1] != 0, axis=0)
    table = np.full((1, columns.shape[-1]), how.one, dtype=columns.dtype)
    for k in range(len(code)):
        # A class that no column has named yet is in every set.
        table = np.concatenate([np.full_like(table, how.zero), table])
        for b in np.flatnonzero(last_named == k):
            table = _one_more(table, columns[:, b], code[: k + 1, b], how)
    return table


def _one_more(
    table: NDArray[Any], masses: NDArray[Any], signs: NDArray[np.int8], how: _Arithmetic
) -> NDArray[Any]:
    """The conjunctive rule with one column."""
    negative, positive, both = masses
    result = np.asarray(how.multiply(table, both))
    for struck, mass in ((1, negative), (-1, positive)):
        _add_without(result, table, np.flatnonzero(signs == struck)[::-1], mass, how)
    return result


def _add_without(
    result: NDArray[Any],
    table: NDArray[Any],
    struck: NDArray[np.intp],
    mass: NDArray[Any],
    how: _Arithmetic,
) -> None:
    """Add `mass` times the table conditioned on "none of the struck classes", in place.

    Arrays are (..., sets, n). The highest struck class goes first: sets with it merge with the same
    sets without it, which leaves half of the table for the next class.
    """
    if len(struck) == 0:
        how.add(result, how.multiply(table, mass), out=result)
        return
    stride = 1 << int(struck[0])
    *outer, n_sets, n = table.shape
    shape = (*outer, n_sets // (2 * stride), 2, stride, n)
    halves = table.reshape(shape)
    merged = how.add(halves[..., 0, :, :], halves[..., 1, :, :])
    without = result.reshape(shape)[..., 0, :, :]  # a view, because an axis is only split
    _add_without(without, merged, struck[1:], mass, how)
