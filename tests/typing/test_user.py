"""Type checkers see in a user's script what stands behind its lines, and the script runs."""

import json
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.public_objects import ROOT

USER = Path(__file__).with_name("user.py")

pytestmark = pytest.mark.skipif(
    find_spec("pyright") is None, reason="needs pyright: pip install 'pyright[nodejs]'"
)


def written():
    """What the comments expect, by line: (severity, type or rule)."""
    found = {}
    for number, line in enumerate(USER.read_text(encoding="utf-8").splitlines(), 1):
        code, _, comment = line.partition("  # ")
        if comment.startswith("error: "):
            found[number] = ("error", comment.removeprefix("error: "))
        elif code.startswith("reveal_type("):
            found[number] = ("information", comment)
    return found


def seen(one):
    """A diagnostic as a comment has it; how NumPy writes an array differs by version."""
    if one["severity"] != "information":
        return one["severity"], one.get("rule", one["message"])
    shown = re.search(r'is "(.*)"$', one["message"], re.DOTALL)[1]
    array = r"ndarray\[.*, dtype\[(?:numpy\.)?(\w+).*\]\]"
    return "information", re.sub(array, r"NDArray[\1]", shown)


def test_pyright_sees_the_types_and_the_mistakes():
    run = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", USER]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert {one["range"]["start"]["line"] + 1: seen(one) for one in found} == written()


@pytest.mark.filterwarnings("ignore")  # a user sees them and goes on
def test_the_script_runs():
    runpy.run_path(str(USER))
