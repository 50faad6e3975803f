"""Results as JSON, and pages in files."""

import json
import math
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from evical.cli._files import check_output, write_atomically

__all__ = ["BROKEN_PIPE", "check_page", "command_line", "discard_output", "echo_json", "write_page"]

# As shells report a process that a closed pipe ended.
BROKEN_PIPE = 141


def discard_output() -> None:
    """Discard what standard output could not take; Python would try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def echo_json(data: Any) -> None:
    """Print as JSON; a number that is not finite, such as an infinite loss, is null."""
    typer.echo(json.dumps(_finite(data), indent=1, allow_nan=False))


def check_page(output: Path | None, force: bool, inputs: list[str]) -> None:
    """Raise ValueError unless a page may be written there, before any work is done."""
    if output is None:
        return
    if str(output) == "-":
        raise ValueError("a page is written to a file; name it with --output")
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"cannot write {str(output)!r}: the name of a page ends in .html")
    check_output(output, force, inputs)


def write_page(output: Path, results: Any, command: str) -> None:
    """Write results as an HTML page, whole or not at all."""
    # Inside, because tables and verdicts need neither matplotlib nor the template engine.
    from evical.report import build

    write_atomically(output, build(results, command=command))


def command_line(command: str, *arguments: str, **options: Any) -> str:
    """The command that does the same again; options that are None are left out."""
    words = ["evical", command, *arguments]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
