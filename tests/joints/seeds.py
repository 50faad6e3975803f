"""Draws of the metamorphic programs: one in the suite, as many as SEEDS says on demand.

SEEDS=50 python -m pytest tests/joints
"""

import os

from tests.support.each import each

__all__ = ["every_seed"]

every_seed = each("seed", range(int(os.environ.get("SEEDS", "1"))))
