"""Pipes, signals and damaged disks: what is cut short leaves nothing that looks complete."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from evical.cli import main

ROOT = Path(__file__).parents[3]
# A shell that runs the tests in the background lets them ignore SIGINT, and so their children.
CODE = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from evical.cli import main; sys.exit(main())"
)
HEAD = "s,y\n"
CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}


def start(folder, *words, **streams):
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=streams.get("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    rng = np.random.default_rng(0)
    rows = "".join(f"{s!r},{int(rng.random() < 0.5)}\n" for s in rng.normal(size=100).tolist())
    (folder / "train.csv").write_text(HEAD + rows)
    words = ["fit", str(folder / "train.csv"), "--score", "s", "--target", "y"]
    assert main([*words, "-o", str(folder / "model.json")]) == 0
    return folder


def test_standard_input_and_output(folder):
    process = start(folder, "predict", "model.json", "-")
    out, err = process.communicate((folder / "train.csv").read_bytes())
    assert (process.returncode, err) == (0, b"")
    lines = out.decode().split("\n")
    assert lines[0] == "s,y,bel,pl,betp,decision"
    assert len(lines) == 102


def test_a_wrong_value_of_standard_input_is_named(folder, monkeypatch, capfd):
    (folder / "wrong.csv").write_text("s\nx\n")
    with (folder / "wrong.csv").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert main(["predict", str(folder / "model.json"), "-"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("evical: standard input, line 2, column 's': 'x' is not a number")


def test_a_reader_that_has_seen_enough_is_no_error(folder):
    (folder / "many.csv").write_text(HEAD + "1,0\n" * 300_000)
    with start(folder, "predict", "model.json", "many.csv") as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_what_is_ended_leaves_no_half_file(folder, ending):
    with start(folder, "predict", "model.json", "-", "-o", "out.csv") as process:
        process.stdin.write((HEAD + "1,0\n" * 600_000).encode())
        process.stdin.flush()  # and the rest never comes
        deadline = time.monotonic() + 60
        while not list(folder.glob(".out.csv.*")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(ending)
        assert process.wait(timeout=60) == CODES[ending]
        assert process.stderr.read() == b""
    assert not (folder / "out.csv").exists()
    left = list(folder.glob(".out.csv.*"))
    assert (len(left) > 0) == (ending == signal.SIGKILL)  # which nothing can clean up after
    for path in left:
        path.unlink()


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_a_wrong_value_far_down_leaves_no_half_file(folder, name, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    (folder / "long.csv").write_text(HEAD + "1,0\n" * 300_000 + "x,0\n")
    assert main(["predict", "model.json", "long.csv", "-o", name]) == 2
    assert "long.csv, line 300002, column 's': 'x' is not a number" in capfd.readouterr().err
    assert not [path for path in folder.iterdir() if "out" in path.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    assert main(["predict", "model.json", "train.csv", "-o", "full.csv"]) == 0
    (folder / "link.csv").symlink_to("/dev/full")
    assert main(["predict", "model.json", "train.csv", "-o", "link.csv"]) == 2
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "no space left on device" in err


def test_a_link_stays_and_what_it_points_to_is_replaced(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "real.csv").write_text("old")
    (folder / "to.csv").symlink_to("real.csv")
    assert main(["predict", "model.json", "train.csv", "-o", "to.csv", "--force"]) == 0
    assert (folder / "to.csv").is_symlink()
    assert (folder / "real.csv").read_text().startswith("s,y,bel")
