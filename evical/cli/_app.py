"""The commands of `evical`, and the one place that ends them."""

import sys
from typing import Annotated, Any

import typer

from evical.cli._demo import demo
from evical.cli._errors import WrongInput
from evical.report._versions import version_of

__all__ = ["run"]

app = typer.Typer(
    name="evical",
    help="Turn classifier scores into belief functions, combine them, and see what they say.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)

# Root of the errors of the option parser, which typer re-exports only through its children.
_UsageError: Any = typer.BadParameter.__bases__[0]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"evical {version_of('evical')}")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        code = app(arguments or ["--help"], prog_name="evical", standalone_mode=False)
    except WrongInput as error:
        return _refuse(str(error))
    except _UsageError as error:
        message = error.format_message().rstrip(".")
        return _refuse(f"{message[:1].lower()}{message[1:]}; see evical --help")
    except typer.Abort:  # an interrupt, in typer before it gave an exit code itself
        return 130
    return code if isinstance(code, int) else 0


def _refuse(message: str) -> int:
    """Say on standard error, in one line, what is wrong."""
    sys.stderr.write(f"evical: {' '.join(message.split())}\n")
    return 2
