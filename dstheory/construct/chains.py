"""Consonant mass functions: nested focal sets, determined by a contour.

Labels in decreasing order of possibility give the sets, and the drops of the contour give the
masses. A necessity measure is a belief function with nested focal sets, and its possibility
distribution is the contour (Shafer 1976, ch. 10; Dubois & Prade 1988, Possibility Theory).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_array, check_atol, check_rows
from dstheory.construct.arguments import as_rows, check_masks, row_numbers
from dstheory.construct.tables import from_table
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.kernels.rows import in_row
from dstheory.mass import MassFunction


def consonant(frame: Frame, contour: Numbers, *, atol: float = 1e-9) -> MassFunction:
    """The consonant mass function with a given contour (possibility distribution).

    Parameters
    ----------
    frame : Frame
        K labels.
    contour : (*batch, K) array
        Plausibility of each label; the largest value of each row is 1.
    atol : float
        Tolerance on the maximum of a row of floats. Exact rows must have a maximum of exactly 1.

    Returns
    -------
    MassFunction
        Focal sets are those that some row needs. Rows that order the labels differently have
        different focal sets, so memory is rows times distinct sets.

    Raises
    ------
    MassError
        If a value is negative or not finite, or a row does not have maximum 1.
    TypeError
        If `frame` is not a Frame, or a value is not a number.
    CostLimitError
        If the sets take more than 4 GiB: one set of K labels takes up to K bits.

    See Also
    --------
    nested : from an order of the labels and masses.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 10; Xu et al. (2016), eq. 11-13.

    Examples
    --------
    >>> consonant(Frame(["ant", "bee", "cat"]), [0.5, 1, 0.25])
    MassFunction on {ant, bee, cat}
      {bee}            0.5
      {ant, bee}       0.25
      {ant, bee, cat}  0.25
    """
    check_atol(atol)
    rows = as_rows(contour, frame, "contour")
    checks.check_nonnegative(rows, "contour value")
    _check_maximum(rows, 0.0 if rows.dtype == object else atol)
    order = falling_order(rows)
    return nested(frame, order, -np.diff(np.take_along_axis(rows, order, -1), append=0, axis=-1))


def nested(frame: Frame, order: ArrayLike, masses: Numbers) -> MassFunction:
    """Mass function on the first label of an order, the first two, and so on.

    Parameters
    ----------
    frame : Frame
        K labels.
    order : (*batch, K) array of int
        Each row orders the positions 0 ... K - 1 of the labels.
    masses : (*batch, K) array
        Entry *i* is the mass of the first *i* + 1 labels of the order; rows sum to 1.

    Returns
    -------
    MassFunction
        Sets without mass in every row are left out.

    Raises
    ------
    MassError
        If a row of `order` is not a permutation, or a row of `masses` is negative, not finite
        or does not sum to 1.
    TypeError
        If `frame` is not a Frame, or a mass is not a number.
    CostLimitError
        If the sets take more than 4 GiB, as in `consonant`.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 10.

    Examples
    --------
    >>> nested(Frame(["ant", "bee", "cat"]), [1, 0, 2], [0.5, 0.25, 0.25]).to_dict()
    {('bee',): 0.5, ('ant', 'bee'): 0.25, ('ant', 'bee', 'cat'): 0.25}
    """
    check_rows(order=order, masses=masses)
    places = _permutations(order, checks.as_frame(frame))
    labels = [frame.labels[place] for place in places.tolist()] if places.ndim == 1 else ()
    rows = checks.as_distribution(row_numbers(masses, frame, "masses", labels))
    empty = np.zeros_like(rows[..., :1])
    return assemble(frame, places, np.concatenate([empty, rows], axis=-1))


def assemble(frame: Frame, order: NDArray[np.intp], masses: NDArray[Any]) -> MassFunction:
    """Mass function on nested sets from valid masses (*batch, K + 1), the empty set first."""
    batch = np.broadcast_shapes(masses.shape[:-1], order.shape[:-1])
    rows = np.broadcast_to(masses, (*batch, masses.shape[-1])).reshape(-1, masses.shape[-1])
    positions = np.broadcast_to(order, (*batch, len(frame))).reshape(-1, len(frame))
    row, level = np.nonzero(rows != 0)
    sets = _sets_of(positions, row, level, len(frame))
    focal, index = np.unique(sets, return_inverse=True)
    store = np.zeros((len(focal), len(rows)), dtype=rows.dtype)
    store[index.reshape(-1), row] = rows[row, level]
    return MassFunction.from_store(frame, focal, store.reshape(len(focal), *batch))


def of_contour(frame: Frame, contour: NDArray[Any]) -> MassFunction:
    """Consonant mass function of a contour in valid rows; the rest to 1 is on the empty set."""
    order = falling_order(contour)
    falling = np.take_along_axis(contour, order, -1)
    drops = -np.diff(falling, prepend=1, append=0, axis=-1)
    # A contour may exceed 1 by rounding.
    return assemble(frame, order, drops if drops.dtype == object else np.maximum(drops, 0))


def isopignistic(frame: Frame, probabilities: NDArray[Any]) -> MassFunction:
    """Least committed mass function whose pignistic probability is given, in valid rows."""
    order = falling_order(probabilities)
    falling = np.take_along_axis(probabilities, order, -1)
    sizes = np.arange(1, len(frame) + 1).astype(falling.dtype)
    return nested(frame, order, -np.diff(falling, append=0, axis=-1) * sizes)


def falling_order(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Positions by decreasing value, with ties in the order of the labels."""
    return np.argsort(-rows, axis=-1, kind="stable")


