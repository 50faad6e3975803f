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
    "evaluate": (
        "_evaluate",
        "Judge predictions: proper scores, calibration, honesty of beliefs, with intervals.",
    ),
    "compare": (
        "_compare",
        "Compare calibrators by cross-validation, and recommend one with reasons.",
    ),
    "report": (
        "_report",
        "Write a page about predictions, a comparison of calibrators, or an ensemble.",
    ),
    "check": (
        "_check",
        "Test calibration: exit code 0 if all tests pass, 1 if not, 2 for wrong input.",
    ),
    "demo": ("_demo", "Train ten classifiers, calibrate each into beliefs, and combine them."),
    "reproduce": ("_reproduce", "Repeat a study of a paper, and put its numbers beside ours."),
}


def load(name: str) -> Callable[..., Any]:
    """The function of a command."""
    module = import_module(f"evical.cli.{COMMANDS[name][0]}")
    function: Callable[..., Any] = getattr(module, name)
    return function
