"""The commands of `evical`, and the line of each in the help.

A module is imported only when its command runs, so a command does not wait for the libraries of
others. A test compares the lines with the docstrings.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple


class Command(NamedTuple):
    """First line of the docstring, and examples to copy."""

    line: str
    examples: tuple[str, ...]


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
    ),
    "predict": Command(
        "Add beliefs and decisions to a table of new scores.",
        (
            "evical predict model.json new.csv -o out.csv",
            "evical predict model.json new.csv --costs 1 5 --reject 0.5 -o decided.csv",
        ),
    ),
    "combine": Command(
        "Combine the beliefs of several tables, row by row.",
        (
            "evical combine out.csv other.csv -o both.csv",
            "evical combine out.csv other.csv --key id --rule pcr6 -o keyed.csv",
        ),
    ),
    "evaluate": Command(
        "Evaluate predictions: proper scores, calibration, coverage of beliefs, with intervals.",
        (
            "evical evaluate out.csv --target income",
            "evical evaluate model.json new.csv -o page.html",
        ),
    ),
    "compare": Command(
        "Compare calibrators by cross-validation, and recommend one with reasons.",
        ("evical compare scores.csv --score score --target income -o methods.html",),
    ),
    "report": Command(
        "Write a page about predictions, a comparison of calibrators, or an ensemble.",
        (
            "evical report out.csv --target income -o report.html",
            "evical report out.csv other.csv --target income -o ensemble.html",
        ),
    ),
    "check": Command(
        "Test calibration: exit code 0 if all tests pass, 1 if not, 2 for wrong input.",
        ("evical check out.csv --target income --test interval",),
    ),
    "export": Command(
        "Write a model as SQL, ONNX or JavaScript, which predict without Python.",
        (
            "evical export model.json --to sql --dialect sqlite -o model.sql",
            "evical export model.json --to js -o model.mjs",
        ),
    ),
    "card": Command(
        "Write a model card: what it was fitted on, what it promises, and checks on other samples.",
        ("evical card model.json new.csv -o card.md",),
    ),
    "explore": Command(
        "Write a page to play with: masses, rules, where conflict goes, and decisions.",
        (
            "evical explore -o explore.html",
            "evical explore model.json new.csv -o decisions.html",
        ),
    ),
    "demo": Command(
        "Train ten classifiers, calibrate each into beliefs, and combine them.",
        (
            "evical demo --repeats 5",
            "evical demo --data mine.csv --target class --repeats 5 --output mine",
        ),
    ),
}


def load(name: str) -> Callable[..., Any]:
    """The function of a command."""
    module = import_module(f"evical.cli.commands._{name}")
    function: Callable[..., Any] = getattr(module, name)
    return function
