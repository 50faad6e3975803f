"""Calibrators of many classes beside the obvious alternative, in the same run.

Run with ``pytest tests/benchmarks/bench_multiclass_calibrators.py --benchmark-only -s``.
"""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from evical.multiclass import (
    DirichletCalibrator,
    MultinomialLogisticCalibrator,
    ShallowNetCalibrator,
    SoftmaxCalibrator,
)
from examples.studies.parts.no_penalty import NO_PENALTY
from tests.benchmarks.timing import best_seconds, report


def data(n, k):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, k)) + 2 * np.eye(k)[y], y


@pytest.mark.parametrize("parameters", ["temperature", "vector", "matrix"])
@pytest.mark.parametrize("n", [1_000, 100_000])
def test_softmax_fit(benchmark, parameters, n):
    """Against scikit-learn's multinomial logistic regression, which fits the whole matrix."""
    scores, y = data(n, 10)
    calibrator = SoftmaxCalibrator(parameters=parameters)
    benchmark.pedantic(calibrator.fit, args=(scores, y), rounds=3)
    peer = best_seconds(lambda: LogisticRegression(C=NO_PENALTY, tol=1e-6).fit(scores, y), repeat=1)
    report(f"{parameters} n={n}", 1e3 * benchmark.stats.stats.min, 1e3 * peer)


@pytest.mark.parametrize(
    "calibrator",
    [DirichletCalibrator(code="direct"), ShallowNetCalibrator(random_state=0)],
    ids=lambda c: type(c).__name__,
)
def test_other_fits(benchmark, calibrator):
    """Against the softmax calibrator."""
    scores, y = data(5_000, 10)
    p = softmax(scores, axis=1)
    benchmark.pedantic(calibrator.fit, args=(p, y), rounds=1)
    peer = best_seconds(lambda: SoftmaxCalibrator().fit(p, y))
    report(type(calibrator).__name__, 1e3 * benchmark.stats.stats.min, 1e3 * peer)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("model", ["likelihood", "quadratic"])
def test_multinomial_prediction(benchmark, model, k):
    """Milliseconds a sample, against SLSQP for the same 24 K extremes, extrapolated from four."""
    scores, y = data(300, k)
    calibrator = MultinomialLogisticCalibrator(model=model).fit(scores, y)
    probes = data(20, k)[0]
    benchmark.pedantic(calibrator.predict_interval, args=(probes,), rounds=2)
    exact = MultinomialLogisticCalibrator(model="likelihood").fit(scores, y)
    deviance, odds = exact._deviance(), exact._odds(exact._standard(probes[:1])[0])

    def slsqp(place):
        one = odds[np.array([place])]
        return minimize(
            lambda u: -one.value(u[None])[0],
            one.derivatives(np.zeros((1, one.slopes.shape[2])))[1][0],
            jac=lambda u: -one.derivatives(u[None])[1][0],
            constraints={
                "type": "ineq",
                "fun": lambda u: 2.0 - deviance.along(u[None])[0][0],
                "jac": lambda u: -deviance.derivatives(u[None])[0][0],
            },
            method="SLSQP",
        )

    peer = best_seconds(lambda: [slsqp(place) for place in range(4)], repeat=1) * 6 * k
    report(f"{model} K={k}, a sample", 1e3 * benchmark.stats.stats.min / 20, 1e3 * peer)
