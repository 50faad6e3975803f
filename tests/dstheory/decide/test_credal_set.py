"""Bounds on gambles: the example of improb, all vertices by hand, and agreement with beliefs."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassError, MassFunction, construct, decide
from dstheory.decide import CredalSet
from dstheory.kernels import bits
from dstheory.kernels import programs as programs_of_kernels
from tests.dstheory.decide.strategies import problems
from tests.naive import decide as naive

FRAME = Frame(list("abc"))
THIRDS = Fraction(1, 8)


@st.composite
def bounded(draw):
    """Gambles, upper bounds that some probability satisfies, and acts; all small integers."""
    row = st.lists(st.integers(-3, 3), min_size=3, max_size=3)
    gambles = draw(st.lists(row, min_size=1, max_size=3))
    counts = draw(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any))
    p = [Fraction(n, sum(counts)) for n in counts]
    room = draw(st.lists(st.integers(0, 4), min_size=len(gambles), max_size=len(gambles)))
    upper = [naive.expectation(g, p) + r * THIRDS for g, r in zip(gambles, room, strict=True)]
    return gambles, upper, draw(st.lists(row, min_size=1, max_size=4))


def test_example_of_improb():
    """Its documentation, an example of Robinson: two upper previsions extend to 2."""
    credal = CredalSet(
        Frame(range(4)), [[1, 2 / 3, 0, 2], [0, 1, 3, 0]], upper=[Fraction(1, 2), Fraction(3, 2)]
    )
    assert decide.upper_expected_utility(credal, [[0, 2, 2, 0]]) == pytest.approx([2])


@given(case=bounded())
def test_expectations_and_admissibility_equal_their_definitions(case):
    gambles, upper, acts = case
    credal = CredalSet(FRAME, gambles, upper=[float(limit) for limit in upper])
    constraints = list(zip(gambles, upper, strict=True))
    corners = naive.polytope_vertices(3, constraints)
    values = [[naive.expectation(act, p) for p in corners] for act in acts]
    lower = decide.lower_expected_utility(credal, acts)
    np.testing.assert_allclose(lower, [float(min(row)) for row in values], atol=1e-8)
    high = decide.upper_expected_utility(credal, acts)
    np.testing.assert_allclose(high, [float(max(row)) for row in values], atol=1e-8)
    assert decide.maximin(credal, acts) in np.flatnonzero(lower > lower.max() - 1e-8)
    best = [naive.is_e_admissible(3, constraints, acts, act) for act in acts]
    assert decide.e_admissibility(credal, acts, atol=1e-7).tolist() == best
    maximal = [
        not any(
            min(naive.expectation(f, p) - naive.expectation(g, p) for p in corners) > 0
            for f in acts
        )
        for g in acts
    ]
    assert decide.maximality(credal, acts, atol=1e-7).tolist() == maximal


@given(problem=problems())
def test_the_credal_set_of_a_belief_decides_as_the_belief(problem):
    m, acts = problem
    masks = np.arange(1, 1 << len(m.frame))
    events = bits.members(masks, len(m.frame)).T.astype(float)
    credal = CredalSet(m.frame, events, lower=[float(m.bel(mask=int(mask))) for mask in masks])
    float_m = MassFunction(m.frame, m.focal, m.masses.astype(float))
    for criterion in (decide.maximality, decide.e_admissibility, decide.interval_dominance):
        found = criterion(credal, acts, atol=1e-7)
        assert found.tolist() == criterion(float_m, acts, atol=1e-7).tolist()
    for criterion in (decide.lower_expected_utility, decide.upper_expected_utility):
        np.testing.assert_allclose(criterion(credal, acts), criterion(float_m, acts), atol=1e-8)


@pytest.mark.parametrize("together", [500, 30_000])
def test_intervals_by_their_closed_form_and_by_programs(monkeypatch, together):
    """Rows of a batch, in many programs and in one, and exactly on fractions."""
    monkeypatch.setattr(programs_of_kernels, "_TOGETHER", together)
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), size=6)
    low, high = np.maximum(p - 0.1, 0), np.minimum(p + rng.uniform(0, 0.3, (6, 4)), 1)
    frame = Frame(range(4))
    closed = CredalSet.from_intervals(frame, low, high)
    programs = CredalSet(frame, np.eye(4), lower=low, upper=high)
    acts = rng.integers(-3, 4, (5, 4))
    for criterion in (
        decide.lower_expected_utility,
        decide.upper_expected_utility,
        decide.maximality,
        decide.e_admissibility,
        decide.maximin,
    ):
        found = criterion(closed, acts)
        assert found.shape[0] == 6
        np.testing.assert_allclose(found, criterion(programs, acts), atol=1e-8)
    tight = programs.natural_extension()
    np.testing.assert_allclose([tight.lower, tight.upper], construct.natural_extension(low, high))
    half = [Fraction(1, 2)] * 3
    exact = CredalSet.from_intervals(FRAME, [Fraction(0)] * 3, half)
    assert exact.lower_expected_utility(np.array([[Fraction(1), Fraction(1), Fraction(0)]])) == [
        Fraction(1, 2)
    ]
    assert decide.e_admissibility(exact).all()


def test_labels_that_intervals_alone_would_keep():
    """Where P(a) > P(b) always, b is not maximal, although its upper bound is above."""
    credal = CredalSet(FRAME, [[1, -1, 0]], lower=[0.25])
    assert decide.interval_dominance(credal).tolist() == [True, True, True]
    assert decide.maximality(credal).tolist() == [True, False, True]
    assert decide.chosen_acts(decide.e_admissibility(credal), FRAME) == ("a", "c")


def test_what_no_belief_describes_has_a_way_on():
    low, high = [0, 0, 0], [0.5, 0.5, 0.5]
    with pytest.raises(MassError, match=r"decide by dstheory\.decide\.CredalSet\.from_intervals"):
        construct.from_probability_intervals(FRAME, low, high)
    credal = CredalSet.from_intervals(FRAME, low, high)
    table = construct.lower_envelope(low, high)
    events = bits.members(np.arange(8), 3).T
    np.testing.assert_allclose(credal.lower_expected_utility(events.astype(float)), table)


def test_payments_of_any_size():
    """HiGHS takes 1e20 for infinite."""
    credal = CredalSet(FRAME, [[1e30, 0, 0], [0, 0, 1e-30]], lower=[2.5e29, 5e-31])
    np.testing.assert_allclose(credal.lower_expected_utility(np.eye(3)), [0.25, 0, 0.5])
    found = credal.upper_expected_utility([[0, 1e200, -1e200], [1e-200, 0, 0]])
    np.testing.assert_allclose(found, [-2.5e199, 5e-201])
    assert credal.shortfalls([[1e100, 0, 0], [0, 0, 0]])[1] == pytest.approx(2.5e99)


def test_bounds_that_leave_one_probability():
    """Off by rounding, which refuses nothing, and by more, which is a sure loss."""
    p = np.array([0.1, 0.2, 0.7])
    for gap in (0, 1e-16, 1e-12):
        credal = CredalSet(FRAME, np.eye(3), lower=p + gap, upper=p - gap)
        np.testing.assert_allclose(credal.lower_expected_utility(np.eye(3)), p, atol=1e-9)
        assert decide.e_admissibility(credal).tolist() == [False, False, True]
    with pytest.raises(MassError, match="sure loss"):
        CredalSet(FRAME, np.eye(3), lower=p + 1e-8, upper=p)


def test_errors_say_what_to_do():
    with pytest.raises(
        MassError, match=r"in row 1 \(they incur sure loss\).* by 0\.25 of the largest"
    ):
        CredalSet(FRAME, [[1, 0, 0], [0, 1, 1]], lower=[[0.5, 0.5], [0.75, 0.75]])
    with pytest.raises(MassError, match="no probability lies within the intervals"):
        CredalSet.from_intervals(FRAME, [0.5, 0.5, 0.5], [1, 1, 1])
    with pytest.raises(MassError, match="the frame has 3 labels"):
        CredalSet.from_intervals(FRAME, [0.5, 0.5], [1, 1])
    with pytest.raises(ValueError, match=r"gambles have shape \(1, 2\)"):
        CredalSet(FRAME, [[1, 0]])
    with pytest.raises(ValueError, match="a bound for each gamble"):
        CredalSet(FRAME, [[1, 0, 0]], lower=[0.1, 0.2])
    with pytest.raises(ValueError, match="a bound is NaN"):
        CredalSet(FRAME, [[1, 0, 0]], lower=[np.nan])
    with pytest.raises(ValueError, match="a lower one inf"):
        CredalSet(FRAME, [[1, 0, 0]], lower=[np.inf])
    with pytest.raises(TypeError, match="no pignistic probability"):
        decide.maximize_expected_utility(CredalSet(FRAME, [[1, 0, 0]]))
    with pytest.raises(AttributeError, match="immutable"):
        CredalSet(FRAME, [[1, 0, 0]]).lower = 0
