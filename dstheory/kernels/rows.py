"""Rows of a batch in error messages."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
