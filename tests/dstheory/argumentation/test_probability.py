"""Probabilities of disjunctions: sums over all states, symbolic polynomials, limits."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import DSTheoryError
from dstheory.argumentation._clauses import absorb, literal
from dstheory.argumentation._probability import shares
from dstheory.argumentation._worlds import world_masses

SIZE = 5
numbers = st.fractions(0, 1, max_denominator=9)
terms = st.lists(
    st.dictionaries(st.integers(0, SIZE - 1), st.booleans(), max_size=3).map(
        lambda term: sum(literal(atom, value) for atom, value in term.items())
    ),
    max_size=6,
)


def states(probabilities):
    for values in product((True, False), repeat=SIZE):
        weight = Fraction(1)
        for value, p in zip(values, probabilities, strict=True):
            weight *= p if value else 1 - p
        yield sum(literal(atom, value) for atom, value in enumerate(values)), weight


@given(yes=terms, no=terms, probabilities=st.lists(numbers, min_size=SIZE, max_size=SIZE))
def test_shares_are_sums_over_states(yes, no, probabilities):
    expected = [Fraction(0)] * 3
    for state, weight in states(probabilities):
        conflict = any(term & state == term for term in no)
        support = any(term & state == term for term in yes)
        expected[2 if conflict else 0 if support else 1] += weight
    weights = [(p, 1 - p) for p in probabilities]
    assert list(shares(absorb(yes), absorb(no), weights)) == expected


def test_limits():
    chain = frozenset(literal(i, True) | literal(i + 1, True) for i in range(10))
    weights = [(0.5, 0.5)] * 11
    with pytest.raises(DSTheoryError, match="takes more than 3 steps"):
        shares(chain, frozenset(), weights, max_steps=3)
    with pytest.raises(DSTheoryError, match="takes more than 3 steps"):
        world_masses(chain, weights[:6], 5, max_steps=3)
