"""What a terminal shows: tables on standard output, progress on standard error."""

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from evical.report import Table

__all__ = ["new_console", "progress_bar", "rich_table"]

# Columns of a file or pipe, where there is no terminal to ask.
_PLAIN_WIDTH = 110


def new_console() -> Console:
    """Standard output; wide enough for the tables when it is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def progress_bar() -> Progress:
    """A progress bar on standard error, silent unless that is a terminal."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def rich_table(table: Table) -> RichTable:
    """A table for the terminal: a line between groups, the best of a column in bold."""
    shown = RichTable(
        box=box.SIMPLE_HEAD,
        title=table.caption,
        title_justify="left",
        title_style="",
        padding=(0, 1, 0, 0),
    )
    for name in table.head:
        shown.add_column(name)
    for name in table.columns:
        shown.add_column(name, justify="right", no_wrap=True)
    previous = None
    for row in table.rows:
        group, *rest = row.head
        cells = [f"[bold]{cell}[/]" if i in row.best else cell for i, cell in enumerate(row.cells)]
        if previous is not None and group != previous and rest:
            shown.add_section()
        shown.add_row("" if group == previous else group, *rest, *cells)
        previous = group
    return shown
