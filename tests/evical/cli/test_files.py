"""Files are complete or not there, and as readable as the user wants them."""

import os
import stat
from pathlib import Path

import duckdb
import numpy as np
import pytest

from evical.cli import main
from evical.cli._output import WrongInput, user_input, write_atomically


def test_a_file_is_replaced_as_a_whole(tmp_path: Path):
    path = tmp_path / "out.txt"
    write_atomically(path, "first")
    write_atomically(path, b"second")
    assert path.read_bytes() == b"second"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_a_failed_write_leaves_no_half_file(tmp_path: Path):
    target = tmp_path / "taken"
    target.mkdir()
    with pytest.raises(OSError, match="taken"):
        write_atomically(target, "text")
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_only_value_and_system_errors_are_wrong_input():
    with pytest.raises(WrongInput, match="no good"), user_input():
        raise ValueError("no good")
    with pytest.raises(WrongInput, match=r"cannot open 'x\.csv': disk full"), user_input():
        raise OSError(28, "Disk full", "x.csv")
    with pytest.raises(TypeError), user_input():
        raise TypeError("a bug")


OUTPUTS = [
    "fit train.csv --score s --target y --method logistic -o model.json",
    "predict model.json train.csv -o out.csv",
    "predict model.json train.csv -o out.tsv.gz",
    "predict model.json train.csv -o out.parquet",
    "predict model.json new.parquet -o engine.csv --engine duckdb",
    "predict model.json new.parquet -o engine.parquet --engine duckdb",
    "export model.json --to sql -o model.sql",
    "export model.json --to onnx -o model.onnx",
    "card model.json -o card.md",
    "explore model.json -o page.html",
]


@pytest.mark.skipif(os.name != "posix", reason="modes are of Unix")
def test_the_umask_and_the_file_before_set_the_mode(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{s!r},{int(s > 0)}\n" for s in np.linspace(-1, 1.1, 30).tolist())
    Path("train.csv").write_text("s,y\n" + rows)
    with duckdb.connect() as base:
        base.execute("COPY (SELECT random() AS s FROM range(50)) TO 'new.parquet'")
    former = os.umask(0o077)
    try:
        for words in OUTPUTS:
            assert main(words.split()) == 0, words
        targets = [Path(words.split(" -o ")[1].split()[0]) for words in OUTPUTS]
        modes = {str(path): stat.S_IMODE(path.stat().st_mode) for path in targets}
        assert modes == {str(path): 0o600 for path in targets}
        os.umask(0o022)
        for words, path in zip(OUTPUTS, targets, strict=True):
            path.chmod(0o640)
            assert main([*words.split(), "--force"]) == 0, words
        modes = {str(path): stat.S_IMODE(path.stat().st_mode) for path in targets}
        assert modes == {str(path): 0o640 for path in targets}
    finally:
        os.umask(former)
