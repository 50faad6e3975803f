"""A sample of the calls with arguments of a wrong kind that `tests.fuzz.hostile` makes.

A name in five, and of its hostile calls one in five: which ones, the checksum of their text says,
so that a run repeats the one before.
"""

from zlib import crc32

import numpy as np
import pytest

from tests.fuzz.hostile import attempt, calls_of, hostile_values, is_expected, replaceable
from tests.support.public_objects import Public, callables

ONE_IN = 5
BUDGET = 10.0  # CPU seconds of a call; none takes a tenth of it

# Their faults have not been brought to zero, or they open figures.
UNTRIED = (
    "dstheory.plot",
    "evical.cli",
    "evical.cross_validation",
    "evical.datasets",
    "evical.evaluation",
    "evical.studies",
    "evical.metrics",
    "evical.plot",
    "evical.report",
    "evical.significance",
)


def drawn(text: str) -> bool:
    """Whether a text is in the sample."""
    return crc32(text.encode()) % ONE_IN == 0


NAMES = [p for p in callables() if not p.module.startswith(UNTRIED) and drawn(p.path)]
MODULES = sorted({public.module for public in NAMES})


@pytest.mark.parametrize("module", MODULES)
def test_arguments_of_a_wrong_kind_are_refused(module):
    faults = [fault for p in NAMES if p.module == module for fault in faults_of(p)]
    assert not faults, "\n".join(faults)


def faults_of(public: Public) -> list[str]:
    """What went wrong in the sampled calls of a name."""
    with np.errstate(all="warn", under="ignore"):
        outcomes = [
            attempt(call, place, name, BUDGET)
            for call in calls_of(public)
            for place in replaceable(call)
            for name in hostile_values()
            if drawn(f"{call.path} {place} {name}")
        ]
    return [str(one) for one in outcomes if one.fault and not is_expected(one)]


def test_the_sample_finds_what_shines_through():
    public = next(p for p in callables() if p.path == "dstheory.frame.Frame")
    call = calls_of(public)[0]
    broken = type(call)("broken", lambda size: np.zeros(3) + size, (1,), {})
    assert "at the call" in attempt(broken, 0, "text", BUDGET).fault
    assert not attempt(broken, 0, "nan", BUDGET).fault
