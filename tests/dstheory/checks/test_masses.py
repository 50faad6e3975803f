"""Validation of masses: what is wrong, where, and what to do."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

from dstheory import Frame, MassFunction
from dstheory.errors import FrameError, MassError
from tests.support.each import each

FRAME = Frame(["a", "b"])
NAN, INF = float("nan"), float("inf")
x = sympy.Symbol("x")
y = sympy.Symbol("y", negative=True)


@each(
    ("masses", "message"),
    [
        ([0.5, 0.3], "masses sum to 0.8, not 1; give the rest to the frame or divide by the sum"),
        ([0.5, 0.7], "masses sum to 1.2, not 1; give the rest to the frame or divide by the sum"),
        ([1.5, -0.5], "mass -0.5 is negative"),
        ([NAN, 1], "mass nan is not finite"),
        ([INF, -INF], "mass inf is not finite"),
        ([[1, 0], [0.5, 0.3]], "masses sum to 0.8 in row 1, not 1 (1 of 2 rows)"),
        ([[1, 1], [0.5, 0.3]], "masses sum to 2 in row 0, not 1 (2 of 2 rows)"),
        ([[1, 0], [2, -1]], "mass -1.0 in row 1 is negative"),
        ([[1, 0], [0, NAN]], "mass nan in row 1 is not finite"),
        ([[[1, 0]], [[0, 0.5]]], "masses sum to 0.5 in row (1, 0), not 1 (1 of 2 rows)"),
        ([[1, 0, 0]], "masses have shape (1, 3), but there are 2 focal sets; "),
        (1.0, "masses have shape (), but there are 2 focal sets; "),
        ([Fraction(1, 2), Fraction(1, 3)], "masses sum to 5/6, not 1; "),
        ([Fraction(3, 2), Fraction(-1, 2)], "mass -1/2 is negative"),
        ([Fraction(1) + Fraction(1, 10**12), Fraction(0)], "masses sum to 1000000000001/"),
        ([[Fraction(1), 0], [Fraction(1, 2), 0]], "masses sum to 1/2 in row 1, not 1 (1 of "),
        ([[[Fraction(1), 0]], [[Fraction(2), -1]]], "mass -1 in row (1, 0) is negative"),
        ([Fraction(1), NAN], "mass nan is not finite"),
        ([Fraction(1), INF], "mass inf is not finite"),
        ([Fraction(1), -0.25], "mass -0.25 is negative"),
        ([Decimal("0.5"), Decimal("0.4")], "masses sum to 0.9, not 1; "),
        ([Decimal("NaN"), Decimal(1)], "mass nan is not finite"),
        ([x, x], "masses sum to 2*x, not 1; "),
        ([y, 1 - y], "mass y is negative"),
        ([sympy.nan, x], "mass nan is not finite"),
        ([sympy.oo, x], "mass oo is not finite"),
        ([sympy.I, 1 - sympy.I], "mass I is not finite"),
    ],
    ids=repr,
)
def test_wrong_values(masses, message):
    with pytest.raises(MassError) as caught:
        MassFunction(FRAME, [1, 3], masses)
    assert str(caught.value).startswith(message)


@each(
    "masses",
    [
        [0.5, 0.5 + 9e-10],
        [1 + 9e-10, -9e-10],
        [Fraction(1, 2), 0.5 + 9e-10],
        [Decimal("0.1"), Decimal("0.9")],
        [x, 1 - x],
        [(1 - x) ** 2, 2 * x - x**2],
        [sympy.sin(x) ** 2, sympy.cos(x) ** 2],
        [sympy.Rational(1, 3), Fraction(2, 3)],
        [sympy.Float(0.1), sympy.Float(0.9)],
        np.empty((0, 2)),
    ],
    ids=repr,
)
def test_right_values(masses):
    assert MassFunction(FRAME, [1, 3], masses).focal.tolist() == [1, 3]


def test_nothing_is_repaired():
    values = [0.5, 0.5 + 5e-10]
    assert MassFunction(FRAME, [1, 3], values).masses.tolist() == values


@each(
    ("masses", "message"),
    [
        (["half", "half"], r"masses have dtype str\d*, expected real numbers"),
        ([True, False], "masses have dtype bool, expected real numbers"),
        ([0.5, 0.5 + 0j], "masses have dtype complex128, expected real numbers"),
        (np.array([1j, 1], dtype=object), "a mass is 1j, expected a real number"),
        ([None, 1], "a mass is None, expected a real number"),
        ([Fraction(1), "0"], "a mass is '0', expected a real number"),
    ],
    ids=repr,
)
def test_wrong_kinds(masses, message):
    with pytest.raises(TypeError, match=message):
        MassFunction(FRAME, [1, 3], masses)


@each(
    ("focal", "error", "message"),
    [
        ([1, 1], MassError, r"focal set \('a',\) occurs twice; add its masses into one"),
        ([0, 0], MassError, r"focal set \(\) occurs twice"),
        ([1, 4], FrameError, r"mask 4 is outside Frame\(\['a', 'b'\]\), whose masks are 0"),
        ([-1, 1], FrameError, "mask -1 is outside"),
        ([1.0, 3.0], TypeError, r"a mask is 1\.0, expected an int"),
        (["a", "b"], TypeError, "a mask is 'a', expected an int, as Frame.mask makes it"),
        ([True, 3], TypeError, "a mask is True, expected an int"),
        ([1], MassError, r"masses have shape \(2,\), but there are 1 focal sets"),
        ([], MassError, r"masses have shape \(2,\), but there are 0 focal sets"),
    ],
)
def test_wrong_focal_sets(focal, error, message):
    with pytest.raises(error, match=message):
        MassFunction(FRAME, focal, [0.5, 0.5])


def test_mapping_in_the_place_of_focal_sets_and_masses():
    with pytest.raises(TypeError, match=r"MassFunction\.from_dict\(frame, \.\.\.\) reads one"):
        MassFunction(FRAME, {"a": 1.0})
    with pytest.raises(MassError, match=r"masses have shape \(0,\), but there are 1 focal sets"):
        MassFunction(FRAME, [1])
    with pytest.raises(TypeError, match="numbers are a mapping; give its values in the order"):
        MassFunction(FRAME, [1, 2], {"a": 0.5, "b": 0.5})


def test_repeated_focal_sets_in_large_frames():
    with pytest.raises(MassError, match=r"focal set \(99,\) occurs twice"):
        MassFunction(Frame(range(100)), [1 << 99, 1 << 99], [0.5, 0.5])


@pytest.mark.parametrize("frame", [["a", "b"], None, "ab", 2])
def test_a_frame_is_a_frame(frame):
    with pytest.raises(TypeError, match="make one with Frame"):
        MassFunction(frame, [1], [1])
    with pytest.raises(TypeError, match="make one with Frame"):
        MassFunction.from_dict(frame, {"a": 1})


@each(
    ("masses", "error", "message"),
    [
        ({}, MassError, "there is no mass; a vacuous belief is {frame: 1}"),
        ({"a": 0.8}, MassError, r"masses sum to 0\.8, not 1"),
        ({"c": 1}, FrameError, r"'c' is not a label of Frame"),
        ({("a", "b"): 0.5, ("b", "a"): 0.5}, MassError, "occurs twice"),
        ({FRAME: 0.5, ("a", "b"): 0.5}, MassError, "occurs twice"),
        ([("a", 1)], TypeError, r"masses is .*, expected a mapping"),
        ({"a": "1"}, TypeError, r"masses have dtype str\d*, expected real numbers"),
        ({"a": [1, 1], "b": [0, 0, 0]}, ValueError, "shape"),
    ],
    ids=repr,
)
def test_wrong_dictionaries(masses, error, message):
    with pytest.raises(error, match=message):
        MassFunction.from_dict(FRAME, masses)
