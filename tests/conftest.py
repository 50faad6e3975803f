"""Settings shared by all tests: deterministic hypothesis, a headless matplotlib, no doctests."""

import os
from collections.abc import Iterator

os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from tests.support.each import is_wanted

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("quick", settings.get_profile("fixed"), max_examples=3)


def pytest_configure(config: pytest.Config) -> None:
    """Few examples are generated where only what is quick is asked for."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "fixed")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[None]:
    """Doctests are in packages and pages; looking for some here would import all tests twice."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what EACH does not ask for, as -k would."""
    kept = [item for item in items if is_wanted(item.nodeid, getattr(item, "obj", None))]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
