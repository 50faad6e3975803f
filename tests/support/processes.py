"""A pytest plugin: what the processes of a test run share, set before the first of them starts.

* Parallel workers take one thread each for linear algebra. With as many threads as cores in each,
  workers wait for one another: small optimizations take ten times as long.
* The garbage collector rests while modules are imported, and comes seldom then: it would look at
  their million objects again and again, a tenth of all time.
* XLA compiles as quickly as it can: a test calls what it compiles once.
* Bytecode is kept, below pytest's cache if Python is told to write none. Otherwise each worker and
  each command that a test starts compiles two thousand files anew, twenty seconds of CPU.

pyproject.toml names this plugin, as a `conftest.py` comes too late for both.
"""

import gc
import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

gc.disable()
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
TESTS = Path(__file__).resolve().parents[1]
BYTECODE = TESTS.parent / ".pytest_cache" / "bytecode"

if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(BYTECODE)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure(config: pytest.Config) -> None:
    """What the caller has set stays."""
    if config.getoption("numprocesses", default=None):
        for library in ("OPENBLAS", "OMP", "MKL"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def pytest_sessionstart(session: pytest.Session) -> None:
    """What fails here fails again, and is reported, when the file is collected."""
    config = session.config
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if int(worker.removeprefix("gw")) % 2 and config.args == config.getini("testpaths"):
        for path in sorted(TESTS.rglob("test_*.py"), reverse=True):
            parts = path.relative_to(TESTS.parent).with_suffix("").parts
            if "studies" not in parts:  # not collected either
                with suppress(Exception, pytest.skip.Exception):
                    importlib.import_module(".".join(parts))


def pytest_collection_finish() -> None:
    """Everything is imported."""
    gc.set_threshold(20_000)
    gc.enable()


def pytest_unconfigure() -> None:
    """Pytest collects twice more, for errors of finalizers; once, before, finds them all."""
    gc.collect()
    gc.freeze()
