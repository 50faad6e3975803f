"""The list of commands says what the commands say themselves."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from evical.cli._commands import COMMANDS, load


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_line_is_that_of_the_command(name):
    assert COMMANDS[name][1] == inspect.getdoc(load(name)).partition("\n")[0]


def test_help_loads_no_command():
    code = (
        "import sys; from evical.cli import main; main(['--help']); main(['--version']);"
        "print([m for m in sys.modules if m in ('sklearn', 'numpy', 'matplotlib', 'jinja2')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    for name in COMMANDS:
        assert name in done.stdout
    assert done.stdout.endswith("[]\n")


def test_fitting_and_predicting_load_no_pictures():
    code = (
        "import sys; import evical.cli._fit, evical.cli._predict, evical.cli._combine;"
        "print([m for m in sys.modules if m in ('evical.report', 'evical.experiments')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout == "[]\n"
