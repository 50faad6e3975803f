"""Fits of beta maps: constrained optimizers, closed forms, and samples that leave much open."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from evical.curves.beta import beta_features, beta_sample, fit_beta
from evical.curves.platt import soft_counts
from evical.scores import ScoreCounts
from tests.evical.curves.beta_samples import TIES, negative_log_likelihood
from tests.evical.curves.exact_logistic import exact_log_odds
from tests.support.each import each

VARIANTS = ["abm", "am", "ab", "a"]
every_variant = each("parameters", VARIANTS)


def sample(seed, n=80, a=0.5, b=1.5, c=0.3):
    rng = np.random.default_rng(seed)
    s = rng.beta(0.7, 0.9, n).round(2)
    p = expit(a * np.log(np.maximum(s, 1e-3)) - b * np.log(np.maximum(1 - s, 1e-3)) + c)
    return ScoreCounts.from_samples(s, rng.random(n) < p, rng.uniform(0.5, 2, n))


@every_variant
@each("truth", [(0.5, 1.5, 0.3), (-0.5, 0.8, 0), (1, -0.5, 0), (-1, -0.5, 0.2)])
@each("smooth", [True, False])
def test_optimum_under_constraints(parameters, truth, smooth):
    """Whatever has a coefficient below zero without them, also both."""
    counts = sample(3, 80, *truth)
    loss, ties = negative_log_likelihood(beta_sample(counts), smooth), TIES[parameters]

    def tied(free):
        value, gradient = loss(free @ ties)
        return value, ties @ gradient

    bounds = [(None, None) if row[2] == 1 else (0, None) for row in ties]
    options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 1000}
    peer = minimize(tied, ties.sum(axis=1) / 3, jac=True, bounds=bounds, options=options)
    fit = fit_beta(beta_sample(counts), parameters, smooth)
    assert (fit.coefficients[:2] >= 0).all()
    assert loss(fit.coefficients)[0] <= peer.fun + 1e-9
    np.testing.assert_allclose(fit.coefficients, peer.x @ ties, atol=2e-3)


@every_variant
def test_two_distinct_scores_are_met_exactly(parameters):
    """Where the family has two parameters; the third is not told by two scores."""
    counts = ScoreCounts(np.array([0.3, 0.8]), np.array([3.0, 1.0]), np.array([1.0, 4.0]))
    fit = fit_beta(beta_sample(counts), parameters, smooth=False)
    found = fit.log_odds(logit(counts.scores))
    if parameters != "a":
        np.testing.assert_allclose(found, np.log([1 / 3, 4]), atol=1e-7)
    if parameters != "ab":
        assert fit.coefficients[0] == pytest.approx(fit.coefficients[1])


@every_variant
def test_scores_that_say_nothing(parameters):
    constant = ScoreCounts(np.array([0.5]), np.array([1.0]), np.array([3.0]))
    fit = fit_beta(beta_sample(constant), parameters, smooth=False)
    level = np.log(3) if "m" in parameters else 0.0
    np.testing.assert_allclose(fit.coefficients, [0, 0, level], atol=1e-12)


@every_variant
def test_classes_exchanged(parameters):
    """Of 1 - s, the other class has coefficients b, a and -c."""
    counts = sample(5)
    other = ScoreCounts(1 - counts.scores[::-1], counts.positive[::-1], counts.negative[::-1])
    a, b, c = fit_beta(beta_sample(counts), parameters, True).coefficients
    mirrored = fit_beta(beta_sample(other), parameters, True).coefficients
    np.testing.assert_allclose(mirrored, [b, a, -c], atol=1e-5)


def test_half_stays_without_a_midpoint():
    for parameters in ("ab", "a"):
        fit = fit_beta(beta_sample(sample(1)), parameters, True)
        assert abs(fit.log_odds(np.zeros(1))[0]) < 1e-12


def test_features_keep_their_digits():
    x = np.array([-700.0, -36.0, 0.0, 36.0, 700.0])
    first, second, _ = beta_features(x)
    np.testing.assert_allclose(first - -second[::-1], 0, atol=0)
    np.testing.assert_allclose(second[:2], np.exp(x[:2]), rtol=1e-12)
    np.testing.assert_allclose(first[:2], x[:2], rtol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_heavy_and_light_weights_have_the_exact_optimum(seed):
    """The optimum of Newton's method with 80 digits, where no coefficient is at its bound."""
    rng = np.random.default_rng(seed)
    s = np.sort(rng.uniform(0.05, 0.95, 12))
    y = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1])
    sample = beta_sample(ScoreCounts.from_samples(s, y, 10.0 ** rng.uniform(-6, 6, 12)))
    fit = fit_beta(sample, "abm", smooth=True)
    free = [j for j in (0, 1) if fit.coefficients[j] != 0.0]
    features = beta_features(sample.scores)
    wanted = exact_log_odds(features[free], *soft_counts(sample))
    np.testing.assert_allclose(fit.log_odds(sample.scores), wanted, rtol=1e-6, atol=1e-6)
