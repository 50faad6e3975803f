"""Simplified formulas: the textbook's, and equal to what they came from."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, betp, combine, dempster, discount, revise
from dstheory.exact import derivatives, share, simplified, symbolic
from dstheory.exact._symbols import symbols_of
from dstheory.testing import masses

FRAME = Frame(["a", "b", "c"])
ONE = symbolic(FRAME, ["a", ("a", "b"), FRAME], "x")
TWO = symbolic(FRAME, ["b", ("b", "c"), FRAME], "y")
UNIT = st.fractions(0, 1, max_denominator=12)


def substituted(values, point):
    return [sympy.sympify(v).subs(point) for v in values]


def test_dempster_of_two_simple_sources():
    """Agreeing sources: 1 - (1 - s)(1 - t); opposed ones: s (1 - t) / (1 - s t) (Shafer, ch. 4)."""
    s, t = share("s"), share("t")
    first = symbolic(FRAME, ["a", FRAME], ["s"])
    agree = dempster(first, symbolic(FRAME, ["a", FRAME], ["t"])).bel("a")
    assert sympy.expand(simplified(agree) - (1 - (1 - s) * (1 - t))) == 0
    against = symbolic(FRAME, [("b", "c"), FRAME], ["t"])
    oppose = simplified(dempster(first, against).bel("a"))
    assert sympy.cancel(oppose - s * (1 - t) / (1 - s * t)) == 0


@pytest.mark.parametrize(
    "rule",
    [combine.dempster, combine.yager, combine.dubois_prade, combine.pcr6, combine.disjunctive],
)
def test_a_derived_formula_is_the_rule_itself(rule):
    """The formula at a point equals the rule applied to the fractions of that point."""
    point = dict(
        zip(
            symbols_of(ONE) + symbols_of(TWO),
            map(sympy.Rational, ["1/3", "1/4", "1/5", "2/7"]),
            strict=True,
        )
    )
    numeric = rule(*(type(m)(FRAME, m.focal, substituted(m.masses, point)) for m in (ONE, TWO)))
    formula = simplified(rule(ONE, TWO))
    assert substituted(formula.masses, point) == [numeric.mass(mask=int(a)) for a in formula.focal]
    assert substituted(betp(formula.normalize()), point) == list(betp(numeric.normalize()))


def test_revision_with_symbols():
    rate, (x1, x2) = share("rate"), symbols_of(ONE)
    assert simplified(discount(ONE, rate=rate)).mass("a") == sympy.factor(x1 * (1 - rate))
    conditioned = simplified(revise.condition(ONE, ["b", "c"]))
    assert sympy.cancel(conditioned.bel("b") - x2 / (1 - x1)) == 0


def test_signs_are_decided_on_the_unit_box():
    x, y = share("x"), share("y")
    assert simplified(sympy.Min(1, x) + sympy.Abs(x * y - 1)) == sympy.factor(x + 1 - x * y)
    assert simplified(sympy.Max(x, y)) == sympy.Max(x, y)
    assert simplified(sympy.Max(x, x * y, 0)) == x
    assert simplified(sympy.Abs(x + y - 1)) == sympy.Abs(x + y - 1)
    assert simplified(sympy.Abs(x + y - 1), sums=[(x, y)]) == 1 - x - y


@given(m=masses(FRAME, empty=True))
def test_numbers_stay_what_they_are(m):
    assert simplified(m).equals(m, atol=0)


X, Y, Z = map(share, "xyz")
OPEN = sympy.Abs(X - Y) * sympy.Min(X, X * Z, 1 - Y) + sympy.Max(1 - X * Y, Z * Y)
SHORT = simplified(OPEN)


@given(point=st.lists(UNIT, min_size=3, max_size=3))
def test_simplifying_keeps_values(point):
    at = dict(zip((X, Y, Z), map(sympy.Rational, point), strict=True))
    assert SHORT.subs(at) == OPEN.subs(at)
    assert SHORT.count_ops() <= OPEN.count_ops()


def test_derivatives_are_those_of_sympy():
    belief = simplified(dempster(ONE, TWO)).bel("b")
    found = derivatives(belief)
    assert tuple(found) == symbols_of(belief)
    for symbol, slope in found.items():
        assert sympy.cancel(slope - belief.diff(symbol)) == 0
    assert derivatives(sympy.Integer(3)) == {}
