"""Goodman's simultaneous intervals: definition, coherence, coverage, and bad input."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.inference import multinomial_bounds
from tests.naive import multinomial as naive
from tests.support.each import each

count_vectors = st.lists(st.integers(0, 60), min_size=2, max_size=6).filter(any)


@given(count_vectors, st.sampled_from([0.5, 0.95, 0.999]))
def test_definition(counts, confidence):
    lower, upper = multinomial_bounds(counts, "goodman", confidence=confidence)
    expected = naive.goodman(counts, confidence)
    np.testing.assert_allclose([lower, upper], expected, rtol=0, atol=1e-14)


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=6).filter(any))
def test_law_bounds_are_coherent(counts):
    """Each bound is reached by a probability within the intervals (see the notes)."""
    lower, upper = multinomial_bounds(counts, "goodman")
    for k in range(len(counts)):
        assert upper.sum() - upper[k] >= 1 - lower[k] - 1e-12
        assert lower.sum() - lower[k] <= 1 - upper[k] + 1e-12
    assert (lower >= 0).all()
    assert (upper <= 1).all()
    assert (lower <= upper).all()


@given(count_vectors)
def test_law_proportions_lie_within(counts):
    lower, upper = multinomial_bounds(counts, "goodman")
    share = np.array(counts) / sum(counts)
    assert (lower <= share + 1e-15).all()
    assert (share <= upper + 1e-15).all()


def test_law_joint_coverage():
    """All intervals hold together at least at the level, up to the normal approximation."""
    rng = np.random.default_rng(3)
    p = np.array([0.1, 0.2, 0.3, 0.4])
    lower, upper = multinomial_bounds(rng.multinomial(200, p, size=4000), "goodman", confidence=0.9)
    covered = ((lower <= p) & (p <= upper)).all(axis=-1).mean()
    assert 0.88 < covered < 0.95


def test_rare_categories_keep_their_relative_accuracy():
    """With 1 of 10^12, the lower limit is q-free to first order: 1 / (N (q + 2 + root) / 2)."""
    lower, _ = multinomial_bounds([1, 10**12 - 1], "goodman")
    q = 5.02388618731488
    expected = 2 / (q + 2 + np.sqrt(q * (q + 4))) / 1e12
    assert lower[0] == pytest.approx(expected, rel=1e-11)


def test_no_observation_says_nothing():
    lower, upper = multinomial_bounds([[0, 0, 0], [1, 0, 0]], "goodman")
    assert lower[0].tolist() == [0, 0, 0]
    assert upper[0].tolist() == [1, 1, 1]
    assert upper[1, 0] == 1
    assert lower[1, 1] == 0


@each(
    ("counts", "confidence", "error", "message"),
    [
        ([1, -1], 0.9, ValueError, "count -1.0: a count is not negative"),
        ([[1, 2], [3, np.nan]], 0.9, ValueError, "count nan in row 1: not a finite number"),
        ([[[1, 2], [np.inf, 4]]], 0.9, ValueError, r"count inf in row \(0, 1\): not a finite"),
        (3, 0.9, ValueError, "single number 3; give one count for each category"),
        ([], 0.9, ValueError, "counts are empty"),
        (["a"], 0.9, TypeError, r"counts have dtype \w+, expected real numbers"),
        ([1, 2], 1.0, ValueError, r"confidence is 1.0, expected a level inside \(0, 1\)"),
    ],
)
def test_bad_input(counts, confidence, error, message):
    with pytest.raises(error, match=message):
        multinomial_bounds(counts, "goodman", confidence=confidence)


@pytest.mark.parametrize("size", [1e-300, 1e160, 1e300, 5e307])
def test_limits_of_any_size(size):
    """With mpmath; NaN or 0 for counts beyond 1e300 before."""
    counts = [size, size / 2, 0.0]
    lower, upper = multinomial_bounds(counts, "goodman")
    with mpmath.workdps(700):
        q = 2 * mpmath.erfinv(1 - mpmath.mpf("0.05") / 3) ** 2
        n = mpmath.fsum(map(mpmath.mpf, counts))
        for x, low, high in zip(map(mpmath.mpf, counts), lower, upper, strict=True):
            root = mpmath.sqrt(q * (q + 4 * x * (n - x) / n))
            assert high == pytest.approx(float((q + 2 * x + root) / (2 * (n + q))), rel=1e-12)
            if size > 1:
                assert low == pytest.approx(float((q + 2 * x - root) / (2 * (n + q))), rel=1e-12)
