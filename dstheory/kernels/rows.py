"""Rows of a batch in error messages, and errors about rows."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.errors import MassError


def in_row(place: Iterable[Any]) -> str:
    """Where in a batch something is wrong, or nothing for a single row.

    Examples
    --------
    >>> in_row([3]), in_row([3, 1]), in_row([])
    (' in row 3', ' in row (3, 1)', '')
    """
    index = tuple(int(i) for i in place)
    return f" in row {index[0] if len(index) == 1 else index}" if index else ""


def in_rows(wrong: NDArray[np.bool_]) -> str:
    """How many rows of a batch are wrong, and the first of them; nothing for a single row.

    Examples
    --------
    >>> in_rows(np.array([False, True, True]))
    ' in 2 of 3 rows (first: row 1)'
    """
    if wrong.ndim == 0:
        return ""
    rows = np.argwhere(wrong)
    return f" in {len(rows)} of {wrong.size} rows (first:{in_row(rows[0]).removeprefix(' in')})"


def refuse_rows(
    wrong: ArrayLike, fault: str, advice: str, error: type[ValueError] = MassError
) -> None:
    """Raise if rows are wrong, with their number and the first."""
    rows = np.asarray(wrong, dtype=bool)
    if rows.any():
        raise error(f"{fault}{in_rows(rows)}; {advice}")


def first_entry(wrong: NDArray[np.bool_]) -> tuple[int, ...]:
    """Position of the set, then the row, of the first wrong entry (F, *batch) in the first row."""
    *row, place = np.argwhere(np.moveaxis(wrong, 0, -1))[0].tolist()
    return (place, *row)
