"""The nearest set: its definition by Jousselme's distance, ties, sizes, batches."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, MassFunction, categorical, decide
from dstheory.errors import TotalConflictError
from dstheory.measure import distance
from dstheory.testing import frames, masses
from tests.naive import mass as naive

FRAME = Frame(list("abc"))


def overlaps(m, frame):
    """Mean overlap of each non-empty set with the focal sets, the smallest sets first."""
    sets = [a for a in naive.subsets(frame) if a]
    return {a: sum(v * Fraction(len(a & b), len(a | b)) for b, v in m.items()) for a in sets}


@given(frames().flatmap(lambda frame: masses(frame)))
def test_no_set_is_nearer(m):
    found = decide.chosen_acts(decide.nearest_set(m), m.frame)
    distances = [distance(m, categorical(m.frame, a)) for a in naive.subsets(m.frame) if a]
    assert distance(m, categorical(m.frame, found)) <= min(distances) + 1e-12
    values = overlaps({frozenset(event): v for event, v in m.to_dict().items()}, m.frame)
    assert frozenset(found) == max(values, key=values.get)  # of equal ones the first


def test_ties_go_to_the_smaller_set_then_to_the_first_labels():
    tie = MassFunction(FRAME, [1, 2, 3], [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)])
    assert decide.chosen_acts(decide.nearest_set(tie), FRAME) == ("a", "b")
    even = MassFunction(Frame(range(10)), [1 << i for i in range(10)], [0.1] * 10)
    assert decide.chosen_acts(decide.nearest_set(even), even.frame) == (0,)
    # Rounding makes the sum of three tenths larger than three tenths.
    for measure in ("pl", "bel", "betp"):
        kept = decide.appriou(even, 1, measure=measure)
        assert decide.chosen_acts(kept, even.frame) == (0,)


def test_the_size_may_be_limited():
    m = MassFunction(FRAME, [6, 7], [0.5, 0.5])
    assert decide.chosen_acts(decide.nearest_set(m), FRAME) == ("b", "c")
    assert decide.chosen_acts(decide.nearest_set(m, max_size=1), FRAME) == ("b",)
    for size in (0, 4):
        with pytest.raises(ValueError, match=f"max_size is {size}, expected at "):
            decide.nearest_set(m, max_size=size)


def test_each_row_of_a_batch_is_its_single_result():
    m = MassFunction(FRAME, range(8), np.random.default_rng(0).dirichlet(np.ones(8), (4, 3)))
    kept = decide.nearest_set(m)
    assert kept.tolist() == [[decide.nearest_set(one).tolist() for one in row] for row in m]


def test_many_sets_are_compared_in_blocks():
    frame = Frame(range(18))
    sets = [0b111, 0b1111 << 8, frame.full - 1]
    m = MassFunction(frame, sets, np.random.default_rng(0).dirichlet(np.ones(3) / 4, 40))
    found = decide.chosen_acts(decide.nearest_set(m), frame)
    for row, event in zip(m, found, strict=True):
        rivals = [distance(row, categorical(frame, frame.event(mask))) for mask in sets]
        assert distance(row, categorical(frame, event)) <= min(rivals) + 1e-12


def test_what_has_no_nearest_set_is_refused():
    with pytest.raises(TotalConflictError):
        decide.nearest_set(MassFunction(FRAME, [0], [1.0]))
    with pytest.raises(ValueError, match="21 of 21 labels takes 2,097,151 comparisons"):
        decide.nearest_set(MassFunction(Frame(range(21)), [1], [1.0]))


@pytest.mark.parametrize("one", [1.0, Fraction(1)])
def test_small_sets_of_large_frames(one):
    frame = Frame(range(70))
    m = MassFunction(frame, [1, 1 | 1 << 69, frame.full], [[one / 4, one / 2, one / 4]] * 2)
    found = decide.chosen_acts(decide.nearest_set(m, max_size=2), frame)
    assert found.tolist() == [(0, 69)] * 2
    assert decide.nearest_set(m[0], max_size=1).argmax() == 0
