"""Settings shared by all tests: deterministic hypothesis, a headless matplotlib, what is slow."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("quick", settings.get_profile("fixed"), max_examples=3)


def pytest_configure(config):
    """Few examples are generated where only what is quick is asked for."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "fixed")


def pytest_collection_modifyitems(items):
    """The cases of a test after its first one are slow: together they take most of the time."""
    seen = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name in seen:
            item.add_marker(pytest.mark.slow)
        seen.add(name)
