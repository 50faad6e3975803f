"""Beliefs from the columns of any code, without a list of all sets where none is asked for.

Column b of a code is evidence for "positive or not seen", for "negative or not seen", or for
nothing (`column_evidence`). Under Dempster's rule, the plausibilities of single classes multiply,
up to one factor per sample, without a table of the 2^K sets of classes. That factor and all other
beliefs need a table; only one-vs-rest has closed forms. The statement "a" of a pair becomes "a or a
class not seen", the ballooning extension of its belief given the pair (Smets 1993, Int. J. Approx.
Reasoning 9).

The unnormalized plausibility of class k is the product over the columns of the mass that does not
contradict it: "positive" and "either" if k is on the positive side, "negative" and "either" if on
the negative side, 1 if it was not seen. As sums of logarithms, these are two matrix products for
all classes, columns and samples.

In a table of surviving sets, each column keeps all classes or strikes out those of one side. The
mass of a set is the probability that exactly its classes survive all columns: the conjunctive rule
(Shafer 1976, ch. 3), computed by sums and products of non-negative numbers, without the differences
of inclusion-exclusion. A class enters the table when a column first names it, which saves more than
half of the work for pairs of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_array, check_instance, shown
from dstheory.combine import dempster
from dstheory.decide import lower_expected_utility
from dstheory.errors import CostLimitError
from dstheory.kernels.batches import blocks
from dstheory.kernels.bits import mask_array
from dstheory.transform import betp
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.products import Products, member_sums
from evical.multiclass._inputs import column_masses
from evical.multiclass.codes import check_code_matrix
from evical.multiclass.reduction import (
    MAX_CLASSES,
    column_evidence,
    settled,
    without_total_conflict,
)

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
        for rows in blocks(self.n, CHUNK):
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


# Numbers in a table: the fastest of 2^16 to 2^20 for the 45 pairs of 10 classes.
BLOCK = 1 << 18

# If a product of masses exceeds this, its parts below the smallest float are negligible.
LOG_SMALLEST = -460.0  # log(1e-200)


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
    is_tiny = np.asarray(log_peak < LOG_SMALLEST, dtype=bool)
    for tiny in (False, True):
        rows = np.flatnonzero(is_tiny == tiny)
        table_of = _table_from_logarithms if tiny else partial(_table, how=PLAIN)
        for part in (rows[block] for block in blocks(len(rows), BLOCK >> len(code))):
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


def code_mass(columns: NDArray[Any], frame: Frame, code: ArrayLike) -> MassFunction:
    """Combination of the columns of a code by Dempster's rule, over all sets of classes.

    Parameters
    ----------
    columns : (3, B, *batch) array
        Masses of the negative side, of the positive side and of both together for each column;
        floats or Fractions.
    frame : Frame
        The K classes.
    code : (K, B) array of 1, -1 and 0

    Returns
    -------
    MassFunction
        Over the 2^K - 1 non-empty sets of classes, or over those that the columns can leave.

    Raises
    ------
    ValueError
        If shapes differ, or if more than `MAX_CLASSES` classes have too many sets.
    TotalConflictError
        If no class is left in some rows, which the message names; see `code_without_conflict`.

    See Also
    --------
    column_evidence : what one column says.
    code_contour : relative plausibilities for any number of classes.

    Examples
    --------
    Two pairs of three classes: certainly a rather than b, and perhaps a rather than c.

    >>> columns = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 0.5]])
    >>> code_mass(columns, Frame(["a", "b", "c"]), [[1, 1], [-1, 0], [0, -1]]).prune()
    MassFunction on {a, b, c}
      {a}     0.5
      {a, c}  0.5
    """
    check_instance("frame", frame, Frame, "a Frame")
    columns, matrix = checked_columns(columns, code)
    if len(frame) != len(matrix):
        raise ValueError(f"code has {len(matrix)} rows, but {frame!r} has {len(frame)} classes")
    contours = Contours(columns, matrix).alive()
    batch = columns.shape[2:]
    if len(frame) > MAX_CLASSES:
        return _without_table(contours, frame).reshape(*batch)
    store = np.empty(((1 << len(frame)) - 1, contours.n), dtype=columns.dtype)
    for rows, table in survivor_blocks(contours.columns, matrix, contours.log_peak):
        store[:, rows] = table[1:]
    return MassFunction.from_store(
        frame, np.arange(1, 1 << len(frame)), store.reshape(len(store), *batch)
    )


def code_interval(columns: NDArray[Any], code: ArrayLike) -> NDArray[Any]:
    """Belief and plausibility of each class after combining the columns by Dempster's rule.

    Parameters
    ----------
    columns : (3, B, *batch) array
        As for `code_mass`.
    code : (K, B) array of 1, -1 and 0

    Returns
    -------
    (*batch, K, 2) array
        [Bel, Pl].

    Raises
    ------
    ValueError, TotalConflictError
        As `code_mass`. Bayesian columns that separate all pairs of classes have no limit of
        classes.

    Examples
    --------
    >>> columns = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 0.5]])
    >>> code_interval(columns, [[1, 1], [-1, 0], [0, -1]])
    array([[0.5, 1. ],
           [0. , 0. ],
           [0. , 0.5]])
    """
    columns, matrix = checked_columns(columns, code)
    return _from_tables(columns, matrix, _interval_of)


def code_betp(columns: NDArray[Any], code: ArrayLike) -> NDArray[Any]:
    """Pignistic probabilities after combining the columns by Dempster's rule.

    Parameters
    ----------
    columns : (3, B, *batch) array
        As for `code_mass`.
    code : (K, B) array of 1, -1 and 0

    Returns
    -------
    (*batch, K) array

    Raises
    ------
    ValueError, TotalConflictError
        As `code_interval`.

    Notes
    -----
    If Bayesian columns separate all pairs of classes, the combination is Bayesian too: the
    probability of a class is proportional to the product of the probabilities of its side in all
    columns. For all pairs this is p_i ∝ prod_j r_ij, the product rule. If r_ij = p_i / (p_i + p_j)
    for some p, a coupling returns p, while the product rule is more extreme, because it assumes
    that the K - 1 columns of a class are independent.

    Examples
    --------
    >>> columns = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 0.5]])
    >>> code_betp(columns, [[1, 1], [-1, 0], [0, -1]])
    array([0.75, 0.  , 0.25])
    """
    columns, matrix = checked_columns(columns, code)
    return _from_tables(columns, matrix, _betp_of)[..., 0]


def _interval_of(table: NDArray[Any]) -> list[NDArray[Any]]:
    singles = [1 << k for k in range(len(table).bit_length() - 1)]
    plausibility = member_sums(table)
    if table.dtype != object:
        plausibility = np.minimum(plausibility, 1)  # rounding can exceed 1
    return [np.asarray(table[singles]), plausibility]


def _betp_of(table: NDArray[Any]) -> list[NDArray[Any]]:
    sizes = np.bitwise_count(np.arange(len(table)))[:, np.newaxis]
    return [member_sums(table / np.maximum(sizes, 1).astype(table.dtype))]


def _from_tables(
    columns: NDArray[Any],
    code: NDArray[np.int8],
    parts_of: Callable[[NDArray[Any]], list[NDArray[Any]]],
) -> NDArray[Any]:
    """Results of each block of tables for each class: (*batch, K, parts)."""
    contours = Contours(columns, code).alive()
    n_parts = 2 if parts_of is _interval_of else 1
    result = np.empty((contours.n, len(code), n_parts), dtype=columns.dtype)
    known = contours.bayesian
    result[known] = contours.probabilities().T[known, :, np.newaxis]
    rest = np.flatnonzero(~known)
    columns_left = contours.columns[..., rest]
    if len(code) > MAX_CLASSES:
        if len(rest):
            m = _without_table(Contours(columns_left, code), Frame(range(len(code))))
            result[rest] = _few_sets(m, n_parts)
    else:
        for rows, table in survivor_blocks(columns_left, code, contours.log_peak[rest]):
            for part, values in enumerate(parts_of(table)):
                result[rest[rows], :, part] = values.T
    return result.reshape(*columns.shape[2:], len(code), n_parts)


def _few_sets(m: MassFunction, n_parts: int) -> NDArray[Any]:
    if n_parts == 1:
        return np.asarray(betp(m))[..., np.newaxis]
    belief = np.stack([m.bel(mask=1 << k) for k in range(len(m.frame))], axis=-1)
    return np.stack([belief, m.contour()], axis=-1)


def _without_table(contours: Contours, frame: Frame) -> MassFunction:
    """Masses on many classes, batch (n,), if few sets have mass."""
    if not (contours.bayesian | contours.vacuous).all():
        return _fold(contours.columns, frame, contours.code)
    singles = [1 << k for k in range(len(frame))]
    masses = np.where(contours.vacuous, 0, contours.probabilities())
    store = np.concatenate([masses, contours.vacuous[np.newaxis].astype(masses.dtype)])
    return MassFunction.from_store(frame, mask_array([*singles, frame.full], len(frame)), store)


def _fold(columns: NDArray[Any], frame: Frame, code: NDArray[np.int8]) -> MassFunction:
    """Dempster's rule over columns that leave few sets of many classes."""
    _refuse_many_sets(code)
    focal = np.array([1, 2, 3])
    sides = Frame([0, 1])
    sources = [
        column_evidence(
            MassFunction.from_store(sides, focal.copy(), np.ascontiguousarray(columns[:, b])),
            frame,
            code[:, b],
        )
        for b in range(code.shape[1])
    ]
    return sources[0] if len(sources) == 1 else dempster(*sources, log=True)


