"""The `evical` application with its commands, and the one place that handles its errors.

A module of a command is imported only when it runs, so a command does not wait for the libraries
of others. A test compares the lines of the help with the docstrings.
"""

import inspect
import io
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from evical._delimited import DelimitedText, Dialect
from evical._versions import version_of
from evical.cli._output import (
    BROKEN_PIPE,
    WrongInput,
    check_output,
    discard_output,
    system_message,
    user_input,
)
from evical.cli.arguments import Reading, spread


class Command(NamedTuple):
    """First line of the docstring, examples to copy, and parameters, to check before loading.

    An option ends in "=" for each value that it takes, what a value must be (a choice of `a|b`, a
    whole number of `2..`, a float), and "*" if it can be repeated; it begins with "!" if it is
    needed. Arguments stand in <> if they are needed, else in [].
    """

    line: str
    examples: tuple[str, ...]
    parameters: str


# By the name of the command, of its function and, after an underscore, of its module.
COMMANDS = {
    "fit": Command(
        "Fit a calibrator to scores and true classes, and save it as a model file.",
        (
            "evical fit scores.csv --score score --target income -o model.json",
            "evical fit scores.csv --score score --target income --method isotonic "
            "--model bayesian -o steps.json",
            "evical fit scores.csv --score score --target income --conformal "
            "--nonconformity margin -o sets.json",
        ),
        "<SCORES> !score=* !target= weight= missing=refuse|drop !output= method= model= "
        "option=* max-scores=1000.. conformal nonconformity=lac|aps|raps|margin by-class "
        "smoothed answer-error=float confidence=float engine=chunks|duckdb memory-limit= "
        "threads=1.. delimiter= decimal=.|, positive= force json",
    ),
    "predict": Command(
        "Add beliefs and decisions to a table of new scores.",
        (
            "evical predict model.json new.csv -o out.csv",
            "evical predict model.json new.csv --costs 1 5 --reject 0.5 -o decided.csv",
        ),
        "<MODEL.json> <NEW> threshold=float costs== cost-table= reject=float criterion= "
        "engine=chunks|duckdb memory-limit= threads=1.. delimiter= decimal=.|, output= score= "
        "missing=refuse|vacuous alpha=float level=float prefix= force-columns escape-formulas "
        "force json",
    ),
    "combine": Command(
        "Combine the beliefs of several tables, row by row.",
        (
            "evical combine out.csv other.csv -o both.csv",
            "evical combine out.csv other.csv --key id --rule pcr6 -o keyed.csv",
        ),
        "<A_B_...>* bel= pl= prefix= positive= classes== engine=chunks|duckdb memory-limit= "
        "threads=1.. delimiter= decimal=.|, rule= fit= option=* key= "
        "missing=refuse|drop|vacuous keep=* total-conflict=error|vacuous escape-formulas "
        "output= force json",
    ),
    "evaluate": Command(
        "Evaluate predictions: proper scores, calibration, coverage of beliefs, with intervals.",
        (
            "evical evaluate out.csv --target income",
            "evical evaluate model.json new.csv -o page.html",
        ),
        "target= probability=* bel= pl= prefix= score= positive= missing=refuse|drop|vacuous "
        "<PREDICTIONS> [DATA] delimiter= decimal=.|, bins=1.. confidence=float seed=0.. output= "
        "force all json",
    ),
    "compare": Command(
        "Compare calibrators by cross-validation, and recommend one with reasons.",
        ("evical compare scores.csv --score score --target income -o methods.html",),
        "<SCORES> !score=* !target= methods= folds=2.. repeats=1.. "
        "criterion=brier_score|log_loss seed=0.. delimiter= decimal=.|, positive= "
        "missing=refuse|drop output= force json",
    ),
    "report": Command(
        "Write a page about predictions or an ensemble.",
        (
            "evical report out.csv --target income -o report.html",
            "evical report out.csv other.csv --target income -o ensemble.html",
        ),
        "<FILES>* !output= target= probability=* bel= pl= prefix= score= positive= "
        "missing=refuse|drop|vacuous delimiter= decimal=.|, key= rule= seed=0.. force",
    ),
    "check": Command(
        "Test calibration: exit code 0 if all tests pass, 1 if not, 2 for wrong input.",
        ("evical check out.csv --target income --test interval",),
        "target= probability=* bel= pl= prefix= score= positive= missing=refuse|drop|vacuous "
        "<PREDICTIONS> [DATA] delimiter= decimal=.|, test=* level=float max-ece=float bins=1.. "
        "state= json",
    ),
    "export": Command(
        "Write a model as SQL, ONNX or JavaScript, which predict without Python.",
        (
            "evical export model.json --to sql --dialect sqlite -o model.sql",
            "evical export model.json --to js -o model.mjs",
        ),
        "<MODEL.json> !to=sql|onnx|js output= dialect=duckdb|sqlite|postgres|spark|bigquery "
        "column= class-columns level=float max-bytes=1.. force",
    ),
    "card": Command(
        "Write a model card with the training data, the guarantees, and checks on other samples.",
        ("evical card model.json new.csv -o card.md",),
        "<MODEL.json> delimiter= decimal=.|, [DATA] output= target= score= "
        "missing=refuse|drop|vacuous force",
    ),
    "explore": Command(
        "Write a page to play with: masses, rules, where conflict goes, and decisions.",
        (
            "evical explore -o explore.html",
            "evical explore model.json new.csv -o decisions.html",
        ),
        "!output= delimiter= decimal=.|, [MODEL.json] [DATA] target= score= missing=refuse|drop "
        "force",
    ),
    "demo": Command(
        "Train ten classifiers, calibrate each into beliefs, and combine them.",
        (
            "evical demo --repeats 5",
            "evical demo --data mine.csv --target class --repeats 5 --output mine",
        ),
        "data= target= missing=refuse|encode repeats=1.. seed=0.. output=",
    ),
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
        if arguments and arguments[0] in COMMANDS and "--help" not in arguments:
            app = _checking_app(arguments[0])
            app(arguments, prog_name="evical", standalone_mode=False)
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
        command, function = COMMANDS[name], load(name) if name == wanted else _not_loaded
        app.command(
            name,
            short_help=command.line,
            help=_paragraphs(function),
            epilog="\n".join(["\b", "Examples:", *(f"  {text}" for text in command.examples)]),
        )(spread(function))
    return app


def _checking_app(name: str) -> typer.Typer:
    """An application that only checks options, files and columns of a command.

    That takes 0.2 s; to load a command, more than a second.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, callback=_common)
    app.command(name)(_check(name))
    return app


# Names and type of the values of options that take two.
_PAIRS: dict[str, tuple[str, Any]] = {
    "costs": ("ALARM MISS", tuple[float, float]),
    "classes": ("NEGATIVE POSITIVE", tuple[str, str]),
}
# Options that name columns of the first table.
_COLUMNS = ("score", "target", "weight", "key", "keep", "fit", "probability", "bel", "pl")


def _check_files(files: list[str]) -> None:
    """Raise OSError for a file that cannot be opened."""
    for name in files:
        if name not in ("", "-"):
            with open(name, "rb"):
                pass


def _check_columns(files: list[str], columns: list[str], reading: Reading) -> None:
    """Raise ValueError for a column that the first table does not have, if it is a text."""
    from dstheory.checks.arguments import suggestion  # inside, for it loads NumPy

    tables = [name for name in files if not name.lower().endswith(".json")]
    if not tables or not Path(tables[0]).is_file():  # a pipe can be read once
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


def _kind(values: str) -> Any:
    """The type of a value, by what it must be."""
    if "|" in values:
        return Literal[tuple(values.split("|"))]
    return int if values.endswith("..") else float if values == "float" else str


def _check(name: str) -> Callable[..., None]:
    """A function with the options of a command, which checks what can be checked at once."""

    def check(**values: Any) -> None:
        def listed(one: str | list[str] | None) -> list[str]:
            return [one] if isinstance(one, str) else one or []

        with user_input():
            files = [name for option in (*arguments, "data") for name in listed(values.get(option))]
            _check_files(files)
            output = values.get("output")
            if "force" in values and output not in (None, "-"):
                check_output(Path(output), values["force"], [name for name in files if name != "-"])
            columns = [name for option in _COLUMNS for name in listed(values.get(option))]
            _check_columns(files, columns, Reading(values.get("delimiter"), values.get("decimal")))

    options, arguments = [], list[str]()
    for text in COMMANDS[name].parameters.split():
        flag, valued, values = text.removesuffix("*").strip("!<>[]").partition("=")
        own = flag.replace("-", "_")
        kind = list[str] if text.endswith("*") else _kind(values)
        if text[0] in "<[":
            own = f"argument{len(arguments)}"
            arguments.append(own)
            info = typer.Argument(metavar=flag.replace("_", " "))
        else:
            names, pair = _PAIRS.get(own, (None, kind))
            kind = pair if valued else bool
            least = int(values.removesuffix("..")) if kind is int else None
            short = ["-o"] if own == "output" else []
            info = typer.Option(f"--{flag}", *short, metavar=names, min=least)
        needed = text[0] in "!<"
        options.append(
            inspect.Parameter(
                own,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[kind if needed or kind is bool else kind | None, info],
                default=inspect.Parameter.empty if needed else False if kind is bool else None,
            )
        )
    check.__dict__["__signature__"] = inspect.Signature(options)
    check.__annotations__ = {one.name: one.annotation for one in options}
    return check


def _not_loaded() -> None:
    """A stand-in that only shows in the help."""
    raise AssertionError("this command was not asked for")


def _paragraphs(function: Callable[..., Any]) -> str:
    """The docstring with each paragraph as one line, which the terminal wraps."""
    text = inspect.getdoc(function) or ""
    return "\n\n".join(" ".join(part.splitlines()) for part in text.split("\n\n"))


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
