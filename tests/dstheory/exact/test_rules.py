"""Rules, transforms and revisions on symbols: a formula at a point is the rule's own result."""

from functools import partial

import pytest
import sympy

from dstheory import Frame, MassFunction, combine, revise, transform
from dstheory.exact import symbolic
from dstheory.exact._symbols import symbols_of
from tests.protocols.rules_table import RULES
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])
# Rules that compare masses are out, as symbols have no order, and those for special sources.
SYMBOLIC = [rule for rule in RULES if rule.symbolic and rule.takes == "any"]
ONE = symbolic(FRAME, ["a", ("a", "b"), FRAME], "x")
TWO = symbolic(FRAME, ["a", ("b", "c"), FRAME], "y")
VALUES = [sympy.Rational(*pair) for pair in ((1, 3), (1, 4), (1, 5), (2, 7))]
POINT = dict(zip(symbols_of(ONE) + symbols_of(TWO), VALUES, strict=True))


def at_point(m):
    masses = [sympy.sympify(value).subs(POINT) for value in m.masses]
    return MassFunction(FRAME, m.focal, masses)


@each("rule", SYMBOLIC, ids=lambda rule: rule.id)
def test_rules(rule):
    expected = rule(at_point(ONE), at_point(TWO))
    assert at_point(rule(ONE, TWO)).equals(expected, atol=0)


@pytest.mark.parametrize("rule", [combine.cautious, combine.lns])
def test_rules_that_compare_weights_refuse_symbols(rule):
    with pytest.raises(TypeError, match="truth value"):
        rule(ONE, TWO)


@each(
    "function",
    [
        *(partial(transform.table, kind=kind) for kind in ("m", "bel", "pl", "q", "b")),
        transform.betp,
        transform.plausibility_transform,
    ],
    ids=str,
)
def test_tables_and_probabilities(function):
    formulas, values = function(ONE), function(at_point(ONE))
    found = [sympy.sympify(formula).subs(POINT) for formula in formulas]
    assert found == list(values)


def test_weights_come_back():
    """Canonical decomposition of a formula, and back."""
    weights = transform.conjunctive_weights(ONE)
    again = transform.from_weights(FRAME, weights)
    for mask in range(8):
        assert sympy.cancel(again.mass(mask=mask) - ONE.mass(mask=mask)) == 0


@each(
    ("name", "arguments", "shares"),
    [
        ("condition", (["b", "c"],), {}),
        ("condition", (["a", "b"],), {"rule": "geometric"}),
        ("discount", (), {"rate": sympy.Rational(1, 3)}),
        ("discount", (), {"rate": symbols_of(TWO)[0]}),
        ("negate", (), {"rate": sympy.Rational(1, 3)}),
        ("contextual_discount", (), {"rates": {("b", "c"): sympy.Rational(1, 3)}}),
        ("coarsen", (Frame(["u", "v"]), {"u": "a", "v": ["b", "c"]}), {}),
    ],
)
def test_revisions(name, arguments, shares):
    function = getattr(revise, name)
    values = {n: v.subs(POINT) if hasattr(v, "free_symbols") else v for n, v in shares.items()}
    found, expected = (
        function(ONE, *arguments, **shares),
        function(at_point(ONE), *arguments, **values),
    )
    for mask in expected.focal:
        difference = sympy.sympify(found.mass(mask=int(mask))).subs(POINT)
        assert difference == expected.mass(mask=int(mask))
