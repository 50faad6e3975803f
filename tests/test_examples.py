"""The examples run, each in an interpreter of its own, warn of nothing and leave no files."""

import os
import subprocess

import pytest

from tests.support.public_objects import ROOT
from tests.support.strict_python import strict_python

EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
# Tests that run at once would have the threads of their linear algebra wait for each other.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def test_there_are_examples():
    assert len(EXAMPLES) >= 2
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == {p.name for p in EXAMPLES}


def test_documentation_lists_every_example():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if f"(../examples/{path.name})" not in page] == []


@pytest.mark.parametrize(("module", "code"), [("evical.plot._band", 1), ("matplotlib.text", 0)])
def test_a_warning_is_an_error_unless_packages_speak_of_one_another(module, code):
    script = f"warnings.warn_explicit('old', DeprecationWarning, 'file', 1, {module!r})"
    done = subprocess.run(strict_python(script), capture_output=True, check=False)
    assert done.returncode == code


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    # Agg draws without a window; that show() does nothing then is the one warning expected.
    script = """
import runpy, sys
warnings.filterwarnings("ignore", "FigureCanvasAgg", UserWarning)
runpy.run_path(sys.argv[1], run_name="__main__")
"""
    done = subprocess.run(
        strict_python(script, str(path)),
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
