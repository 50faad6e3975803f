"""Bounds of conclusions: equal to the extremes over all pairs of vertices; relaxed ones contain."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame, FrameError, MassError, MassFunction, TotalConflictError, discount
from dstheory.errors import DSTheoryError
from dstheory.exact import ImpreciseMass, belief_bounds, discount_bounds
from dstheory.testing import masses
from tests.dstheory.exact.test_imprecise import imprecise
from tests.naive import mass as naive

FRAME = Frame(["a", "b", "c"])
SMALL = Frame(["a", "b"])
QUANTITIES = ["bel", "pl", "betp"]
events = st.sampled_from([("a",), ("a", "b"), ("b", "c"), ()])


def as_naive(m):
    return {frozenset(event): mass for event, mass in m.to_dict().items()}


def naive_value(m, event, quantity):
    if quantity == "betp":
        return sum((naive.betp(m, FRAME.labels)[label] for label in event), Fraction(0))
    return getattr(naive, quantity)(m, frozenset(event))


@given(source=imprecise(), event=events, quantity=st.sampled_from(QUANTITIES))
def test_bounds_of_one_source(source, event, quantity):
    values = [naive_value(as_naive(m), event, quantity) for m in source.vertices()]
    assert belief_bounds(source, event=event, quantity=quantity) == (min(values), max(values))


@settings(max_examples=25)
@given(data=st.data(), event=events, quantity=st.sampled_from(QUANTITIES))
def test_bounds_after_dempster_are_extremes_over_vertices(data, event, quantity):
    """Brute force by the definition of Dempster's rule over all pairs of vertices, on fractions."""
    sources = [data.draw(imprecise(max_focal=3)) for _ in range(2)]
    points = [[as_naive(m) for m in source.vertices()] for source in sources]
    joint = [naive.conjunctive(*pair) for pair in product(*points)]
    if any(sum(v for a, v in m.items() if a) == 0 for m in joint):
        with pytest.raises(TotalConflictError):
            belief_bounds(*sources, event=event, quantity=quantity)
        return
    values = [naive_value(naive.normalize(m), event, quantity) for m in joint]
    exact = belief_bounds(*sources, event=event, quantity=quantity)
    assert exact == (min(values), max(values))
    low, high = belief_bounds(*sources, event=event, quantity=quantity, relax=True)
    assert low <= exact[0] + 1e-9
    assert high >= exact[1] - 1e-9


@settings(max_examples=25)
@given(source=imprecise(max_focal=3), m=masses(FRAME, dogmatic=False, max_focal=3), event=events)
def test_relaxed_bounds_are_exact_beside_a_precise_source(source, m, event):
    """Products with known masses are linear: nothing is relaxed."""
    exact = belief_bounds(source, m, event=event, quantity="betp")
    relaxed = belief_bounds(source, m, event=event, quantity="betp", relax=True)
    assert relaxed == pytest.approx([float(end) for end in exact], abs=1e-8)


@settings(max_examples=20)
@given(data=st.data())
def test_no_point_inside_lies_outside_of_the_bounds(data):
    """Random mixtures of vertices, three sources; the frame keeps some mass."""
    sources = [ImpreciseMass(FRAME, {label: (0.1, 0.4), FRAME: (0.3, 0.9)}) for label in "aba"]
    low, high = belief_bounds(*sources, event="a")
    shares = data.draw(st.lists(st.floats(0.1, 0.4), min_size=3, max_size=3))
    points = [
        MassFunction.from_dict(FRAME, {label: x, FRAME: 1 - x})
        for label, x in zip("aba", shares, strict=True)
    ]
    value = (points[0] @ points[1] @ points[2]).bel("a")
    assert low - 1e-12 <= value <= high + 1e-12


def test_precise_sources_give_points():
    m = MassFunction.from_dict(FRAME, {"a": Fraction(1, 2), FRAME: Fraction(1, 2)})
    other = MassFunction.from_dict(FRAME, {"b": Fraction(1, 2), FRAME: Fraction(1, 2)})
    assert belief_bounds(m, other, event="a") == (Fraction(1, 3), Fraction(1, 3))
    low, high = belief_bounds(m, other, event="a", relax=True)
    assert low == pytest.approx(1 / 3, abs=1e-9)
    assert high == pytest.approx(1 / 3, abs=1e-9)


