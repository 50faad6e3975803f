"""Tables of results as a terminal shows them."""

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from evical.report import Table

__all__ = ["rich_table"]


def rich_table(table: Table) -> RichTable:
    """A table for the terminal: groups under their name, the best of a column marked.

    It is 80 columns wide at most with the tables of this package.
    """
    shown = RichTable(
        box=box.SIMPLE_HEAD,
        title=table.caption,
        title_justify="left",
        title_style="",
        padding=0,
    )
    shown.add_column(table.head[-1])
    for name in table.columns:
        shown.add_column(name, justify="right")
    group = None
    for row in table.rows:
        *groups, name = row.head
        if groups and groups[0] != group:
            group = groups[0]
            shown.add_row(Text(group, style="bold"))
        cells = [_cell(cell, i in row.best) for i, cell in enumerate(row.cells)]
        shown.add_row(Text(f"  {name}" if groups else name), *cells)
    return shown


def _cell(text: str, best: bool) -> Text:
    # Text, because brackets in a string would be read as markup.
    return Text(text.replace("± ", "±"), style="bold underline" if best else "")
