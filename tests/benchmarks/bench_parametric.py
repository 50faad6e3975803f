"""Beta and temperature scaling of up to a million scores, against betacal and scikit-learn.

Run with ``python -m tests.benchmarks.bench_parametric``; betacal is timed where it is installed.
"""

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from evical.calibrators import BetaCalibrator, TemperatureCalibrator
from tests.benchmarks.timing import best_seconds, report


def beta_alternative(p: Any, y: Any) -> Any:
    """The package, or the same regression by scikit-learn."""
    if find_spec("betacal") is None:
        columns = np.stack([np.log(p), -np.log1p(-p)], axis=1)
        return LogisticRegression(C=1e10).fit(columns, y)
    with warnings.catch_warnings():  # it changes the filters of the whole process
        return import_module("betacal").BetaCalibration("abm").fit(p.reshape(-1, 1), y)


def temperature_alternative(z: Any, y: Any) -> Any:
    """Logistic regression without an intercept."""
    return LogisticRegression(C=1e10, fit_intercept=False).fit(z[:, None], y)


def measure(name: str, calibrator: Any, scores: Any, y: Any, new: Any, alternative: float) -> None:
    """Print milliseconds of a fit, beside the alternative, and of predictions."""
    report(name, 1e3 * best_seconds(lambda: calibrator.fit(scores, y)), alternative)
    print(f"predictions: {1e3 * best_seconds(lambda: calibrator.predict_mass(new)):.1f} ms")


def run(n: int) -> None:
    rng = np.random.default_rng(0)
    p, new = rng.beta(0.7, 0.9, (2, n))
    y = (rng.random(n) < expit(0.5 * np.log(p) - 1.5 * np.log1p(-p))).astype(int)
    beta = 1e3 * best_seconds(lambda: beta_alternative(p, y))
    scaling = 1e3 * best_seconds(lambda: temperature_alternative(logit(p), y))
    for model in ("bayesian", "likelihood"):
        label = f"{model}, N = {n:,}"
        measure(f"beta, {label}", BetaCalibrator(model=model), p, y, new, beta)
        calibrator = TemperatureCalibrator(model=model)
        measure(f"temperature, {label}", calibrator, logit(p), y, logit(new), scaling)


def main() -> None:
    for n in (1_000, 100_000, 1_000_000):
        run(n)


if __name__ == "__main__":
    main()
