"""Counted scores: the definition by dictionaries, merging, thinning out."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.scores import ScoreCounts
from evical.scores.counts import midpoints
from tests.support.each import each

finite = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=25
).filter(lambda triples: any(weight for _, _, weight in triples))


def columns(triples):
    scores, y, weights = zip(*triples, strict=True)
    return np.array(scores, dtype=float), np.array(y), np.array(weights, dtype=float)


def as_dict(counts):
    lists = (counts.scores.tolist(), counts.negative.tolist(), counts.positive.tolist())
    return {s: (negative, positive) for s, negative, positive in zip(*lists, strict=True)}


@given(triples=rows)
def test_counts_as_defined(triples):
    negative, positive = Counter(), Counter()
    for score, label, weight in triples:
        (positive if label else negative)[score] += weight
    wanted = {s: (negative[s], positive[s]) for s in sorted({s for s, _, w in triples if w})}
    counts = ScoreCounts.from_samples(*columns(triples))
    assert as_dict(counts) == wanted
    assert len(counts) == len(wanted)
    assert (np.diff(counts.scores) > 0).all()
    assert counts.n_negative == sum(negative.values())
    assert counts.n_positive == sum(positive.values())
    np.testing.assert_array_equal(counts.total, counts.negative + counts.positive)


@given(triples=rows, cut=st.integers(1, 24))
def test_merging_chunks_counts_the_whole(triples, cut):
    first, second = triples[:cut], triples[cut:]
    if not any(w for *_, w in first) or not any(w for *_, w in second):
        return
    parts = [ScoreCounts.from_samples(*columns(part)) for part in (first, second)]
    assert as_dict(parts[0] + parts[1]) == as_dict(ScoreCounts.from_samples(*columns(triples)))
    assert as_dict(parts[0] + parts[1]) == as_dict(parts[1] + parts[0])


def test_merging_with_something_else():
    with pytest.raises(TypeError):
        ScoreCounts.from_samples([1], [1]) + 1


def test_negative_zero_is_zero():
    assert len(ScoreCounts.from_samples([0.0, -0.0], [0, 1])) == 1


@given(triples=rows, n_groups=st.integers(1, 30))
def test_groups_are_nearly_even(triples, n_groups):
    counts = ScoreCounts.from_samples(*columns(triples))
    starts = counts.group_starts(n_groups)
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()
    assert len(starts) <= min(n_groups, len(counts))
    weights = np.add.reduceat(counts.total, starts)
    even = counts.total.sum() / n_groups
    assert weights.max() <= even + counts.total.max() + 1e-9


@given(triples=rows, max_size=st.integers(1, 30))
def test_compressing_keeps_weights_means_and_order(triples, max_size):
    counts = ScoreCounts.from_samples(*columns(triples))
    small = counts.compress(max_size)
    assert len(small) <= max_size
    assert small is counts or len(counts) > max_size
    assert small.n_negative == counts.n_negative
    assert small.n_positive == counts.n_positive
    assert (np.diff(small.scores) > 0).all()
    assert small.scores @ small.total == pytest.approx(counts.scores @ counts.total, abs=1e-9)


@each("unit", [0.1, 0.3, 0.7, 1 / 3])
def test_groups_do_not_depend_on_the_unit_of_weights(unit):
    """A place that is a whole number fell to either side by rounding."""
    for n, n_groups in ((50, 4), (150, 4), (200, 10), (200, 64)):
        y = np.arange(n) % 2
        one, other = (
            ScoreCounts.from_samples(np.arange(n), y, np.full(n, weight)) for weight in (1, unit)
        )
        np.testing.assert_array_equal(other.group_starts(n_groups), one.group_starts(n_groups))


@given(scores=st.lists(finite, min_size=1, max_size=20), max_size=st.integers(1, 5))
def test_compressed_scores_stay_in_their_groups(scores, max_size):
    scores = [score / 4 for score in scores]  # differences must be finite
    counts = ScoreCounts.from_samples(scores, [0] * len(scores))
    starts = counts.group_starts(max_size)
    small = counts.compress(max_size)
    if small is counts:
        return
    ends = np.append(starts[1:], len(counts)) - 1
    assert (counts.scores[starts] <= small.scores).all()
    assert (small.scores <= counts.scores[ends]).all()


def test_compress_to_nothing():
    with pytest.raises(ValueError, match="max_size is 0"):
        ScoreCounts.from_samples([1], [1]).compress(0)
    with pytest.raises(TypeError, match="whole number"):
        ScoreCounts.from_samples([1, 2], [1, 0]).compress(1.5)


@given(one=finite, two=finite)
def test_midpoints_lie_between(one, two):
    left, right = min(one, two), max(one, two)
    if left == right:
        return
    (middle,) = midpoints(np.array([left]), np.array([right]))
    assert left < middle <= right
    exact = (Fraction(left) + Fraction(right)) / 2
    assert middle == right or abs(Fraction(float(middle)) - exact) <= Fraction(
        np.spacing(abs(middle))
    )


@each(
    ("arguments", "message"),
    [
        (([], []), "scores are empty"),
        (([1], [0, 1]), "scores has 1 row, y has 2"),
        (([np.nan], [0]), r"scores\[0\] is nan"),
        (([1, np.inf], [0, 1]), r"scores\[1\] is inf"),
        (([1, 2], [0, 2]), r"y\[1\] is 2\.0, expected 0 or 1"),
        (([1, 2], [0, np.nan]), r"y\[1\] is nan"),
        (([1, 2], [0, 1], [1]), r"sample_weight has shape \(1,\), expected \(2,\)"),
        (([1, 2], [0, 1], [1, -1]), r"sample_weight\[1\] is -1\.0"),
        (([1, 2], [0, 1], [0, 0]), "all sample weights are zero"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ScoreCounts.from_samples(*arguments)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_samples_does_not_matter(seed):
    """Sums of weights of any size are the same to the last bit."""
    rng = np.random.default_rng(seed)
    scores, y = rng.integers(0, 5, 200) / 5, rng.integers(0, 2, 200)
    weights = 10.0 ** rng.uniform(-12, 13, 200)
    counts = ScoreCounts.from_samples(scores, y, weights)
    order = rng.permutation(200)
    again = ScoreCounts.from_samples(scores[order], y[order], weights[order])
    for name in ("scores", "negative", "positive"):
        np.testing.assert_array_equal(getattr(again, name), getattr(counts, name))
