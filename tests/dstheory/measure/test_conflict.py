"""Conflict, inconsistency and blame: definitions, laws, precision."""

from fractions import Fraction
from functools import partial
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, measure
from dstheory.errors import FrameError
from dstheory.revise import discount
from tests.dstheory.measure.strategies import as_naive, pairs
from tests.naive import mass as naive
from tests.naive import measure as naive_measure

FRAME = Frame(["a", "b", "c"])
weight_of_conflict = partial(measure.conflict, kind="weight")
contour_conflict = partial(measure.conflict, kind="contour")
MANY = [
    measure.conflict,
    weight_of_conflict,
    contour_conflict,
    measure.conflict_blame,
]


@given(pairs(empty=True, count=3, max_focal=4))
def test_conflict_and_blame_are_their_definitions(sources):
    given_naive = as_naive(*sources)
    assert measure.conflict(*sources[:2]) == naive_measure.conflict(*given_naive[:2])
    assert measure.conflict(*sources) == naive_measure.conflict(*given_naive)
    expected = naive_measure.contour_conflict(sources[0].frame, *given_naive)
    assert contour_conflict(*sources) == expected
    assert measure.conflict_blame(*sources).tolist() == naive_measure.blame(*given_naive)


@given(pairs(empty=True, count=3, max_focal=4))
def test_blame_is_the_whole_conflict(sources):
    """Shapley 1953: efficient; here no share is negative, because conflict only grows."""
    blame = measure.conflict_blame(*sources)
    assert blame.sum() == measure.conflict(*sources)
    assert (blame >= 0).all()
    assert contour_conflict(*sources) >= 0


@given(pairs(count=1, empty=True, max_focal=4), st.integers(1, 4))
def test_auto_conflict_is_the_conflict_of_copies(given_masses, order):
    """Osswald & Martin 2006; it grows with the order."""
    (m,) = given_masses
    (m_naive,) = as_naive(m)
    assert measure.auto_conflict(m, order) == naive_measure.conflict(*[m_naive] * order)
    assert measure.auto_conflict(m, order) <= measure.auto_conflict(m, order + 1)


@given(pairs(count=1, empty=True))
def test_inconsistency_is_zero_where_all_sets_share_a_label(given_masses):
    """Destercke & Burger 2013, logical consistency."""
    (m,) = given_masses
    (m_naive,) = as_naive(m)
    best = max(naive.pl(m_naive, frozenset([w])) for w in m.frame)
    assert measure.inconsistency(m) == 1 - best
    shared = frozenset(m.frame).intersection(*m_naive)
    assert (measure.inconsistency(m) == 0) == bool(shared)


def test_weights_of_conflict_add_up():
    """Shafer 1976, p. 65."""
    rng = np.random.default_rng(0)
    m1, m2, m3 = (MassFunction(FRAME, range(1, 8), rng.dirichlet(np.ones(7))) for _ in range(3))
    parts = weight_of_conflict(m1, m2) + weight_of_conflict(m1 @ m2, m3)
    assert weight_of_conflict(m1, m2, m3) == pytest.approx(parts)
    kappa = measure.conflict(m1, m2)
    assert weight_of_conflict(m1, m2) == pytest.approx(-log(1 - kappa))


def test_conflict_close_to_one_and_to_zero_is_not_lost():
    """Zadeh's example with eps = 1e-9: 1 - kappa is 1e-18."""
    eps = 1e-9
    m1 = MassFunction(FRAME, [1, 4], [1 - eps, eps])
    m2 = MassFunction(FRAME, [2, 4], [1 - eps, eps])
    assert weight_of_conflict(m1, m2) == pytest.approx(-2 * log(eps), rel=1e-12)
    m1 = MassFunction(FRAME, [1, 4], [[1 - eps, eps], [1, 1e-300], [1, 0]])
    m2 = MassFunction(FRAME, [2, 4], [1, 1e-300])
    wanted = [-log(eps) - log(1e-300), -2 * log(1e-300), np.inf]
    np.testing.assert_allclose(weight_of_conflict(m1, m2), wanted, rtol=1e-12)
    np.testing.assert_allclose(weight_of_conflict(m1, m2, m2)[1], -3 * log(1e-300))
    tiny = MassFunction(FRAME, [1, 7], [1e-12, 1 - 1e-12])
    other = MassFunction(FRAME, [2, 7], [1e-12, 1 - 1e-12])
    assert weight_of_conflict(tiny, other) == pytest.approx(1e-24, rel=1e-9)
    total = weight_of_conflict(MassFunction(FRAME, [1], [1.0]), MassFunction(FRAME, [2], [1.0]))
    assert total == float("inf")
    vacuous = MassFunction(FRAME, [7], [1.0])
    assert str(weight_of_conflict(vacuous, vacuous)) == "0.0"


