"""Compiled code is optional: imported late, and equal to the text that it was made from."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from dstheory.kernels import jit

SCRIPT = """
import json
import numpy as np
from dstheory import Frame, MassFunction
from dstheory.kernels import jit, moebius

rng = np.random.default_rng(0)
table = rng.random(2**10)
results = [getattr(moebius, name)(table).tolist() for name in moebius.__all__]
frame = Frame(range(10))
ms = []
for _ in range(2):
    focal = rng.choice(np.arange(1, 1024), 100, replace=False)
    ms.append(MassFunction(frame, focal, rng.dirichlet(np.ones(100))))
one, two = ms
for result in (one & two, one | two, one @ two):
    results.append([result.mass(mask=i) for i in range(1024)])
print(json.dumps({"numba": jit.HAVE_NUMBA, "results": results}))
"""


def run(script, **variables):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout


def test_both_routes_agree():
    plain = json.loads(run(SCRIPT, DSTHEORY_NO_NUMBA="1"))
    usual = json.loads(run(SCRIPT, DSTHEORY_NO_NUMBA=""))
    assert not plain["numba"]
    for one, two in zip(plain["results"], usual["results"], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-15)


def test_importing_never_imports_numba():
    loaded = run("import sys, dstheory.kernels.moebius; print('numba' in sys.modules)")
    assert loaded.strip() == "False"


def total(values):
    """Sum of the values."""
    result = 0.0
    for i in range(len(values)):
        result += values[i]
    return result


def test_compiled_keeps_name_and_text():
    function = jit.compiled(total)
    assert function.__name__ == "total"
    assert function.__doc__ == "Sum of the values."
    assert function is total or function.__wrapped__ is total


@pytest.mark.skipif(not jit.HAVE_NUMBA, reason="numba (extra fast) is not installed")
def test_a_function_is_compiled_once():
    function = jit.compiled(total)
    assert function(np.array([1.0, 2.0])) == 3.0
    assert function.dispatcher() is function.dispatcher()
