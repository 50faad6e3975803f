"""Evidential logistic calibration against scikit-learn's sigmoid, in the same run.

Run with ``pytest tests/benchmarks/bench_logistic.py --benchmark-only -s``; the ratio to
scikit-learn is in ``extra_info`` and printed.
"""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.calibration import _SigmoidCalibration

from tests.benchmarks.timing import best_seconds
from tests.evical.curves.of_arrays import fit_platt, fit_profile

SIZES = [20, 100, 1_000, 10_000, 100_000, 1_000_000]


def data(n):
    rng = np.random.default_rng(0)
    x = 2 * rng.normal(size=n)
    y = (rng.random(n) < expit(x - 0.5)).astype(int)
    order = np.argsort(x)
    x, y = x[order], y[order]
    return x, y, ((1.0 - y), y.astype(float))


def report(benchmark, what, n, reference):
    ours = benchmark.stats.stats.min
    benchmark.extra_info["ratio_to_scikit_learn"] = ours / reference
    print(f"\n{what} n={n}: {ours:.4f} s, {ours / reference:.2f} x scikit-learn {reference:.4f} s")


@pytest.mark.parametrize("n", SIZES)
def test_platt_fit(benchmark, n):
    x, y, weights = data(n)
    benchmark.pedantic(fit_platt, args=(x, *weights), rounds=5, warmup_rounds=1)
    report(benchmark, "Platt fit", n, best_seconds(lambda: _SigmoidCalibration().fit(x, y)))


@pytest.mark.parametrize("n", SIZES)
def test_likelihood_fit(benchmark, n):
    """Platt's fit and the table of masses together."""
    x, y, weights = data(n)

    def fit():
        return fit_profile(x, *weights, fit_platt(x, *weights))

    benchmark.pedantic(fit, rounds=5, warmup_rounds=1)
    report(benchmark, "likelihood fit", n, best_seconds(lambda: _SigmoidCalibration().fit(x, y)))


@pytest.mark.parametrize("n", SIZES)
def test_likelihood_masses(benchmark, n):
    x, y, weights = data(1_000)
    profile = fit_profile(x, *weights, fit_platt(x, *weights))
    other = _SigmoidCalibration().fit(x, y)
    scores = np.random.default_rng(1).normal(size=n)
    benchmark.pedantic(profile.masses, args=(scores,), rounds=5, warmup_rounds=1)
    report(benchmark, "masses", n, best_seconds(lambda: other.predict(scores)))
