"""What a terminal shows: text on standard output, progress on standard error."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["new_console", "progress_bar"]

# Columns of a file or pipe, where there is no terminal to ask.
_PLAIN_WIDTH = 80


def new_console() -> Console:
    """Standard output; wide enough for the tables when it is no terminal."""
    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    return console


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
