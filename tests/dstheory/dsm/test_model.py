"""Models of overlapping elements: parts, expressions, constraints, bad input."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import MassFunction, bayesian, betp
from dstheory.dsm import DSmModel
from dstheory.errors import FrameError, MassError
from tests.naive import dsm as naive_dsm
from tests.support.each import each

ABC = DSmModel(["a", "b", "c"])


def as_parts(model, mask):
    return frozenset(map(frozenset, model.frame.event(mask)))


@st.composite
def expressions(draw, names=("a", "b", "c"), depth=3):
    if depth == 0 or draw(st.booleans()):
        name = draw(st.sampled_from(names))
        return name, naive_dsm.element(name, "abc")
    one, two = draw(expressions(names, depth - 1)), draw(expressions(names, depth - 1))
    if draw(st.booleans()):
        return f"({one[0]} & {two[0]})", one[1] & two[1]
    return f"({one[0]} | {two[0]})", one[1] | two[1]


@given(expressions())
def test_an_expression_is_a_set_of_parts(case):
    text, parts = case
    assert as_parts(ABC, ABC.mask(text)) == parts
    assert frozenset(map(frozenset, ABC.event(text))) == parts


@given(expressions(), st.lists(expressions(), max_size=2))
def test_the_canonical_form_means_the_same(case, empty):
    text, parts = case
    gone = frozenset().union(*(e for _, e in empty))
    if gone == naive_dsm.parts("abc"):
        return
    model = DSmModel(["a", "b", "c"], [e for e, _ in empty])
    assert as_parts(model, model.mask(text)) == parts - gone
    assert model == ABC.constrained([e for e, _ in empty])
    canonical = model.expression(model.mask(text))
    assert (model.mask(canonical) if canonical else 0) == model.mask(text)


def test_the_hyper_power_set_has_dedekinds_size():
    """Dezert & Smarandache 2004, ch. 2: 18 without the empty set for three elements."""
    reached = {ABC.mask(e) for e in "abc"}
    while True:
        more = {x & y for x in reached for y in reached} | {x | y for x in reached for y in reached}
        if more <= reached:
            break
        reached |= more
    assert len(reached) == 18
    assert len({ABC.expression(mask) for mask in reached}) == 18


def test_shafers_model_is_an_ordinary_frame():
    model = DSmModel.shafer(list("abcde"))
    assert model.frame.labels == tuple((name,) for name in "abcde")
    assert DSmModel.shafer(["a"]) == DSmModel(["a"])
    assert DSmModel.shafer(["a", "b"]) != DSmModel(["a", "b"], "a") != "ab"


def test_five_elements_have_thirty_one_parts_and_ten_still_work():
    assert len(DSmModel(list("abcde")).frame) == 31
    model = DSmModel(list("abcdefghij"))
    assert len(model.frame) == 1023
    m = model.mass_function({"a & b": 0.5, "(c | d) & e": 0.25, "a | j": 0.25})
    assert model.to_dict(m & m)["a & b"] == pytest.approx(0.5)


def test_belief_in_an_expression():
    m = ABC.mass_function({"a": 0.5, "a & b": 0.25, "b | c": 0.25})
    assert m.bel(ABC.event("a")) == 0.75
    assert m.pl(ABC.event("a & b & c")) == 1
    assert m.bel(ABC.event("b")) == 0.25
    batch = ABC.mass_function({"a": [0.5, 0.25], "a | b | c": [0.5, 0.75]})
    assert batch.batch_shape == (2,)
    assert ABC.mass_function({"a & b": 0.5, "b & a": 0.5}).is_categorical


def test_models_are_values():
    model = DSmModel(list("abc"), "a & b")
    assert pickle.loads(pickle.dumps(model)) == model
    assert copy.deepcopy(model) == model
    assert hash(model) == hash(ABC.constrained("a & b"))
    assert repr(model) == "DSmModel(a, b, c; 5 of 7 parts)"
    with pytest.raises(AttributeError, match="immutable"):
        model.elements = ()


@each(
    ("call", "error", "message"),
    [
        (lambda: DSmModel([]), FrameError, "no element"),
        (lambda: DSmModel(list("aba")), FrameError, "'a' occurs twice"),
        (lambda: DSmModel(["a", 1]), TypeError, "an element is 1, expected a name"),
        (lambda: DSmModel(["ab cd"]), ValueError, "'ab cd' is not an identifier"),
        (lambda: DSmModel(["a", "not"]), ValueError, "'not' is not an identifier"),
        (lambda: DSmModel(5), TypeError, "several names"),
        (lambda: DSmModel("abc"), TypeError, "several names"),
        (lambda: DSmModel([f"e{i}" for i in range(13)]), ValueError, r"13 elements have 2\^13"),
        (lambda: DSmModel(list("ab"), "a | b"), FrameError, "no part is left"),
        (lambda: ABC.constrained(["a", "b | c"]), FrameError, "no part is left"),
        (lambda: ABC.constrained(3), TypeError, "empty is 3, expected an expression"),
        (lambda: ABC.constrained(["a", 3]), TypeError, "an expression is 3, expected a string"),
        (lambda: ABC.mask("a & z"), FrameError, "'z' in 'a & z' is not an element; they are a"),
        (lambda: ABC.mask("a &"), ValueError, "cannot read 'a &'"),
        (lambda: ABC.mask("~a"), ValueError, "cannot read '~a'"),
        (lambda: ABC.mask("a + b"), ValueError, "join elements by & and |"),
        (lambda: ABC.mask(""), ValueError, "cannot read ''"),
        (lambda: ABC.mask(3), TypeError, "an expression is 3, expected a string"),
        (lambda: ABC.mass_function([0.5]), TypeError, "mapping of expressions"),
        (lambda: ABC.mass_function({"a": 0.5}), MassError, "sum to 0.5"),
        (
            lambda: DSmModel(list("ab"), "b").mass_function({"b": 1.0}),
            MassError,
            "'b' is empty in this model; state the mass",
        ),
        (lambda: ABC.expression(1), ValueError, "is not a union of intersections"),
        (
            lambda: DSmModel(list("ab")).to_dict(ABC.mass_function({"a": 1})),
            FrameError,
            "the model on",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_empty_set_has_the_empty_expression():
    m = MassFunction(ABC.frame, [0, 127], np.array([0.25, 0.75]))
    assert ABC.to_dict(m) == {"": 0.25, "a | b | c": 0.75}


def test_the_generalized_pignistic_probability_is_betp_on_the_parts():
    """Dezert & Smarandache 2004, ch. 7: shares by the number of parts (DSm cardinality)."""
    model = DSmModel(["a", "b"])
    m = model.mass_function({"a": 0.2, "b": 0.3, "a & b": 0.4, "a | b": 0.1})
    parts = bayesian(model.frame, betp(m))
    assert parts.bel(model.event("a")) == pytest.approx(0.2 + 0.3 / 2 + 0.4 + 0.1 * 2 / 3)
    assert parts.bel(model.event("b")) == pytest.approx(0.2 / 2 + 0.3 + 0.4 + 0.1 * 2 / 3)
