"""The commands of `evical`: where each lives, and what its line in the help says.

A module is loaded only when its command runs, so that one command does not wait for the
libraries of another. A test holds the lines to the docstrings.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["COMMANDS", "load"]

# Name of the command and of its function: module and first line of the docstring.
COMMANDS = {
    "fit": (
        "_fit",
        "Learn a calibration from scores and true classes, and save it as a model file.",
    ),
    "predict": ("_predict", "Add beliefs and decisions to a table of new scores."),
    "combine": ("_combine", "Combine the beliefs of several tables, row by row."),
    "demo": ("_demo", "Train ten classifiers, calibrate each into beliefs, and combine them."),
}


def load(name: str) -> Callable[..., Any]:
    """The function of a command."""
    module = import_module(f"evical.cli.{COMMANDS[name][0]}")
    function: Callable[..., Any] = getattr(module, name)
    return function
