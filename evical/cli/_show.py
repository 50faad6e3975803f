"""What a terminal shows: text on standard output, progress on standard error."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table as RichTable
from rich.text import Text

from evical.cli._kinds import Kind
from evical.cli._tables import Chunk, Table, table_chunks

if TYPE_CHECKING:  # `predict` shows no table, and does not wait for pictures
    from evical.report import Table as ReportTable


def rich_table(table: "ReportTable") -> RichTable:
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
        # Text, because brackets in a string would be read as markup.
        cells = [
            Text(cell.replace("± ", "±"), style="bold underline" if i in row.best else "")
            for i, cell in enumerate(row.cells)
        ]
        shown.add_row(Text(f"  {name}" if groups else name), *cells)
    return shown


# Columns of a file or pipe, where there is no terminal to ask.
_PLAIN_WIDTH = 80


def new_console() -> Console:
    """Standard output; wide enough for the tables if it is not a terminal."""
    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    return console


def progress_bar(*columns: ProgressColumn) -> Progress:
    """A progress bar on standard error, silent unless that is a terminal; with what it counts."""
    console = Console(stderr=True)
    console.quiet = not console.is_terminal  # Rich before 14.3 ends a disabled bar with a new line
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *(columns or (MofNCompleteColumn(),)),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=console.quiet,
    )


def watch(table: Table, columns: Mapping[str, Kind], text: str) -> Iterator[Chunk]:
    """`table_chunks` with a progress bar of how far the table has been read."""
    with progress_bar(TaskProgressColumn()) as bar:
        task = bar.add_task(f"{text} {table.name}", total=table.size)
        for chunk in table_chunks(table, columns):
            yield chunk
            bar.update(task, completed=table.position())
