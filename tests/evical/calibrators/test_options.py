"""Options `key=value`: the type of the parameter, or a line that says what is expected."""

from typing import Any, Literal

import pytest

from evical.calibrators.by_name import parse_options
from tests.support.each import each

KNOWN = {
    "flag": bool,
    "count": int,
    "share": float,
    "limit": int | None,
    "form": Literal["round", "square"],
    "free": Any,
    "table": list[float],
}

GOOD = [
    ("flag=True", True),
    ("count=3", 3),
    ("share = 1e-3", 0.001),
    ("limit=none", None),
    ("limit=7", 7),
    ("form=square", "square"),
    ("free=7", 7),
    ("free=0.5", 0.5),
    ("free=scott", "scott"),
    ("free=None", None),
    ("free=true", True),
]

WRONG = [
    ("flag=1", "option flag is '1', expected true or false"),
    ("count=2.5", "option count is '2.5', expected a whole number"),
    ("count=1_000", "option count is '1_000', expected a whole number"),
    ("count=none", "option count is 'none', expected a whole number"),
    ("form=oval", "option form is 'oval', expected one of round, square"),
    ("table=1", "option table cannot be given as text"),
    ("counts=1", "it has no option 'counts'; did you mean 'count'?"),
    ("count", "option 'count' is not of the form key=value"),
]


@each(("text", "value"), GOOD)
def test_values_have_the_type_of_their_parameter(text, value):
    found = parse_options([text], KNOWN, "it")
    assert list(found.values()) == [value]
    assert type(next(iter(found.values()))) is type(value)


@each(("text", "message"), WRONG)
def test_wrong_values_are_named(text, message):
    with pytest.raises(ValueError, match="option") as caught:
        parse_options([text], KNOWN, "it")
    assert message in str(caught.value)


def test_an_option_given_twice():
    with pytest.raises(ValueError, match="option count is given twice"):
        parse_options(["count=1", "count=2"], KNOWN, "it")
