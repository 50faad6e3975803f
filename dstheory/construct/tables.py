"""Mass functions from tables of belief, plausibility, commonality or implicability.

Each table determines the masses by Moebius inversion (Shafer 1976, ch. 2; Kennes 1992). If the set
function is not a belief function, some mass is negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_atol, check_choice
from dstheory.construct.arguments import as_table
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels import bits, moebius, predicates
from dstheory.kernels.rounding import SUM_TOLERANCE, sum_tolerance
from dstheory.kernels.rows import first_entry, in_row
from dstheory.mass import MassFunction

# Tables of 2^20 sets that are rounded, or computed from powers, are no more precise than this.
_MOST_NOISE = 1e-12


def _set_major(table: Numbers, frame: Frame, name: str) -> NDArray[Any]:
    array = as_table(table, frame, "table")
    checks.check_finite(array, name)
    return np.array(np.moveaxis(array, -1, 0), order="C")


def _check_fixed(
    store: NDArray[Any], index: int, value: int, name: str, atol: float | None
) -> None:
    """Refuse a table whose entry with a known value is wrong."""
    gap = np.asarray(store[index] - value)
    allowed = 0.0 if store.dtype == object else max(_bound(atol), SUM_TOLERANCE)
    wrong = np.argwhere(~predicates.small(gap, allowed))
    if len(wrong):
        given = store[(index, *wrong[0])]
        raise MassError(f"{name} is {given}{in_row(wrong[0])}, not {value}")


def _sparse(frame: Frame, masses: NDArray[Any], atol: Any) -> MassFunction:
    """Masses (2**K, *batch) as a mass function on the sets that have mass.

    `atol` is a number, a table of numbers, or None; with None, no positive mass counts as noise.
    """
    allowed = _bound(None if isinstance(atol, np.ndarray) else atol)
    _check_sign(frame, masses, allowed)
    checks.check_masses(np.moveaxis(masses, 0, -1), max(allowed, SUM_TOLERANCE))
    noise = _noise(masses, atol)
    kept = ~noise.reshape(len(masses), -1).all(axis=1)
    store = np.where(noise[kept], 0, masses[kept])
    lost = (noise & np.asarray(masses != 0, dtype=bool)).any(axis=0)
    if lost.any():  # rows without noise keep their masses to the last bit
        store = store / np.where(lost, checks.kept_sum(store, allowed), 1)
    return MassFunction.from_store(frame, bits.mask_array(np.flatnonzero(kept), len(frame)), store)


def _noise(masses: NDArray[Any], atol: float | None) -> NDArray[np.bool_]:
    """Which masses are only rounding noise; exact ones are noise only if they are zero."""
    if masses.dtype == object:
        return predicates.small(masses, 0.0)
    return np.asarray(masses <= (0.0 if atol is None else atol), dtype=bool)


def _tolerance(table: NDArray[Any], sums: Callable[[NDArray[Any]], Any], atol: Any) -> Any:
    """Rounding error (2**K, *batch) of inversion where the mass is zero, or `atol` if given.

    Each entry of the table, and each of the K steps of the sweep, is rounded to one part in 2^52 of
    the sum of its terms.
    """
    if atol is not None or table.dtype == object:
        return atol
    steps = len(table).bit_length() + 2
    return np.minimum(_MOST_NOISE, np.finfo(np.float64).eps * steps * sums(abs(table)))


def _bound(atol: float | None) -> float:
    """Largest error of a mass that is tolerated."""
    if atol is None:
        return _MOST_NOISE
    check_atol(atol)
    return atol


def _check_sign(frame: Frame, masses: NDArray[Any], atol: float) -> None:
    negative = predicates.below(masses, atol)
    if negative.any():
        mask, *row = first_entry(negative)
        raise MassError(
            f"the table is not a belief function: {frame.event(mask)!r} would have mass "
            f"{masses[(mask, *row)]}{in_row(row)}"
        )


TableKind = Literal["m", "bel", "pl", "q", "b"]

# Where a table has a known value, and which.
_FIXED = {
    "bel": (0, 0, "bel(empty)"),
    "pl": (0, 0, "pl(empty)"),
    "q": (0, 1, "q(empty)"),
    "b": (-1, 1, "b(frame)"),
}


def from_table(
    frame: Frame, table: Numbers, kind: TableKind = "m", *, atol: float | None = None
) -> MassFunction:
    """Mass function from a table of all subsets.

    Parameters
    ----------
    frame : Frame
        K labels.
    table : (*batch, 2**K) array
        Values of the sets, indexed by mask (bit *i* is label *i*).
    kind : {"m", "bel", "pl", "q", "b"}
        Masses, beliefs, plausibilities, commonalities or implicabilities, as
        `dstheory.transform.table` makes them.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise, and the row is scaled
        back to 1; by default those that rounding alone may leave (about 1e-16 for each subset, at
        most 1e-12). Exact numbers stay exact.

    Returns
    -------
    MassFunction
        Focal sets are those with a mass in some row.

    Raises
    ------
    MassError
        If it is not a table of that kind (the set with a negative mass and its row are named), an
        entry is not finite, a row does not sum to 1, or the last axis does not have 2**K entries.
    TypeError
        If `frame` is not a Frame, or an entry is not a number.
    ValueError
        If the kind is unknown.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2; Smets (2002), The application of the
    matrix calculus to belief functions (implicabilities, b = Bel + m(empty)).

    Examples
    --------
    >>> from_table(Frame(["ant", "bee"]), [0, 0.75, 0, 1], "bel").to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    """
    check_choice("kind", kind, get_args(TableKind))
    numbers = checks.as_numbers(table)
    if kind == "m" and sum_tolerance(numbers.dtype, 1) > SUM_TOLERANCE:
        table = checks.as_distribution(numbers)  # of float32 or float16
    store = _set_major(table, frame, "mass" if kind == "m" else kind)
    if kind == "m":
        _bound(atol)
        return _sparse(frame, store, atol)
    _check_fixed(store, *_FIXED[kind], atol)
    values = 1 - store[::-1] if kind == "pl" else store
    # Differences from 1 have absolute rounding errors.
    bounds = np.ones_like(store) if kind == "pl" else store
    if kind == "q":
        masses, sums = moebius.superset_differences(values), moebius.superset_sums
    else:
        masses, sums = moebius.subset_differences(values), moebius.subset_sums
    tolerance = _tolerance(bounds, sums, atol)
    if kind == "bel":
        masses[0] = 1 - store[-1]
        if np.ndim(tolerance):
            tolerance[0] = tolerance[-1]  # m(empty) is computed as a difference from 1
    return _sparse(frame, masses, tolerance)
