"""A pytest plugin: parallel workers take one thread each for linear algebra.

With as many threads as cores in each, workers wait for one another: small optimizations take
twenty times as long. pyproject.toml names it, as it must come before the workers.
"""

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """What the caller has set stays."""
    if config.getoption("numprocesses", default=None):
        for library in ("OPENBLAS", "OMP", "MKL"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
