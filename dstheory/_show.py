"""Text and HTML representations of a mass function (labels are escaped in HTML)."""

import math
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.frame import Frame

__all__ = ["as_html", "as_text", "event_name"]

# Show a screenful of sets and a handful of rows, and count the rest.
_MAX_SETS = 20
_MAX_ROWS = 5


def event_name(frame: Frame, mask: int, empty: str = "{}") -> str:
    """Name of a set, such as ``{ant, bee}``.

    Examples
    --------
    >>> event_name(Frame(["ant", "bee"]), 3)
    '{ant, bee}'
    """
    return frame._text(mask) if mask else empty


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def _shown(store: NDArray[Any]) -> NDArray[Any]:
    """At most `_MAX_ROWS` columns (F, rows)."""
    return store.reshape(len(store), math.prod(store.shape[1:]))[:, :_MAX_ROWS]


def _title(frame: Frame, store: NDArray[Any]) -> str:
    if store.ndim == 1:
        return f"MassFunction on {frame._title()}"
    return f"MassFunction on {frame._title()}, batch {store.shape[1:]}"


def _more(store: NDArray[Any]) -> list[str]:
    rows = math.prod(store.shape[1:])
    notes = [f"... {len(store)} focal sets in all"] if len(store) > _MAX_SETS else []
    return notes + ([f"... {rows} rows in all"] if rows > _MAX_ROWS else [])


def _cells(frame: Frame, focal: NDArray[Any], store: NDArray[Any]) -> list[list[str]]:
    rows = zip(focal[:_MAX_SETS], _shown(store), strict=False)
    return [[event_name(frame, mask), *(_number(v) for v in values)] for mask, values in rows]


def as_text(frame: Frame, focal: NDArray[Any], store: NDArray[Any]) -> str:
    """A line for each focal set, with the masses of the first rows."""
    cells = _cells(frame, focal, store)
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    lines = [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([_title(frame, store), *lines, *(f"  {note}" for note in _more(store))])


def as_html(frame: Frame, focal: NDArray[Any], store: NDArray[Any]) -> str:
    """The same as a table for notebooks."""
    body = "".join(
        f"<tr><th scope='row' style='text-align:left'>{escape(row[0])}</th>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in _cells(frame, focal, store)
    )
    notes = "".join(f"<div>{escape(note)}</div>" for note in _more(store))
    return f"<table><caption>{escape(_title(frame, store))}</caption>{body}</table>{notes}"
