"""The hybrid DSm rule: its three sums, worked examples, special cases, batches, bad input."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, conjunctive, vacuous
from dstheory.combine import dubois_prade
from dstheory.dsm import DSmModel, dsm_hybrid
from dstheory.errors import FrameError
from tests.dstheory.dsm.test_model import ABC, as_parts, expressions
from tests.naive import dsm as naive_dsm


@st.composite
def stated(draw):
    """Masses of expressions, and the same on sets of parts."""
    chosen = draw(st.lists(expressions(), min_size=1, max_size=3))
    shares = draw(st.lists(st.integers(1, 5), min_size=len(chosen), max_size=len(chosen)))
    by_text, by_parts = {}, {}
    for (text, parts), share in zip(chosen, shares, strict=True):
        mass = Fraction(share, sum(shares))
        by_text[text] = by_text.get(text, 0) + mass
        by_parts[parts] = by_parts.get(parts, 0) + mass
    return by_text, by_parts


def sets_of(model, m):
    return {as_parts(model, int(mask)): m.mass(mask=mask) for mask in m.focal}


@settings(max_examples=60)
@given(st.lists(stated(), min_size=2, max_size=3), st.lists(expressions(), max_size=3))
def test_the_rule_is_its_three_sums(cases, empty):
    gone = frozenset().union(*(parts for _, parts in empty))
    if gone == naive_dsm.parts("abc"):
        return
    sources = [ABC.mass_function(by_text) for by_text, _ in cases]
    texts = [text for text, _ in empty]
    m = dsm_hybrid(*sources, model=ABC, empty=texts)
    after = ABC.constrained(texts)
    expected = naive_dsm.hybrid("abc", gone, *(by_parts for _, by_parts in cases))
    assert m.frame == after.frame
    assert sets_of(after, m) == expected
    assert sum(m.masses) == 1


@given(st.lists(stated(), min_size=2, max_size=3))
def test_the_free_model_has_the_conjunctive_rule(cases):
    """DSmC: there is no conflict, since all elements overlap."""
    sources = [ABC.mass_function(by_text) for by_text, _ in cases]
    classic = conjunctive(*sources)
    assert sets_of(ABC, classic) == naive_dsm.classic(*(by_parts for _, by_parts in cases))
    assert dsm_hybrid(*sources, model=ABC) == classic


M1 = {"a": 0.1, "b": 0.4, "c": 0.2, "a | b": 0.3}
M2 = {"a": 0.5, "b": 0.1, "c": 0.3, "a | b": 0.1}


def test_classic_rule_of_a_worked_example():
    """Dezert & Smarandache, An introduction to DSmT, p. 15-16, free model."""
    m = ABC.to_dict(conjunctive(ABC.mass_function(M1), ABC.mass_function(M2)))
    expected = {
        "a": 0.21,
        "b": 0.11,
        "c": 0.06,
        "a | b": 0.03,
        "a & b": 0.21,
        "a & c": 0.13,
        "b & c": 0.14,
        "a & c | b & c": 0.11,
    }
    assert m == pytest.approx(expected)


@pytest.mark.parametrize("model", [ABC, DSmModel.shafer(list("abc"))], ids=["free", "shafer"])
def test_a_suspect_has_an_alibi(model):
    """The same sources (p. 16): c turns out to be empty, a and b exclude each other."""
    sources = model.mass_function(M1), model.mass_function(M2)
    m = dsm_hybrid(*sources, model=model, empty=["c", "a & b"])
    found = model.constrained(["c", "a & b"]).to_dict(m)
    assert found == pytest.approx({"a": 0.34, "b": 0.25, "a | b": 0.41})


def test_zadehs_example():
    model = DSmModel.shafer(["m", "c", "t"])
    m1 = model.mass_function({"m": 0.9, "t": 0.1})
    m2 = model.mass_function({"c": 0.9, "t": 0.1})
    found = model.to_dict(dsm_hybrid(m1, m2, model=model))
    assert found == pytest.approx({"m | c": 0.81, "m | t": 0.09, "c | t": 0.09, "t": 0.01})


@given(st.lists(stated(), min_size=2, max_size=3))
def test_shafers_model_has_dubois_and_prades_rule(cases):
    model = DSmModel.shafer(list("abc"))
    sources = []
    for by_text, _ in cases:
        kept = {text: mass for text, mass in by_text.items() if model.mask(text)}
        if not kept:
            return
        sources.append(model.mass_function({t: v / sum(kept.values()) for t, v in kept.items()}))
    assert dsm_hybrid(*sources, model=model) == dubois_prade(*sources)


def test_all_sets_empty_goes_to_what_they_are_made_of():
    """S2: a & b and a & c become empty; a, b and c do not."""
    m1 = ABC.mass_function({"a & b": 1})
    m2 = ABC.mass_function({"a & c": 1})
    m = dsm_hybrid(m1, m1, model=ABC, empty="a & b")
    assert ABC.constrained("a & b").to_dict(m) == {"a | b": 1}
    m = dsm_hybrid(m1, m2, model=ABC, empty=["a & b", "a & c"])
    assert ABC.constrained(["a & b", "a & c"]).to_dict(m) == {"a | b | c": 1}
    both = ABC.mass_function({"a & b": Fraction(1)})
    m = dsm_hybrid(both, both, model=ABC, empty=["a", "b"])  # nothing of it is left: ignorance
    assert ABC.constrained(["a", "b"]).to_dict(m) == {"c": 1}


def test_rows_numbers_and_order():
    p = np.array([0.25, 0.5, 1.0])
    batch = ABC.mass_function({"a & b": p, "c": 1 - p})
    single = ABC.mass_function({"b": 0.5, "a | c": 0.5})
    before = batch.masses.copy()
    m = dsm_hybrid(batch, single, model=ABC, empty="a & b")
    assert m.batch_shape == (3,)
    for i in range(3):
        assert m[i].equals(dsm_hybrid(batch[i], single, model=ABC, empty="a & b"))
    assert m.equals(dsm_hybrid(single, batch, model=ABC, empty="a & b"))
    assert (batch.masses == before).all()
    grid = dsm_hybrid(batch.reshape(3, 1), batch, model=ABC, empty="a & b")
    assert grid.batch_shape == (3, 3)
    x = sympy.Symbol("x", positive=True)
    symbolic = ABC.mass_function({"a": x, "b": 1 - x})
    found = dsm_hybrid(symbolic, single, model=ABC, empty="a & b")
    assert sympy.nsimplify(sympy.expand(found.masses.sum())) == 1
    on_b = found.bel(ABC.constrained("a & b").event("b"))
    assert sympy.nsimplify(sympy.expand(on_b - 1 + x)) == 0
    half = MassFunction.from_dict(ABC.frame, {(): 0.5, ABC.frame: 0.5})
    assert dsm_hybrid(half, half, model=ABC).is_vacuous


@given(stated(), stated())
def test_the_vacuous_source_is_neutral_without_new_constraints(one, two):
    sources = [ABC.mass_function(by_text) for by_text, _ in (one, two)]
    ignorant = ABC.mass_function({"a | b | c": Fraction(1)})
    assert dsm_hybrid(sources[0], ignorant, model=ABC).equals(sources[0], 0)
    three = dsm_hybrid(*sources, ignorant, model=ABC)
    assert three.equals(dsm_hybrid(*sources, model=ABC), 0)


def test_six_elements_go_beyond_machine_words():
    model = DSmModel(list("abcdef"))
    m1 = model.mass_function({"a & b": 0.5, "c": 0.5})
    m2 = model.mass_function({"d | e": 0.5, "a": 0.5})
    m = dsm_hybrid(m1, m2, model=model, empty=["a & b", "c & d"])
    assert m.masses.sum() == pytest.approx(1)
    found = model.constrained(["a & b", "c & d"]).to_dict(m)
    assert found == {"a": 0.25, "d | e": 0.25, "a & c": 0.25, "c & e": 0.25}


def test_bad_input_is_named():
    m = ABC.mass_function({"a": 1})
    with pytest.raises(TypeError, match=r"model is .*, expected a DSmModel"):
        dsm_hybrid(m, m, model=ABC.frame)
    other = vacuous(Frame(list("xy")))
    with pytest.raises(FrameError, match="the sources are on"):
        dsm_hybrid(other, other, model=ABC)
    with pytest.raises(FrameError, match="frames differ"):
        dsm_hybrid(m, other, model=ABC)
    with pytest.raises(FrameError, match="no part is left"):
        dsm_hybrid(m, m, model=ABC, empty=["a", "b", "c"])
    with pytest.raises(FrameError, match="'z' in 'z'"):
        dsm_hybrid(m, m, model=ABC, empty="z")
    with pytest.raises(TypeError, match="needs two sources or more"):
        dsm_hybrid([m, m], model=ABC)
