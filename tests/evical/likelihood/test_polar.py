"""The table of the profile deviance against direct evaluation."""

import numpy as np
import pytest
from scipy.special import expit

from evical.curves.logistic_profile import sigmoid_profile
from evical.likelihood.polar import PolarProfile, tabulate_profile
from evical.likelihood.profile_table import mass_log_odds
from tests.evical.curves.of_arrays import fit_platt, fit_profile
from tests.support.each import each


def deviance(scores, positive, weight=1.0):
    order = np.argsort(scores)
    y = np.asarray(positive, dtype=float)[order] * weight
    counts = np.asarray(scores, dtype=float)[order], weight - y, y
    profile = fit_profile(*counts, fit_platt(*counts))
    line = profile.intercept, profile.slope
    return sigmoid_profile(profile.nodes, profile.weights, line, profile.unit)


def sample(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    return x, rng.random(n) < expit(2 * x)


CASES = {
    "tiny": deviance([0.0, 0.4, 1.0, 1.5, 2.0], [0, 1, 0, 1, 1]),
    "small": deviance(*sample(30)),
    "middling": deviance(*sample(300)),
    "separable": deviance(np.arange(60.0), np.arange(60) > 20),
    "one positive": deviance(np.arange(40.0), np.arange(40) == 7),
    "heavy": deviance(*sample(100), 1e4),
    "light": deviance(*sample(40), 0.1),
}
SCORES = np.r_[np.sinh(np.linspace(-14, 14, 57)), 0.0, 1e-9]


@each("name", CASES)
def test_beliefs_from_the_table_equal_direct_ones(name):
    table = tabulate_profile(CASES[name])
    assert isinstance(table, PolarProfile)
    np.testing.assert_allclose(
        expit(mass_log_odds(table, SCORES)),
        expit(mass_log_odds(CASES[name], SCORES)),
        rtol=1e-5,
        atol=1e-9,
    )


@pytest.mark.parametrize("name", ["tiny", "middling", "separable"])
def test_table_equals_the_deviance_wherever_it_is_plausible(name):
    """To all sides, at scores between the panels' edges, at them, and at infinity."""
    direct, table = CASES[name], tabulate_profile(CASES[name])
    y = np.r_[np.tan(np.linspace(-1.57, 1.57, 50)), np.tan(table.edges[1:-1])]
    for distance in (-9.0, -4.0, -1.0, -1e-3, 0.0, 1e-3, 0.5, 2.0, 6.0):
        along = np.full(y.size, distance)
        expected = np.exp(-direct.profile(along, y, np.zeros((2, y.size)), atol=1e-9)[0])
        log_odds = direct.mle(y) + along * direct.spread(y)
        values = table.at(y, log_odds[:, None])[:, 0]
        np.testing.assert_allclose(np.exp(-values), expected, rtol=0, atol=1e-7)


@each("name", CASES)
def test_nothing_plausible_is_left_at_the_ends(name):
    direct, table = CASES[name], tabulate_profile(CASES[name])
    panel = np.searchsorted(table.edges[1:-1], np.arctan(SCORES), side="right")
    ends = table.stretch * np.sinh(table.ranges[panel])
    assert np.all(ends * [-1.0, 1.0] > 0)
    log_odds = direct.mle(SCORES)[:, None] + ends * direct.spread(SCORES)[:, None]
    assert np.exp(-table.at(SCORES, log_odds)).max() < 1e-9


def test_rows_do_not_depend_on_each_other():
    table = tabulate_profile(CASES["small"])
    log_odds = np.tile(np.linspace(-3, 3, 7), (SCORES.size, 1))
    few = np.array([40, 3])
    together = table.at(SCORES, log_odds)[few]
    np.testing.assert_allclose(table.at(SCORES[few], log_odds[few]), together, rtol=1e-13)


def test_no_table_where_an_outlier_makes_a_corner():
    x, y = sample(99)
    assert tabulate_profile(deviance(np.r_[x, 4000.0], np.r_[y, False])) is None
