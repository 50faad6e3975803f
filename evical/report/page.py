"""A page as data: its content and order, without layout.

Other modules decide on the content; `evical.report._html` does the layout. What is the same on each
page of a kind, how to read it, is in `templates/reading.md`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from dstheory.checks.arguments import check_instance

# CSS pixels for a pixel of a PNG picture, which has more for paper and dense screens.
_SCREEN_SHARE = 0.6


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Parameters
    ----------
    head, cells : tuple of str
        Its headings and its cells.
    best : frozenset of int
        Positions of cells that are the best of their column.
    values : tuple of float or None
        Values to sort the cells by; by default the number at the start of each cell.
    """

    head: tuple[str, ...]
    cells: tuple[str, ...]
    best: frozenset[int] = frozenset()
    values: tuple[float | None, ...] = ()


# A number, which its column writes; a text; or a text and the number to sort it by.
Cell = float | str | tuple[str, float | None]


def _written(cell: Cell, write: Callable[[float], str]) -> tuple[str, float | None]:
    """Text and number of a cell."""
    if isinstance(cell, tuple):
        return cell
    return (cell, None) if isinstance(cell, str) else (write(float(cell)), float(cell))


@dataclass(frozen=True)
class Table:
    """A table with a caption.

    Parameters
    ----------
    caption : str
    head, columns : tuple of str
        Names of the columns of headings and of cells.
    rows : tuple of Row
        Rows with the same first heading form a group.
    notes : tuple of pairs of str
        Terms and what they mean.
    """

    caption: str
    head: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        caption: str,
        head: str | tuple[str, ...],
        formats: Mapping[str, Callable[[float], str]],
        rows: Iterable[tuple[str | tuple[str, ...], Iterable[Cell]]],
        notes: tuple[tuple[str, str], ...] = (),
        best: Mapping[str, Callable[[Iterable[Any]], Any]] = MappingProxyType({}),
    ) -> "Table":
        """A table whose columns say how their numbers are written.

        Parameters
        ----------
        caption : str
        head : str or tuple of str
            Names of the columns of headings.
        formats : mapping of str to callable
            Name of a column of cells to what makes a text of its numbers.
        rows : iterable of (head, cells)
            Headings; numbers, texts, or texts with a number to sort by.
        notes : tuple of pairs of str
        best : mapping of str to callable
            Name of a column to `min` or `max`, which finds the best of its numbers.

        Returns
        -------
        Table

        Examples
        --------
        >>> table = Table.of("Shares.", "Name", {"Share": "{:.0%}".format}, [("a", [0.25])])
        >>> table.rows[0].cells, table.rows[0].values
        (('25%',), (0.25,))
        """
        check_instance("formats", formats, Mapping, "a mapping from names of columns")
        check_instance("best", best, Mapping, "a mapping from names of columns")
        check_instance("rows", rows, Iterable, "pairs of headings and cells")
        listed = list(rows)
        for row in listed:
            check_instance("a row", row, tuple, "a pair of headings and cells")
        written = [
            (names, [_written(*one) for one in zip(cells, formats.values(), strict=True)])
            for names, cells in listed
        ]
        tops = {
            i: best[name](cells[i][1] for _, cells in written)
            for i, name in enumerate(formats)
            if name in best
        }
        made = []
        for names, pairs in written:
            texts, values = zip(*pairs, strict=True)
            marked = (i for i, top in tops.items() if values[i] == top)
            made.append(Row(_headings(names), texts, frozenset(marked), values))
        return cls(caption, _headings(head), tuple(formats), tuple(made), notes)


def _headings(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


@dataclass(frozen=True)
class Picture:
    """A picture, as SVG that becomes part of the page, or as PNG.

    Parameters
    ----------
    name : str
        Of a file, without ending.
    alt : str
        A description for readers who cannot see it.
    caption : str
    svg : str
        As matplotlib writes it. A page shows it rather than the PNG.
    png : bytes
    """

    name: str
    alt: str
    caption: str
    svg: str = field(default="", repr=False)
    png: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        if not self.svg and not self.png:
            raise ValueError(f"picture {self.name!r} has neither svg nor png")

    @property
    def width(self) -> int:
        """Width of the PNG on the page in CSS pixels."""
        # The format puts the width into bytes 16 to 19.
        return round(int.from_bytes(self.png[16:20], "big") * _SCREEN_SHARE)


@dataclass(frozen=True)
class Section:
    """A heading and its content, in the order of the parameters.

    Parameters
    ----------
    title : str
    paragraphs, items : tuple of str
    code : str
    tables : tuple of Table
    pictures : tuple of Picture
    warnings : tuple of str
        What a reader must not overlook; shown first.
    folded : bool
        Whether only the heading shows until a reader opens it.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    code: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    warnings: tuple[str, ...] = ()
    folded: bool = False


@dataclass(frozen=True)
class Page:
    """The content of a report.

    Parameters
    ----------
    title : str
    lead : tuple of str
        The conclusion, in a few sentences.
    sections : tuple of Section
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]


def read_template(name: str) -> str:
    """A file of the template."""
    return (files("evical.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _readings() -> dict[str, tuple[str, ...]]:
    parts = (part.split("\n\n") for part in read_template("reading.md").split("\n## ")[1:])
    return {name: tuple(" ".join(text.split()) for text in texts) for name, *texts in parts}


def reading(name: str) -> tuple[str, ...]:
    """Paragraphs of `templates/reading.md` below a heading."""
    return _readings()[name]


def notes(name: str) -> tuple[tuple[str, str], ...]:
    """Pairs below a heading of `templates/reading.md`, each written as name: meaning."""
    pairs = (text.partition(": ") for text in reading(name))
    return tuple((column, meaning) for column, _, meaning in pairs)
