"""`evical demo` as a user sees it: one run looked at from all sides."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evical.cli import main

FILES = {"calibration.png", "contour.png", "reliability.png", "table.csv", "index.html"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "new" / "result"
    assert main(["demo", "--repeats", "1", "--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def own_data(tmp_path_factory) -> Path:
    """Two classes with names that no template and no terminal should take for its own."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("own") / "own.csv"
    rows = []
    for i in range(160):
        kind = "<b>$[red]x$</b>" if i % 2 else "$no"
        rows.append([rng.normal() + i % 2, "left" if rng.random() < 0.5 else "right", kind])
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["size", "side", "kind"], *rows])
    return path


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


def test_the_same_command_gives_the_same_bytes_and_leaves_other_files_alone(folder, capfd):
    before = {name: (folder / name).read_bytes() for name in FILES}
    (folder / "mine.txt").write_text("mine")
    assert main(["demo", "--repeats", "1", "--output", str(folder)]) == 0
    assert {name: (folder / name).read_bytes() for name in FILES} == before
    assert (folder / "mine.txt").read_text() == "mine"
    out, err = capfd.readouterr()
    assert err == ""  # no progress bar, because this is no terminal
    for part in ("binning", "likelihood", "weighted mean", "Error %", "Pl - Bel", "index.html"):
        assert part in out
    assert out.startswith("Training ten classifiers: Wisconsin breast cancer, 1 random split.\n")
    assert out.endswith("\nOn your own data: evical demo --data FILE.csv --target COLUMN\n")
    assert max(map(len, out.replace(str(folder), "").splitlines())) <= 80


def test_it_runs_on_own_data_with_text_and_strange_names(own_data, tmp_path, capfd):
    arguments = ["demo", "--data", str(own_data), "--target", "kind", "--repeats", "1"]
    assert main([*arguments, "--seed", "3", "--output", str(tmp_path)]) == 0
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;$[red]x$&lt;/b&gt;" in html
    assert "<b>$" not in html
    assert "one-hot encoded: side." in html
    out = capfd.readouterr().out
    assert "$[red]x$" in out
    assert "In Python: EvidentialEnsemble([...])" in out.splitlines()[-1]


def test_features_that_tell_nothing_are_shown_as_that(tmp_path, capfd):
    path = tmp_path / "constant.csv"
    path.write_text("a,kind\n" + "".join(f"5,{i % 2}\n" for i in range(160)))
    arguments = ["demo", "--data", str(path), "--target", "kind", "--repeats", "1"]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    assert "likelihood" in capfd.readouterr().out


def test_missing_features_are_filled_and_marked(own_data, tmp_path, capfd):
    lines = own_data.read_text().splitlines()
    lines[5] = "," + lines[5].split(",", 1)[1]
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(lines) + "\n")
    arguments = ["demo", "--data", str(path), "--target", "kind", "--repeats", "1"]
    assert main([*arguments, "--output", str(tmp_path / "no")]) == 2
    assert "column 'size': the value is missing" in capfd.readouterr().err
    output = tmp_path / "out"
    assert main([*arguments, "--missing", "encode", "--output", str(output)]) == 0
    html = (output / "index.html").read_text(encoding="utf-8")
    assert "Missing values are filled by medians" in html
    assert "--missing encode" in html


def test_the_recommended_fusion_stands_beside_dempsters_rule(folder):
    with (folder / "table.csv").open() as file:
        rows = {(row["model"], row["fusion"]): row for row in csv.DictReader(file)
                if row["calibrator"] == "logistic"}  # fmt: skip
    html = (folder / "index.html").read_text(encoding="utf-8")
    for fusion in ("stacked", "dempster"):
        error = float(rows["likelihood", fusion]["error_rate"])
        assert f"{error:.1%}" in html
    assert "The recommended fusion, stacking" in html
    assert "EvidentialEnsemble as it comes also trains and calibrates on the same samples" in html
    lead = html.partition('<div class="lead">')[2]
    assert lead.lstrip().startswith("<p>Ten models give their opinion on each new case")


def test_the_first_line_comes_before_the_libraries():
    code = (
        "import sys, typer, evical.cli.commands._demo;"
        "print([m for m in sys.modules if m in ('numpy', 'sklearn', 'jinja2', 'evical.studies')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[4],
    )
    assert done.stdout == "[]\n"
