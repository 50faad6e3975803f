"""The examples run, each in an interpreter of its own, warn of nothing and leave no files."""

import os
import runpy
import subprocess

import numpy as np
import pytest

from tests.support.public_objects import ROOT
from tests.support.strict_python import strict_python

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOT_PICTURES = {"calarena_adapter.py"}
# Tests that run at once would have the threads of their linear algebra wait for each other.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def test_there_are_examples():
    assert len(EXAMPLES) >= 2
    others = {path.name for path in EXAMPLES if not path.name.startswith("plot_")}
    assert others == NOT_PICTURES


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


@pytest.fixture(scope="module")
def adapter():
    return runpy.run_path(str(ROOT / "examples" / "calarena_adapter.py"))["CalArenaCalibrator"]


@pytest.mark.filterwarnings("ignore:scores point the wrong way")  # of a few samples
@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_adapter_takes_and_gives_tables_of_probabilities(adapter, k):
    rng = np.random.default_rng(k)
    p = rng.dirichlet(np.full(k, 0.5), 300)
    y = (rng.random((300, 1)) > (0.3 / k + 0.7 * p).cumsum(axis=1)).sum(axis=1)
    before = p.copy()
    found = adapter().fit(p[:200], y[:200]).predict_proba(p)
    np.testing.assert_array_equal(p, before)
    assert found.shape == (300, k)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    loss = [-np.log(np.maximum(q[range(300), y], 1e-12)).mean() for q in (p, found)]
    assert loss[1] < loss[0]
    if k == 2:
        column = adapter().fit(p[:200, 1], y[:200]).predict_proba(p[:, 1])
        np.testing.assert_allclose(column, found, atol=1e-12)


def test_the_adapter_leaves_a_class_without_a_sample_as_it_is(adapter):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 200)
    y = np.array([0, 1, 3])[rng.integers(3, size=200)]
    found = adapter().fit(p, y).predict_proba(p)
    np.testing.assert_array_equal(found[:, 2], p[:, 2])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(adapter().fit(p, np.zeros(200, int)).predict_proba(p), p)
