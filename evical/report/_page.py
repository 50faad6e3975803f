"""A page as data, and its HTML: one file without network, readable by a screen reader.

What a page says is decided elsewhere; here it is only laid out. Every text is escaped by the
template engine, so that a class named ``<script>`` stays a name.
"""

import base64
from dataclasses import dataclass, field

__all__ = ["Page", "Picture", "Row", "Section", "Table", "build"]


@dataclass(frozen=True)
class Row:
    """A row of a table: its headings, its cells, and which cells are the best of their column."""

    head: tuple[str, ...]
    cells: tuple[str, ...]
    best: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Table:
    """A table with a caption; `notes` explain its columns, as pairs of name and meaning."""

    caption: str
    head: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Picture:
    """A PNG picture; `alt` says in words what it shows."""

    name: str
    png: bytes = field(repr=False)
    alt: str
    caption: str

    @property
    def data_url(self) -> str:
        """The picture as part of the page."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, a list, tables and pictures, in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Page:
    """A title, what it comes to, and sections."""

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
