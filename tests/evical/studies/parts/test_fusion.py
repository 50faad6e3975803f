"""Fusions against the rules of dstheory, and total conflict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import dempster
from evical.studies.parts._fusion import FUSIONS

FRAME = Frame((0, 1))


def beliefs(rows) -> MassFunction:
    """Batch from rows of m({0}), m({1}), m({0, 1})."""
    return MassFunction(FRAME, [1, 2, 3], np.asarray(rows, float))


def simplex() -> st.SearchStrategy:
    weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(sum)
    return weights.map(lambda w: [x / sum(w) for x in w])


@given(st.lists(st.lists(simplex(), min_size=3, max_size=3), min_size=1, max_size=5))
def test_dempsters_rule_row_by_row(rows):
    sources = [beliefs([row[i] for row in rows]) for i in range(3)]
    fused, conflicting = FUSIONS["dempster"].combine(sources, [1, 1, 1])
    for row in range(len(rows)):
        single = [source[row] for source in sources]
        if conflicting[row]:
            with pytest.raises(ValueError, match="total conflict"):
                dempster(*single)
            assert fused[row].is_vacuous
        else:
            assert fused[row].equals(dempster(*single), atol=1e-12)


def test_only_rows_in_total_conflict_become_vacuous():
    one, other = beliefs([[1, 0, 0], [0.5, 0.5, 0]]), beliefs([[0, 1, 0], [0.25, 0.75, 0]])
    fused, conflicting = FUSIONS["dempster"].combine([one, other], [1, 1])
    assert conflicting.tolist() == [True, False]
    np.testing.assert_allclose(fused.bel(1), [0, 0.75])
    np.testing.assert_allclose(fused.pl(1), [1, 0.75])


def test_near_total_conflict_keeps_its_digits():
    # Divided by 1 - conflict, the ratio 1 : 3 would drown in rounding.
    one = beliefs([[1 - 1e-200, 1e-200, 0]])
    other = beliefs([[3e-200, 1 - 3e-200, 0]])
    fused, conflicting = FUSIONS["dempster"].combine([one, other], [1, 1])
    assert not conflicting.any()
    np.testing.assert_allclose(fused.bel(1), 0.25)


def test_largest_and_weighted_mean_by_hand():
    sources = [beliefs([[1, 0, 0]]), beliefs([[0, 0.5, 0.5]])]
    largest, _ = FUSIONS["largest"].combine(sources, [1, 3])
    mean, conflicting = FUSIONS["weighted_mean"].combine(sources, [1, 3])
    assert largest == sources[1]
    np.testing.assert_allclose(mean.masses, [[0.25, 0.375, 0.375]])
    assert not conflicting.any()
