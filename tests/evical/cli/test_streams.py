"""Pipes, signals and damaged disks: what is cut short leaves nothing that looks complete."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest

from evical.cli import main

ROOT = Path(__file__).parents[3]
CODE = "import sys; from evical.cli import main; sys.exit(main())"
# One import for all of them: a child for each line, with exit codes. A pipe is its input.
# A shell that runs the tests in the background lets them ignore SIGINT, and so their children.
CHILDREN = """
import gc, os, signal, sys, warnings
from evical.cli import main
from evical.cli import _predicting, _sinks
# Python 3.12 warns of threads that packages leave idle; the children never wait for them.
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores, and so does the command
gc.freeze()  # or each child would search what was imported for garbage when it ends
children = []
for pipe, line in zip(sys.argv[1::2], sys.argv[2::2]):
    children.append(os.fork())
    if not children[-1]:
        if pipe:
            os.dup2(int(pipe), 0)
        sys.exit(main(line.split()))
print(*children, flush=True)
print(*(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""
HEAD = "s,y\n"
# More than a chunk and more than a pipe holds, in few rows.
WIDE, N = "s,y,note\n" + ("1,0," + "x" * 1000 + "\n") * 1100, 1100
CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}


def start(folder, code, *words, **options):
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
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


def test_standard_input_and_output(folder, monkeypatch, capfd):
    with (folder / "train.csv").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert main(["predict", str(folder / "model.json"), "-"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    lines = out.split("\n")
    assert lines[0] == "s,y,bel_0,pl_0,p_0,bel_1,pl_1,p_1,decision"
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
    (folder / "many.csv").write_text(WIDE)
    with start(folder, CODE, "predict", "model.json", "many.csv") as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


def written(path):
    """The file beside it that takes its place when it is complete."""
    return list(path.parent.glob(f".{path.name}.*"))


def begun(path):
    """Whether a part of it has been written."""
    return any(part.is_file() and part.stat().st_size for part in written(path))


def test_what_is_ended_leaves_no_half_file(folder):
    """In chunks, where the input does not end; by DuckDB, which writes in another thread.

    For many more moments: ``python -m tests.fuzz.signals``.
    """
    with duckdb.connect() as base:
        query = "SELECT random() AS s FROM range(4000000)"
        base.execute(f"COPY ({query}) TO '{folder / 'long.parquet'}'")
    pipes = [os.pipe() for _ in CODES]
    cases = [
        (ending, read, f"predict model.json - -o out{read}.csv")
        for ending, (read, _) in zip(CODES, pipes, strict=True)
    ]
    cases += [
        (ending, "", f"predict model.json long.parquet -o out{ending}.csv --engine duckdb")
        for ending in CODES
        if ending != signal.SIGKILL
    ]
    words = [str(word) for _, read, line in cases for word in (read, line)]
    targets = [folder / line.split()[4] for *_, line in cases]
    with start(folder, CHILDREN, *words, pass_fds=[read for read, _ in pipes]) as process:
        children = map(int, process.stdout.readline().split())
        for _, write in pipes:
            with open(write, "wb", closefd=False) as pipe:
                pipe.write(WIDE.encode())  # and the rest never comes
        waiting = {
            child: (ending, target)
            for child, (ending, *_), target in zip(children, cases, targets, strict=True)
        }
        deadline = time.monotonic() + 60
        while waiting:
            assert time.monotonic() < deadline
            ready = [child for child, (_, target) in waiting.items() if begun(target)]
            for child in ready:
                os.kill(child, waiting.pop(child)[0])
            time.sleep(0.01)
        codes = process.stdout.readline()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0
    assert [int(code) for code in codes.split()] == [CODES[ending] for ending, *_ in cases]
    for pipe in (pipe for both in pipes for pipe in both):
        os.close(pipe)
    for (ending, *_), target in zip(cases, targets, strict=True):
        assert not target.exists()
        left = written(target)
        assert (len(left) > 0) == (ending == signal.SIGKILL)  # which nothing can clean up after
        for path in left:
            path.unlink()


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_a_wrong_value_far_down_leaves_no_half_file(folder, name, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    (folder / "long.csv").write_text(WIDE + "x,0,\n")
    assert main(["predict", "model.json", "long.csv", "-o", name]) == 2
    assert f"long.csv, line {N + 2}, column 's': 'x' is not a number" in capfd.readouterr().err
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
