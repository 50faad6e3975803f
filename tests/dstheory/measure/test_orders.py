"""Orders of commitment: definitions on tables, specialization by construction, implications."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, measure
from dstheory.errors import FrameError
from tests.dstheory.measure.strategies import as_naive, pairs
from tests.naive import mass as naive
from tests.naive import measure as naive_measure

is_specialization, is_pl_included, is_q_included = (
    partial(measure.is_included, order=order) for order in ("specialization", "pl", "q")
)
ORDERS = [is_pl_included, is_q_included, is_specialization]
FRAME = Frame(["a", "b", "c"])


@given(pairs(empty=True))
def test_table_orders_are_their_definitions(given_masses):
    m1, m2 = given_masses
    one, two = as_naive(m1, m2)
    events = naive.subsets(m1.frame)
    for order, of in ((is_pl_included, naive.pl), (is_q_included, naive.q)):
        assert order(m1, m2, atol=0) == all(of(one, a) <= of(two, a) for a in events)


@given(pairs(empty=True))
def test_specialization_implies_both_other_orders(given_masses):
    """Dubois & Prade 1986."""
    m1, m2 = given_masses
    if is_specialization(m1, m2):
        assert is_pl_included(m1, m2)
        assert is_q_included(m1, m2)
    # The conjunctive rule specializes (Klawonn & Smets 1992).
    assert is_specialization(m1 & m2, m1)
    assert is_specialization(m1, m1 | m2)


@given(pairs(empty=True, count=1, max_focal=2), st.fractions(0, 1, max_denominator=8))
def test_mixtures_of_moved_masses_are_specializations(given_masses, share):
    (m,) = given_masses
    moved = list(naive_measure.specializations(as_naive(m)[0]))
    first, last = moved[len(moved) // 2], moved[-1]
    mixed = naive.collect(
        [(a, share * v) for a, v in first.items()] + [(a, (1 - share) * v) for a, v in last.items()]
    )
    assert is_specialization(MassFunction.from_dict(m.frame, mixed), m)


def test_plausibility_order_without_specialization():
    """Dubois & Prade 1986: the orders by Pl and q do not imply each other or s."""
    half = Fraction(1, 2)
    wide = MassFunction(FRAME, [3, 5, 6], [Fraction(1, 3)] * 3)
    split = MassFunction(FRAME, [1, 7], [half, half])
    assert not is_specialization(split, wide)
    assert not is_q_included(split, wide)
    assert is_pl_included(
        MassFunction(FRAME, [1, 2, 4, 7], [Fraction(2, 9)] * 3 + [Fraction(1, 3)]), wide
    )
    assert not is_specialization(
        MassFunction(FRAME, [1, 2, 4, 7], [Fraction(2, 9)] * 3 + [Fraction(1, 3)]), wide
    )


@pytest.mark.parametrize("order", ORDERS)
def test_small_excesses_are_seen(order):
    wide = MassFunction(FRAME, [1, 2, 7], [0.3, 0.3, 0.4])
    near = MassFunction(FRAME, [1, 2, 7], [0.3 - 1e-8, 0.3, 0.4 + 1e-8])
    assert order(wide, near)
    assert not order(near, wide)
    assert order(near, wide, atol=1e-7)


@pytest.mark.parametrize("order", ORDERS)
def test_orders_of_batches_rows_and_ends(order):
    store = np.random.default_rng(0).dirichlet(np.full(7, 0.3), size=(4, 1))
    m1 = MassFunction(FRAME, range(1, 8), store)
    m2 = MassFunction(FRAME, [1, 3, 7], [[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    answers = order(m1, m2)
    assert answers.shape == (4, 2)
    assert answers[:, 1].all()
    rows = [[order(m1[i, 0], m2[j]) for j in range(2)] for i in range(4)]
    assert rows == answers.tolist()
    assert order(m1[0, 0], m1[0, 0]) is True
    vacuous, one = MassFunction(FRAME, [7], [1.0]), MassFunction(FRAME, [1], [1.0])
    assert order(one, vacuous)
    assert not order(vacuous, one)
    assert not order(one, MassFunction(FRAME, [6], [1.0]))


@pytest.mark.parametrize("order", ORDERS)
def test_bad_input_is_named(order):
    m = MassFunction(FRAME, [7], [1.0])
    with pytest.raises(ValueError, match=r"atol is .*, expected a finite number from 0"):
        order(m, m, atol=-1)
    with pytest.raises(FrameError, match="frames differ"):
        order(m, MassFunction(Frame(["a", "b"]), [3], [1.0]))
    with pytest.raises(TypeError, match="argument 2"):
        order(m, None)


def test_a_specialization_needs_no_tolerance_where_sums_are_exact():
    m = MassFunction.from_dict(Frame(["a", "b"]), {"a": 0.5, ("a", "b"): 0.5})
    assert is_specialization(m, m, atol=0)


def test_the_order_is_specialization_unless_another_is_named():
    m1, m2 = (MassFunction(Frame(list("ab")), focal, [0.5, 0.5]) for focal in ([1, 3], [2, 3]))
    for first, second in ((m1, m2), (m1 & m2, m1)):
        assert measure.is_included(first, second) == is_specialization(first, second)
    with pytest.raises(ValueError, match="order is 'bel', expected one of 'specialization'"):
        measure.is_included(m1, m2, "bel")
