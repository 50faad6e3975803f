"""Binnings into equal weights: which there are, which are kept, and their average."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.curves.bayesian_binning import cumulate
from evical.curves.quantile_binning import (
    _numbers,
    bin_range,
    layered_average,
    quantile_binnings,
    select_best,
)
from evical.scores import ScoreCounts
from tests.naive import bayesian_binning as naive
from tests.support.each import each

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), min_size=1, max_size=25)


def counted(samples, weights=None):
    scores, y = zip(*samples, strict=True)
    return ScoreCounts.from_samples(scores, y, weights)


@each("n", [*range(1, 200), 999, 1000, 1001, 8000, 27001, 10**6, 10**6 + 1])
def test_range_of_the_number_of_bins(n):
    assert bin_range(float(n)) == naive.default_range(n)


@given(pairs, st.integers(1, 12), st.sampled_from(["last", "spread"]))
def test_bins_hold_equal_weights_and_ties_stay_together(samples, n_bins, remainder):
    (starts,) = quantile_binnings(counted(samples), n_bins, n_bins, remainder)
    bins = cumulate(counted(samples)).bins(starts)
    parts = naive.equal_frequency(samples, n_bins, remainder == "spread")
    assert bins.positive.tolist() == [sum(y for _, y in part) for part in parts]
    assert bins.negative.tolist() == [sum(1 - y for _, y in part) for part in parts]
    assert bins.positive_scores.tolist() == [sum(s * y for s, y in part) for part in parts]


@given(pairs, st.integers(1, 3))
def test_all_distinct_binnings_are_there_once(samples, least):
    counts = counted(samples)
    found = [starts.tolist() for starts in quantile_binnings(counts, least, 40, "spread")]
    one_by_one = [counts.group_starts(n).tolist() for n in range(least, 41)]
    assert found == [starts for i, starts in enumerate(one_by_one) if starts not in one_by_one[:i]]


def test_scores_without_ties_are_divided_evenly():
    counts = counted([(i, i % 2) for i in range(103)])
    (starts,) = quantile_binnings(counts, 10, 10)
    assert np.diff(starts, append=103).tolist() == [10] * 9 + [13]
    (starts,) = quantile_binnings(counts, 10, 10, "spread")
    assert set(np.diff(starts, append=103).tolist()) == {10, 11}


@given(st.lists(st.integers(0, 8), min_size=1, max_size=12), st.sampled_from([0.001, 0.1, 1, 3]))
def test_the_best_are_kept_down_to_where_scores_level_off(values, alpha):
    scores = np.array(values) / max(*values, 1)
    if scores.max() < 1:
        scores += 1
    kept = select_best(scores, alpha)
    ranked = sorted(scores, reverse=True)
    assert scores[kept].tolist() == ranked[: naive.k_alpha(ranked, alpha)]


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([1], [0]),
        ([1, 1, 1], [0, 1, 2]),
        ([0.5, 1, 1, 0.5, 0], [1, 2, 0]),
        ([1, 0.5, 0.25, 0.25, 0], [0, 1, 2]),
        ([1, 1 - 1e-12, 0.5, 0.5], [0, 1, 2]),
    ],
)
def test_which_are_kept(scores, kept):
    assert select_best(np.array(scores, dtype=float), 0.001).tolist() == kept


@given(
    st.lists(
        st.tuples(st.sets(st.integers(1, 20), max_size=6), st.integers(1, 9)),
        min_size=1,
        max_size=5,
    )
)
def test_average_of_step_functions(layers):
    starts = [np.array([0, *sorted(inner)]) for inner, _ in layers]
    weights = np.array([weight for _, weight in layers], dtype=float)
    rng = np.random.default_rng(0)
    values = [rng.random((2, len(begins))) for begins in starts]
    merged, averaged = layered_average(starts, weights, values)
    for x in range(22):
        wanted = sum(
            weight * value[:, np.searchsorted(begins, x, side="right") - 1]
            for begins, weight, value in zip(starts, weights, values, strict=True)
        )
        got = averaged[:, np.searchsorted(merged, x, side="right") - 1]
        np.testing.assert_allclose(got, wanted, atol=1e-12)


@pytest.mark.parametrize("remainder", ["last", "spread"])
def test_far_more_bins_than_scores(remainder):
    """The bin of a score is a quotient then, the same as that of a table of limits."""
    counts = counted([(i, i % 2) for i in range(5)], [1, 3, 2, 7, 4])
    got = list(quantile_binnings(counts, 90, 100, remainder))
    assert [starts.tolist() for starts in got] == [[0, 1, 2, 3, 4]]
    heavy = ScoreCounts(counts.scores, 1e15 * counts.negative, 1e15 * counts.positive)
    least, greatest = bin_range(float(heavy.total.sum()))
    assert greatest > 10**6
    assert len(list(quantile_binnings(heavy, least, greatest, remainder))) == 1


def test_very_many_numbers_of_bins_are_thinned_out():
    numbers = _numbers(3, 10**9)
    assert numbers[0] == 3
    assert numbers[-1] == 10**9
    assert len(numbers) <= 4096
    assert max(b / a for a, b in pairwise(numbers)) < 1.4
    assert _numbers(3, 1000) == list(range(3, 1001))
