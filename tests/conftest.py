"""Settings shared by all tests: the same random numbers in any order, a headless matplotlib."""

import os
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from tests.support.each import is_wanted

_STARTS: dict[int, Any] = {}

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("quick", settings.get_profile("fixed"), max_examples=3)


def pytest_configure(config: pytest.Config) -> None:
    """Few examples are generated where only what is quick is asked for."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "fixed")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[None]:
    """Doctests are in packages and pages; looking for some here would import all tests twice."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test starts the generators of its module alike, whichever tests this process has run."""
    for one in vars(getattr(item, "module", None) or object).values():
        if isinstance(one, np.random.Generator):
            one.bit_generator.state = _STARTS.setdefault(id(one), one.bit_generator.state)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what EACH does not ask for, as -k would."""
    kept = [item for item in items if is_wanted(item.nodeid, getattr(item, "obj", None))]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
