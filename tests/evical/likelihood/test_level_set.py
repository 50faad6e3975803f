"""Ends of level sets: closed forms, counts of any size, deviances with corners and jumps."""

import mpmath
import numpy as np
import pytest

from evical.likelihood.level_set import binomial_level_set, level_set
from tests.support.each import each


@each("level", [1e-6, 0.5, 2.0, 50.0])
@each(("positive", "negative"), [(1, 1), (1, 30), (0.25, 0.5), (3e4, 10), (1e6, 2e6), (4e10, 5e10)])
def test_relative_likelihood_at_the_ends(positive, negative, level):
    """p^k (1 - p)^(n - k) over its maximum is exp(-level), in 60 digits."""
    n = positive + negative
    low, high = binomial_level_set(np.array([float(positive)]), np.array([float(n)]), level)[:, 0]
    assert low < positive / n < high
    with mpmath.workdps(60):
        k, m = mpmath.mpf(positive), mpmath.mpf(negative)
        best = k * mpmath.log(k / (k + m)) + m * mpmath.log(m / (k + m))
        for end in {low, high} - {1.0}:  # to which the end can round
            p = mpmath.mpf(end)
            deviance = best - k * mpmath.log(p) - m * mpmath.log(1 - p)
            # An end is known to the last bit of a probability.
            slope = abs(float(k / p - m / (1 - p)))
            assert float(deviance) == pytest.approx(level, rel=1e-7, abs=4e-16 * slope)


def test_samples_of_one_class_and_none():
    found = binomial_level_set(np.array([0.0, 3.0, 0.0]), np.array([5.0, 3.0, 0.0]), 1.0)
    wanted = [[0, np.exp(-1 / 3), 0], [1 - np.exp(-1 / 5), 1, 1]]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_counts_close_to_none():
    """Powers of a first step of 1e100 overflowed; samples of weight 1e-310 say nothing either."""
    for count in (1e-310, 1e-200, 1e-12):
        found = binomial_level_set(np.array([count, count]), np.array([2 * count, 4 * count]), 0.5)
        np.testing.assert_array_equal(found, [[0, 0], [1, 1]])
    assert one(lambda t: t * t, spread=np.inf) == pytest.approx([-1, 1])


def one(profile, level=1.0, spread=1.0):
    zero = np.zeros(1)
    ends = level_set(zero, zero, zero + spread, lambda _, eta: profile(eta), level)[:, 0]
    with np.errstate(divide="ignore"):
        return np.log(ends) - np.log1p(-ends)


@pytest.mark.parametrize("spread", [1e-9, 1.0, 1e6])
def test_corners_jumps_and_plains(spread):
    """Half-lines where nothing is known, jumps to infinity, corners; from any first guess."""
    jump = one(lambda t: np.where(np.abs(t) > 0.3, np.inf, t * t), spread=spread)
    np.testing.assert_allclose(jump, [-0.3, 0.3], atol=1e-9)
    flat = one(lambda t: np.where(t > 0, 0.0, t * t), spread=spread)
    np.testing.assert_allclose(flat, [-1, np.inf], atol=1e-8)
    corner = one(lambda t: np.abs(t) + 100 * np.maximum(t - 0.5, 0), spread=spread)
    np.testing.assert_allclose(corner, [-1, 0.5 + 0.5 / 101], atol=1e-8)


def test_the_level_of_the_optimum_is_the_optimum():
    assert one(lambda t: t * t, level=0.0).tolist() == [0, 0]
