"""Files are complete or not there."""

from pathlib import Path

import pytest

from evical.cli._errors import WrongInput, user_input
from evical.cli._files import write_atomically


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
