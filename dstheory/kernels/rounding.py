"""How far numbers that sum to 1 may be from it: the one rule, by the type that comes in.

A sum of float64 is right within 1e-9. A program that computes in float32 or float16 rounds each
of n numbers, and their sum, to one part in 2^24 or 2^11, so its rows may be off by a few units of
rounding times n; they are divided by their sum in float64, and from there on are as exact as
others. So are numbers that are written with d decimals, each of which is off by up to half a unit
of the last one. Fractions are exact.
"""

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Masses that come from sums over 2^20 sets carry a rounding error of about 1e-10.
SUM_TOLERANCE = 1e-9
# What rounding leaves between equal sums of few masses, or of utilities in their unit.
ROUNDING = 1e-12
_UNITS = 4  # a softmax rounds exponential, sum and quotient
# With one decimal, half a unit of each of three numbers would hide a sum of 0.85.
_FEWEST_DECIMALS, _MOST_DECIMALS = 2, 8


def sum_tolerance(dtype: DTypeLike, n: int) -> float:
    """How far the sum of n numbers of a type may be from 1.

    Parameters
    ----------
    dtype : dtype
        In which the numbers came.
    n : int

    Returns
    -------
    float
        1e-9; for floats of less than 64 bits 4 n times their unit of rounding, and at most its
        root, so that many numbers do not hide a wrong one.

    Examples
    --------
    >>> sum_tolerance(np.float64, 3), sum_tolerance(np.float32, 3) == 12 * 2.0**-23
    (1e-09, True)
    """
    kind = np.dtype(dtype)
    if kind.kind != "f" or kind.itemsize >= 8:
        return SUM_TOLERANCE
    unit = float(np.finfo(kind).eps)
    return max(min(_UNITS * n * unit, float(np.sqrt(unit))), SUM_TOLERANCE)


def decimals_tolerance(rows: NDArray[np.float64]) -> float:
    """How far sums of rows may be from 1 if numbers are rounded to the decimals that they have.

    Parameters
    ----------
    rows : (*batch, K) array

    Returns
    -------
    float
        K / 2 units of the last of two to eight decimals; 0 for numbers of more or fewer.

    Examples
    --------
    >>> decimals_tolerance(np.array([[0.333, 0.333, 0.333]])), decimals_tolerance(np.array([[0.5]]))
    (0.0015, 0.0)
    """
    for decimals in range(1, _MOST_DECIMALS + 1):
        if np.array_equal(np.round(rows, decimals), rows, equal_nan=True):
            few = decimals < _FEWEST_DECIMALS
            return 0.0 if few else rows.shape[-1] * 0.5 / 10**decimals
    return 0.0


def unit_rows(
    rows: NDArray[np.float64], dtype: DTypeLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Rows (*batch, K) of probabilities in float64, and which rows (*batch,) are none.

    Parameters
    ----------
    rows : (*batch, K) array
    dtype : dtype
        In which they came; of float32 and float16, rows are divided by their sum, and those that
        are off by no more than rounding to their decimals as well.

    Returns
    -------
    rows : (*batch, K) array
    wrong : (*batch,) array of bool
        Where a number is negative or NaN, or the sum is not 1 within `sum_tolerance`, nor within
        `decimals_tolerance`.

    Examples
    --------
    >>> given = np.float32([[0.1, 0.7, 0.2], [0.1, 0.7, 0.3]])
    >>> rows, wrong = unit_rows(given.astype(float), given.dtype)
    >>> wrong, bool(abs(rows[0].sum() - 1) < 1e-15)
    (array([False,  True]), True)
    """
    atol = sum_tolerance(dtype, rows.shape[-1])
    totals = np.einsum("...k->...", rows)  # of few numbers in half the time of a sum
    right = np.abs(totals - 1) <= atol  # a NaN is not
    rounded = atol > SUM_TOLERANCE
    if not rounded and not right.all():
        # The margin is for sums that miss the tolerance by their own rounding.
        loose = decimals_tolerance(rows) * (1 + SUM_TOLERANCE)
        right, rounded = right | (np.abs(totals - 1) <= loose), loose > 0
    if not (positive := rows >= 0).all():
        right = right & positive.all(axis=-1)
    if rounded:
        rows = rows / np.where(right, totals, 1)[..., np.newaxis]
    return rows, ~right
