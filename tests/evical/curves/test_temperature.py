"""Temperatures: root finding, closed forms, and masses by brute force."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit, logit

from evical.curves.temperature import fit_temperature, temperature_profile
from evical.scores import ScoreCounts
from tests.support.each import each


def sample(n, seed=0, truth=0.7):
    rng = np.random.default_rng(seed)
    z = 2 * rng.normal(size=n)
    return ScoreCounts.from_samples(z, rng.random(n) < expit(truth * z), rng.uniform(0.5, 2, n))


def targets(counts, smooth):
    n0, n1 = counts.n_negative, counts.n_positive
    low, high = (1 / (n0 + 2), (n1 + 1) / (n1 + 2)) if smooth else (0, 1)
    return low * counts.negative + high * counts.positive


def loss(counts, smooth, inverse):
    eta = inverse * counts.scores
    return counts.total @ np.logaddexp(0, eta) - targets(counts, smooth) @ eta


@each("smooth", [True, False])
@each("n", [10, 300, 9000])
def test_root_of_the_derivative(n, smooth):
    counts = sample(n)
    target = targets(counts, smooth)
    root = brentq(
        lambda b: counts.scores @ (counts.total * expit(b * counts.scores) - target),
        0,
        50,
        xtol=1e-14,
    )
    fit = fit_temperature(counts, smooth)
    assert fit.inverse / fit.scale == pytest.approx(root, rel=1e-6)
    p = expit(root * counts.scores)
    information = counts.total @ (counts.scores**2 * p * (1 - p))
    assert fit.deviation / fit.scale == pytest.approx(information**-0.5, rel=1e-5)


def test_scaling_margins_scales_the_temperature():
    counts = sample(50)
    small = ScoreCounts(counts.scores * 1e-9, counts.negative, counts.positive)
    one, other = fit_temperature(counts, True), fit_temperature(small, True)
    assert one.inverse / one.scale == pytest.approx(1e-9 * other.inverse / other.scale, rel=1e-9)


def test_margins_that_point_the_wrong_way():
    counts = sample(50, truth=-1)
    fit = fit_temperature(counts, True)
    assert fit.inverse == 0
    profile = temperature_profile(counts, fit, True)
    wanted = loss(counts, True, 0.3 / fit.scale) - loss(counts, True, 0)
    assert profile.deviance(np.array([0.3]))[0] == pytest.approx(wanted, rel=1e-9)
    favored, against = expit(profile.mass_log_odds(np.array([1.0])))[0]
    assert favored == pytest.approx(0.5, abs=1e-12)
    assert 0 < against < 0.5


@each("n", [12, 40, 3000])
@each("smooth", [True, False])
def test_masses_by_brute_force(n, smooth):
    """The contour of p at a margin is the relative likelihood of one temperature."""
    counts = sample(n, seed=6)
    fit = fit_temperature(counts, smooth)
    profile = temperature_profile(counts, fit, smooth)
    table = profile.table()
    best = loss(counts, smooth, fit.inverse / fit.scale)
    for margin in (0.02, 0.7, 3.0, 40.0):
        top = expit(margin * fit.inverse / fit.scale)

        def contour(p, margin=margin):
            return np.exp(best - loss(counts, smooth, logit(p) / margin))

        cuts = top + (1 - top) * np.array([0.01, 0.1, 0.3, 0.9])
        below = 0.5 + (top - 0.5) * np.array([0.1, 0.5, 0.9, 0.99])
        low = quad(contour, 0.5, top, points=below, limit=400, epsabs=1e-10)[0]
        high = quad(contour, top, 1 - 1e-15, points=cuts, limit=400, epsabs=1e-10)[0]
        z = np.array([margin / fit.scale])
        found = expit(profile.mass_log_odds(z))[0]
        np.testing.assert_allclose(found, [top - low, 1 - top - high], atol=2e-8)
        tabled = table.masses(np.arcsinh(z / profile.unit), fit.log_odds(np.array([margin])))
        np.testing.assert_allclose(np.ravel(tabled), found, atol=1e-7)


def test_huge_weights_narrow_to_the_optimum():
    counts = sample(40)
    many = ScoreCounts(counts.scores, 1e11 * counts.negative, 1e11 * counts.positive)
    fit = fit_temperature(many, True)
    favored, against = expit(temperature_profile(many, fit, True).mass_log_odds(np.array([1.0])))[0]
    assert favored + against == pytest.approx(1, abs=1e-5)
    assert favored == pytest.approx(expit(fit.inverse), abs=1e-5)


def test_log_odds_beyond_the_family_are_impossible():
    counts = sample(40)
    profile = temperature_profile(counts, fit_temperature(counts, True), True)
    z, eta = np.array([[1, -1], [-1, 1], [0, 1], [0, 0], [1, 0]], dtype=float).T
    found = profile.at(z, eta[:, np.newaxis])[:, 0]
    assert np.isinf(found[:3]).all()
    assert found[3] == 0
    assert found[4] == profile.deviance(np.zeros(1))[0]
    # Log-odds that no temperature near the optimum has at the least margin of all floats.
    assert profile.at(np.array([5e-324]), np.array([[0.3]]))[0, 0] > 1e100
