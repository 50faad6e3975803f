"""Where the data sets of the papers are, if they are on this machine at all."""

import os
from pathlib import Path

import pytest

__all__ = ["DATA", "needs_data"]

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"

DATA = Path(os.environ.get("EVICAL_DATA") or _BESIDE)
"""The folder that the environment names, or one beside the repository."""

needs_data = pytest.mark.skipif(
    not (DATA / "australian.csv").is_file(),
    reason="needs the data sets; name their folder by the environment variable EVICAL_DATA",
)
