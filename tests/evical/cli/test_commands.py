"""The list of commands says what the commands say themselves."""

import inspect
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from evical.cli import main
from evical.cli._app import COMMANDS, load
from tests.support.each import each


@each("name", COMMANDS)
def test_the_help_line_is_that_of_the_command(name):
    assert COMMANDS[name].line == inspect.getdoc(load(name)).partition("\n")[0]


@each("name", COMMANDS)
def test_help_shows_examples_and_flags_without_a_value(name, capfd):
    assert main([name, "--help"]) == 0
    shown = capfd.readouterr().out
    assert "bool" not in shown
    assert "Examples:" in shown
    for example in COMMANDS[name].examples:
        assert f"  {example}\n" in shown


def test_the_examples_run(tmp_path, monkeypatch, capfd):
    """One after the other in one folder, on files of the names that they use."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=200).round(3)
    income = (rng.random(200) < 1 / (1 + np.exp(-2 * score))).astype(int)
    table = pd.DataFrame({"id": np.arange(200), "score": score, "income": income})
    monkeypatch.chdir(tmp_path)
    for file in ("scores.csv", "new.csv"):
        table.to_csv(file, index=False)
    table.assign(bel_1=0.25, pl_1=0.5).to_csv("other.csv", index=False)
    # The demonstration has tests of its own, which take longer.
    names = [name for name in COMMANDS if name != "demo"]
    examples = [text for name in names for text in COMMANDS[name].examples]
    for example in examples:
        assert main(shlex.split(example)[1:]) == 0, capfd.readouterr().err


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
