"""A sample of the calls with arguments of a wrong kind that `tests.fuzz.hostile` makes.

A name in five, and of its hostile calls one in five: which ones, the checksum of their text says,
so that a run repeats the one before.
"""

from zlib import crc32

import numpy as np

from dstheory.checks.arguments import check_choice
from tests.fuzz.hostile import attempt, hostile_values, is_expected, misspellings
from tests.fuzz.recorder import Call, calls_of
from tests.support.each import each
from tests.support.public_objects import Public, callables

ONE_IN = 5
BUDGET = 10.0  # CPU seconds of a call; none takes a tenth of it


def drawn(text: str) -> bool:
    """Whether a text is in the sample."""
    return crc32(text.encode()) % ONE_IN == 0


NAMES = [p for p in callables() if drawn(p.path)]
MODULES = sorted({public.module for public in NAMES})


@each("module", MODULES)
def test_arguments_of_a_wrong_kind_are_refused(module):
    faults = [fault for p in NAMES if p.module == module for fault in faults_of(p)]
    assert not faults, "\n".join(faults)


def faults_of(public: Public) -> list[str]:
    """What went wrong in the sampled calls of a name."""
    with np.errstate(all="warn", under="ignore"):
        calls = calls_of(public)
        outcomes = [
            attempt(call, place, name, BUDGET)
            for call in calls
            for place in call.places()
            for name in hostile_values()
            if drawn(f"{call.path} {place} {name}")
        ]
        outcomes += [one for call in calls for one in misspellings(call, BUDGET)]
    return [str(one) for one in outcomes if one.fault and not is_expected(one)]


def test_the_sample_finds_what_shines_through():
    public = next(p for p in callables() if p.path == "dstheory.frame.Frame")
    call = calls_of(public)[0]
    broken = type(call)("broken", lambda size: np.zeros(3) + size, (1,), {})
    assert "at the call" in attempt(broken, 0, "text", BUDGET).fault
    assert not attempt(broken, 0, "nan", BUDGET).fault


def test_class_methods_constructors_and_defaults_are_recorded():
    public = next(p for p in callables() if p.path == "dstheory.frame.Frame")
    calls = {call.path: call for call in calls_of(public)}
    assert {"dstheory.frame.Frame", "dstheory.frame.Frame.from_array"} <= calls.keys()
    assert calls["dstheory.frame.Frame.mask"].places() == [1]  # without `self`
    public = next(p for p in callables() if p.path == "dstheory.combine.dempster")
    assert "log" in calls_of(public)[0].places()


def test_a_misspelled_choice_without_a_hint_is_a_fault():
    def chosen(method):
        check_choice("method", method, ("bayesian", "likelihood"))

    def refused(method):
        if method != "bayesian":
            raise ValueError(f"method is {method!r}")

    for function, fault in ((chosen, ""), (refused, "no hint")):
        call = Call("found", function, ("bayesian",), {})
        (one,) = misspellings(call, BUDGET)
        assert one.hostile == "'byesian'"
        assert bool(one.fault) == bool(fault)
        assert one.fault.startswith(fault)
