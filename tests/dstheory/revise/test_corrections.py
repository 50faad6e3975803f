from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.errors import FrameError, MassError
from dstheory.revise import (
    contextual_discount,
    contextual_negate,
    contextual_reinforce,
    discount,
    learn_contextual_rates,
    negate,
)
from dstheory.testing import frames, masses
from tests.dstheory.revise.strategies import rates
from tests.naive import revise as naive_revise
from tests.naive.rules import as_sets
from tests.support.each import each

FRAME = Frame(list("ahr"))
WHOLE = frozenset(FRAME)


@st.composite
def mass_and_rates(draw):
    """A mass function and rates of some contexts, the empty set and the frame among them."""
    frame = draw(frames(1, 3))
    masks = draw(st.lists(st.integers(0, frame.full), max_size=3, unique=True))
    contexts = {frozenset(frame.event(mask)): draw(rates) for mask in masks}
    return draw(masses(frame, empty=True)), contexts


CHANGES = {
    contextual_discount: lambda b, a, frame: b | a,
    contextual_reinforce: lambda b, a, frame: b & a,
    contextual_negate: lambda b, a, frame: (b & a) | (frame - b - a),
}
CORRECTIONS = {
    "discount": contextual_discount,
    "reinforce": contextual_reinforce,
    "negate": contextual_negate,
}
every_contextual = each("correct", CHANGES)


@every_contextual
@given(case=mass_and_rates())
def test_contextual_equals_its_definition(correct, case):
    m, contexts = case
    frame = frozenset(m.frame)
    expected = naive_revise.contextual(
        as_sets(m), contexts, lambda b, a: CHANGES[correct](b, a, frame)
    )
    assert as_sets(correct(m, rates=contexts)) == expected
    assert correct(m, rates=dict(reversed(contexts.items()))) == correct(m, rates=contexts)


@given(case=mass_and_rates(), rate=rates)
def test_discount_and_negate_equal_their_definitions(case, rate):
    m, _ = case
    assert as_sets(discount(m, rate=rate)) == naive_revise.discount(as_sets(m), rate, m.frame)
    assert as_sets(negate(m, rate=rate)) == naive_revise.negate(as_sets(m), rate, m.frame)
    assert discount(m, rate=rate) == contextual_discount(m, rates={m.frame: rate})
    assert negate(m, rate=rate) == contextual_negate(m, rates={(): rate})
    assert negate(m, rate=1) == ~m


@given(case=mass_and_rates())
def test_reinforcing_is_discounting_the_complement(case):
    """Duality under complement (Mercier, Lefevre & Delmotte 2012)."""
    m, contexts = case
    complements = {frozenset(m.frame) - context: rate for context, rate in contexts.items()}
    assert contextual_reinforce(m, rates=contexts) == ~contextual_discount(~m, rates=complements)


@given(case=mass_and_rates(), one=rates, two=rates)
def test_discounts_multiply(case, one, two):
    m, _ = case
    assert discount(discount(m, rate=one), rate=two) == discount(m, rate=1 - (1 - one) * (1 - two))


def test_mercier_2008_case_1():
    """Not {h, r}, as a C++ test expects."""
    half = Fraction(1, 2)
    m = MassFunction.from_dict(FRAME, {"a": half, "r": half})
    corrected = contextual_discount(m, rates={"a": Fraction(2, 5), "h": 0, "r": 0})
    assert as_sets(corrected) == {
        frozenset("a"): half,
        frozenset("r"): Fraction(3, 10),
        frozenset("ar"): Fraction(1, 5),
    }


SENSOR_1 = MassFunction(
    FRAME,
    [2, 4, 5, 6, 7],
    np.array([[0, 5, 0, 3, 2], [5, 2, 0, 0, 3], [4, 0, 6, 0, 0], [0, 0, 6, 4, 0]]) / 10,
)
SENSOR_2 = MassFunction(
    FRAME,
    [1, 3, 6, 7],
    np.array([[0, 7, 0, 3], [3, 4, 0, 3], [2, 0, 6, 2], [0, 0, 10, 0]]) / 10,
)


@pytest.mark.parametrize(
    ("m", "correction", "betas", "error"),
    [
        (SENSOR_1, "discount", [0.76, 1, 1], 3.39),
        (SENSOR_2, "discount", [0.74, 1, 1], 4.81),
        (SENSOR_1, "negate", [0.33, 1, 0.45], 2.59),
    ],
)
def test_pichon_2016_table_6(m, correction, betas, error):
    learned = learn_contextual_rates(m, list("ahar"), correction)
    np.testing.assert_allclose([1 - rate for rate in learned.rates.values()], betas, atol=5e-3)
    assert learned.error == pytest.approx(error, abs=5e-3)


@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=20)
@given(data=st.data())
def test_learned_rates_are_the_best_of_a_grid(correction, data):
    frame = Frame(list("ab"))
    singles = [data.draw(masses(frame, empty=True)) for _ in range(3)]
    truth = [data.draw(st.sampled_from("ab")) for _ in singles]
    table = [[Fraction(m.mass(mask=mask)) for mask in range(4)] for m in singles]
    m = MassFunction(frame, range(4), np.array(table, dtype=object))
    learned = learn_contextual_rates(m, truth, correction)

    def error(contexts):
        contours = CORRECTIONS[correction](m, rates=contexts).contour()
        rows = [dict(zip("ab", row, strict=True)) for row in contours]
        return naive_revise.contour_error(rows, truth)

    assert error(learned.rates) == learned.error
    grid = [Fraction(k, 4) for k in range(5)]
    for values in product(grid, repeat=2):
        assert learned.error <= error(dict(zip(learned.rates, values, strict=True)))


