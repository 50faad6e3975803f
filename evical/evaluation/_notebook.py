"""How results are shown in a notebook: a line as text, a table as HTML."""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]


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
    lines = [_row("th", head), *(_row("td", row) for row in body)]
    below = "".join(f"<div>{escape(note)}</div>" for note in notes)
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>{below}"


def _row(kind: str, cells: Sequence[str]) -> str:
    values = "".join(f"<{kind}>{cell}</{kind}>" for cell in cells[1:])
    return f"<tr><th>{cells[0]}</th>{values}</tr>"
