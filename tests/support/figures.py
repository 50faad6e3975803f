"""A pytest plugin for tests, doctests and pages: figures of pyplot are closed after each of them.

pyproject.toml names it, as a `conftest.py` serves the folder that it is in, and doctests are in
those of the packages.
"""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Close what is open; matplotlib is not imported for that, nor warns at its 21st figure."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
