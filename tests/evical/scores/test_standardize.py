"""Origins and units of scores, held against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from evical.scores.standardize import at_share, location_scale, share_of_range, standardized

SCORES = [
    [-1.7e308, -1e300, 0.0, 1.7e308],
    [0.0, 5e-324, 1e-323],
    [-1e300, -1e-300, 1e-300, 1.0],
    [0.7, 0.7 + 1.2e-16, 0.7 + 3e-16],
]


@pytest.mark.parametrize("scores", SCORES)
def test_shares_are_those_of_fractions(scores):
    x = [Fraction(s) for s in scores]
    wanted = [float((v - x[0]) / (x[-1] - x[0])) for v in x]
    shares = share_of_range(np.array(scores), scores[0], scores[-1])
    np.testing.assert_allclose(shares, wanted, rtol=1e-15)
    back = at_share(shares, scores[0], scores[-1]) / 4 - np.array(scores) / 4
    assert (np.abs(back) <= 1e-15 * max(map(abs, scores))).all()


@pytest.mark.parametrize("scores", SCORES)
def test_location_and_scale_are_finite_and_about_right(scores):
    center, scale = location_scale(np.array(scores), np.ones(len(scores)))
    x = [Fraction(s) for s in scores]
    mean = sum(x) / len(x)
    assert np.isfinite([center, scale]).all()
    assert scale > 0
    span = x[-1] - x[0]
    assert abs(Fraction(center) - mean) <= span / 2
    z = standardized(np.array(scores), center, scale)
    assert (np.abs(z) <= 8).all()
    assert (np.diff(z) >= 0).all()
    exact = [float((v - Fraction(center)) / Fraction(scale)) for v in x]
    np.testing.assert_allclose(z, exact, rtol=1e-15)


def test_one_score_has_no_scale():
    assert location_scale(np.array([2.0]), np.ones(1)) == (2.0, 0.0)


def test_beyond_floats_is_infinite():
    assert standardized(np.array([1e308, -1e308]), 0.0, 1e-10).tolist() == [np.inf, -np.inf]
