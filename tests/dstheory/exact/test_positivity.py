"""Proofs of sign: what they claim holds at every point of a grid."""

from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory.exact import is_nonnegative
from tests.support.each import each

x, y, z = sympy.symbols("x y z")
GRID = [Fraction(i, 6) for i in range(7)]
TERMS = [(i, j) for i in range(3) for j in range(3)]


@given(coefficients=st.lists(st.integers(-3, 3), min_size=9, max_size=9))
def test_claims_hold_on_a_grid(coefficients):
    terms = list(zip(TERMS, coefficients, strict=True))
    values = [
        sum((c * a**i * b**j for (i, j), c in terms), start=Fraction(0))
        for a, b in product(GRID, GRID)
    ]
    claim = is_nonnegative(sum(c * x**i * y**j for (i, j), c in terms))
    if claim:
        assert min(values) >= 0
    if min(values) < 0:
        assert claim is not True
    if claim is False:  # between the points of the grid it may be negative, but not far above
        assert min(values) < Fraction(1, 2)


@each(
    ("expression", "sums", "expected"),
    [
        (1 - x * y * z, (), True),
        (x - 2, (), False),
        (sympy.Integer(0), (), True),
        (-sympy.Integer(1), (), False),
        (1 - x - y, (), False),
        (1 - x - y - z, [(x, y, z)], True),
        (1 - x - y - z, [(x, y)], False),
        ((1 - x) / (x * y - 1), (), False),
        ((x - 1) / (x * y - 1), (), True),
        (x**2 - x + sympy.Rational(3, 10), (), True),  # least value 1/20, at 1/2
        (x**2 - x + sympy.Rational(1, 5), (), False),
        ((x - y) ** 2, (), None),
        ((x - y) ** 2 * (sympy.Rational(6, 5) - x), (), None),  # below 0 beyond 1 only
        (sympy.sqrt(2) * x, (), None),
        (sympy.exp(x), (), None),
    ],
)
def test_known_cases(expression, sums, expected):
    assert is_nonnegative(expression, sums) is expected


def test_a_symbol_stands_in_one_group():
    with pytest.raises(ValueError, match="symbol x occurs twice"):
        is_nonnegative(x, [(x, y), (x, z)])
    with pytest.raises(TypeError, match="sums is 'xy', expected groups of symbols"):
        is_nonnegative(x, ["xy"])
