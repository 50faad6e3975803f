import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import conjunctive, disjunctive, florea
from dstheory.errors import MassError
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules

FRAME = Frame(list("abc"))


@given(ms=sources(size=st.integers(2, 4)))
def test_equals_its_definition(ms):
    assert naive_rules.as_sets(florea(*ms)) == naive_rules.florea(*map(naive_rules.as_sets, ms))


@pytest.mark.parametrize("form", ["symmetric", "logarithmic"])
def test_no_conflict_is_conjunctive_and_total_conflict_disjunctive(form):
    """A known package has the two weights exchanged."""
    one = MassFunction.from_dict(FRAME, {("a", "b"): 0.5, FRAME: 0.5})
    two = MassFunction.from_dict(FRAME, {("a", "c"): 0.5, FRAME: 0.5})
    assert florea(one, two, form=form).equals(conjunctive(one, two))
    bee, cat = (MassFunction.from_dict(FRAME, {label: 1}) for label in "bc")
    assert florea(bee, cat, form=form).equals(disjunctive(bee, cat))


def test_logarithmic_form_by_its_formula():
    one = MassFunction.from_dict(FRAME, {"a": 0.5, FRAME: 0.5})
    two = MassFunction.from_dict(FRAME, {"b": 0.5, FRAME: 0.5})
    k, x = 0.25, 0.9
    beta = math.log((1 + x) / (k + x)) / math.log((1 + x) / x)
    alpha = math.log((1 + x) ** k * (k + x) ** (1 - k) / x) / math.log((1 + x) / x)
    fused = florea(one, two, form="logarithmic")
    assert fused.mass("a") == pytest.approx(beta * 0.25)
    assert fused.mass(("a", "b")) == pytest.approx(alpha * 0.25)
    assert fused.masses.sum() == pytest.approx(1)


def test_example_of_the_package_that_has_it_wrong_sums_to_one():
    tenths = {("a",): 4, ("b",): 1, ("a", "b"): 2, ("c",): 2, FRAME: 1}
    one = MassFunction.from_dict(FRAME, {e: Fraction(v, 10) for e, v in tenths.items()})
    tenths = {("a",): 2, ("b",): 3, ("a", "b"): 1, ("c",): 1, ("b", "c"): 2, FRAME: 1}
    two = MassFunction.from_dict(FRAME, {e: Fraction(v, 10) for e, v in tenths.items()})
    assert sum(florea(one, two).masses) == 1


def test_errors():
    m = MassFunction.from_dict(FRAME, {"a": 0.5, (): 0.5})
    normal = MassFunction.from_dict(FRAME, {"a": 1})
    with pytest.raises(MassError, match="source 2 gives mass to the empty set; the robust"):
        florea(normal, m)
    with pytest.raises(ValueError, match="form is"):
        florea(normal, normal, form="linear")
    exact = MassFunction.from_dict(FRAME, {"a": Fraction(1)})
    with pytest.raises(TypeError, match="no exact value"):
        florea(exact, exact, form="logarithmic")
