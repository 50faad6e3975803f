"""Rounded scores: near, nested, as many as wanted, and of bounded effect."""

from fractions import Fraction
from math import frexp

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evical import ScoreCounts
from evical.calibrators import LogisticCalibrator
from evical.scores.counts import bits_within, rounded

finite = st.floats(allow_nan=False, allow_infinity=False)


def middle(score, bits):
    """The definition, on fractions: of the floats of a cell, the middle."""
    if abs(score) < 2.0**-1022:
        return 0.0
    exponent = frexp(score)[1] - 1
    size = Fraction(2) ** (exponent - bits)
    below = abs(Fraction(score)) // size * size
    return float(below + size / 2) * (1 if score > 0 else -1)


@given(score=finite, bits=st.integers(0, 51))
@example(score=1.7976931348623157e308, bits=0)
@example(score=5e-324, bits=3)
@example(score=-0.0, bits=9)
def test_definition(score, bits):
    assert rounded(np.array([score]), bits).tolist() == [middle(score, bits)]


@given(score=finite, bits=st.integers(0, 52), fewer=st.integers(0, 52))
def test_cells_nest(score, bits, fewer):
    scores = np.array([score])
    least = min(bits, fewer)
    assert rounded(rounded(scores, bits), least) == rounded(scores, least)
    if abs(score) >= 2.0**-1022:
        assert abs(rounded(scores, bits) - scores) <= abs(score) * 2.0 ** -(bits + 1)


@given(scores=st.lists(finite, min_size=1, max_size=30, unique=True), size=st.integers(1, 30))
def test_as_many_bits_as_possible(scores, size):
    scores = np.unique(np.array(scores) + 0.0)
    bits = bits_within(scores, size)
    assert bits == 0 or len(np.unique(rounded(scores, bits))) <= size
    if bits < 52:
        assert len(np.unique(rounded(scores, bits + 1))) > size


def log_loss(counts, slope, intercept):
    odds = slope * counts.scores + intercept
    losses = counts.positive @ np.logaddexp(0, -odds) + counts.negative @ np.logaddexp(0, odds)
    return losses / counts.total.sum()


@pytest.mark.parametrize("max_size", [60, 200])
def test_what_a_sketch_can_change(max_size):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=4000)
    counts = ScoreCounts.from_samples(scores, rng.normal(size=4000) < scores)
    small, bits = counts.sketch(max_size)
    assert len(small) <= max_size
    assert (small.n_negative, small.n_positive) == (counts.n_negative, counts.n_positive)
    moved = np.abs(rounded(counts.scores, bits) - counts.scores).max()
    best, own = (
        LogisticCalibrator(model="bayesian").fit_counts(one, [0, 1]).theta_
        for one in (counts, small)
    )
    steepest = max(abs(best[0]), abs(own[0]))
    for curve in (best, own):
        change = abs(log_loss(small, *curve) - log_loss(counts, *curve))
        assert change <= abs(curve[0]) * moved
    assert log_loss(counts, *own) - log_loss(counts, *best) <= 2 * steepest * moved


def test_enough_memory_rounds_nothing():
    counts = ScoreCounts.from_samples([0.1, 0.2, 0.3], [0, 1, 1])
    small, bits = counts.sketch(3)
    assert (small, bits) == (counts, 52)
    assert counts.rounded(52).scores.tolist() == [0.1, 0.2, 0.3]


def test_sizes_and_bits_are_checked():
    counts = ScoreCounts.from_samples([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match="max_size is 0"):
        counts.sketch(0)
    with pytest.raises(ValueError, match="bits is 53"):
        counts.rounded(53)
