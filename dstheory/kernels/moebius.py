"""Sums over subsets and supersets of dense tables, in place, by butterflies.

A table holds one number for each of the 2^K subsets, set-major: shape (2^K, *batch).
Each of the K sweeps adds one half of the table to the other, which costs K 2^(K-1)
additions instead of the 3^K of the definition (Yates' algorithm; Kennes 1992,
"Computational aspects of the Moebius transformation of graphs"). The functions work on floats and,
exactly, on objects. A single large table goes through `kernels.sweeps` if numba is installed;
batches gain nothing from compiled code.

Butterflies over one large dense table in two sweeps through memory, compiled.

The obvious method passes over the whole table once for each of its K bits and is memory-bound from
K = 16 on. Here the low bits are processed within blocks that fit the cache, then the high bits
within narrow panels of columns that do: two sweeps for any K. `kernels.moebius` uses it if numba is
installed. Every sum has the same additions in the same order, so the result is the same to the last
bit.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats, Ints
from dstheory.kernels import bits
from dstheory.kernels.jit import HAVE_NUMBA, compiled

__all__ = ["subset_differences", "subset_sums", "superset_differences", "superset_sums"]


# 2^14 doubles are 128 KiB: a block of the first sweep stays in a level-2 cache. Of 12 to 15
# low bits and panels of 32 to 128 columns, these were fastest at K = 20 to 24.
_LOW_BITS = 14
_PANEL = 128
# Two threads help from here on (K = 22: 21 to 11-17 ms, 24: 97 to 52 ms), not below.
_THREADED_BITS = 20


@compiled
def _two_bits(table: Floats, start: int, width: int, stride: int, flip: bool, sign: float) -> None:
    """Both bits of a group of four runs of `width` entries, `stride` apart."""
    a = start + 3 * stride if flip else start
    step = -stride if flip else stride
    b, c, d = a + step, a + 2 * step, a + 3 * step
    for i in range(width):
        second = table[b + i] + sign * table[d + i]
        third = table[c + i] + sign * table[d + i]
        table[a + i] = (table[a + i] + sign * table[b + i]) + sign * third
        table[b + i] = second
        table[c + i] = third


@compiled
def _one_bit(table: Floats, start: int, width: int, stride: int, flip: bool, sign: float) -> None:
    target = start + stride if flip else start
    source = start if flip else start + stride
    for i in range(width):
        table[target + i] += sign * table[source + i]


@compiled
def _three_bits(table: Floats, start: int, flip: bool, sign: float) -> None:
    """The three lowest bits of eight neighboring entries, in registers."""
    a = start + 7 if flip else start
    step = -1 if flip else 1
    x0, x1 = table[a], table[a + step]
    x2, x3 = table[a + 2 * step], table[a + 3 * step]
    x4, x5 = table[a + 4 * step], table[a + 5 * step]
    x6, x7 = table[a + 6 * step], table[a + 7 * step]
    x0, x2, x4, x6 = x0 + sign * x1, x2 + sign * x3, x4 + sign * x5, x6 + sign * x7
    x0, x1, x4, x5 = x0 + sign * x2, x1 + sign * x3, x4 + sign * x6, x5 + sign * x7
    table[a], table[a + step] = x0 + sign * x4, x1 + sign * x5
    table[a + 2 * step], table[a + 3 * step] = x2 + sign * x6, x3 + sign * x7
    table[a + 4 * step], table[a + 5 * step] = x4, x5
    table[a + 6 * step] = x6


@compiled
def _low_sweep(table: Floats, n_low: int, flip: bool, sign: float) -> None:
    """All bits of blocks of 2^n_low entries, n_low at least 3."""
    block = 1 << n_low
    for start in range(0, table.shape[0], block):
        for base in range(start, start + block, 8):
            _three_bits(table, base, flip, sign)
        stride = 8
        if n_low % 2 == 0:
            for base in range(start, start + block, 16):
                _one_bit(table, base, 8, 8, flip, sign)
            stride = 16
        while stride < block:
            for base in range(start, start + block, 4 * stride):
                _two_bits(table, base, stride, stride, flip, sign)
            stride *= 4


@compiled
def _high_sweep(
    table: Floats, n_low: int, first: int, stop: int, panel: int, flip: bool, sign: float
) -> None:
    """The bits above `n_low`, for the columns from `first` to `stop`."""
    n_columns = 1 << n_low
    n_rows = table.shape[0] >> n_low
    for left in range(first, stop, panel):
        rows = 1
        while rows < n_rows:
            stride = rows * n_columns
            last = 2 * rows == n_rows
            step = 2 * rows if last else 4 * rows
            for group in range(0, n_rows, step):
                for row in range(group, group + rows):
                    start = row * n_columns + left
                    if last:
                        _one_bit(table, start, panel, stride, flip, sign)
                    else:
                        _two_bits(table, start, panel, stride, flip, sign)
            rows *= 2 if last else 4


def sweep(table: Floats, *, to_superset: bool, inverse: bool) -> None:
    """Sum over subsets (`to_superset`) or supersets of a float64 table (2^K,), K >= 3, in place."""
    n_bits = table.shape[0].bit_length() - 1
    n_low = min(n_bits, _LOW_BITS)
    sign = -1.0 if inverse else 1.0
    n_columns = 1 << n_low

    def low(block: Floats) -> None:
        _low_sweep(block, n_low, to_superset, sign)

    def high(first: int, stop: int) -> None:
        _high_sweep(table, n_low, first, stop, _PANEL, to_superset, sign)

    if n_bits < _THREADED_BITS or _n_cores() < 2:
        low(table)
        if n_bits > n_low:
            high(0, n_columns)
        return
    with ThreadPoolExecutor(2) as pool:  # compiled code releases the interpreter lock
        list(pool.map(low, np.split(table, 2)))
        list(pool.map(high, (0, n_columns // 2), (n_columns // 2, n_columns)))


def _n_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Below 2^8 sets, calling compiled code costs more than it saves.
_MIN_COMPILED = 1 << 8


def _sweep(table: NDArray[Any], *, to_superset: bool, inverse: bool) -> NDArray[Any]:
    n_sets = table.shape[0]
    if HAVE_NUMBA and table.dtype == np.float64 and table.size == n_sets >= _MIN_COMPILED:
        sweep(table.reshape(-1), to_superset=to_superset, inverse=inverse)
        return table
    return _butterfly(table, np.subtract if inverse else np.add, to_superset=to_superset)


def _butterfly(table: NDArray[Any], step: np.ufunc, *, to_superset: bool) -> NDArray[Any]:
    n_sets = table.shape[0]
    stride = 1
    while stride < n_sets:
        halves = table.reshape(n_sets // (2 * stride), 2, stride, *table.shape[1:])
        without, with_bit = halves[:, 0], halves[:, 1]
        target, source = (with_bit, without) if to_superset else (without, with_bit)
        step(target, source, out=target)
        stride *= 2
    return table


def _owned(table: NDArray[Any]) -> NDArray[Any]:
    return np.array(table, order="C", copy=True)


def subset_sums(table: NDArray[Any]) -> NDArray[Any]:
    """Sum over the subsets of each set, from mass to implicability.

    Examples
    --------
    >>> subset_sums(np.array([0.0, 0.5, 0.0, 0.5]))
    array([0. , 0.5, 0. , 1. ])
    """
    return _sweep(_owned(table), to_superset=True, inverse=False)


def subset_differences(table: NDArray[Any]) -> NDArray[Any]:
    """Inverse of `subset_sums`, from implicability to mass.

    Examples
    --------
    >>> subset_differences(np.array([0.0, 0.5, 0.0, 1.0]))
    array([0. , 0.5, 0. , 0.5])
    """
    return _sweep(_owned(table), to_superset=True, inverse=True)


def superset_sums(table: NDArray[Any]) -> NDArray[Any]:
    """Sum over the supersets of each set, from mass to commonality.

    Examples
    --------
    >>> superset_sums(np.array([0.0, 0.5, 0.0, 0.5]))
    array([1. , 1. , 0.5, 0.5])
    """
    return _sweep(_owned(table), to_superset=False, inverse=False)


def superset_differences(table: NDArray[Any]) -> NDArray[Any]:
    """Inverse of `superset_sums`, from commonality to mass.

    Examples
    --------
    >>> superset_differences(np.array([1.0, 1.0, 0.5, 0.5]))
    array([0. , 0.5, 0. , 0.5])
    """
    return _sweep(_owned(table), to_superset=False, inverse=True)


def superset_quotients(table: NDArray[Any]) -> NDArray[Any]:
    """`superset_differences` of logarithms, without logarithms: exact on fractions.

    Examples
    --------
    >>> superset_quotients(np.array([8.0, 4.0, 2.0, 2.0]))
    array([2., 2., 1., 2.])
    """
    return _butterfly(_owned(table), np.divide, to_superset=False)


def runs(size: int) -> tuple[Ints, Ints]:
    """First places and ends of all runs of ordered categories, by ascending masks."""
    first, end = np.array([(i, e) for e in range(1, size + 1) for i in reversed(range(e))]).T
    return first, end


def run_masses(beliefs: Floats, size: int) -> tuple[NDArray[Any], Floats]:
    """Focal sets and masses (F, *batch) from beliefs in the `runs`, which are 2-monotone.

    The mass of a run is its belief, minus the beliefs of the two runs without one of its ends,
    plus the belief of the run without both.
    """
    first, end = runs(size)
    table = np.zeros((size + 1, size + 1, *beliefs.shape[1:]))  # from i to before e; 0 where empty
    table[first, end] = beliefs
    masses = (table[first, end] - table[first + 1, end]) - (
        table[first, end - 1] - table[first + 1, end - 1]
    )
    focal = bits.mask_array(
        ((1 << e) - (1 << i) for i, e in zip(first.tolist(), end.tolist(), strict=True)), size
    )
    return focal, np.maximum(masses, 0)  # rounding in differences of equal numbers
