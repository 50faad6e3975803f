"""The `evical` application with its commands, and the one place that handles its errors.

A module of a command is imported only when it runs, so a command does not wait for the libraries
of others. A test compares the lines of the help with the docstrings.
"""

import io
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from evical._delimited import DelimitedText, Dialect
from evical._versions import version_of
from evical.cli._output import (
    BROKEN_PIPE,
    WrongInput,
    check_output,
    discard_output,
    system_message,
)
from evical.cli.arguments import Reading, sections, spread

# What each command does, as the first line of its docstring says: only the one that runs is loaded.
# Its function has its name, and its module too, after an underscore.
COMMANDS = {
    "fit": "Fit a calibrator to scores and true classes, and save it as a model file.",
    "predict": "Add beliefs and decisions to a table of new scores.",
    "combine": "Combine the beliefs of several tables, row by row.",
    "evaluate": (
        "Evaluate predictions: proper scores, calibration, coverage of beliefs, with intervals."
    ),
    "compare": "Compare calibrators by cross-validation, and recommend one with reasons.",
    "report": "Write a page about predictions or an ensemble.",
    "check": "Test calibration: exit code 0 if all tests pass, 1 if not, 2 for wrong input.",
    "export": "Write a model as SQL, ONNX or JavaScript, which predict without Python.",
    "card": (
        "Write a model card with the training data, the guarantees, and checks on other samples."
    ),
    "explore": "Write a page to play with: masses, rules, where conflict goes, and decisions.",
    "demo": "Train ten classifiers, calibrate each into beliefs, and combine them.",
}


def load(name: str) -> Callable[..., Any]:
    """The function of a command."""
    module = import_module(f"evical.cli.commands._{name}")
    function: Callable[..., Any] = getattr(module, name)
    return function


# Root of the errors of the option parser, which typer re-exports only through its children.
_UsageError: Any = typer.BadParameter.__bases__[0]


class _Ended(BaseException):
    """A signal asked the command to end; whatever is being written is cleaned up on the way."""

    def __init__(self, number: int) -> None:
        self.number = number


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name of a class or column that the terminal cannot show does not end a command.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app = _app(arguments)
        with _ended_by_signals():
            code = app(arguments or ["--help"], prog_name="evical", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, since Python would report a failure at exit with a traceback
    except WrongInput as error:
        return _refuse(str(error))
    except _UsageError as error:
        return _refuse(_usage_text(app, error))
    except typer.Abort:  # an interrupt, in versions of typer that give no exit code themselves
        return 130
    except _Ended as end:
        return 128 + end.number
    except (BrokenPipeError, SystemExit):  # the latter is what typer and rich make of the former
        discard_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None:  # no file of the user's: those have been dealt with
            raise
        discard_output()
        return _refuse(f"cannot write to standard output: {system_message(error)}")
    return code if isinstance(code, int) else 0


def _app(arguments: list[str]) -> typer.Typer:
    """The application; only the command that the arguments name is loaded."""
    app = typer.Typer(
        name="evical",
        help="Turn classifier scores into belief functions, combine them, and evaluate the result.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # rich's help shows flags as if they took a value
        callback=_common,
    )
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for name in [wanted] if wanted in COMMANDS else COMMANDS:
        function = load(name) if name == wanted else _not_loaded
        parts = sections(function)
        examples = parts.get("Examples", "").strip().split("\n")
        app.command(
            name,
            short_help=COMMANDS[name],
            help="\n\n".join(" ".join(part.split("\n")) for part in parts[""].split("\n\n")),
            epilog="\n".join(["\b", "Examples:", *(f"  {text}" for text in examples)]),
        )(spread(function, _check_first))
    return app


# Options that name columns of the first table.
_COLUMNS = ("score", "target", "weight", "key", "keep", "fit", "probability", "bel", "pl")


def _check_first(values: dict[str, Any], arguments: list[str]) -> None:
    """Raise OSError or ValueError for files and columns that can be checked before loading more."""

    def texts(*names: str) -> list[str]:
        given = [values.get(name) for name in names]
        lists = [one if isinstance(one, list) else [one] for one in given if one is not None]
        return [str(text) for one in lists for text in one]

    inputs = dict.fromkeys((*arguments, "data", "cost_table"))
    files = [name for name in texts(*inputs) if name != "-"]
    for name in filter(None, files):
        with open(name, "rb"):
            pass
    for output in texts("output") if "force" in values else []:
        if output != "-":
            check_output(Path(output), values["force"], files)
    reading = Reading(values.get("delimiter"), values.get("decimal"))
    _check_columns(texts(*arguments, "data"), texts(*_COLUMNS), reading)


def _check_columns(files: list[str], columns: list[str], reading: Reading) -> None:
    """Raise ValueError for a column that the first table does not have, if it is a text file.

    Standard input, a `-`, can be read once, and is checked by the command.
    """
    from dstheory.checks.arguments import suggestion  # inside, for it loads NumPy

    tables = [name for name in files if not name.lower().endswith(".json")]
    if not tables or not Path(tables[0]).is_file():
        return
    path, dialect = Path(tables[0]), Dialect(reading.mark or None, reading.decimal)
    usual = "\t" if tables[0].lower().removesuffix(".gz").endswith(".tsv") else ","
    try:
        with path.open("rb") as file:
            if file.peek(4)[:4] == b"PAR1":
                return
            table = DelimitedText(file, path.name, usual, dialect)
            table.close()
    except ValueError:  # which the command says at its own time
        return
    for column in columns:
        name = column if column in table.header else column.rpartition("=")[0] or column
        if name not in table.header:
            hint = suggestion(name, table.header, "columns")
            raise ValueError(f"{table.name} has no column {name!r}{hint}")


def _not_loaded() -> None:
    """A stand-in that only shows in the help."""
    raise AssertionError("this command was not asked for")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"evical {version_of('evical')}")
        raise typer.Exit


