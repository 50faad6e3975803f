"""Worked examples of papers, books and packages that name a rule of this folder."""

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dstheory import Frame, MassFunction, combine, transform

FILE = Path(__file__).parents[2] / "oracles" / "dst_oracles.json"
NAMES = {"mean": "mixing", "smets": "conjunctive"}  # those that have another name here
RULES = set(combine.__all__) | NAMES.keys()
CALL = re.compile(r"(betp\()?(\w+)\(([\w, ]+)[;)]")


def cases():
    for case in json.loads(FILE.read_text())["oracles"]:
        found = CALL.match(case.get("op", ""))
        if found and found[2] in RULES and "conditioned" not in case["op"]:
            yield pytest.param(case, id=case["id"])


def source(case, frame, name, number):
    if name == "vacuous":
        return MassFunction.from_dict(frame, {frame: number(1)})
    masses = {
        tuple(filter(None, event.split(","))): number(str(mass))
        for event, mass in case["masses"][name].items()
    }
    return MassFunction.from_dict(frame, masses)


def result(case, number):
    """What the rule makes of the case, as probabilities or masses by comma-joined labels."""
    frame = Frame(case["frame"])
    to_probability, name, arguments = CALL.match(case["op"]).groups()
    prior = re.search(r"prior (.*)\)", case["op"])
    options = {"prior": [number(f"0{p}") for p in prior[1].split()[1::2]]} if prior else {}
    sources = [source(case, frame, key, number) for key in re.split(", ?", arguments)]
    fused = getattr(combine, NAMES.get(name, name))(*sources, **options)
    if to_probability:
        return dict(zip(frame, transform.betp(fused), strict=True))
    return {",".join(event): mass for event, mass in fused.to_dict().items()}


@pytest.mark.parametrize("case", list(cases()))
def test_exactly(case):
    found = {event: value for event, value in result(case, Fraction).items() if value}
    assert found == {event: Fraction(value["exact"]) for event, value in case["expected"].items()}


@pytest.mark.parametrize("case", list(cases()))
def test_in_floating_point(case):
    found = result(case, float)
    for event, value in case["expected"].items():
        assert found.pop(event) == pytest.approx(value["float"], abs=1e-12)
    assert np.abs([0, *found.values()]).max() < 1e-15


@pytest.mark.parametrize("case", [case for case in cases() if "published" in case.values[0]])
def test_as_printed(case):
    found, tolerance = result(case, float), case["published_tolerance"]
    for event, value in case["published"].items():
        assert found.get(event, 0) == pytest.approx(value, abs=tolerance)


def test_dubois_prade_where_a_package_returns_a_negative_mass():
    data = json.loads(FILE.read_text())
    (trap,) = [trap for trap in data["traps"] if trap["id"] == "trap-ibelief-dp"]
    (example,) = [case for case in data["oracles"] if case["id"] == "ibelief-pcr6-2"]
    frame = Frame(example["frame"])
    fused = combine.dubois_prade(*(source(example, frame, key, Fraction) for key in ["m1", "m2"]))
    found = {",".join(event): mass for event, mass in fused.to_dict().items() if mass}
    assert found == {event: Fraction(value["exact"]) for event, value in trap["right"].items()}


def test_pcr5_after_pcr5():
    """Smarandache & Dezert 2005, example 12.5, where the second step takes up the first."""
    data = json.loads(FILE.read_text())
    (case,) = [case for case in data["oracles"] if case["id"] == "sd04-12.5-pcr5-step2"]
    frame = Frame(case["frame"])
    one, two, three = (source(case, frame, key, Fraction) for key in ["m1", "m2", "m3"])
    fused = combine.pcr5(combine.pcr5(one, two), three)
    assert fused.mass("A") == Fraction(case["expected"]["A"]["exact"])
