"""Settings shared by all tests: deterministic hypothesis, a headless matplotlib."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("fixed")
