"""Derivatives: equal to those of the derived formulas, on fractions, floats and batches."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, TotalConflictError, betp, dempster, discount
from dstheory.errors import DSTheoryError
from dstheory.exact import discount_bounds, mass_gradients, sensitivity
from dstheory.testing import masses
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])
QUANTITIES = ["bel", "pl", "betp"]
EVENTS = [("a",), ("a", "b"), ()]
RATES = st.fractions(0, Fraction(9, 10), max_denominator=10)


def value_of(m, event, quantity):
    if quantity == "betp":
        probabilities = betp(m)
        return sum(probabilities[..., FRAME.labels.index(label)] for label in event)
    return getattr(m, quantity)(event)


def exact_sources(count):
    return st.lists(masses(FRAME, dogmatic=False, max_focal=3), min_size=count, max_size=count)


@each("quantity", QUANTITIES)
@each("event", EVENTS)
@settings(max_examples=10)
@given(sources=exact_sources(3), rates=st.lists(RATES, min_size=3, max_size=3))
def test_rate_derivatives_are_limits(quantity, event, sources, rates):
    """f is a quotient of linear functions of a rate: two more points determine the derivative."""
    found = sensitivity(sources, event, quantity, rates=rates)

    def at(i, rate):
        changed = [*rates[:i], rate, *rates[i + 1 :]]
        weak = (discount(m, rate=rate) for m, rate in zip(sources, changed, strict=True))
        return value_of(dempster(*weak), event, quantity)

    assert found.value == at(0, rates[0])
    for i, rate in enumerate(rates):
        # f(r + h) = f + f' h / (1 + c h): solve for f' with h and 2 h.
        h = (1 - rate) / 4
        g1, g2 = (at(i, rate + h) - found.value) / h, (at(i, rate + 2 * h) - found.value) / (2 * h)
        slope = g1 * g2 / (2 * g2 - g1) if g1 else 0
        assert found.derivatives[i] == slope
        assert isinstance(found.derivatives[i], Fraction)
        assert found.without[i] == at(i, Fraction(1))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_symbols_go_through(quantity):
    rate, x = sympy.symbols("rate x", nonnegative=True)
    first = MassFunction.from_dict(FRAME, {"a": x, FRAME: 1 - x})
    second = MassFunction.from_dict(
        FRAME,
        {"b": sympy.Rational(1, 2), ("b", "c"): sympy.Rational(1, 4), FRAME: sympy.Rational(1, 4)},
    )
    event = ("a", "c")
    found = sensitivity([first, second], event, quantity, rates=[rate, 0])
    formula = value_of(dempster(discount(first, rate=rate), second), event, quantity)
    assert sympy.cancel(found.derivatives[0] - formula.diff(rate)) == 0
    slopes = mass_gradients([first, second], event, quantity)["source 1"]
    formula = value_of(dempster(first, second), event, quantity)
    moved = slopes["a",] - slopes["a", "b", "c"]
    assert sympy.cancel(moved - formula.diff(x)) == 0


@given(sources=exact_sources(2))
def test_mass_gradients_sum_to_zero(sources):
    """A conclusion does not change when all masses of a source grow in proportion (Euler)."""
    slopes = mass_gradients({"x": sources[0], "y": sources[1]}, ["a", "c"], "pl")
    for m, gradient in zip(sources, slopes.values(), strict=True):
        assert sum(m.mass(event) * slope for event, slope in gradient.items()) == 0


@given(sources=exact_sources(2))
def test_rate_derivative_is_a_sum_of_mass_derivatives(sources):
    """A rate moves mass in proportion from all sets to the frame."""
    gradient = mass_gradients(sources, "b")["source 2"]
    slope = gradient["a", "b", "c"] - sum(sources[1].mass(e) * g for e, g in gradient.items())
    assert sensitivity(sources, "b").derivatives[1] == slope


def test_batches_are_rows():
    rng = np.random.default_rng(1)
    sources = [MassFunction(FRAME, [1, 2, 7], rng.dirichlet([1, 1, 1], 4)) for _ in range(3)]
    sources[1] = sources[1][0]
    rates = [0.1, 0.2, rng.uniform(size=4)]
    found = sensitivity(sources, "a", "betp", rates=rates)
    assert found.derivatives.shape == found.rates.shape == found.without.shape == (3, 4)
    for row in range(4):
        single = [m[row] if m.batch_shape else m for m in sources]
        one = sensitivity(single, "a", "betp", rates=[0.1, 0.2, rates[2][row]])
        np.testing.assert_allclose(found.derivatives[:, row], one.derivatives, rtol=1e-12)
        np.testing.assert_allclose(found.elasticities[:, row], one.elasticities, rtol=1e-12)
        assert found.value[row] == pytest.approx(one.value, rel=1e-12)
    with pytest.raises(DSTheoryError, match="one ranking per row"):
        found.ranking()
    assert str(found) == "Sensitivity of 3 sources, batch (4,)"
    listed = sensitivity(sources, "a", "betp", rates=[0.1, 0.2, rates[2].tolist()])
    assert listed.derivatives.tolist() == found.derivatives.tolist()


def test_one_source_and_names():
    m = MassFunction.from_dict(FRAME, {"a": 0.5, FRAME: 0.5})
    found = sensitivity({"only": m}, "a", rates={"only": 0.5})
    assert (found.names, found.value, list(found.derivatives)) == (("only",), 0.25, [-0.5])
    assert list(found.elasticities) == [1.0]
    assert list(found.without) == [0.0]


def test_large_frames():
    frame = Frame(range(70))
    sources = [MassFunction.from_dict(frame, {i: 0.5, frame: 0.5}) for i in (3, 69)]
    assert sensitivity(sources, 69).value == pytest.approx(1 / 3)
    assert mass_gradients(sources, 69)["source 1"][tuple(range(70))] > 0


def test_refusals():
    m = MassFunction.from_dict(FRAME, {"a": 1})
    other = MassFunction.from_dict(FRAME, {"b": 1})
    with pytest.raises(TotalConflictError):
        sensitivity([m, other], "a")
    with pytest.raises(ValueError, match="quantity is 'q', expected one of 'bel'"):
        sensitivity([m], "a", quantity="q")
    with pytest.raises(ValueError, match="there is no source"):
        sensitivity([], "a")
    with pytest.raises(ValueError, match="2 rates for 1 sources"):
        sensitivity([m], "a", rates=[0, 0])
    with pytest.raises(ValueError, match="no source is called 'x'"):
        sensitivity({"y": m}, "a", rates={"x": 0})
    with pytest.raises(TypeError, match=r"sources are [^,]*, b, c} {a} 1, expected a list"):
        sensitivity(m, "a")
    with pytest.raises(TypeError, match="MassFunction"):
        sensitivity([3], "a")
    with pytest.raises(DSTheoryError, match="conclusion is 0 and has no elasticity"):
        _ = sensitivity([m], "b").elasticities


def test_rates_by_the_names_of_sources():
    """Those of a series in another order were read by places, and those of numbers unknown."""
    half = MassFunction(FRAME, [1, FRAME.full], [0.5, 0.5])
    sources = {2: half, 1: MassFunction(FRAME, [2, FRAME.full], [0.5, 0.5])}
    wanted = sensitivity(sources, "a", rates=[0, 1]).value
    assert wanted == 0.5
    for rates in ({1: 1}, {"1": 1}, pd.Series({2: 0, 1: 1})):
        assert sensitivity(sources, "a", rates=rates).value == wanted
    assert discount_bounds(sources, "a", rates={1: 1, 2: 0}) == (wanted, wanted)
    for call in (sensitivity, discount_bounds):
        with pytest.raises(ValueError, match=r"the index of rates is \[1, 2\]"):
            call(sources, "a", rates=pd.Series({1: 1, 2: 0}))
        with pytest.raises(ValueError, match="two sources have the same name as text: 1, '1'"):
            call({1: half, "1": half}, "a", rates=0)
