"""A page as data, and its HTML: one file without network, readable by a screen reader.

What a page says is decided elsewhere; here it is only laid out. Every text is escaped by the
template engine, so that a class named ``<script>`` stays a name.
"""

import base64
from dataclasses import dataclass, field

__all__ = ["Page", "Picture", "Row", "Section", "Table", "build"]


# CSS pixels for a pixel of a picture.
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
    """

    head: tuple[str, ...]
    cells: tuple[str, ...]
    best: frozenset[int] = frozenset()


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
    """A PNG picture.

    Parameters
    ----------
    name : str
        Of a file, without ending.
    png : bytes
    alt : str
        What it shows, for those who do not see it.
    caption : str
    """

    name: str
    png: bytes = field(repr=False)
    alt: str
    caption: str

    @property
    def width(self) -> int:
        """Width on the page in CSS pixels: the picture has more for paper and dense screens."""
        # The PNG format puts the width into bytes 16 to 19.
        return round(int.from_bytes(self.png[16:20], "big") * _SCREEN_SHARE)

    @property
    def data_url(self) -> str:
        """The picture as part of the page."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it, in the order of the parameters.

    Parameters
    ----------
    title : str
    paragraphs, items : tuple of str
    code : str
    tables : tuple of Table
    pictures : tuple of Picture
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    code: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class Page:
    """All that a report says.

    Parameters
    ----------
    title : str
    lead : tuple of str
        What it comes to, in a few sentences.
    sections : tuple of Section
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]


def build(page: Page) -> str:
    """The page as one self-contained HTML document.

    Parameters
    ----------
    page : Page

    Returns
    -------
    str
        HTML with styles and pictures inside; it loads nothing and runs no script.

    Examples
    --------
    >>> html = build(Page("Results of <script>", ("All is well.",), ()))
    >>> "<h1>Results of &lt;script&gt;</h1>" in html
    True
    """
    # Inside, because tables and pictures can be had without the template engine.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evical.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(page=page)
