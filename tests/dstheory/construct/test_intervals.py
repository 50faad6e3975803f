"""Probability intervals: coherence, natural extension, envelopes."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.construct import (
    bayesian,
    from_probability_intervals,
    lower_envelope,
    natural_extension,
)
from dstheory.construct.tables import from_table
from dstheory.errors import DSTheoryError, MassError
from tests.naive import transform as naive_transform
from tests.support.each import each

ABC = Frame(["a", "b", "c"])


@st.composite
def proper_intervals(draw, min_size=1, max_size=4):
    """Intervals around a probability, in exact numbers."""
    weights = draw(st.lists(st.integers(1, 5), min_size=min_size, max_size=max_size))
    shares = st.integers(0, 4).map(lambda n: Fraction(n, 4))
    p = [Fraction(w, sum(weights)) for w in weights]
    lower = [x * draw(shares) for x in p]
    upper = [x + (1 - x) * draw(shares) for x in p]
    return lower, upper


def extreme_points(lower, upper):
    """Vertices of {p: lower <= p <= upper, sum p = 1}: fill up in every order."""
    for order in permutations(range(len(lower))):
        p, rest = list(lower), 1 - sum(lower)
        for i in order:
            step = min(upper[i] - lower[i], rest)
            p[i], rest = p[i] + step, rest - step
        yield p


@given(proper_intervals())
def test_natural_extension_is_the_range_of_the_probabilities(intervals):
    lower, upper = intervals
    points = list(extreme_points(lower, upper))
    low, high = natural_extension(lower, upper)
    assert low.tolist() == [min(p[i] for p in points) for i in range(len(lower))]
    assert high.tolist() == [max(p[i] for p in points) for i in range(len(lower))]
    again = natural_extension(low, high)
    assert again[0].tolist() == low.tolist()
    assert again[1].tolist() == high.tolist()


@given(proper_intervals())
def test_lower_envelope_is_the_lowest_probability_of_each_set(intervals):
    points = list(extreme_points(*intervals))
    expected = [
        min(sum((p[i] for i in event), Fraction(0)) for p in points)
        for event in naive_transform.by_mask(range(len(intervals[0])))
    ]
    assert lower_envelope(*intervals).tolist() == expected


@given(proper_intervals(2, 4))
def test_belief_function_is_the_envelope_or_there_is_none(intervals):
    """Bel and Pl of each label are its bounds; a negative mass otherwise."""
    frame = Frame(range(len(intervals[0])))
    low, high = natural_extension(*intervals)
    table = lower_envelope(low, high)
    try:
        m = from_table(frame, table, "bel")
    except MassError:
        assert len(frame) > 2
        with pytest.raises(MassError, match="2-monotone, but the table is not a belief function"):
            from_probability_intervals(frame, low, high)
        return
    found = from_probability_intervals(frame, low, high)
    assert found.equals(m, 0)
    assert [found.bel(w) for w in frame] == low.tolist()
    assert [found.pl(w) for w in frame] == high.tolist()


@given(proper_intervals(2, 4))
def test_incoherent_bounds_are_refused(intervals):
    low, high = natural_extension(*intervals)
    assume(low.tolist() != intervals[0] or high.tolist() != intervals[1])
    with pytest.raises(MassError, match="is not reached: the other bounds imply"):
        from_probability_intervals(Frame(range(len(low))), *intervals)


def test_batches_of_floats():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=(4, 5))
    lower = p * 0.6
    upper = lower + 0.4  # a linear-vacuous mixture: m = 0.6 p, and 0.4 on the frame
    m = from_probability_intervals(ABC, lower, upper)
    assert m.focal.tolist() == [1, 2, 4, 7]
    np.testing.assert_allclose(m.bel(["a", "b"]), 0.6 * (p[..., 0] + p[..., 1]))
    low, high = natural_extension(lower, 1)
    assert low.shape == high.shape == (4, 5, 3)


@each(
    ("lower", "upper", "message"),
    [
        ([0.5, 0.5, 0.25], 1, "lower bounds sum to 1.25, more than 1: no probability"),
        ([[0, 0, 0]] * 2, [[1, 1, 1], [0.25, 0.25, 0.25]], "sum to 0.75, less than 1 in row 1"),
        ([0.5, 0, 0], [0.25, 1, 1], "lower bound 0.5 is above its upper bound 0.25"),
        ([-0.5, 0, 0], 1, "lower bound -0.5 does not lie between 0 and 1"),
        ([0, 0, 0], [1, 1.5, 1], "upper bound 1.5 does not lie"),
        ([0, np.nan, 0], 1, "lower bound nan is not finite"),
        (0.5, 1, r"shape \(\)"),
        ([0.5, 0.5], [1, 1], "frame has 3 labels"),
        ([0.5, 0.25, 0], 1, "upper bound 1.0 of 'a' is not reached: .* imply 0.75"),
    ],
)
def test_wrong_bounds_are_refused(lower, upper, message):
    with pytest.raises(MassError, match=message):
        from_probability_intervals(ABC, lower, upper)


def test_precise_probabilities_are_bayesian():
    """Thirds do not sum to 1 exactly in floats."""
    p = np.array([[1 / 3] * 3, [0.1, 0.2, 0.7]])
    assert from_probability_intervals(ABC, p, p).equals(bayesian(ABC, p), 1e-15)


def test_too_many_labels_for_a_table():
    with pytest.raises(DSTheoryError, match=r"2\^27 entries"):
        lower_envelope(np.zeros(27), np.ones(27))
