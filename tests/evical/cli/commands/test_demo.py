"""`evical demo` as a user sees it: each run looked at from all sides."""

import csv
import io
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from evical.cli import main
from evical.cli._app import load
from evical.cli.arguments import sections

FILES = {"ways.png", "calibration.png", "reliability.png", "table.csv", "index.html"}


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> tuple[Path, tuple[str, str]]:
    """The folder of a run, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "result"
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        assert main(["demo", "--repeats", "1", "--output", str(folder)]) == 0
    return folder, (out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def folder(printed) -> Path:
    return printed[0]


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> list[str]:
    """Two classes with names that no template and no terminal should take for its own, and a gap.

    The command on this file, and the folder that it writes into.
    """
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("own") / "own.csv"
    rows = []
    for i in range(160):
        kind = "<b>$[red]x$</b>" if i % 2 else "$no"
        size = "" if i == 4 else rng.normal() + i % 2
        rows.append([size, "left" if rng.random() < 0.5 else "right", kind])
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["size", "side", "kind"], *rows])
    words = ["demo", "--data", str(path), "--target", "kind", "--repeats", "1", "--seed", "3"]
    return [*words, "--output", str(path.parent / "result")]


def test_it_writes_its_files_and_nothing_else(folder):
    assert {path.name for path in folder.iterdir()} == FILES
    for path in folder.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_the_csv_has_all_rows(folder):
    with (folder / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18
    for row in rows:
        assert 0 <= float(row["error_rate"]) <= 1
        assert float(row["imprecision"]) >= float(row["total_conflict"]) >= 0


def test_the_page_shows_all_pictures_and_the_command(folder):
    html = (folder / "index.html").read_text(encoding="utf-8")
    assert html.count('role="img"') == 3
    assert f"evical demo --repeats 1 --seed 0 --output {folder}" in html
    assert "Wisconsin breast cancer" in html


def test_own_data_with_text_gaps_and_strange_names(own, capfd):
    folder = Path(own[-1])
    assert main(own) == 2
    assert "column 'size': the value is missing" in capfd.readouterr().err
    assert not folder.exists()
    assert main([*own, "--missing", "encode"]) == 0
    html = (folder / "index.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;$[red]x$&lt;/b&gt;" in html
    assert "<b>$" not in html
    assert "one-hot encoded: side." in html
    assert "Missing values are filled by medians" in html
    assert "--missing encode" in html
    out = capfd.readouterr().out
    assert "$[red]x$" in out
    assert "In Python: EvidentialEnsemble([...])" in out.splitlines()[-1]


def test_what_is_printed(printed):
    folder, (out, err) = printed
    assert err == ""  # no progress bar, because this is no terminal
    for part in ("binning", "likelihood", "weighted mean", "Error %", "Pl - Bel", "index.html"):
        assert part in out
    assert out.startswith("Training ten classifiers: Wisconsin breast cancer, 1 random split.\n")
    assert out.endswith("\nOn your own data: evical demo --data FILE.csv --target COLUMN\n")
    assert max(map(len, out.replace(str(folder), "").splitlines())) <= 80


def test_the_example_runs_on_features_that_tell_nothing(tmp_path, monkeypatch, capfd):
    """Twice, with the same bytes; other files are left alone."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"5,{i % 2}\n" for i in range(160))
    (tmp_path / "mine.csv").write_text(f"a,class\n{rows}")
    _, example, _ = sections(load("demo"))["Examples"].split("\n")
    folder = tmp_path / "mine"
    written = []
    for _ in range(2):
        assert main(shlex.split(example.replace("--repeats 5", "--repeats 1"))[1:]) == 0
        assert "likelihood" in capfd.readouterr().out
        written.append({name: (folder / name).read_bytes() for name in FILES})
        (folder / "other.txt").write_text("other")
    assert written[0] == written[1]
    assert {path.name for path in folder.iterdir()} == {*FILES, "other.txt"}


def test_the_recommended_fusion_stands_beside_dempsters_rule(folder):
    with (folder / "table.csv").open() as file:
        rows = {(row["model"], row["fusion"]): row for row in csv.DictReader(file)
                if row["calibrator"] == "logistic"}  # fmt: skip
    html = (folder / "index.html").read_text(encoding="utf-8")
    for fusion in ("stacked", "dempster"):
        error = float(rows["likelihood", fusion]["error_rate"])
        assert f"{error:.1%}" in html
    assert "The recommended fusion, stacking" in html
    assert "With default settings, EvidentialEnsemble also trains and calibrates" in html
    lead = html.partition('<div class="lead">')[2]
    assert lead.lstrip().startswith("<p>Ten models, most trained on very little data")


def test_the_first_line_comes_before_the_libraries():
    code = (
        "import sys, typer, evical.cli.commands._demo;"
        "print([m for m in sys.modules if m in ('numpy', 'sklearn', 'jinja2', 'evical.demo')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[4],
    )
    assert done.stdout == "[]\n"
