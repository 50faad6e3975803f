"""Standard output that cannot be written: one line and an exit code, whatever the command."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evical.cli import main

ROOT = Path(__file__).parents[3]
CODE = "import sys; from evical.cli import main; sys.exit(main())"
ROWS = "bel_yes,pl_yes,y\n" + "0.2,0.3,no\n0.4,0.6,yes\n0.5,0.5,no\n" * 9
CHECK = ["check", "beliefs.csv", "--target", "y", "--test", "none", "--max-ece", "0"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "beliefs.csv").write_text(ROWS)
    (tmp_path / "accents.csv").write_text(ROWS.replace("yes", "né"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(folder, *words, **streams):
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        **streams,
    )


@pytest.fixture
def gone():
    """The end of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


def test_a_reader_that_has_gone(folder, gone):
    process = start(folder, *CHECK, stdout=gone)
    assert process.communicate()[1] == b""
    assert process.returncode == 141  # and not 1, which says that a check failed


def test_a_reader_of_tables_that_has_gone(folder, gone, monkeypatch, capfd):
    """By rich, which ends the process itself."""
    with io.TextIOWrapper(open(gone, "wb", closefd=False)) as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["evaluate", "beliefs.csv", "--target", "y"]) == 141
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(folder):
    with open("/dev/full", "wb") as full:
        process = start(folder, "--help", stdout=full)
        err = process.communicate()[1]
    assert err == b"evical: cannot write to standard output: no space left on device\n"
    assert process.returncode == 2


@pytest.mark.parametrize(("source", "stream"), [("-", "input"), ("beliefs.csv", "output")])
def test_closed_streams(folder, source, stream, monkeypatch, capfd):
    columns = ["--score", "bel_yes", "--target", "y", "-o", "model.json"]
    assert main(["fit", "beliefs.csv", *columns]) == 0
    capfd.readouterr()
    monkeypatch.setattr(sys, "stdin", None)  # which Python makes of `<&-`
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["predict", "model.json", source, "--force-columns"]) == 2
    assert capfd.readouterr().err.startswith(f"evical: standard {stream} is closed; name a file")


def test_names_that_the_terminal_cannot_show(folder, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["evaluate", "accents.csv", "--target", "y"]) == 0
    assert b"27 samples: 9 n\\xe9, 18 no" in written.getvalue()
