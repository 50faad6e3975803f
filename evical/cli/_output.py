"""What a command gives back: files, JSON, and one line with exit code 2 for wrong input.

Commands mark the steps in which the user's files and values are read or written; what fails
there with a value or system error is the input's fault. Anything else is a bug, and keeps its
traceback.
"""

import json
import math
import os
import re
import shlex
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from evical._files import atomic_path

if TYPE_CHECKING:  # which takes long to load
    from evical.evaluation import Comparison, EnsembleEvaluation, Evaluation
    from evical.report import Page


def prepare_folder(folder: Path) -> None:
    """Make a folder and make sure that files can be written there, before any work is done.

    Raises ValueError, naming the folder and the reason, if not.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = (error.strerror or "it is not writable").lower()
        raise ValueError(
            f"cannot write into {str(folder)!r}: {reason}; choose another folder with --output"
        ) from error


def check_output(path: Path, force: bool, inputs: Iterable[str | Path] = ()) -> None:
    """Raise ValueError unless a file may be written here, before any work is done.

    It must not be one of the inputs, be there already (but for `force`), or be a folder.
    """
    if path.is_dir():
        raise ValueError(f"cannot write {str(path)!r}: it is a folder; name a file in it")
    final = Path(os.path.realpath(path))  # where a link leads
    if final.is_symlink():
        raise ValueError(f"cannot write {str(path)!r}: it is a link to itself")
    folder = path.parent if not path.is_symlink() else final.parent
    if not folder.is_dir():
        raise ValueError(f"cannot write {str(path)!r}: there is no folder {str(folder)!r}")
    if path.exists():
        for source in inputs:
            if os.path.exists(source) and os.path.samefile(source, path):
                raise ValueError(
                    f"{str(path)!r} is input and output at once; write to another file"
                )
        if not force and path.is_file():
            raise ValueError(
                f"{str(path)!r} exists; choose another name, or overwrite it with --force"
            )
    if not os.access(folder, os.W_OK):
        raise ValueError(f"cannot write {str(path)!r}: its folder is not writable")


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name when it is complete; see `atomic_path`.

    Devices and pipes are written as they are.
    """
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        with path.open("wb") as file:
            yield file
        return
    with atomic_path(path) as name, name.open("wb") as file:
        yield file


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is either complete or not there (or still the former one)."""
    with atomic_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


# As shells report a process that a closed pipe ended.
BROKEN_PIPE = 141


def discard_output() -> None:
    """Discard what standard output could not take; Python would try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def echo_json(data: object) -> None:
    """Print as JSON; a number that is not finite, such as an infinite loss, is null."""
    typer.echo(json.dumps(_finite(data), indent=1, allow_nan=False))


def check_page(output: Path | None) -> None:
    """Raise ValueError unless the name is that of a page."""
    if output is None:
        return
    if str(output) == "-":
        raise ValueError("a page is written to a file; name it with --output")
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"cannot write {str(output)!r}: the name of a page ends in .html")


def write_page(
    output: Path, results: "Comparison | EnsembleEvaluation | Evaluation | Page", command: str
) -> None:
    """Write results as an HTML page, whole or not at all."""
    # Inside, because tables and verdicts need neither matplotlib nor the template engine.
    from evical.report import build

    write_atomically(output, build(results, command=command))


def command_line(command: str, *arguments: str, **options: object) -> str:
    """The command that does the same again, without options of None and ``--missing refuse``.

    Options of a list are repeated.
    """
    words = ["evical", command, *arguments]
    for name, given in options.items():
        for value in given if isinstance(given, list) else [given]:
            if value is not None and (name, value) != ("missing", "refuse"):
                words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def _finite(value: object) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class WrongInput(Exception):  # noqa: N818  # it is the user's input that is wrong, not the program
    """Wrong input, with a message that suggests a remedy."""


_NUMBER = re.compile(r"\d[\d.e+-]*")


@contextmanager
def user_input() -> Iterator[None]:
    """Turn value, system and memory errors in this block into `WrongInput`.

    Warnings are printed once each, without a place in the code. Their numbers do not count, as the
    chunks of a table have different ones.
    """
    known: set[str] = set()

    def show(message: Warning | str, *_: object) -> None:
        kind = _NUMBER.sub("0", str(message))
        if kind not in known:
            known.add(kind)
            typer.echo(f"evical: {message}", err=True)

    try:
        with warnings.catch_warnings():
            warnings.showwarning = show  # type: ignore[assignment]  # called by position
            yield
    except OSError as error:
        raise WrongInput(system_message(error)) from error
    except MemoryError as error:
        raise WrongInput(f"there is not enough memory: {error}") from error
    except ValueError as error:
        raise WrongInput(str(error)) from error


def system_message(error: OSError) -> str:
    """`cannot open 'data.csv': no such file or directory`."""
    if error.strerror is None:
        return str(error)
    reason = error.strerror[0].lower() + error.strerror[1:]
    return f"cannot open {str(error.filename)!r}: {reason}" if error.filename else reason
