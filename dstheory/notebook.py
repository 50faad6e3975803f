"""How values are shown: a line or a few as text, a table as HTML in a notebook, and no long arrays.

Every text is escaped, so a label ``<script>`` stays a label.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

# What fits on a line or a screen.
_MAX_ITEMS = 6
_MAX_ROWS = 20
_MAX_LETTERS = 100
_MAX_SHOWN = 5  # rows of a batch


def short(text: str, letters: int) -> str:
    """The text on one line, cut if it is long; its end stays, where names often differ.

    >>> short("a name of\\ntwo lines", 12)
    'a name …ines'
    """
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    end = letters // 3
    return f"{line[: letters - 1 - end]}…{line[len(line) - end :]}"


def html_table(caption: str, rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """A table for notebooks; the first row is its head, the first column names the rows.

    Parameters
    ----------
    caption : str
    rows : iterable of sequences of str
    notes : iterable of str
        Lines below it.

    Returns
    -------
    str

    Examples
    --------
    >>> html_table("scores", [["", "Brier"], ["logistic", "0.17"]])
    '<table><caption>scores</caption><tr><th></th><th>Brier</th></tr><tr><th>logistic</th>\
<td>0.17</td></tr></table>'
    """
    head, *body = [[escape(cell) for cell in row] for row in rows]
    lines = [_row("th", head), *(_row("td", row) for row in body[:_MAX_ROWS])]
    lost = [f"... {len(body)} rows in all"] if len(body) > _MAX_ROWS else []
    below = "".join(f"<div>{escape(note)}</div>" for note in [*lost, *notes])
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>{below}"


def _row(kind: str, cells: Sequence[str]) -> str:
    values = "".join(f"<{kind}>{cell}</{kind}>" for cell in cells[1:])
    return f"<tr><th>{cells[0]}</th>{values}</tr>"


def brief(value: object) -> str:
    """A value in a few words: six digits, a few items, and the range of an array.

    Parameters
    ----------
    value : object

    Returns
    -------
    str

    Examples
    --------
    >>> brief(1 / 3), brief(np.arange(3)), brief(np.linspace(0, 1, 101))
    ('0.333333', '0, 1, 2', '101 numbers from 0 to 1')
    >>> brief({"a": 0.5, "b": 1}), brief(range(1000))
    ('a: 0.5, b: 1', '0, 1, 2, 3, 4, 5, ... 1000 in all')
    """
    if value is None:
        return "–"
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return _brief_array(value)
    if isinstance(value, Mapping):
        pairs = [f"{brief(key)}: {brief(one)}" for key, one in _first(value.items())]
        return _brief_items(pairs, len(value))
    if isinstance(value, tuple | list | range | set | frozenset):
        return _brief_items([brief(one) for one in _first(value)], len(value))
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    text = str(value).partition("\n")[0]
    return text if len(text) <= _MAX_LETTERS else text[: _MAX_LETTERS - 1] + "…"


def _first(items: Iterable[Any]) -> list[Any]:
    return [one for one, _ in zip(items, range(_MAX_ITEMS), strict=False)]


def _brief_items(shown: list[str], total: int) -> str:
    more = [f"... {total} in all"] if total > len(shown) else []
    return ", ".join([*shown, *more]) if total else "none"


def _brief_array(array: NDArray[Any]) -> str:
    if array.ndim == 0:
        return brief(array.item())
    if array.ndim == 1 and (array.size <= _MAX_ITEMS or array.dtype.kind not in "biuf"):
        return brief(array.tolist())
    size = " × ".join(map(str, array.shape))
    if array.dtype.kind not in "biuf" or not array.size:
        return f"{size} values"
    return f"{size} numbers from {brief(np.min(array))} to {brief(np.max(array))}"


class ShownFields:
    """Base of results that a notebook shows as a table of their fields, after their text.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Share(ShownFields):
    ...     of: str
    ...     share: float
    >>> Share("<b>", 2 / 3)._repr_html_()
    '<table><caption>Share</caption><tr><th></th><th></th></tr><tr><th>of</th>\
<td>&lt;b&gt;</td></tr><tr><th>share</th><td>0.666667</td></tr></table>'
    """

    __slots__ = ()

    # Attributes of a class that is no dataclass.
    _shown: ClassVar[tuple[str, ...]] = ()

    def _repr_html_(self) -> str:
        written = type(self).__str__ is not object.__str__
        text = f"<pre>{escape(str(self))}</pre>" if written else ""
        return text + html_table(type(self).__name__, [["", ""], *self._shown_rows()])

    def _shown_rows(self) -> list[list[str]]:
        """Name and value of each field of a dataclass, or attribute that is listed."""
        names = [one.name for one in fields(self)] if is_dataclass(self) else self._shown
        return [[name.replace("_", " "), brief(getattr(self, name))] for name in names]


def _number(value: object) -> str:
    return f"{value:z.6g}" if isinstance(value, float | np.floating) else str(value)


def _title(frame: str, store: NDArray[Any]) -> str:
    batch = f", batch {store.shape[1:]}" if store.ndim > 1 else ""
    return f"MassFunction on {frame}{batch}"


def _more(store: NDArray[Any]) -> list[str]:
    rows = math.prod(store.shape[1:])
    notes = [f"... {len(store)} focal sets in all"] if len(store) > _MAX_ROWS else []
    return notes + ([f"... {rows} rows in all"] if rows > _MAX_SHOWN else [])


def _cells(events: Iterable[str], store: NDArray[Any]) -> list[list[str]]:
    shown = store.reshape(len(store), math.prod(store.shape[1:]))[:_MAX_ROWS, :_MAX_SHOWN]
    return [
        [event, *(_number(value) for value in values)]
        for values, event in zip(shown, events, strict=False)
    ]


def mass_text(frame: str, events: Iterable[str], store: NDArray[Any]) -> str:
    """A line for each focal set, named by `events`, with the masses of the first rows."""
    cells = _cells(events, store)
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    lines = [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([_title(frame, store), *lines, *(f"  {note}" for note in _more(store))])


def mass_html(frame: str, events: Iterable[str], store: NDArray[Any]) -> str:
    """The same as a table for notebooks; of a batch, a row for each of its rows."""
    cells = _cells(events, store)
    rows: list[Sequence[str]] = [["set", "mass"], *cells]
    if store.ndim > 1:
        names, *columns = zip(*cells, strict=True) if cells else [()]
        rows = [["", *names], *([str(number), *column] for number, column in enumerate(columns))]
    return html_table(_title(frame, store), rows, _more(store))
