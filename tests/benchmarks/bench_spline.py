"""Spline calibration against the package splinecalib: time, and error against the truth.

Run with ``python -m tests.benchmarks.bench_spline``. Scores are simulated with known
probabilities; the error is the mean squared difference to them at 4,000 quantiles, the mean of
five draws with its standard error. The peer is run where it is installed, up to 10,000 scores.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from evical.calibrators import SplineCalibrator
from evical.datasets.simulated import simulated_probability, simulated_quantiles, simulated_scores


def ours(scores: Any, y: Any) -> Callable[[Any], Any]:
    fitted = SplineCalibrator().fit(scores, y)
    return lambda probes: fitted.predict_proba(probes)[:, 1]


def theirs(scores: Any, y: Any) -> Callable[[Any], Any]:
    model = import_module("splinecalib").SplineCalib()
    model.fit(scores, y)
    return model.predict


def line(name: str, kind: str, n: int, fit: Callable[[Any, Any], Callable[[Any], Any]]) -> None:
    probes = simulated_quantiles(kind, 4000)
    truth = simulated_probability(kind, probes)
    seconds, errors = [], []
    for seed in range(5):
        sample = simulated_scores(kind, n, np.random.default_rng(seed))
        start = perf_counter()
        predict = fit(sample.scores, sample.y)
        seconds.append(perf_counter() - start)
        errors.append(1e3 * np.mean((predict(probes) - truth) ** 2))
    spread = np.std(errors, ddof=1) / np.sqrt(len(errors))
    error = f"{np.mean(errors):7.3f} +- {spread:.3f}"
    print(f"{kind:12} {n:>9} {name:12} {np.median(seconds):8.3f} s   1000 MSE {error}")


def main() -> None:
    for kind in ("monotone", "nonmonotone"):
        for n in (200, 1_000, 10_000, 100_000, 1_000_000):
            line("evical", kind, n, ours)
            if n <= 10_000 and find_spec("splinecalib") is not None:
                line("splinecalib", kind, n, theirs)


if __name__ == "__main__":
    main()
