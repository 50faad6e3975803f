"""Partial decisions: utilities of sets, thresholds, Appriou's rule."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, decide
from dstheory.testing import frames, masses
from tests.naive import decide as naive_decide
from tests.naive import mass as naive

FRAME = Frame(["a", "b", "c"])


def test_sets_are_worth_their_ordered_average():
    """Discounted accuracy 1/|A| at orness 1/2; u65 and u80 for two labels."""
    half = decide.set_utilities(np.eye(3), 0.5)
    names = decide.set_names(FRAME)
    for row, chosen in zip(half, names, strict=True):
        right = [1 / len(chosen) if label in chosen else 0 for label in FRAME]
        assert row == pytest.approx(right)
    for level in (0.65, 0.8):
        pair = decide.set_utilities(np.eye(3), level)[names.index(("a", "c"))]
        assert pair == pytest.approx([level, 0, level], abs=1e-12)
    assert decide.set_utilities(np.eye(3), 1)[-1].tolist() == [1, 1, 1]


def test_set_utilities_use_the_matrix_of_the_acts():
    utilities = [[1, 0.2], [0, 1], [0.5, 0.5]]
    extended = decide.set_utilities(utilities, 0.7)
    assert extended[:3].tolist() == utilities
    assert extended[3] == pytest.approx([0.7, 0.7 + 0.3 * 0.2], abs=1e-12)
    assert len(extended) == len(decide.set_names(range(3))) == 7


def test_max_size_cuts_both_names_and_rows():
    names = decide.set_names(range(30), max_size=2)
    assert names == [*((i,) for i in range(30)), *combinations(range(30), 2)]
    assert decide.set_utilities(np.eye(30), max_size=2).shape == (len(names), 30)
    with pytest.raises(ValueError, match=r"more than 2\*\*20; give a max_size"):
        decide.set_utilities(np.eye(30))
    for size in (0, 4):
        with pytest.raises(ValueError, match=f"max_size is {size}, expected at "):
            decide.set_names(FRAME, max_size=size)


def test_partial_decisions_widen_with_doubt_and_tolerance():
    m = MassFunction(FRAME, [1, 3, 7], [[0.9, 0.1, 0], [0.2, 0.7, 0.1], [0, 0, 1]])
    names = decide.set_names(FRAME)
    chosen = decide.maximize_expected_utility(m, decide.set_utilities(np.eye(3), 0.8), acts=names)
    assert chosen.tolist() == [("a",), ("a", "b"), ("a", "b", "c")]
    strict = decide.maximize_expected_utility(m, decide.set_utilities(np.eye(3), 0.5), acts=names)
    assert [len(answer) for answer in strict] == [1, 1, 1]


@given(st.fractions(0, 1, max_denominator=9), st.fractions(0, 1, max_denominator=9))
def test_the_threshold_is_where_yes_begins(probability, threshold):
    m = MassFunction(Frame([0, 1]), [1, 2], [1 - probability, probability])
    utilities = decide.utilities_from_threshold(threshold)
    assert decide.maximize_expected_utility(m, utilities) == int(probability > threshold)


def test_thresholds_outside_the_unit_interval_are_refused():
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="expected a number from 0 to 1"):
            decide.utilities_from_threshold(threshold)


def appriou_values(m, frame, r, measure):
    """Value of every set, the smallest sets first; exact for r of 0 and 1."""
    m = naive_decide.normalized(m)

    def betp(_, event):
        return sum(naive.betp(m, frame)[w] for w in event)

    f = {"pl": naive.pl, "bel": naive.bel, "betp": betp}[measure]
    return {event: f(m, event) / len(event) ** r for event in naive.subsets(frame) if event}


@given(frames().flatmap(lambda f: masses(f)), st.sampled_from(["pl", "bel", "betp"]))
def test_appriou_is_its_definition(m, measure):
    m_naive = {frozenset(event): v for event, v in m.to_dict().items()}
    for r in (0, 1):
        values = appriou_values(m_naive, m.frame, r, measure)
        best = list(values)[naive_decide.first_best(list(values.values()))]
        found = decide.chosen_acts(decide.appriou(m, r, measure=measure), m.frame)
        assert frozenset(found) == best
    values = appriou_values(m_naive, m.frame, 0.4, measure)
    found = decide.chosen_acts(decide.appriou(m, 0.4, measure=measure), m.frame)
    assert values[frozenset(found)] == pytest.approx(max(values.values()), abs=1e-12)


def test_appriou_prices_size():
    m = MassFunction(FRAME, [1, 2, 4], [Fraction(1, 2), Fraction(3, 8), Fraction(1, 8)])
    sizes = [decide.appriou(m, r).sum() for r in (0, Fraction(1, 4), 0.5, 1)]
    assert sizes == [3, 3, 2, 1]


def test_appriou_of_a_batch_is_that_of_its_rows():
    store = np.random.default_rng(0).dirichlet(np.ones(8), size=(4, 3))
    m = MassFunction(FRAME, range(8), store)
    for measure in ("pl", "bel", "betp"):
        kept = decide.appriou(m, 0.6, measure=measure)
        assert kept.shape == (4, 3, 3)
        rows = [[decide.appriou(one, 0.6, measure=measure).tolist() for one in r] for r in m]
        assert rows == kept.tolist()


def test_appriou_goes_through_large_batches_in_blocks():
    rng = np.random.default_rng(0)
    m = MassFunction(Frame(range(14)), [1, 6, 1 << 13], rng.dirichlet(np.ones(3), size=600))
    kept = decide.appriou(m, 0.5)
    assert kept[[0, 299, 599]].tolist() == [
        decide.appriou(m[i], 0.5).tolist() for i in (0, 299, 599)
    ]


def test_appriou_refuses_wrong_arguments():
    m = MassFunction(FRAME, [7], [1.0])
    with pytest.raises(ValueError, match="r is 2, expected a number from 0 to 1"):
        decide.appriou(m, 2)
    with pytest.raises(ValueError, match="measure is 'q'"):
        decide.appriou(m, measure="q")
    with pytest.raises(ValueError, match="21 labels"):
        decide.appriou(MassFunction(Frame(range(21)), [1], [1.0]))
