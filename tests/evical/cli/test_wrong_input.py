"""Wrong invocations: exit code 2 and one line on standard error that says what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from evical.cli import main

TABLES = {
    "good.csv": "a,t\n" + "".join(f"{i},{i % 2}\n" for i in range(40)),
    "empty.csv": "",
    "Upper.csv": "a,t\n",
    "stray.csv": "a,t\n1,0\nx,1\n",
    "missing.csv": "a,t\n1,0\n,1\n",
    "many.csv": "a,t\n" + "".join(f"{i},{i % 11}\n" for i in range(400)),
    "rare.csv": "a,t\n" + "".join(f"{i},{int(i < 9)}\n" for i in range(400)),
}
WRONG = [
    ("bogus", "no such command 'bogus'"),
    ("demo extra", "unexpected extra argument"),
    ("demo --bogus", "no such option"),
    ("demo --data", "'--data' requires an argument"),
    ("demo --repeats 0", "'--repeats'"),
    ("demo --repeats many", "'--repeats'"),
    ("demo --seed -1", "'--seed'"),
    ("demo --target t", "give both or neither"),
    ("demo --data good.csv", "--data needs --target COLUMN"),
    ("demo --data none.csv --target t", "cannot open 'none.csv': no such file or directory"),
    ("demo --data . --target t", "cannot open '.': is a directory"),
    ("demo --data good.csv --target z", "good.csv has no column 'z'"),
    ("demo --data good.csv --target t", "20 training samples are too few"),
    ("demo --data empty.csv --target t", "empty.csv is empty"),
    ("demo --data Upper.csv --target t", "Upper.csv has a header but no data rows"),
    ("demo --data binary.csv --target t", "binary.csv is not text in UTF-8"),
    ("demo --data stray.csv --target t", "line 3, column 'a': 'x' is not a number"),
    ("demo --data missing.csv --target t", "line 3, column 'a': the value is missing"),
    ("demo --data many.csv --target t", "11 classes (0, 1, 2, 3, 4, ...), but this experiment"),
    ("demo --data rare.csv --target t", "391 and 9 samples, but 10 of each"),
    ("demo --output good.csv", "cannot write into 'good.csv': file exists; choose another folder"),
    ("demo --output good.csv/x", "cannot write into 'good.csv/x': not a directory"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.csv").write_bytes(b"\x89PNG\xff\xfe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "message"), WRONG)
def test_one_line_and_exit_code_2(command, message, folder, capfd):
    before = set(folder.rglob("*"))
    assert main(command.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("evical: ")
    assert err.count("\n") == 1
    assert message in err
    assert set(folder.rglob("*")) == before  # nothing is left behind


def test_help_and_version(capfd):
    assert main([]) == 0
    assert "demo" in capfd.readouterr().out
    assert main(["demo", "--help"]) == 0
    assert "--repeats" in capfd.readouterr().out
    assert main(["--version"]) == 0
    assert capfd.readouterr().out.startswith("evical ")


def test_without_the_extra_it_says_how_to_get_it():
    # None in sys.modules is how Python marks a package that cannot be imported.
    code = (
        "import sys; sys.modules['rich'] = None; from evical.cli import main;"
        "sys.exit(main(['demo']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 2
    assert done.stderr == (
        "evical: the command line needs rich; install it with: pip install rich\n"
    )


def test_the_exit_code_reaches_the_shell():
    code = "import sys; from evical.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", "--seed", "x"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
