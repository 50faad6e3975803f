"""Counts of states: how many rows of a cell have each state of each variable.

A cell is a set of rows, such as those with one state of y and certain states of its parents. Few
cells are kept as bits, one per row, and so are the states of all variables: 64 rows are compared at
once. Many cells are small, and each row goes to its cell. Both run in NumPy, and faster in numba.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.jit import HAVE_NUMBA, compiled
from evical._typing import Ints

__all__ = ["States", "count_bits", "count_rows"]

Words = NDArray[np.uint64]

_BITS = 64
# Masks of the sum of bits side by side; numba takes a plain number as signed.
_ONES, _TWOS, _FOURS, _BYTE = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0xFF),
)
_SHIFTS = tuple(np.uint64(1 << k) for k in range(6))
_S1, _S2, _S4, _S8, _S16, _S32 = _SHIFTS


@dataclass(frozen=True, eq=False)
class States:
    """Discrete variables, by row and as bits.

    Parameters
    ----------
    codes : (V, n) array
        State of each variable in each row, from 0.
    sizes : (V,) array
        Number of states of each variable.
    first : (V + 1,) array
        Place of the first state of each variable among those of all.
    bits : (S, W) array
        Rows of each state, one bit each.

    Examples
    --------
    >>> states = States.of(np.array([[0, 1, 1], [2, 0, 1]]), [2, 3])
    >>> states.first.tolist(), states.bits[:, 0].tolist()
    ([0, 2, 5], [1, 6, 2, 4, 1])
    """

    codes: Ints
    sizes: Ints
    first: Ints
    bits: Words

    @classmethod
    def of(cls, codes: NDArray[Any], sizes: Sequence[int] | Ints) -> "States":
        """States from codes (V, n) and the number of states of each variable."""
        counts = np.asarray(sizes, dtype=np.int64)
        first = np.concatenate([[0], np.cumsum(counts)])
        bits = [
            packed(row == np.arange(size)[:, np.newaxis])
            for row, size in zip(codes, counts, strict=True)
        ]
        return cls(np.ascontiguousarray(codes, dtype=np.int64), counts, first, np.concatenate(bits))


def packed(rows: NDArray[np.bool_]) -> Words:
    """Flags (m, n) as bits, (m, W) words of 64 rows."""
    width = -(-rows.shape[1] // _BITS) * _BITS
    full = np.zeros((len(rows), width), dtype=bool)
    full[:, : rows.shape[1]] = rows
    return np.packbits(full, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def count_bits(states: States, cell: Ints, n_cells: int) -> Ints:
    """Rows of each cell in each state, by bits.

    Parameters
    ----------
    states : States
    cell : (n,) array
        Of each row.
    n_cells : int

    Returns
    -------
    (S, n_cells) array

    Examples
    --------
    >>> states = States.of(np.array([[0, 1, 1], [2, 0, 1]]), [2, 3])
    >>> count_bits(states, np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1], [1, 0], [0, 1], [1, 0]]
    """
    cells = packed(cell == np.arange(n_cells)[:, np.newaxis])
    if HAVE_NUMBA:
        found = np.empty((len(states.bits), n_cells), dtype=np.int64)
        _fill_bits(states.bits, cells, found)
        return found
    counts = [np.bitwise_count(states.bits & one).sum(axis=1, dtype=np.int64) for one in cells]
    return np.stack(counts, axis=1)


def count_rows(states: States, cell: Ints, n_cells: int) -> Ints:
    """Rows of each cell in each state, row by row.

    Parameters
    ----------
    states : States
    cell : (n,) array
        Of each row.
    n_cells : int

    Returns
    -------
    (S, n_cells) array

    Examples
    --------
    >>> states = States.of(np.array([[0, 1, 1], [2, 0, 1]]), [2, 3])
    >>> count_rows(states, np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1], [1, 0], [0, 1], [1, 0]]
    """
    found = np.zeros((len(states.bits), n_cells), dtype=np.int64)
    if HAVE_NUMBA:
        _fill_rows(states.codes, states.first, cell, found)
        return found
    for x, row in enumerate(states.codes):
        size = int(states.sizes[x])
        counts = np.bincount(row * n_cells + cell, minlength=size * n_cells)
        found[states.first[x] : states.first[x + 1]] = counts.reshape(size, n_cells)
    return found


@compiled
def _fill_bits(bits: Words, cells: Words, found: Ints) -> None:
    for s in range(len(bits)):
        for c in range(len(cells)):
            total = np.uint64(0)
            for w in range(bits.shape[1]):
                v = bits[s, w] & cells[c, w]
                v = v - ((v >> _S1) & _ONES)
                v = (v & _TWOS) + ((v >> _S2) & _TWOS)
                v = (v + (v >> _S4)) & _FOURS
                v = v + (v >> _S8)
                v = v + (v >> _S16)
                total += (v + (v >> _S32)) & _BYTE
            found[s, c] = total


@compiled
def _fill_rows(codes: Ints, first: Ints, cell: Ints, found: Ints) -> None:
    for x in range(len(codes)):
        start = first[x]
        for row in range(len(cell)):
            found[start + codes[x, row], cell[row]] += 1
