"""Predictive masses of 10^5 binomial counts in one call, each beside the obvious alternative.

The alternative of the closed forms is the bare formula; of the likelihood, the incomplete
beta function over the likelihood in the log domain; of the confidence limits, two quantile
calls of scipy.stats. Few trials are up to 100 a row, many up to 10^9.
"""

import numpy as np
import pytest
from scipy import special, stats

from dstheory.inference import binomial, binomial_masses

N_ROWS = 10**5
MODELS = ["bayesian", "laplace", "inverse_pignistic", "dempster", "confidence", "likelihood"]


@pytest.fixture(scope="module", params=[100, 10**9], ids=["few", "many"])
def counts(request):
    rng = np.random.default_rng(0)
    n = rng.integers(2, request.param, N_ROWS)
    return rng.integers(1, n), n


def bayesian(k, n):
    return k / n, 1 - k / n


def laplace(k, n):
    return (k + 1) / (n + 2), (n - k + 1) / (n + 2)


def inverse_pignistic(k, n):
    return np.maximum(2 * k / n - 1, 0), np.maximum(1 - 2 * k / n, 0)


def dempster(k, n):
    return k / (n + 1), (n - k) / (n + 1)


def confidence(k, n):
    lower = stats.beta.ppf(0.025, k, n - k + 1)
    upper = stats.beta.ppf(0.975, k + 1, n - k)
    return 0.95 * lower, 0.95 * (1 - upper)


def likelihood(k, n):
    p = k / n
    log_peak = special.xlogy(k, p) + special.xlog1py(n - k, -p)
    total = np.exp(special.betaln(k + 1, n - k + 1) - log_peak)
    lower = special.betainc(k + 1, n - k + 1, p) * total
    return p - lower, 1 - p - (total - lower)


@pytest.mark.parametrize("model", MODELS)
def test_binomial_masses(benchmark, counts, model):
    benchmark.group = f"{model}, up to {counts[1].max():.0e} trials"
    benchmark(binomial_masses, *counts, model)


@pytest.mark.parametrize("model", MODELS)
def test_alternative(benchmark, counts, model):
    benchmark.group = f"{model}, up to {counts[1].max():.0e} trials"
    benchmark(globals()[model], *counts)


def test_mass_functions(benchmark, counts):
    benchmark.group = f"likelihood, up to {counts[1].max():.0e} trials"
    benchmark(binomial, *counts)
