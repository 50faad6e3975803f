"""How far a table has been read, on standard error, if somebody is watching."""

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from evical.cli._kinds import Kind
from evical.cli._tables import Chunk, Table, table_chunks

__all__ = ["watch"]


def watch(table: Table, columns: Mapping[str, Kind], text: str) -> Iterator[Chunk]:
    """`table_chunks` with a progress bar on standard error, silent unless that is a terminal."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(f"{text} {table.name}", total=table.size)
        for chunk in table_chunks(table, columns):
            yield chunk
            bar.update(task, completed=table.position())
