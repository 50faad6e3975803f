"""Pignistic and plausibility transforms, and the inverse of the pignistic one."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian, random, simple
from dstheory.errors import MassError, TotalConflictError
from dstheory.testing import frames, masses
from dstheory.transform import (
    betp,
    inverse_pignistic,
    optimal_possibility,
    plausibility_transform,
)
from tests.naive import mass as naive
from tests.naive import transform as naive_transform

ABC = Frame(["a", "b", "c"])


def named(m):
    return {frozenset(event): v for event, v in m.to_dict().items()}


def open_worlds(frame):
    """Mass functions that may have mass on the empty set, but not all of it."""
    return masses(frame, empty=True).filter(lambda m: m.mass([]) < 1)


def probabilities(frame):
    weights = st.lists(st.integers(0, 4), min_size=len(frame), max_size=len(frame))
    return weights.filter(any).map(lambda w: [Fraction(n, sum(w)) for n in w])


@given(frames(1, 4), st.data())
def test_betp_equals_the_definition(frame, data):
    m = data.draw(open_worlds(frame))
    expected = naive.betp(named(m), frame)
    assert dict(zip(frame, betp(m), strict=True)) == expected


@given(frames(1, 4), st.data())
def test_plausibility_transform_equals_the_definition(frame, data):
    m = data.draw(open_worlds(frame))
    expected = naive.plausibility_transform(named(m), frame)
    assert dict(zip(frame, plausibility_transform(m), strict=True)) == expected


@given(frames(1, 4), st.data())
def test_betp_lies_between_bel_and_pl(frame, data):
    """BetP is compatible with a normalized m (Smets & Kennes 1994)."""
    m = data.draw(masses(frame))
    p = betp(m)
    for mask in range(frame.full + 1):
        share = sum((p[i] for i in range(len(frame)) if mask >> i & 1), Fraction(0))
        assert m.bel(mask=mask) <= share <= m.pl(mask=mask)


@given(st.data())
def test_plausibility_transform_commutes_with_dempster(data):
    """Voorbraak (1989); Cobb & Shenoy (2006)."""
    m1, m2 = (data.draw(masses(ABC, dogmatic=False)) for _ in range(2))
    product = plausibility_transform(m1) * plausibility_transform(m2)
    assert (plausibility_transform(m1 @ m2) == product / product.sum()).all()


@given(frames(1, 4), st.data())
def test_inverse_pignistic_equals_the_definition_and_inverts_betp(frame, data):
    p = data.draw(probabilities(frame))
    m = inverse_pignistic(frame, p)
    assert named(m) == naive_transform.inverse_pignistic(dict(zip(frame, p, strict=True)))
    assert betp(m).tolist() == p
    assert m.is_consonant


@given(frames(2, 4), st.data())
def test_inverse_pignistic_is_least_committed(frame, data):
    """q of every mass function with the same BetP is no larger (Dubois, Prade & Smets 2008)."""
    m = data.draw(masses(frame))
    least = inverse_pignistic(frame, betp(m))
    assert naive_transform.is_less_committed(named(least), named(m), frame)


@given(frames(1, 4), st.data())
def test_optimal_possibility_equals_its_definition_and_is_most_specific(frame, data):
    """It brackets p, as does the inverse pignistic one, which is nowhere more specific.

    No label's possibility can be less: with p(x) and all smaller ones outside, the necessity of
    the rest, 1 - pl(x), would exceed its probability (Dubois et al. 2004, section 3).
    """
    p = data.draw(probabilities(frame))
    m = optimal_possibility(frame, p)
    assert named(m) == naive_transform.optimal_possibility(dict(zip(frame, p, strict=True)))
    for event in naive_transform.subsets(frame):
        probability = sum(p[frame.labels.index(w)] for w in event)
        assert m.bel(list(event)) <= probability <= m.pl(list(event))
    assert (m.contour() <= inverse_pignistic(frame, p).contour()).all()
    at_most = [[w for w in frame if p[frame.labels.index(w)] <= v] for v in p]
    outside = [1 - sum(p[frame.labels.index(w)] for w in event) for event in at_most]
    assert (1 - m.contour()).tolist() == outside


def test_optimal_possibility_of_batches():
    p = np.array([[[0.5, 0.25, 0.25], [0.1, 0.6, 0.3]]])
    np.testing.assert_allclose(
        optimal_possibility(ABC, p).contour(), [[[1, 0.5, 0.5], [0.1, 1, 0.4]]]
    )
    rounded = optimal_possibility(ABC, [0.1 + 0.2, 0.3, 0.4])  # the first is 4e-17 larger
    np.testing.assert_allclose(rounded.contour(), [0.6, 0.6, 1])
    large = np.random.default_rng(0).dirichlet(np.ones(100), size=5)
    m = optimal_possibility(Frame(range(100)), large)
    assert (m.contour() >= large - 1e-12).all()
    assert m.is_normalized.all()


@pytest.mark.parametrize("transform", [betp, plausibility_transform])
def test_batch_row_is_the_single_one(transform):
    m = random(Frame(range(5)), np.random.default_rng(0), size=(2, 3), n_focal=7, conflict=0.1)
    p = transform(m)
    assert p.shape == (2, 3, 5)
    np.testing.assert_allclose(p.sum(axis=-1), 1)
    for i in range(2):
        for j in range(3):
            np.testing.assert_allclose(p[i, j], transform(m[i, j]), atol=1e-15)


def test_conflict_near_one_keeps_its_digits():
    m = MassFunction(ABC, [0, 1, 2], [1 - 4e-15, 3e-15, 1e-15])
    np.testing.assert_allclose(betp(m), [0.75, 0.25, 0])
    np.testing.assert_allclose(plausibility_transform(m), [0.75, 0.25, 0])


def test_inverse_pignistic_of_batches_and_large_frames():
    p = np.array([[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]])
    m = inverse_pignistic(ABC, p)
    assert m.batch_shape == (1, 2)
    assert m.focal.tolist() == [1, 4, 7]  # the ties make no set
    large = np.arange(1, 101) / 5050
    np.testing.assert_allclose(betp(inverse_pignistic(Frame(range(100)), large)), large)


def test_symbols():
    s = sympy.Symbol("s", nonnegative=True)
    p = betp(simple(ABC, "a", mass=s))
    assert sympy.simplify(p[0] - (1 + 2 * s) / 3) == 0
    assert sympy.simplify(sum(p) - 1) == 0


@pytest.mark.parametrize("transform", [betp, plausibility_transform])
def test_total_conflict_names_the_rows(transform):
    m = MassFunction(ABC, [0, 1], [[0.5, 0.5], [1, 0]])
    with pytest.raises(TotalConflictError, match=r"1 of 2 rows \(first: row 1\)"):
        transform(m)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, 0.75, -0.25], "probability -0.25 is negative"),
        ([[0.5, 0.5, 0], [0.5, 0.25, 0]], "sum to 0.75 in row 1"),
        ([0.5, np.nan, 0.5], "nan is not finite"),
        ([1.0], "3 labels"),
    ],
)
def test_wrong_probabilities_are_refused(p, message):
    for transform in (inverse_pignistic, optimal_possibility):
        with pytest.raises(MassError, match=message):
            transform(ABC, p)


def test_bayesian_masses_are_their_own_transforms():
    p = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    m = bayesian(ABC, p)
    assert betp(m).tolist() == plausibility_transform(m).tolist() == p
    assert inverse_pignistic(ABC, p).bel("a") == Fraction(1, 6)
