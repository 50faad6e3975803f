"""Clauses: normal forms, elimination and prime implicates against truth tables."""

from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import DSTheoryError
from dstheory.argumentation._clauses import (
    absorb,
    clauses_of,
    components,
    eliminate,
    literal,
    opposite,
    primes,
    renumber,
)
from dstheory.argumentation._language import as_formula
from tests.dstheory.argumentation.test_language import built, trees
from tests.support.each import each

NUMBERS = {name: number for number, name in enumerate("abcd")}
LIMIT = 1000
clause_sets = st.frozensets(
    st.frozensets(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=3), max_size=7
)


def as_bits(clauses):
    packed = (sum(literal(*one) for one in set(clause)) for clause in clauses)
    return absorb(c for c in packed if not c & opposite(c))


def holds(clause, values):
    return any(clause & literal(atom, value) for atom, value in enumerate(values))


def table(clauses, size=4):
    """Truth of a set of clauses for all values of its atoms."""
    return {
        values: all(holds(clause, values) for clause in clauses)
        for values in product((True, False), repeat=size)
    }


@given(tree=trees)
def test_normal_form_has_the_truth_table_of_the_formula(tree):
    formula, text = built(tree)
    found = clauses_of(as_formula(text), NUMBERS, LIMIT)
    for values, truth in table(found).items():
        at = dict(zip(sympy.symbols("a b c d"), values, strict=True))
        assert bool(formula.subs(at)) is truth


@given(sets=clause_sets, gone=st.sets(st.integers(0, 3)))
def test_elimination_is_projection(sets, gone):
    clauses = as_bits(sets)
    found, before = eliminate(clauses, gone, LIMIT), table(clauses)
    assert not any(
        clause & (literal(g, True) | literal(g, False)) for clause in found for g in gone
    )
    for values, truth in table(found).items():
        same = [v for v in before if all(v[i] == values[i] for i in range(4) if i not in gone)]
        assert truth is any(before[v] for v in same)


@given(sets=clause_sets)
def test_primes_are_all_shortest_consequences(sets):
    clauses = as_bits(sets)
    models = [values for values, truth in table(clauses).items() if truth]
    candidates = [
        sum(literal(i, sign) for i, sign in enumerate(signs) if sign is not None)
        for signs in product((True, False, None), repeat=4)
    ]
    follow = [c for c in candidates if all(holds(c, values) for values in models)]
    assert primes(clauses, LIMIT) == absorb(follow)


@given(sets=clause_sets)
def test_components_share_no_atom(sets):
    clauses = as_bits(sets)
    parts = components(clauses)
    assert sorted(clause for part in parts for clause in part) == sorted(clauses)
    supports = [0] * len(parts)
    for i, part in enumerate(parts):
        for clause in part:
            supports[i] |= clause | opposite(clause)
    assert all(not one & two for i, one in enumerate(supports) for two in supports[:i])
    assert all(opposite(opposite(clause)) == clause for clause in clauses)
    assert all(
        renumber(clause, {0: 2, 2: 0}) == renumber(clause, {2: 0, 0: 2}) for clause in clauses
    )


def test_limits():
    pairs = sympy.And(*(sympy.Symbol("a") | sympy.Symbol(f"x{i}") for i in range(3)))
    numbers = {str(s): i for i, s in enumerate(sorted(pairs.free_symbols, key=str))}
    with pytest.raises(DSTheoryError, match="more than 0 clauses arise"):
        clauses_of(sympy.Not(pairs), numbers, 0)
    many = [literal(0, i % 2 == 0) | literal(i, True) for i in range(1, 100)]
    with pytest.raises(DSTheoryError, match="clauses meet in one step"):
        eliminate(frozenset(many), [0], 100)


@each("join", [sympy.Xor, sympy.Equivalent, sympy.ITE])
@each("wanted", [True, False])
def test_connectives_of_three(join, wanted):
    """Sympy's Equivalent of three says that all are equal."""
    a, b, c = sympy.symbols("a b c")
    formula = join(a, b, c) if wanted else sympy.Not(join(a, b, c))
    clauses = clauses_of(formula, NUMBERS, LIMIT)
    for values in product([True, False], repeat=3):
        bits = sum(literal(number, value) for number, value in enumerate(values))
        expected = bool(formula.subs(dict(zip((a, b, c), values, strict=True))))
        assert all(clause & bits for clause in clauses) == expected


@pytest.mark.parametrize("sign", ["^", "<->"])
def test_alternatives_are_counted_before_they_fill_the_memory(sign):
    """In all 2^39 clauses of forty names."""
    names = [f"x{number}" for number in range(40)]
    formula = as_formula(sign.join(names))
    with pytest.raises(DSTheoryError, match="more than 100 clauses arise"):
        clauses_of(formula, {name: number for number, name in enumerate(names)}, 100)