def _common(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def _meant(message: str) -> str:
    """What was probably meant by a choice that does not exist."""
    found = re.search(r"'([^']*)' is not one of (.+)", message)
    if found is None:
        return ""
    from dstheory.checks.arguments import did_you_mean  # inside, for it loads NumPy

    return did_you_mean(found[1], re.findall(r"'([^']*)'", found[2]))


def _usage_text(app: typer.Typer, error: typer.BadParameter) -> str:
    """The parser's message, with the names of the values of an option that takes several."""
    message = error.format_message().rstrip(".")
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        near = " or ".join(map(repr, error.possibilities or []))  # every parser words it otherwise
        message = f"no such option {error.option_name!r}"
        message += f"; did you mean {near}?" if near else ""
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
    options = [option for command in commands.values() for option in command.params]
    several = {
        name: option.metavar for option in options if option.nargs > 1 for name in option.opts
    }
    for name, metavar in several.items():
        if f"{name}'" in message:
            message += f"; write {name} {metavar}"
    message = f"{message.replace('Value error, ', '')}{_meant(message)}"
    called = f" {next(iter(commands))}" if len(commands) == 1 else ""  # if a command was named
    return f"{message[:1].lower()}{message[1:]}; see evical{called} --help"


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let signals end the command after files are cleaned up, which a second one cannot disturb.

    Those that the caller has ignored, as nohup does, stay so.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may set it
        yield
        return
    usual = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):  # not on Windows
        usual[signal.SIGHUP] = signal.SIG_DFL
    former = {number: way for number, way in usual.items() if signal.getsignal(number) is way}

    def end(number: int, _: object) -> None:
        for each in former:
            signal.signal(each, lambda *_: None)
        raise KeyboardInterrupt if number == signal.SIGINT else _Ended(number)

    try:
        for number in former:
            signal.signal(number, end)
        yield
    finally:
        for number, way in former.items():
            signal.signal(number, way)


def _refuse(message: str) -> int:
    """Report an error in one line on standard error."""
    sys.stderr.write(f"evical: {' '.join(message.split())}\n")
    return 2