@settings(max_examples=25)
@given(data=st.data(), quantity=st.sampled_from(QUANTITIES))
def test_discount_bounds_are_extremes_over_corners_and_hold_inside(data, quantity):
    sources = [data.draw(masses(FRAME, dogmatic=False, max_focal=3)) for _ in range(2)]
    share = st.fractions(0, 1, max_denominator=5)
    rates = [tuple(sorted(data.draw(st.tuples(share, share)))) for _ in range(2)]

    def at(*point):
        found = naive.dempster(
            *(as_naive(discount(m, rate=r)) for m, r in zip(sources, point, strict=True))
        )
        return naive_value(found, ("a", "b"), quantity)

    values = [at(*corner) for corner in product(*rates)]
    low, high = discount_bounds(sources, ["a", "b"], quantity, rates=rates)
    assert (low, high) == (min(values), max(values))
    middle = [data.draw(st.fractions(*pair, max_denominator=20)) for pair in rates]
    assert low <= at(*middle) <= high


def test_floats_and_names():
    sources = {
        "one": MassFunction.from_dict(SMALL, {"a": 0.5, SMALL: 0.5}),
        "two": MassFunction.from_dict(SMALL, {"b": 1}),
    }
    low, high = discount_bounds(sources, "a", rates={"two": (0.5, 1), "one": 0})
    assert low == pytest.approx(1 / 3)
    assert high == 0.5
    assert discount_bounds([sources["one"]], "a", rates=[np.array([0, 1])]) == (0, 0.5)


def test_rounding_is_no_agreement():
    """0.6 + 0.4 may be filled up to 1 - 1e-17; what is left over is not evidence."""
    for i in range(1, 10):
        one = ImpreciseMass(FRAME, {"a": (0.1, i / 10), "b": (0, (10 - i) / 10), FRAME: (0, 1)})
        with pytest.raises(TotalConflictError):
            belief_bounds(one, MassFunction.from_dict(FRAME, {"c": 1}), event="c")


def test_refusals():
    one = ImpreciseMass(SMALL, {"a": (0.5, 1), SMALL: (0, 0.5)})
    two = ImpreciseMass(SMALL, {"b": (0.5, 1), SMALL: (0, 0.5)})
    m = MassFunction.from_dict(SMALL, {"a": 1})
    with pytest.raises(TotalConflictError, match="exclude each other totally"):
        belief_bounds(one, two, event="a")
    with pytest.raises(DSTheoryError, match="relax=True takes two"):
        belief_bounds(one, one, one, event="a", relax=True)
    with pytest.raises(DSTheoryError, match="16 combined vertices, more than 15"):
        belief_bounds(
            *[ImpreciseMass(SMALL, {"a": (0, 1), SMALL: (0, 1)})] * 5, event="a", max_vertices=15
        )
    with pytest.raises(FrameError, match="frames differ"):
        belief_bounds(one, ImpreciseMass(FRAME, {"a": 1}), event="a")
    with pytest.raises(TypeError, match="there is no source"):
        belief_bounds(event="a")
    with pytest.raises(TypeError, match=r"a source is .*, expected an ImpreciseMass or"):
        belief_bounds(0.5, event="a")
    with pytest.raises(ValueError, match="quantity is 'mass', expected one of 'bel'"):
        belief_bounds(one, event="a", quantity="mass")
    with pytest.raises(DSTheoryError, match="batch shape"):
        belief_bounds(MassFunction(SMALL, [3], [[1.0], [1.0]]), event="a")
    with pytest.raises(ValueError, match="there are 2 rates for 1 sources"):
        discount_bounds([m], "a", rates=[0, 1])
    with pytest.raises(DSTheoryError, match="4 corners, more than 3"):
        discount_bounds([m, m], "a", rates=[(0, 1), (0, 1)], max_vertices=3)
    with pytest.raises(MassError, match="rate"):
        discount_bounds([m], "a", rates=[(0, 2)])
    for rate in ((0, 0.5, 1), (0.5, 0.25), ()):
        with pytest.raises(ValueError, match=r"a rate is .*, expected a number or"):
            discount_bounds([m], "a", rates=[rate])
    with pytest.raises(ValueError, match=r"missing or unknown for \['x', 'y'\]"):
        discount_bounds({"x": m}, "a", rates={"y": 0.5})
    for wrong in (0.5, "half", np.array(0.5), {0.5}):
        with pytest.raises(TypeError, match=r"rates is .*, expected one for each source"):
            discount_bounds([m], "a", rates=wrong)
