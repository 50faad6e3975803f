"""What a terminal shows: text on standard output, progress on standard error."""

from collections.abc import Iterator, Mapping

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

from evical.cli._kinds import Kind
from evical.cli._tables import Chunk, Table, table_chunks

__all__ = ["new_console", "progress_bar", "watch"]

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
