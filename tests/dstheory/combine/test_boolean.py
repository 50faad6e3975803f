from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import conjunctive, disjunctive, exclusive_or
from tests.dstheory.combine.strategies import sources
from tests.naive import mass as naive
from tests.naive import rules as naive_rules
from tests.support.each import each

RULES = [
    (conjunctive, naive.conjunctive),
    (disjunctive, naive.disjunctive),
    (exclusive_or, naive_rules.exclusive_or),
]
by_rule = each(("rule", "definition"), RULES, ids=lambda f: f.__name__)


@by_rule
@given(ms=sources(size=st.integers(2, 3), empty=True))
def test_equals_its_definition(rule, definition, ms):
    expected = definition(*map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(rule(*ms)) == expected


@by_rule
@given(ms=sources(size=3, empty=True))
def test_commutes_and_associates(rule, definition, ms):
    one, two, three = ms
    assert rule(one, two) == rule(two, one)
    assert rule(rule(one, two), three) == rule(one, rule(two, three)) == rule(one, two, three)


@given(ms=sources(size=1, empty=True))
def test_neutral_elements(ms):
    (m,) = ms
    ignorance = MassFunction.from_dict(m.frame, {m.frame: Fraction(1)})
    nothing = MassFunction.from_dict(m.frame, {(): Fraction(1)})
    assert conjunctive(m, ignorance) == m
    assert disjunctive(m, nothing) == exclusive_or(m, nothing) == m
    assert disjunctive(m, ignorance) == ignorance
    assert exclusive_or(m, ignorance) == ~m


@given(ms=sources(size=2, empty=True))
def test_conjunctive_and_disjunctive_are_dual(ms):
    """De Morgan: Smets 1993, the complement exchanges the two rules."""
    one, two = ms
    assert ~conjunctive(one, two) == disjunctive(~one, ~two)


def test_two_hundred_labels():
    frame = Frame(range(200))
    one = MassFunction.from_dict(frame, {tuple(range(150)): 0.5, frame: 0.5})
    two = MassFunction.from_dict(frame, {tuple(range(100, 200)): 1})
    assert conjunctive(one, two).mass(range(100, 150)) == 0.5
    assert exclusive_or(one, two).mass([*range(100), *range(150, 200)]) == 0.5


def test_commonalities_multiply_on_batches():
    frame = Frame(list("abc"))
    rng = np.random.default_rng(3)
    one = MassFunction(frame, [0, 1, 6, 7], rng.dirichlet(np.ones(4), 5))
    two = MassFunction(frame, [2, 3, 7], rng.dirichlet(np.ones(3), (2, 1)))
    both = conjunctive(one, two)
    assert both.batch_shape == (2, 5)
    for mask in range(8):
        np.testing.assert_allclose(both.q(mask=mask), one.q(mask=mask) * two.q(mask=mask))