def test_two_equal_probabilities_conflict_but_consonant_beliefs_do_not():
    even = MassFunction(FRAME, [1, 2], [Fraction(1, 2)] * 2)
    assert measure.conflict(even, even) == measure.auto_conflict(even) == Fraction(1, 2)
    nested = MassFunction(FRAME, [1, 3, 7], [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
    assert measure.auto_conflict(nested, 5) == measure.inconsistency(nested) == 0
    assert contour_conflict(nested, nested) == 0


@pytest.mark.parametrize("of", MANY)
def test_batches_broadcast(of):
    rng = np.random.default_rng(0)
    m1 = MassFunction(FRAME, range(8), rng.dirichlet(np.ones(8), size=(4, 1)))
    m2 = MassFunction(FRAME, [1, 2, 7], rng.dirichlet(np.ones(3), size=3))
    m3 = MassFunction(FRAME, [4, 7], [0.5, 0.5])
    values = of(m1, m2, m3)
    assert values.shape[:2] == (4, 3)
    rows = np.array([[of(m1[i, 0], m2[j], m3) for j in range(3)] for i in range(4)])
    assert values == pytest.approx(rows, abs=1e-12)


@given(pairs(empty=True))
def test_disagreement_is_its_definition(sources):
    m1, m2 = sources
    expected = naive_measure.disagreement(*as_naive(m1, m2), m1.frame)
    assert measure.disagreement(m1, m2) == measure.disagreement(m2, m1) == expected
    assert 0 <= expected <= measure.conflict(m1.normalize(), m2.normalize())


@given(pairs(count=3, max_focal=4))
def test_blame_discount_lessens_conflict(sources):
    """Each source gives its share of the conflict to the frame; conflict never grows."""
    discounted = measure.blame_discount(*sources)
    for m, less, rate in zip(sources, discounted, measure.conflict_blame(*sources), strict=True):
        assert less == discount(m, rate=rate)
    assert measure.conflict(*discounted) <= measure.conflict(*sources)
    assert measure.blame_discount(*sources, strength=0) == tuple(sources)


def test_blame_discount_of_a_batch_and_beyond_one():
    m1 = MassFunction(FRAME, [1, 7], [[1, 0], [0, 1]])
    m2 = MassFunction(FRAME, [2], [1.0])
    one, two = measure.blame_discount(m1, m2, strength=4)  # blame 1/2 each, or none
    assert one.mass(FRAME).tolist() == [1, 1]
    assert two.mass("b").tolist() == [0, 1]
    for strength in (-1, np.inf, np.nan):
        with pytest.raises(ValueError, match=f"strength is {strength}"):
            measure.blame_discount(m1, m2, strength=strength)


def test_blame_of_a_batch_of_fractions_is_exact():
    half = Fraction(1, 2)
    m1 = MassFunction(FRAME, [1, 7], np.array([[half, half], [1 - half / 2, half / 2]]))
    m2 = MassFunction(FRAME, [2, 7], [half, half])
    assert measure.conflict_blame(m1, m2).tolist() == [
        [Fraction(1, 8), Fraction(1, 8)],
        [Fraction(3, 16), Fraction(3, 16)],
    ]


@pytest.mark.parametrize("of", MANY)
def test_frames_kinds_and_shapes_are_checked(of):
    m = MassFunction(FRAME, [7], [1.0])
    with pytest.raises(FrameError, match="frames differ"):
        of(m, MassFunction(Frame(["a", "b"]), [3], [1.0]))
    with pytest.raises(TypeError, match=r"argument 2 is \d+, expected a MassFunction"):
        of(m, 3)
    many, few = (MassFunction(FRAME, [7], np.ones((n, 1))) for n in (3, 2))
    with pytest.raises(ValueError, match="broadcast"):
        of(many, few)


def test_orders_and_numbers_of_sources_are_checked():
    m = MassFunction(FRAME, [7], [1.0])
    with pytest.raises(ValueError, match="order is 0"):
        measure.auto_conflict(m, 0)
    with pytest.raises(TypeError, match=r"order is 2\.5, expected a whole number"):
        measure.auto_conflict(m, 2.5)
    with pytest.raises(ValueError, match="there are 17 sources"):
        measure.conflict_blame(*[m] * 17)
    with pytest.raises(
        ValueError, match="kind is 'kappa', expected one of 'mass', 'weight', 'contour'"
    ):
        measure.conflict(m, m, kind="kappa")
