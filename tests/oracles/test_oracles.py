"""Worked examples of papers, books and other packages, exactly and in floating point.

Every file of `tests/oracles/` with a list `oracles` is run, and any further files named in the
environment variable EVICAL_ORACLES (paths separated as in PATH).
"""

import json
import os
from fractions import Fraction
from pathlib import Path

import pytest

from tests.oracles.networks import by_fusion, by_messages, by_products, refer, solve
from tests.oracles.operations import UnknownOperationError, as_numbers, canonical, compute
from tests.support.each import each

HERE = Path(__file__).parent
MORE = [Path(name) for name in os.environ.get("EVICAL_ORACLES", "").split(os.pathsep) if name]


def oracles():
    """Oracles of all files; other formats have their own tests."""
    for path in [*sorted(HERE.glob("*.json")), *MORE]:
        data = json.loads(path.read_text(encoding="utf-8"))
        listed = data.get("oracles", []) if isinstance(data, dict) else []
        for oracle in listed:
            yield pytest.param(refer(oracle, listed), id=f"{path.stem}:{oracle['id']}")


def flat(expected):
    """Expected values by name; ``{v1: {a: ...}}`` becomes ``{'v1 a': ...}``."""
    if "float" in expected:
        return {"": expected}
    values = {}
    for name, value in expected.items():
        if "float" in value:
            values[canonical(name)] = value
        else:
            values |= {
                canonical(f"{name} {canonical(inner)}"): number for inner, number in value.items()
            }
    return values


def floating(text):
    return float(Fraction(text))


@each("number", [Fraction, floating], ids=["exact", "float"])
@each("oracle", list(oracles()))
def test_oracle(oracle, number):
    expected = flat(oracle["expected"])
    result = compute(oracle, number)
    got = as_numbers(result)
    for name, value in expected.items():
        found = got.get(name, 0)
        if number is Fraction and "exact" in value and isinstance(found, Fraction | int):
            assert found == Fraction(value["exact"]), name
        else:
            # Values without an exact form come from numerical search.
            atol = 1e-12 if "exact" in value else 1e-8
            assert float(found) == pytest.approx(value["float"], rel=1e-12, abs=atol), name
    if not isinstance(result, dict):  # a whole mass function: nothing besides
        assert {name for name, mass in got.items() if abs(mass) > 1e-12} <= set(expected)


@each("oracle", [one for one in oracles() if one.values[0].get("published_tolerance")])
def test_as_printed(oracle):
    got = as_numbers(compute(oracle, floating))
    tolerance = oracle["published_tolerance"]
    for name, value in oracle["published"].items():
        found = got.get("" if name == "value" else canonical(name), 0)
        assert float(found) == pytest.approx(value, abs=tolerance), name


@each("number", [Fraction, floating], ids=["exact", "float"])
@each("route", [by_products, by_messages, by_fusion])
@each("oracle", [one for one in oracles() if "potentials" in one.values[0]])
def test_networks(oracle, route, number):
    """Products, messages on a join tree, and fusion equal brute force on one frame."""
    found = as_numbers(solve(oracle, number, route))
    expected = as_numbers(solve(oracle, number))
    if number is Fraction:
        assert found == expected
    else:
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_there_are_oracles():
    assert len(list(oracles())) > 80


def test_an_unknown_operation_is_a_failure():
    oracle = {"id": "x", "frame": ["a"], "masses": {"m": {"a": 1}}, "expected": {}}
    for operation in ("magic(m)", "dempster(m,magic(m))", "dempster(m, nobody)", "", None):
        with pytest.raises(UnknownOperationError):
            compute({**oracle, "op": operation}, float)
