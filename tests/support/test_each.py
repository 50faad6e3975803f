"""Loops of cases: every value is tried, what fails is named, what is skipped is said."""

import inspect
import re
from itertools import combinations, product

import pytest

from tests.support import each as module
from tests.support.each import each, is_wanted, pairs


def test_every_value_is_tried_and_failures_are_named():
    seen = []

    @each("number", [1, 2, 3, 4], ids=["one", "two", "three", "four"])
    def odd(number):
        seen.append(number)
        assert number % 2 == 1, f"{number} is even"

    with pytest.raises(AssertionError, match="2 is even") as raised:
        odd()
    assert seen == [1, 2, 3, 4]
    assert raised.value.__notes__ == ["odd failed for two", "and for 1 more of 4: four"]


def test_several_names_stack_and_fixtures_stay():
    seen = []

    @each("a", "xy")
    @each(("b", "c"), [(1, 2), (3, 4)])
    def collect(fixture, a, b, c):
        seen.append((fixture, a, b, c))

    assert list(inspect.signature(collect).parameters) == ["fixture"]
    collect(fixture=0)
    assert seen == [(0, "x", 1, 2), (0, "x", 3, 4), (0, "y", 1, 2), (0, "y", 3, 4)]


def test_a_skipped_value_does_not_hide_the_others():
    seen = []

    @each("number", [1, 2, 3])
    def some(number):
        if number == 1:
            pytest.skip("not today")
        seen.append(number)

    with pytest.raises(pytest.skip.Exception, match="1 of 3, first 1: not today"):
        some()
    assert seen == [2, 3]


def test_a_failure_by_pytest_counts_and_long_values_are_cut():
    @each("number", [tuple(range(100))])
    def fails(number):
        pytest.fail("no")

    with pytest.raises(pytest.fail.Exception) as raised:
        fails()
    assert raised.value.__notes__[0].endswith("... (number 0)")


def test_pairs_meet_in_fewer_rows():
    factors = ["ab", [0, 1, 2], (True, False), "xyz"]
    rows = pairs(*factors)
    assert len(rows) <= 12 < 2 * 3 * 2 * 3
    for i, j in combinations(range(4), 2):
        assert {(row[i], row[j]) for row in rows} == set(product(factors[i], factors[j]))


def test_a_name_that_is_not_asked_for_is_a_mistake():
    with pytest.raises(AssertionError, match="not asked for"):
        each("other", [1])(lambda number: None)
    with pytest.raises(AssertionError, match="no values of number"):
        each("number", [])


def test_inputs_are_chosen_as_cases_are(monkeypatch):
    monkeypatch.setattr(module, "ONLY", re.compile("two|b", re.IGNORECASE))
    seen = []

    @each("number", [1, 2, 3], ids=["one", "TWO", "three"])
    @each("letter", "xy")
    def collect(number, letter):
        seen.append((number, letter))

    collect()
    assert seen == [(2, "x"), (2, "y")]  # none of the letters is asked for, so all are tried
    assert is_wanted("a.py::collect", collect)
    assert is_wanted("a.py::b", print)
    assert not is_wanted("a.py::collect", print)
