"""What is cut short, by an interrupt or a full disk, is one line at most and leaves nothing."""

import signal
from pathlib import Path

import duckdb
import numpy as np
import pytest

from evical.cli import main

resource = pytest.importorskip("resource", reason="limits of files are of Unix")

DUCKDB = "--engine duckdb --memory-limit 500MB --threads 1"
FIT = "fit train.csv --score s --target y --method logistic -o model.json"
PREDICT = f"predict model.json new.parquet -o out.parquet {DUCKDB}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{s!r},{int(s > 0)}\n" for s in np.linspace(-1, 1.1, 30).tolist())
    Path("train.csv").write_text("s,y\n" + rows)
    assert main(FIT.split()) == 0
    with duckdb.connect() as base:
        base.execute("COPY (SELECT random() AS s FROM range(1000000)) TO 'new.parquet'")
    return tmp_path


def test_an_interrupt_ends_the_work_of_the_engine(folder, capsys):
    def interrupt(*_):
        files = [path for path in folder.glob(".out.parquet.*") if path.is_file()]
        if any(path.stat().st_size for path in files):  # the engine has begun to write
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        assert main(PREDICT.split()) == 130
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert not [path for path in folder.iterdir() if "out.parquet" in path.name]


def test_a_full_disk_is_one_line(folder, capsys):
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10**5, former[1]))
    try:
        assert main(PREDICT.split()) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    err = capsys.readouterr().err
    assert err.startswith("evical: DuckDB: ")
    assert "ould not write file" in err
    assert err.count("\n") == 1
    assert "exception_message" not in err
    assert not [path for path in folder.iterdir() if "out.parquet" in path.name]