def test_soft_labels_that_are_certain_are_labels():
    truth = MassFunction(FRAME, [1, 2, 4], [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
    for correction in CORRECTIONS:
        hard = learn_contextual_rates(SENSOR_1, list("ahar"), correction)
        soft = learn_contextual_rates(SENSOR_1, truth, correction)
        assert soft.rates == pytest.approx(hard.rates)
        assert soft.error == pytest.approx(hard.error)
    own = learn_contextual_rates(SENSOR_1, SENSOR_1)
    assert own.error == pytest.approx(0)


def test_a_rate_that_data_say_nothing_about_is_zero():
    m = MassFunction(FRAME, [7], np.ones((2, 1)))
    assert list(learn_contextual_rates(m, ["a", "h"]).rates.values()) == [0, 0, 0]
    m = MassFunction(FRAME, [1, 3, 7], [[0.6, 0.3, 0.1]])  # the sum is 1 up to rounding
    assert list(learn_contextual_rates(m, ["a"]).rates.values()) == [0, 0, 0]


def test_rates_give_and_join_batches():
    m = MassFunction(FRAME, [1, 7], [[0.5, 0.5], [0.25, 0.75]])
    rate = np.array([[0.0], [0.5], [1.0]])
    for correct in (discount, negate):
        assert correct(m, rate=rate).batch_shape == (3, 2)
        for i, j in np.ndindex(3, 2):
            assert correct(m, rate=rate)[i, j].equals(correct(m[j], rate=rate[i, 0]))
        assert correct(m[0], rate=rate[:, 0]).batch_shape == (3,)
        assert correct(m[:0], rate=0.5).batch_shape == (0,)
    for correct in CHANGES:
        assert correct(m, rates={"a": rate, "h": 0.5})[2, 1].equals(
            correct(m[1], rates={"a": 1, "h": 0.5})
        )
        assert correct(m, rates={}) == m
        for neutral in ((), FRAME):
            assert correct(m, rates={neutral: rate}).batch_shape == (3, 2)


def test_number_types():
    exact = MassFunction.from_dict(FRAME, {"a": Fraction(1)})
    floating = MassFunction.from_dict(FRAME, {"a": 1.0})
    assert discount(exact, rate=Fraction(1, 3)).mass("a") == Fraction(2, 3)
    assert discount(exact, rate=0).store.dtype == object
    assert discount(floating, rate=Fraction(1, 2)).store.dtype == np.float64
    assert contextual_discount(floating, rates={"h": Fraction(1, 2)}).store.dtype == np.float64
    large = MassFunction.from_dict(Frame(range(80)), {79: 0.5, (0, 79): 0.5})
    assert contextual_discount(discount(large, rate=0.5), rates={3: 0.5}).mass([3, 79]) == 0.125


@pytest.mark.parametrize("rate", [-0.1, 1.1, np.nan, np.inf, Fraction(3, 2)])
def test_rates_outside_of_0_and_1_are_refused(rate):
    m = MassFunction(FRAME, [1, 7], [[0.5, 0.5], [0.25, 0.75]])
    for correct in (discount, negate):
        with pytest.raises(MassError, match=r"rate .* (does not lie|is not finite)"):
            correct(m, rate=rate)
        with pytest.raises(MassError, match=r"rate .* in row 1 (does not lie|is not finite)"):
            correct(m, rate=[0, rate])
    for correct in CHANGES:
        with pytest.raises(MassError, match=r"context \('a', 'h'\) .* in row 1"):
            correct(m, rates={("a", "h"): [0, rate]})


def test_wrong_arguments_are_refused():
    m = MassFunction(FRAME, [1, 7], [[0.5, 0.5], [0.25, 0.75]])
    for correct in (discount, negate):
        with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
            correct(None, rate=0.5)
        with pytest.raises(TypeError, match="real number"):
            correct(m, rate="much")
        with pytest.raises(ValueError, match="broadcast"):
            correct(m, rate=[0.1, 0.2, 0.3])
    for correct in CHANGES:
        with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
            correct(None, rates={})
        with pytest.raises(TypeError, match="mapping of contexts"):
            correct(m, rates=0.5)
        with pytest.raises(FrameError, match="'z'"):
            correct(m, rates={"z": 0.5})
    with pytest.raises(ValueError, match="correction is 'other'"):
        learn_contextual_rates(m, ["a", "h"], "other")
    with pytest.raises(MassError, match="3 labels for 2"):
        learn_contextual_rates(m, ["a", "h", "r"])
    with pytest.raises(MassError, match="0 labels for 0"):
        learn_contextual_rates(m[:0], [])
    with pytest.raises(TypeError, match=r"batch of shape \(n,\)"):
        learn_contextual_rates(m[0], "a")
    with pytest.raises(FrameError, match="'z'"):
        learn_contextual_rates(m, ["a", "z"])
    with pytest.raises(FrameError, match="frames differ"):
        learn_contextual_rates(m, MassFunction(Frame(list("xy")), [1], np.ones((2, 1))))
    with pytest.raises(TypeError, match=r"batch of shape \(n,\)"):
        learn_contextual_rates(m, m[0])


def test_a_context_has_one_rate():
    """Of two orders of its labels, both rates were applied."""
    m = MassFunction.from_dict(FRAME, {"a": 1})
    with pytest.raises(FrameError, match=r"context \('h', 'a'\) occurs twice; give it one rate"):
        contextual_discount(m, rates={("a", "h"): 0.1, ("h", "a"): 0.2})
