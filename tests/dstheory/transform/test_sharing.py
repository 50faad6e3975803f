"""Belief transform, DSmP and the probability of maximal entropy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian, random, vacuous
from dstheory.errors import DSTheoryError, MassError, TotalConflictError
from dstheory.testing import frames, masses
from dstheory.transform import (
    belief_transform,
    betp,
    dsmp,
    inverse_pignistic,
    maximum_entropy_probability,
)
from tests.naive import transform as naive_transform
from tests.support.each import each

ABC = Frame(["a", "b", "c"])


def named(m):
    return {frozenset(event): v for event, v in m.to_dict().items()}


def by_label(frame, p):
    return dict(zip(frame, p.tolist(), strict=True))


@given(frames(1, 4), st.data(), st.fractions(Fraction(1, 100), 10))
def test_dsmp_equals_the_definition(frame, data, epsilon):
    m = data.draw(masses(frame))
    expected = naive_transform.dsmp(named(m), frame, epsilon)
    assert by_label(frame, dsmp(m, epsilon)) == expected
    assert sum(expected.values()) == 1


@given(frames(1, 4), st.data())
def test_belief_transform_equals_the_definition(frame, data):
    m = data.draw(masses(frame).filter(lambda m: any(s.bit_count() == 1 for s in m.focal)))
    assert by_label(frame, belief_transform(m)) == naive_transform.belief_transform(named(m), frame)


def test_dsmp_tends_to_betp():
    """Dezert & Smarandache (2008): epsilon to infinity."""
    m = random(ABC, np.random.default_rng(0), size=5)
    np.testing.assert_allclose(dsmp(m, 1e9), betp(m), atol=1e-8)


def test_dezert_smarandache_example_7():
    m = MassFunction.from_dict(
        Frame(["A", "B", "C"]),
        {
            "A": Fraction(1, 10),
            "C": Fraction(1, 5),
            ("A", "B"): Fraction(3, 10),
            ("A", "C"): Fraction(1, 10),
            ("A", "B", "C"): Fraction(3, 10),
        },
    )
    exact = [Fraction(6809, 12835), Fraction(27, 6868), Fraction(142007, 305020)]
    assert dsmp(m, Fraction(1, 1000)).tolist() == exact


@given(frames(1, 4), st.data())
def test_maximum_entropy_is_optimal_over_the_credal_set(frame, data):
    """First-order conditions at all vertices: of the norm (exactly) and of the entropy."""
    m = data.draw(masses(frame))
    p = by_label(frame, maximum_entropy_probability(m))
    assert sum(p.values()) == 1
    for mask in range(frame.full + 1):
        assert sum(p[w] for w in frame.event(mask)) >= m.bel(mask=mask)
    for vertex in naive_transform.vertices(named(m), frame):
        assert sum(p[w] * (vertex[w] - p[w]) for w in frame) >= 0
        assert all(vertex[w] == 0 for w in frame if p[w] == 0)
        slope = sum(np.log(float(p[w])) * float(vertex[w] - p[w]) for w in frame if p[w] > 0)
        assert slope >= -1e-12


def test_maximum_entropy_of_batches_and_blocks():
    frame = Frame(range(11))
    m = random(frame, np.random.default_rng(0), size=(3, 300), n_focal=6)
    p = maximum_entropy_probability(m)  # two blocks of rows
    assert p.shape == (3, 300, 11)
    np.testing.assert_allclose(p.sum(axis=-1), 1)
    for place in [(0, 0), (1, 211), (1, 212), (2, 299)]:
        np.testing.assert_allclose(p[place], maximum_entropy_probability(m[place]), atol=1e-14)
    assert maximum_entropy_probability(vacuous(ABC, 0)).shape == (0, 3)


def test_maximum_entropy_of_special_cases():
    assert maximum_entropy_probability(vacuous(ABC)).tolist() == [1 / 3] * 3
    p = [0.5, 0.25, 0.25]
    assert maximum_entropy_probability(bayesian(ABC, p)).tolist() == p
    subnormal = MassFunction(ABC, [0, 1, 7], [0.5, 0.25, 0.25])
    assert maximum_entropy_probability(subnormal).tolist() == [0.5, 0.25, 0.25]
    # {a, b} would share evenly if {a} alone did not claim more
    uneven = MassFunction(ABC, [1, 3, 4], [0.5, 0.25, 0.25])
    assert maximum_entropy_probability(uneven).tolist() == p


@given(frames(2, 4), st.data())
def test_inverse_pignistic_of_betp_commits_to_the_least(frame, data):
    """Same BetP, larger commonality (Dubois, Prade & Smets 2008)."""
    m = data.draw(masses(frame))
    least = inverse_pignistic(frame, betp(m))
    assert betp(least).tolist() == betp(m).tolist()
    assert naive_transform.is_less_committed(named(least), named(m), frame)


@pytest.mark.parametrize("transform", [belief_transform, dsmp, maximum_entropy_probability])
def test_batch_row_is_the_single_one_and_normalized(transform):
    m = random(Frame(range(4)), np.random.default_rng(0), size=(2, 3), conflict=0.25)
    p = transform(m)
    assert p.shape == (2, 3, 4)
    np.testing.assert_allclose(p, transform(m.normalize()), atol=1e-14)
    for i in range(2):
        for j in range(3):
            np.testing.assert_allclose(p[i, j], transform(m[i, j]), atol=1e-14)


def test_undefined_rows_are_named():
    m = MassFunction(ABC, [1, 3, 6], [[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 1, 0]])
    with pytest.raises(
        MassError, match=r"no single label has mass in 1 of 3 rows \(first: row 2\)"
    ):
        belief_transform(m)
    with pytest.raises(MassError, match=r"no mass of their own in 2 of 3 rows \(first: row 1\)"):
        dsmp(m, 0)
    with pytest.raises(DSTheoryError, match="epsilon is -1"):
        dsmp(m, -1)
    with pytest.raises(DSTheoryError, match="epsilon is nan"):
        dsmp(m, np.nan)
    nothing = MassFunction(ABC, [0, 1], [1, 0])
    for transform in (dsmp, maximum_entropy_probability):
        with pytest.raises(TotalConflictError):
            transform(nothing)
    chain = MassFunction(Frame(range(27)), [3 << i for i in range(26)], [1 / 26] * 26)
    with pytest.raises(DSTheoryError, match="27 labels"):
        maximum_entropy_probability(chain)


TINY = [5e-324, 1e-310, 1e-300, 1e-160, 1e-17]


@each("epsilon", [1e308, 1e300, 1e-309, 5e-324, 10**400, Fraction(1, 10**400)])
def test_dsmp_of_ignorance_is_even_for_any_epsilon(epsilon):
    np.testing.assert_allclose(dsmp(vacuous(ABC), epsilon), [1 / 3] * 3, rtol=1e-15)


@each("mass", TINY)
@each("epsilon", [0.0, 1e-310, 1e-200, 1e-3, 1e3, 1e200, 1e308])
def test_dsmp_of_tiny_masses_is_that_of_fractions(mass, epsilon):
    m = MassFunction.from_dict(ABC, {"a": mass, "b": mass / 4, ("a", "b"): 0.25, ABC: 0.75})
    values = {event: Fraction(v) for event, v in named(m).items()}
    exact = naive_transform.dsmp(values, ABC, Fraction(epsilon))
    expected = [float(exact[label]) for label in ABC]
    np.testing.assert_allclose(dsmp(m, epsilon), expected, rtol=1e-14)


def test_dsmp_stays_exact_where_a_set_is_absent_from_a_row():
    rows = [[Fraction(1, 4), Fraction(3, 4), Fraction(0)], [Fraction(1, 4), 0, Fraction(3, 4)]]
    p = dsmp(MassFunction(ABC, [1, 6, 3], rows)[1:], 0)
    assert p.tolist() == [[Fraction(1), 0, 0]]
    assert all(isinstance(value, Fraction | int) for value in p.ravel())


@pytest.mark.parametrize("n_focal", [1, 3, 6])
def test_maximum_entropy_by_unions_is_that_by_all_sets(n_focal, monkeypatch):
    """The densest set is a union of focal sets, so that others need not be listed."""
    m = random(Frame(range(7)), np.random.default_rng(n_focal), size=(2, 20), n_focal=n_focal)
    by_unions = maximum_entropy_probability(m)
    monkeypatch.setattr("dstheory.transform._entropy._MOST_SUBSETS", 0)
    np.testing.assert_allclose(maximum_entropy_probability(m), by_unions, rtol=1e-13, atol=1e-15)


def test_maximum_entropy_on_many_labels():
    """26 labels took more than 3 GB; few focal sets take next to nothing."""
    frame = Frame(range(40))
    m = MassFunction(frame, [3, frame.full], [Fraction(1, 2), Fraction(1, 2)])
    assert maximum_entropy_probability(m).tolist() == [Fraction(1, 4)] * 2 + [Fraction(1, 76)] * 38
    even = bayesian(Frame(range(26)), [Fraction(1, 26)] * 26)
    assert maximum_entropy_probability(even).tolist() == [Fraction(1, 26)] * 26
    pairs = [3 << i for i in range(25)]
    chain = MassFunction(Frame(range(26)), pairs, [0.04] * 25)
    with pytest.raises(DSTheoryError, match=r"26 labels.* takes 4,294,967,296 bytes, more than"):
        maximum_entropy_probability(chain)
