"""Methods: fusions against the rules of dstheory, total conflict, and wrong names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import dempster
from evical.fusion import as_rule
from examples.studies.parts.methods import Method, combine
from examples.studies.parts.shares import Shares

FRAME = Frame((0, 1))


def beliefs(rows) -> MassFunction:
    """Batch from rows of m({0}), m({1}), m({0, 1})."""
    return MassFunction(FRAME, [1, 2, 3], np.asarray(rows, float))


def combined(name, sources, sizes):
    """Beliefs combined by a rule of this name, or that of the largest, with shares of sizes."""
    n = len(sources[0])
    subsets = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    drawn = Shares(np.zeros((sum(sizes), 2)), np.zeros(sum(sizes)), subsets, None, np.zeros(n))
    if name == "largest":
        return combine(drawn, sources, None)
    rule = as_rule(name)
    return combine(drawn, sources, rule.fit(sizes=sizes) if hasattr(rule, "fit") else rule)


def simplex() -> st.SearchStrategy:
    weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(sum)
    return weights.map(lambda w: [x / sum(w) for x in w])


@given(st.lists(st.lists(simplex(), min_size=3, max_size=3), min_size=1, max_size=5))
def test_dempsters_rule_row_by_row(rows):
    sources = [beliefs([row[i] for row in rows]) for i in range(3)]
    fused = combined("dempster", sources, [1, 1, 1])
    for row in range(len(rows)):
        single = [source[row] for source in sources]
        interval = [fused.bel[row], fused.pl[row]]
        if fused.conflicting[row]:
            with pytest.raises(ValueError, match="total conflict"):
                dempster(*single)
            assert interval == [0, 1]
        else:
            alone = dempster(*single)
            np.testing.assert_allclose(interval, [alone.bel(1), alone.pl(1)], atol=1e-12)


def test_only_rows_in_total_conflict_become_vacuous():
    one, other = beliefs([[1, 0, 0], [0.5, 0.5, 0]]), beliefs([[0, 1, 0], [0.25, 0.75, 0]])
    fused = combined("dempster", [one, other], [1, 1])
    assert fused.conflicting.tolist() == [True, False]
    np.testing.assert_allclose(fused.bel, [0, 0.75])
    np.testing.assert_allclose(fused.pl, [1, 0.75])
    mean = combined("size_mixture", [one, other], [2, 1])
    assert not mean.conflicting.any()
    np.testing.assert_allclose(mean.bel, [1 / 3, 0.5 * 2 / 3 + 0.25])


def test_near_total_conflict_keeps_its_digits():
    # Divided by 1 - conflict, the ratio 1 : 3 would drown in rounding.
    one = beliefs([[1 - 1e-200, 1e-200, 0]])
    other = beliefs([[3e-200, 1 - 3e-200, 0]])
    fused = combined("dempster", [one, other], [1, 1])
    assert not fused.conflicting.any()
    np.testing.assert_allclose(fused.bel, 0.25)


def test_largest_and_weighted_mean_by_hand():
    sources = [beliefs([[1, 0, 0]]), beliefs([[0, 0.5, 0.5]])]
    largest = combined("largest", sources, [1, 3])
    mean = combined("size_mixture", sources, [1, 3])
    assert (largest.bel.item(), largest.pl.item()) == (0.5, 1.0)
    np.testing.assert_allclose([mean.bel, mean.pl], [[0.375], [0.75]])
    assert not (largest.conflicting | mean.conflicting).any()


def test_vacuous_sources_do_not_conflict():
    nothing = beliefs([[0, 0, 1]])
    fused = combined("dempster", [nothing, nothing], [1, 1])
    assert (fused.bel.item(), fused.pl.item()) == (0, 1)
    assert not fused.conflicting.any()


def test_wrong_methods_are_refused():
    with pytest.raises(ValueError, match="calibrator is 'magic', expected one of 'binning'"):
        Method("magic", "likelihood")
    with pytest.raises(ValueError, match="fusion is 'sum', expected one of 'dempster'"):
        Method("binning", "likelihood", "sum")
    with pytest.raises(ValueError, match="model is 'dempster', expected one of 'likelihood'"):
        Method("logistic", "dempster")  # which is a model of bins
