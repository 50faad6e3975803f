"""Plausibilities of single classes under any code: products, without a table of sets.

Contours multiply under the conjunctive rule (Shafer 1976, ch. 3). So the unnormalized plausibility
of class k is the product over the columns of the mass that does not contradict it: "positive" and
"either" if k is on the positive side, "negative" and "either" if on the negative side, 1 if it was
not seen. As sums of logarithms, these are two matrix products for all classes, columns and samples.
"""

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_array, shown
from evical.multiclass._inputs import column_masses
from evical.multiclass.reduction import settled

# Replaces log 0, because 0 times it is 0 in a matrix product. No sum of real logarithms comes near
# it, and it takes 10^8 columns to overflow.
LOG_ZERO = -1e300

# Samples per chunk, whose sums and products stay in the cache of a core.
CHUNK = 1 << 12

# A product below this may have lost digits; with more columns, most products are below.
SMALLEST = 1e-290
MAX_FACTORS = 128


def checked_columns(columns: ArrayLike, code: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Masses of columns and their code, with matching shapes.

    Raises
    ------
    ValueError
        If a shape or an entry of the code is wrong.
    """
    matrix = as_array(code, "code")
    if matrix.ndim != 2 or not np.isin(matrix, (-1, 0, 1)).all():
        raise ValueError(
            f"code is of shape {matrix.shape}, {shown(code)}, expected 1, -1 or 0 for each class "
            "(row) and each column"
        )
    return column_masses(columns, matrix.shape[1]), matrix.astype(np.int8)


def is_one_vs_rest(code: NDArray[np.int8]) -> bool:
    """Whether column k is class k against all others, which has closed forms."""
    n_classes, n_columns = code.shape
    return n_classes == n_columns and bool((code == 2 * np.eye(n_classes) - 1).all())


def code_contour(columns: NDArray[Any], code: ArrayLike) -> NDArray[Any]:
    """Relative plausibility of each class after combining the columns by Dempster's rule.

    Parameters
    ----------
    columns : (3, B, *batch) array
        Masses of the negative side, of the positive side and of both together for each column;
        floats or Fractions.
    code : (K, B) array of 1, -1 and 0
        Class k is on the positive side of column b, on the negative side, or was not seen.

    Returns
    -------
    (*batch, K) array
        The contour divided by its maximum. Divided by its sum, it is the plausibility transform.
        `code_interval` gives the contour itself; its factor 1 / (1 - kappa) needs tables of all
        sets.

    Raises
    ------
    ValueError
        If shapes or entries are wrong.
    TotalConflictError
        If no class is left in some rows, which the message names; see `code_without_conflict`.

    Notes
    -----
    The cost is O(K B) per sample for any number of classes; nothing underflows.

    Examples
    --------
    >>> columns = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 0.5]])
    >>> code_contour(columns, [[1, 1], [-1, 0], [0, -1]])
    array([1. , 0. , 0.5])
    """
    masses, matrix = checked_columns(columns, code)
    relative = Contours(masses, matrix).alive().relative
    return np.moveaxis(relative.reshape(len(matrix), *masses.shape[2:]), 0, -1)


def code_without_conflict(
    columns: NDArray[Any], code: ArrayLike, total_conflict: str = "error"
) -> NDArray[Any]:
    """Columns whose combination exists.

    Parameters
    ----------
    columns : (3, B, *batch) array
        As for `code_contour`.
    code : (K, B) array of 1, -1 and 0
    total_conflict : {"error", "vacuous"}
        What to do if every class is excluded by some column: raise, or make these samples vacuous.

    Returns
    -------
    (3, B, *batch) array

    Raises
    ------
    ValueError
        If shapes or entries are wrong.
    TotalConflictError
        With the number of such samples and the first one.

    Examples
    --------
    >>> circle = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> pairs = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]  # a not b, c not a, b not c
    >>> code_without_conflict(circle, pairs, "vacuous")[2]
    array([1., 1., 1.])
    """
    masses, matrix = checked_columns(columns, code)
    dead = Contours(masses, matrix).dead.reshape(masses.shape[2:])
    return settled(masses, dead, total_conflict)


class Contours:
    """Unnormalized plausibilities of all classes for a batch of columns.

    Parameters
    ----------
    columns : (3, B, *batch) array
    code : (K, B) array of int8
    """

    def __init__(self, columns: NDArray[Any], code: NDArray[np.int8]) -> None:
        self.batch = columns.shape[2:]
        self.n = int(np.prod(self.batch))
        self.columns = columns.reshape(*columns.shape[:2], self.n)
        self.code = code

    @cached_property
    def _logs(self) -> NDArray[np.float64]:
        """Logarithms (K, n); far below zero for an impossible class."""
        logs = np.empty((len(self.code), self.n))
        for start in range(0, self.n, CHUNK):
            rows = slice(start, start + CHUNK)
            negative, positive, both = self.columns[..., rows].astype(np.float64, copy=False)
            logs[:, rows] = _log_products(positive + both, negative + both, self.code)
        return logs

    @cached_property
    def _exact(self) -> NDArray[Any]:
        """Products (K, n) of Fractions and other objects."""
        negative, positive, both = self.columns
        factors = [
            np.where(sign == 0, 1, np.where(sign == 1, positive + both, negative + both))
            for sign in self.code[:, :, np.newaxis]
        ]
        return np.stack([factor.prod(axis=0) for factor in factors])

    @property
    def is_exact(self) -> bool:
        """Whether masses are objects."""
        return bool(self.columns.dtype == object)

    @cached_property
    def log_peak(self) -> NDArray[np.float64]:
        """Logarithm (n,) of the largest plausibility, 0 if numbers are exact."""
        return np.zeros(self.n) if self.is_exact else np.asarray(self._logs.max(axis=0))

    @cached_property
    def dead(self) -> NDArray[np.bool_]:
        """Rows (n,) in which every class is impossible."""
        if self.is_exact:
            return np.asarray((self._exact == 0).all(axis=0), dtype=bool)
        return np.asarray(self.log_peak <= LOG_ZERO / 2)

    def alive(self) -> Self:
        """The contours, unless a row is in total conflict.

        Raises
        ------
        TotalConflictError
        """
        settled(self.columns, self.dead.reshape(self.batch), "error")
        return self

    @cached_property
    def relative(self) -> NDArray[Any]:
        """Plausibilities (K, n) divided by the largest."""
        if self.is_exact:
            return np.asarray(self._exact / self._exact.max(axis=0))
        return np.asarray(np.exp(self._logs - self.log_peak))

    @cached_property
    def bayesian(self) -> NDArray[np.bool_]:
        """Rows (n,) where at most one class can survive: Bayesian columns separate all pairs."""
        positive, negative = (self.code == 1).astype(int), (self.code == -1).astype(int)
        apart = positive @ negative.T
        if not (apart + apart.T + np.eye(len(self.code)) > 0).all():
            return np.zeros(self.n, dtype=bool)
        return np.asarray((self.columns[2] == 0).all(axis=0), dtype=bool)

    @cached_property
    def vacuous(self) -> NDArray[np.bool_]:
        """Rows (n,) in which all columns are vacuous."""
        return np.asarray((self.columns[2] == 1).all(axis=0), dtype=bool)

    def probabilities(self) -> NDArray[Any]:
        """Plausibilities (K, n), normalized to sum 1."""
        return np.asarray(self.relative / self.relative.sum(axis=0))


def _log_products(
    not_negative: NDArray[np.float64], not_positive: NDArray[np.float64], code: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Logarithms (K, n) of products over columns (B, n), by sums only where necessary."""
    if code.shape[1] > MAX_FACTORS:
        return _log_sums(not_negative, not_positive, code)
    products = np.ones((len(code), not_negative.shape[1]))
    for k, b in np.argwhere(code):
        products[k] *= (not_negative if code[k, b] == 1 else not_positive)[b]
    small = (products < SMALLEST).any(axis=0)
    logs = _log(products)
    if small.any():
        logs[:, small] = _log_sums(not_negative[:, small], not_positive[:, small], code)
    return logs


def _log_sums(
    not_negative: NDArray[np.float64], not_positive: NDArray[np.float64], code: NDArray[np.int8]
) -> NDArray[np.float64]:
    seen = [(code == sign).astype(np.float64) for sign in (1, -1)]
    return np.asarray(seen[0] @ _log(not_negative) + seen[1] @ _log(not_positive))


def _log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # log 0 is replaced
        return np.maximum(np.log(values), LOG_ZERO)
