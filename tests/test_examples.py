"""The examples run, each in an interpreter of its own, warn of nothing and leave no files."""

import os
import subprocess
import sys

import pytest

from tests.public_objects import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
# Tests that run at once would have the threads of their linear algebra wait for each other.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def test_there_are_examples():
    assert len(EXAMPLES) >= 2
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == {p.name for p in EXAMPLES}


def test_documentation_lists_every_example():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if f"(../examples/{path.name})" not in page] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    # Agg draws without a window; that show() does nothing then is the one warning expected.
    command = [sys.executable, "-W", "error", "-W", "ignore:FigureCanvasAgg:UserWarning", str(path)]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT), **ONE_THREAD},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,  # stops an example that hangs
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
