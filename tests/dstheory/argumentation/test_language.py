"""Text to formulas: precedence, equivalence with sympy, and faults with their place."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import DSTheoryError
from dstheory.argumentation._language import as_formula
from tests.support.each import each

a, b, c, d = sympy.symbols("a b c d")


@each(
    ("text", "expected"),
    [
        ("a & b >> c", sympy.Implies(a & b, c)),
        ("a -> b -> c", sympy.Implies(a, sympy.Implies(b, c))),
        ("a <-> b -> c", sympy.Equivalent(a, sympy.Implies(b, c))),
        ("a | b & ~c ^ d", a | ((b & ~c) ^ d)),
        ("~(a | b) => c <=> d", sympy.Equivalent(sympy.Implies(~(a | b), c), d)),
        ("~~a", a),
        ("  true  ", sympy.true),
        ("a & False", sympy.false),
        ("S & E1 | größe_2", (sympy.Symbol("S") & sympy.Symbol("E1")) | sympy.Symbol("größe_2")),
    ],
)
def test_grammar(text, expected):
    assert as_formula(text) == expected


trees = st.recursive(
    st.sampled_from([a, b, c, d]),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from([sympy.And, sympy.Or, sympy.Implies, sympy.Equivalent, sympy.Xor]),
            inner,
            inner,
        ),
        st.tuples(st.just(sympy.Not), inner),
    ),
    max_leaves=6,
)
SIGNS = {
    sympy.And: "&",
    sympy.Or: "|",
    sympy.Implies: "->",
    sympy.Equivalent: "<->",
    sympy.Xor: "^",
}


def built(tree):
    """The sympy formula and the text, with all parentheses, of a tree."""
    if not isinstance(tree, tuple):
        return tree, str(tree)
    kind, *inner = tree
    parts = [built(part) for part in inner]
    texts = [text for _, text in parts]
    text = f"~{texts[0]}" if kind is sympy.Not else f"({texts[0]} {SIGNS[kind]} {texts[1]})"
    return kind(*(formula for formula, _ in parts)), text


@given(tree=trees)
def test_text_is_read_as_it_was_written(tree):
    formula, text = built(tree)
    assert as_formula(text) == formula


@each(
    ("text", "message"),
    [
        ("", "ends where a name is expected"),
        ("a &", "ends where a name is expected"),
        ("a b", "'b' at position 2 where an operator is expected"),
        ("(a | b", "ends where a closing parenthesis is expected"),
        ("a )", "at position 2 where an operator"),
        ("& a", "'&' at position 0 where a name"),
        ("a + b", r"'\+' at position 2, which means nothing"),
        ("2a", "'2' at position 0, which means nothing"),
        ("(" * 3000 + "a" + ")" * 3000, "nests more than 50 deep; split it into several rules"),
        ("~" * 3000 + "a", "nests more than 50 deep"),
        ("->".join("a" * 3000), "nests more than 50 deep"),
        ("<->".join("ab" * 1500), "nests more than 50 deep"),
    ],
)
def test_faults(text, message):
    with pytest.raises(DSTheoryError, match=message):
        as_formula(text)


def test_what_is_no_formula():
    with pytest.raises(TypeError, match="is not a proposition"):
        as_formula((a < 3) & b)
    with pytest.raises(TypeError, match="a string or a sympy Boolean expression"):
        as_formula(a + b)
    assert as_formula(True) == sympy.true
