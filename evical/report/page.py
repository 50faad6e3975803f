"""A page as data: its content and order, without layout.

Other modules decide on the content; `evical.report._html` does the layout. What is the same on each
page of a kind, how to read it, is in `templates/reading.md`.
"""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

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
