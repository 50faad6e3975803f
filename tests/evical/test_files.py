"""Files are complete or not there, with the mode of the umask or of the file before."""

import os
import stat
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from evical._files import atomic_path, write_whole
from tests.support.each import each

unix = pytest.mark.skipif(os.name != "posix", reason="modes are of Unix")


@contextmanager
def umask(mask):
    former = os.umask(mask)
    try:
        yield
    finally:
        os.umask(former)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@unix
@each("mask, expected", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0o277, 0o400)], oct)
def test_the_umask_sets_the_mode_of_a_new_file(tmp_path, mask, expected):
    path = tmp_path / f"{mask}.txt"
    with umask(mask):
        write_whole(path, "text")
    assert (mode(path), path.read_text()) == (expected, "text")


@unix
@each("former", [0o600, 0o640, 0o664, 0o444, 0o755], oct)
def test_a_replaced_file_keeps_its_mode_and_is_private_meanwhile(tmp_path, former):
    path = tmp_path / f"{former}.txt"
    path.write_text("old")
    path.chmod(former)
    with umask(0o022), atomic_path(path) as name:
        assert mode(name) == 0o600
        name.write_text("new")
        assert (path.read_text(), mode(path)) == ("old", former)
    assert (path.read_text(), mode(path)) == ("new", former)
    assert not name.exists()


@unix
def test_the_mode_is_that_of_what_a_link_points_to(tmp_path):
    path, link = tmp_path / "real.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to("real.txt")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (path.read_text(), mode(path)) == ("new", 0o600)


@contextmanager
def another_user(number):
    os.setegid(number)
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs two users")
def test_another_group_reads_no_more_than_all():
    with TemporaryDirectory() as folder:  # that of pytest is closed to others
        os.chmod(folder, 0o777)
        path = Path(folder) / "shared.txt"
        path.write_text("old")
        os.chown(path, 1234, 1235)
        path.chmod(0o640)
        write_whole(path, "of root")  # who may give it back
        assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (1234, 1235, 0o640)
        with another_user(1236):
            write_whole(path, "of another")
        assert (path.stat().st_gid, mode(path)) == (1236, 0o600)
        assert path.read_text() == "of another"


def test_what_fails_leaves_the_former_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.txt"
    write_whole(path, "old")

    def fail():
        with atomic_path(path) as name:
            name.write_text("half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_whole(tmp_path / "taken", "text")
    assert {p.name for p in tmp_path.iterdir()} == {"out.txt", "taken"}
    assert path.read_text() == "old"
