"""Bel and Pl of normal log-odds: against quadrature of another package, and their limits."""

import mpmath
import numpy as np
import pytest
from scipy.special import expit

from evical.beliefs.bounded import RADII, SHARES, half_widths, normal_bounds


@pytest.mark.parametrize(
    ("mean", "error"),
    [(0.0, 0.1), (1.5, 0.7), (-4.0, 2.0), (0.3, 1e-6), (-40.0, 0.5), (-690.0, 0.1)],
)
def test_half_width_is_half_of_an_integral_over_level_sets(mean, error):
    def width(r):
        sides = [1 / (1 + mpmath.exp(-(mean + sign * r * error))) for sign in (1, -1)]
        return (sides[0] - sides[1]) * r * mpmath.exp(-r * r / 2)

    expected = float(mpmath.quad(width, [0, 1, 3, 9])) / 2
    p = expit(np.array([mean]))
    half = half_widths(p, np.array([mean]), np.array([error]))
    assert half[0] == pytest.approx(min(expected, p[0], 1 - p[0]), rel=1e-9)


def test_widths_of_what_is_not_known_at_all():
    odds, error, p = np.array([-90.0, 0.0, 90.0]), np.full(3, 100.0), np.full(3, 0.5)
    reach = error * RADII[:, np.newaxis]
    expected = SHARES @ (expit(odds + reach) - expit(odds - reach)) / 2
    np.testing.assert_allclose(half_widths(p, odds, error), expected, rtol=1e-12)


def test_intervals_stay_among_probabilities():
    rng = np.random.default_rng(0)
    odds, error = rng.normal(scale=5, size=1000), rng.exponential(3, size=1000)
    p = expit(odds)
    half = half_widths(p, odds, error)
    assert (half >= 0).all()
    assert (p - half >= 0).all()
    assert (p + half <= 1).all()


def test_bounds_of_the_central_interval():
    lower, upper = normal_bounds(np.array([0.2]), np.array([0.5]), 0.9)
    reach = 1.6448536269514722 * 0.5
    np.testing.assert_allclose([lower[0], upper[0]], expit([0.2 - reach, 0.2 + reach]), rtol=1e-12)
