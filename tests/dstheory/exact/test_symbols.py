"""Symbolic sources: their masses, their names, and what is refused."""

import numpy as np
import pytest
import sympy

from dstheory import Frame, FrameError, MassError
from dstheory.exact import share, symbolic
from dstheory.exact._symbols import symbols_of
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])


def test_last_set_has_the_rest():
    m = symbolic(FRAME, ["a", ("b", "c"), FRAME], ["x", "y"])
    x, y = share("x"), share("y")
    assert (m.mass("a"), m.mass(["b", "c"]), m.mass(FRAME)) == (x, y, 1 - x - y)
    assert symbols_of(m) == (x, y)


def test_prefix_numbers_the_symbols():
    assert [str(s) for s in symbols_of(symbolic(FRAME, ["a", "b", "c", FRAME]))] == [
        "x1",
        "x2",
        "x3",
    ]
    assert symbols_of(symbolic(FRAME, ["b"])) == ()


def test_share_is_what_sympy_makes():
    assert share("x") == sympy.Symbol("x", nonnegative=True)
    assert symbols_of(np.array([share("y"), 1, share("x") ** 2], dtype=object)) == (
        share("x"),
        share("y"),
    )


def test_equal_names_of_different_symbols_are_refused():
    with pytest.raises(ValueError, match="two symbols are named x"):
        symbols_of(share("x") + sympy.Symbol("x"))


@each(
    ("events", "names", "error", "message"),
    [
        ([], "x", MassError, "there is no event"),
        (["a", "a"], "x", MassError, "occurs twice"),
        (["d", "a"], "x", FrameError, "not a label"),
        (["a", FRAME], ["x", "y"], ValueError, "there are 2 names for 2 events"),
        (["a", "b", FRAME], ["x", "x"], ValueError, "'x' occurs twice"),
        (["a", FRAME], [""], ValueError, "needs a name"),
        (["a", FRAME], [3], TypeError, "name of a symbol is 3, expected a string"),
    ],
)
def test_refusals(events, names, error, message):
    with pytest.raises(error, match=message):
        symbolic(FRAME, events, names)