def _sets_of(
    order: NDArray[np.intp], row: NDArray[np.intp], level: NDArray[np.intp], size: int
) -> NDArray[Any]:
    """Masks of the first `level` labels of the orders (rows, K) of these rows, ascending."""
    if size > bits.MAX_INT64_BITS:
        return _large_sets_of(order, row, level)
    singles = (np.int64(1) << np.arange(size))[order]
    chains = np.zeros((len(order), size + 1), dtype=np.int64)
    np.bitwise_or.accumulate(singles, axis=1, out=chains[:, 1:])
    return chains[row, level]


def _large_sets_of(
    order: NDArray[np.intp], row: NDArray[np.intp], level: NDArray[np.intp]
) -> NDArray[Any]:
    """The same for large frames, where only the requested sets are built."""
    size = order.shape[1]
    check_masks(len(level) * size, f"{len(level):,} nested sets of {size:,} labels")
    sets, mask, before = np.empty(len(level), dtype=object), 0, (-1, 0)
    for place, (of, last) in enumerate(zip(row.tolist(), level.tolist(), strict=True)):
        first = before[1] if of == before[0] else 0
        added = bits.mask_of(order[of, first:last].tolist())
        mask = mask | added if first else added
        sets[place], before = mask, (of, last)
    return sets


def _permutations(order: ArrayLike, frame: Frame) -> NDArray[np.intp]:
    array = as_array(order, "order")
    if array.dtype.kind not in "iu":
        raise TypeError(f"order holds positions of labels (int), not {array.dtype.name}")
    expected = np.arange(len(frame))
    if array.ndim == 0 or array.shape[-1] != len(frame):
        raise MassError(f"order has shape {array.shape}; its last axis has {len(frame)} positions")
    wrong = np.argwhere((np.sort(array, axis=-1) != expected).any(axis=-1))
    if len(wrong):
        values = array[tuple(wrong[0])].tolist()
        raise MassError(
            f"order {values}{in_row(wrong[0])} is not a permutation of 0 to {len(frame) - 1}"
        )
    return array.astype(np.intp)


def _check_maximum(rows: NDArray[Any], atol: float) -> None:
    highest = np.asarray(rows.max(axis=-1))
    wrong = np.argwhere(np.asarray(abs(highest - 1) > atol, dtype=bool))
    if len(wrong):
        value = highest[tuple(wrong[0])]
        count = f" ({len(wrong)} of {highest.size} rows)" if highest.ndim else ""
        raise MassError(
            f"contour has maximum {value}{in_row(wrong[0])}, not 1{count}; divide by the "
            "maximum, or let from_possibility give the rest to the empty set"
        )


def from_possibility(frame: Frame, possibility: Numbers) -> MassFunction:
    """Consonant mass function of a possibility distribution, which may be subnormal.

    Parameters
    ----------
    frame : Frame
        K labels.
    possibility : (*batch, K) array
        Possibility of each label, between 0 and 1. If the largest value of a row is below 1, the
        empty set gets the difference.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a value does not lie between 0 and 1, or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a value is not a number.

    See Also
    --------
    consonant : the same, but requires a maximum of 1.

    References
    ----------
    Dubois & Prade (1988), Possibility Theory.

    Examples
    --------
    >>> from_possibility(Frame(["ant", "bee"]), [0.75, 0.25]).to_dict()
    {(): 0.25, ('ant',): 0.5, ('ant', 'bee'): 0.25}
    """
    rows = as_rows(possibility, frame, "possibility")
    checks.check_shares(rows, "possibility")
    return of_contour(frame, rows)


def from_necessity(frame: Frame, table: Numbers, *, atol: float | None = None) -> MassFunction:
    """Consonant mass function of a necessity measure, N(A and B) = min(N(A), N(B)).

    Parameters
    ----------
    frame : Frame
        K labels.
    table : (*batch, 2**K) array
        Necessity of each set, indexed by mask; N(empty) = 0.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise, see `from_table`.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a row is not a necessity measure (not a belief function, or not one with nested focal
        sets), or if the last axis does not have 2**K entries.
    TypeError
        If `frame` is not a Frame, or an entry is not a number.

    References
    ----------
    Dubois & Prade (1988), Possibility Theory.

    Examples
    --------
    >>> from_necessity(Frame(["ant", "bee"]), [0, 0.75, 0, 1]).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    """
    m = from_table(frame, table, "bel", atol=atol)
    wrong = ~np.asarray(m.is_consonant, dtype=bool)
    if wrong.any():
        raise MassError(
            f"the table{in_row(np.argwhere(wrong)[0])} is a belief function, but no necessity "
            "measure: its focal sets are not nested; use from_table"
        )
    return m
