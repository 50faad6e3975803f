"""Contours, random intervals and forecasts, each beside the obvious alternative.

The alternative of a ready-made contour is the general search with its log-likelihood; that of an
expectation, and of a forecast by quadrature, Monte Carlo with 1000 draws; that of the logistic
profile, evical's specialized one for a score and a constant.
"""

import numpy as np
import pytest
from scipy.special import expit, logit

from dstheory.inference import (
    LikelihoodContour,
    RandomInterval,
    binomial_contour,
    logistic_contour,
    predict,
    predictive_binary,
)
from tests.evical.curves.of_arrays import fit_platt, fit_profile

RNG = np.random.default_rng(0)
X = np.column_stack([np.ones(442), RNG.normal(size=(442, 4))])
Y = X @ np.arange(5.0) + RNG.normal(size=442)
NEW = X[:100]
SCORES = np.sort(RNG.normal(size=200))
LABELS = RNG.random(200) < expit(SCORES)
TARGETS = np.where(LABELS, (LABELS.sum() + 1) / (LABELS.sum() + 2), 1 / ((~LABELS).sum() + 2))
TAU = np.linspace(0.01, 0.99, 99)


def log_likelihood(p):
    return 30 * np.log(p) + 70 * np.log1p(-p)


@pytest.mark.benchmark(group="level sets of a binomial contour, 1000 levels")
@pytest.mark.parametrize("route", ["closed form", "search"])
def test_contour(benchmark, route):
    gamma = np.linspace(0.001, 0.999, 1000)

    def closed():
        return binomial_contour(30, 100).level_set(gamma)

    def search():
        return LikelihoodContour(log_likelihood, (0, 1)).level_set(gamma)

    benchmark(closed if route == "closed form" else search)


@pytest.mark.benchmark(group="predictive mass of one binomial sample")
@pytest.mark.parametrize("route", ["quadrature", "1000 draws"])
def test_binary(benchmark, route):
    interval = RandomInterval(binomial_contour(30, 100))

    def draws():
        return [end.mean() for end in interval.sample(1000, RNG)]

    benchmark((lambda: predictive_binary(interval)) if route == "quadrature" else draws)


@pytest.mark.benchmark(group="belief intervals of 100 new observations")
@pytest.mark.parametrize("route", ["quadrature", "1000 draws"])
def test_forecast(benchmark, route):
    forecast = predict(X, Y, NEW)

    def draws():
        sample = forecast.sample(1000, RNG)
        return sample.quantile(0.05), sample.quantile(0.95)

    benchmark((lambda: forecast.belief_interval(0.9)) if route == "quadrature" else draws)


@pytest.mark.benchmark(
    group="logistic profile at one score, 200 samples, 99 probabilities, with fit"
)
@pytest.mark.parametrize("route", ["any design", "evical's calibrator"])
def test_logistic(benchmark, route):
    design = np.column_stack([np.ones_like(SCORES), SCORES])
    counts = SCORES, (~LABELS).astype(float), LABELS.astype(float)

    def general():
        return logistic_contour(design, TARGETS, [1.0, 0.5]).contour(logit(TAU))

    def special():
        return fit_profile(*counts, fit_platt(*counts)).contour(0.5, TAU)

    benchmark(general if route == "any design" else special)
