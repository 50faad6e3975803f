"""The profile of a parabola: its table in polar coordinates, starts of searches, and quadrature."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from evical.curves.quadratic import QuadraticProfile, quadratic_of_counts, quadratic_profile
from evical.likelihood.polar import PolarProfile, tabulate_profile
from evical.likelihood.profile_table import mass_log_odds
from evical.scores import ScoreCounts
from tests.support.each import each


def profile(scores, y, weight=1.0):
    counts = ScoreCounts.from_samples(scores, y, np.full(len(y), weight))
    return quadratic_profile(counts, quadratic_of_counts(counts))


def sample(n, bend=-0.5):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    return x, rng.random(n) < expit(1 + x + bend * x * x)


CASES = {
    "small": profile(*sample(30)),
    "middling": profile(*sample(300)),
    "rising": profile(*sample(300, 0.5)),
    "separable": profile(np.arange(60.0), np.arange(60) > 20),
    "heavy": profile(*sample(100), 1e4),
    "two scores": profile(np.repeat([0.0, 1.0], 20), np.tile([0, 0, 1, 1, 1], 8)),
}
SCORES = np.r_[np.sinh(np.linspace(-14, 14, 29)), 0.0, 1e-9]


@each("name", CASES)
def test_table_equals_the_deviance_wherever_it_is_plausible(name):
    direct, table = CASES[name].linear, tabulate_profile(CASES[name].linear)
    assert isinstance(table, PolarProfile)
    y = np.r_[np.tan(np.linspace(-1.57, 1.57, 30)), np.tan(table.edges[1:-1])]
    for distance in (-9.0, -4.0, -1.0, -1e-3, 0.0, 0.5, 2.0, 6.0):
        along = np.full(y.size, distance)
        cold = np.zeros((direct.dimension, y.size))
        expected = np.exp(-direct.profile(along, y, cold, atol=1e-10)[0])
        log_odds = direct.mle(y) + along * direct.spread(y)
        values = table.at(y, log_odds[:, None])[:, 0]
        np.testing.assert_allclose(np.exp(-values), expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", ["small", "separable", "two scores"])
def test_beliefs_from_the_table_equal_direct_ones(name):
    table = tabulate_profile(CASES[name].linear)
    np.testing.assert_allclose(
        expit(mass_log_odds(table, SCORES)),
        expit(mass_log_odds(CASES[name].linear, SCORES)),
        rtol=1e-5,
        atol=1e-8,
    )


def test_a_guess_changes_where_the_search_starts_and_not_where_it_ends():
    direct = CASES["small"].linear
    z, along = np.linspace(-2, 2, 9), np.linspace(-5, 5, 9)
    wanted, across = direct.profile(along, z, np.zeros((3, 9)), atol=1e-12)
    guesses = (across, 0.5 * across + 0.1, np.random.default_rng(0).normal(size=(3, 9)))
    for guess in guesses:
        value, found = direct.profile(along, z, guess, atol=1e-12)
        np.testing.assert_allclose(value, wanted, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(found, across, atol=1e-5)


@each("z", [-2.0, 0.3, 4.0])
@each("gap", [-3.0, 0.5, 6.0])
def test_deviance_is_the_least_of_parabolas_through_a_point(z, gap):
    """Without the constraint: two of three coefficients are free, and any optimizer finds them."""
    direct = CASES["small"]
    best, nodes, weights = direct.fit.coefficients, direct.nodes, direct.weights
    eta = direct.linear.mle(np.array([z]))[0] + gap
    mean = expit(np.polyval(best[::-1], nodes))

    def loss(free):
        a = eta - free[0] * z - free[1] * z * z
        move = np.polyval([free[1], free[0], a], nodes)
        return weights @ (np.logaddexp(0, move) - mean * move)

    floor = weights @ (
        np.logaddexp(0, np.polyval(best[::-1], nodes)) - mean * np.polyval(best[::-1], nodes)
    )
    found = minimize(loss, best[1:], method="BFGS", options={"gtol": 1e-9})
    ours = direct.at(np.array([z]), np.array([[eta]]))[0, 0]
    assert ours == pytest.approx(found.fun - floor, rel=1e-6, abs=1e-8)


def test_small_samples_are_kept_as_they_are():
    x, y = sample(50)
    assert isinstance(CASES["small"], QuadraticProfile)
    np.testing.assert_array_equal(profile(x, y).weights, np.ones(50))
    assert len(profile(*sample(5000)).nodes) < 120
