"""The list of commands says what the commands say themselves."""

import inspect
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from evical.cli import main
from evical.cli._app import COMMANDS, load
from evical.cli.arguments import sections
from tests.support.each import each


def examples_of(name):
    return sections(load(name))["Examples"].split("\n")[:-1]


@each("name", COMMANDS)
def test_the_help_line_is_that_of_the_command(name):
    assert COMMANDS[name] == inspect.getdoc(load(name)).partition("\n")[0]


@each("name", COMMANDS)
def test_help_shows_examples_and_flags_without_a_value(name, capfd):
    assert main([name, "--help"]) == 0
    shown = capfd.readouterr().out
    assert "bool" not in shown
    assert "Examples:" in shown
    for example in examples_of(name):
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
    examples = [text for name in names for text in examples_of(name)]
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


REFUSED = [
    ("fit no.csv --score s --target t -o m.json", "cannot open 'no.csv': no such file"),
    ("fit a.csv --score scroe --target kind -o m.json", "did you mean 'score'?"),
    ("fit a.csv --score x=b --target kind -o m.json", "a.csv has no column 'x'"),
    (
        "fit a.csv --score score --target kind",
        "missing option '--output' / '-o'; see evical fit --help",
    ),
    ("predict no.json a.csv", "cannot open 'no.json'"),
    ("predict a.csv --costs 1", "write --costs ALARM MISS"),
    ("combine a.csv no.csv", "cannot open 'no.csv'"),
    ("combine a.csv a.csv --key id", "a.csv has no column 'id'"),
    ("evaluate a.csv --target kin", "did you mean 'kind'?"),
    (
        "compare a.csv --score score --target kind --methds x",
        "no such option '--methds'; did you mean '--methods'?; see evical compare --help",
    ),
    ("report a.csv no.csv -o page.html", "cannot open 'no.csv'"),
    ("check a.csv --target no --delimiter ;", "a.csv has no column 'no'"),
    ("export no.json --to sql -o m.sql", "cannot open 'no.json'"),
    ("card no.json", "cannot open 'no.json'"),
    ("explore no.json -o page.html", "cannot open 'no.json'"),
    ("demo --data no.csv --target kind", "cannot open 'no.csv'"),
    ("demo --data a.csv --target no", "a.csv has no column 'no'"),
    ("fit a.csv --score score --target kind -o a.csv", "'a.csv' is input and output at once"),
    ("predict a.csv a.csv --engine x", "'x' is not one of 'chunks', 'duckdb'"),
    ("compare a.csv --score score --target kind --folds 1", "'--folds'"),
    ("check a.csv --target kind --level x", "'--level'"),
    ("check a.csv --target kind --test x", "there is no test 'x'; tests: spiegelhalter"),
    ("fit a.csv --score score --target kind -o m.json --method logstic", "'logistic'?"),
    ("compare a.csv --score score --target kind --methods beta,logstic", "'logistic'?"),
    ("predict a.csv a.csv --criterion maximim", "did you mean 'maximin'?"),
    ("combine a.csv a.csv --rule dempstr", "did you mean 'dempster'?"),
    ("combine a.csv a.csv --fit kind --rule pcr6 -o m.json", "'pcr6' learns nothing"),
    ("report a.csv a.csv -o page.html --rule dempstr", "did you mean 'dempster'?"),
]


def test_a_refusal_does_not_wait_for_scikit_learn(tmp_path):
    (tmp_path / "a.csv").write_text("score;kind\n1,5;a\n2,5;b\n")
    code = (
        "import sys; from evical.cli import main;"
        "print(*[main(line.split()) for line in sys.argv[1:]], 'sklearn' in sys.modules)"
    )
    line = [sys.executable, "-c", code, *(words for words, _ in REFUSED)]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=here, check=True)
    assert done.stdout.split() == ["2"] * len(REFUSED) + ["False"]
    for (_, message), told in zip(REFUSED, done.stderr.splitlines(), strict=True):
        assert message in told
