"""`python -m examples.studies` as a user sees it; the runner itself is tested beside it."""

import pytest

from examples.studies import STUDIES
from examples.studies.__main__ import main
from tests.support.toy_study import Toy, toy_study

WRONG = [
    ("", f"which study? One of {', '.join(STUDIES)}"),
    ("xu2016-tem", "there is no study 'xu2016-tem'; did you mean 'xu2016-ten'?"),
    ("qqq", "there is no study 'qqq'; expected one of xu2016-three"),
    ("xu2016-ten --jobs 0", "--jobs is 0, expected a number from 1, or -1 for all"),
    ("xu2016-ten --repeats 0", "repeats is 0, expected a number from 1"),
    ("xu2016-ten --seed -1", "seed is -1, expected a number from 0"),
    ("xu2016-ten --data nowhere", "data is 'nowhere', which is not a folder"),
    ("xu2016-ten --data .", "the folder '.' has no adult_a9a_train.csv"),
    ("xu2016-ten", "by the environment variable EVICAL_DATA"),
    ("toy --output file", "cannot write into 'file/repeats': not a directory"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVICAL_DATA", raising=False)
    monkeypatch.setitem(STUDIES, "toy", toy_study(Toy("one")))
    return tmp_path


def code_of(arguments):
    """Exit code of a run that is refused."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_one_line_and_exit_code_2(arguments, message, folder, capfd):
    assert code_of(arguments.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_the_list_names_every_study(capfd):
    assert main(["--list"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(STUDIES)
    assert not any(mark in line for line in lines for mark in ("?.", ".."))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_is_one_line_and_keeps_what_is_finished(folder, jobs, capsys):
    resource = pytest.importorskip("resource", reason="limits the size of files")
    command = ["toy", "--jobs", str(jobs), "--output", "out"]
    assert main([*command, "--repeats", "1"]) == 0
    place = folder / "out" / "repeats" / "toy" / "0" / "one"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    capsys.readouterr()  # in memory, where no file is too large
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        assert code_of(command) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert (
        ".json': file too large; finished repeats are kept, and the same command continues" in err
    )
    assert [path.name for path in place.iterdir()] == ["0000.json"]
    assert main(command) == 0
    assert len(list(place.iterdir())) == 4


def test_it_writes_the_page_and_goes_on_where_it_was(folder, capfd, monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", toy_study(Toy("one", uses=("pets",))))
    (folder / "pets.csv").write_text("size,target\n1,a\n5,b\n")
    command = ["toy", "--quick", "--data", str(folder), "--output", "out"]
    assert main([*command, "--repeats", "1"]) == 0
    out, err = capfd.readouterr()
    assert out == "Page: out/toy.md\n"
    assert err == ""
    repeats = folder / "out" / "repeats" / "toy" / "0" / "one"
    first = (repeats / "0000.json").stat().st_mtime_ns
    assert main([*command, "--repeats", "2"]) == 0
    assert (repeats / "0000.json").stat().st_mtime_ns == first
    page = (folder / "out" / "toy.md").read_text()
    assert "\n    python -m examples.studies toy --repeats 2 --seed 0 --quick\n" in page
    assert str(folder) not in page
    (repeats / "0001.json").write_text("{")
    assert code_of([*command, "--repeats", "2"]) == 2
    assert "0001.json' is damaged; delete it" in capfd.readouterr().err