def _refuse_many_sets(code: NDArray[np.int8]) -> None:
    everything = (1 << len(code)) - 1
    reached = {everything}
    for column in code.T:
        for struck in (1, -1):
            kept = everything - sum(1 << k for k in np.flatnonzero(column == struck).tolist())
            reached |= {event & kept for event in reached}
        if len(reached) > 1 << MAX_CLASSES:
            raise CostLimitError(
                f"{len(code)} classes have more than 2^{MAX_CLASSES} sets under this code; "
                "without limit are code_contour, and for code 'one_vs_rest' code_interval and "
                "code_betp (predict_interval, predict_proba)"
            )


def code_beliefs(
    columns: Floats,
    classes: ArrayLike,
    code: ArrayLike,
    total_conflict: Literal["error", "vacuous"] = "error",
) -> Beliefs:
    """Dempster's rule of the columns of a code (the evidential reduction).

    Column b supports "a class of its positive side, or one that takes no part" with the mass of
    that side, the same of the negative side, and nothing with the rest.

    Parameters
    ----------
    columns : (3, B, n) array
        Masses of the negative side, of the positive side, and of either.
    classes : (K,) array
    code : (K, B) array
        1, -1 or 0 for classes of the positive side, of the negative one, and of none.
    total_conflict : {"error", "vacuous"}
        What becomes of samples whose columns exclude each other.

    Returns
    -------
    Beliefs
        Contours of any number of classes; the rest of more than 16 only where closed forms exist.

    Raises
    ------
    TotalConflictError
        When they are asked, if columns exclude each other and `total_conflict` is "error".

    Examples
    --------
    >>> pairs = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    >>> columns = np.array([[0.0, 0.25, 0.25], [0.5, 0.25, 0.25], [0.5, 0.5, 0.5]])
    >>> code_beliefs(columns[..., np.newaxis], ["a", "b", "c"], pairs).betp().round(3)
    array([[0.478, 0.188, 0.333]])
    """
    classes, code = np.asarray(classes), check_code_matrix(code)
    if is_one_vs_rest(code):
        return Products.of_columns(without_total_conflict(columns, total_conflict), classes)
    if total_conflict != "error":
        columns = code_without_conflict(columns, code, total_conflict)
    return _Coded(classes, columns, code)


@final
@dataclass(frozen=True, eq=False)
class _Coded(Beliefs):
    """Columns (3, B, n) of a code (K, B)."""

    classes: NDArray[Any]
    columns: Floats
    code: NDArray[np.int8]

    def __len__(self) -> int:
        return int(self.columns.shape[2])

    def __getitem__(self, rows: Any) -> Self:
        return replace(self, columns=self.columns[..., rows])

    def mass(self) -> MassFunction:
        return code_mass(self.columns, self.frame, self.code)

    def betp(self) -> Floats:
        return code_betp(self.columns, self.code)

    def interval(self) -> Floats:
        return code_interval(self.columns, self.code)

    def contour(self) -> Floats:
        return code_contour(self.columns, self.code)

    def lower(self, utilities: Floats) -> Floats:
        return np.asarray(lower_expected_utility(self.mass(), utilities))
