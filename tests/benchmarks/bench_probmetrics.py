"""Quadratic and structured scaling against the package of their authors, in the same run.

Run with ``python -m tests.benchmarks.bench_probmetrics`` where probmetrics (and numba) are
installed. Both give probabilities; fits with a likelihood model are printed too, without a peer.
"""

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from evical.calibrators import QuadraticLogisticCalibrator
from evical.multiclass import StructuredMatrixCalibrator, StructuredVectorCalibrator
from tests.benchmarks.timing import best_seconds, report


def peer(name: str, **options: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):  # of its dependencies
        module = import_module("probmetrics.calibrators.logistic")
    return getattr(module, name)(**options)


def binary(n: int) -> None:
    rng = np.random.default_rng(0)
    p = expit(2.0 * rng.normal(size=n))
    y = (rng.random(n) < expit(0.3 + 0.8 * np.log(p / (1 - p)))).astype(int)
    both, theirs = np.stack([1 - p, p], axis=1), peer("BinaryLogisticCalibrator", type="quadratic")
    other = 1e3 * best_seconds(lambda: theirs.fit(both, y))
    for model in ("bayesian", "likelihood"):
        ours = QuadraticLogisticCalibrator(smooth=False, model=model, transform="logit")
        found = 1e3 * best_seconds(lambda ours=ours: ours.fit(p, y))
        report(f"quadratic, {model}, n = {n:,}", found, other)


def many(n: int, k: int) -> None:
    rng = np.random.default_rng(0)
    z = 2.0 * rng.normal(size=(n, k))
    p, q = softmax(z, axis=1), softmax(0.6 * z + np.linspace(-0.5, 0.5, k), axis=1)
    y = np.minimum((rng.random((n, 1)) > q.cumsum(axis=1)).sum(axis=1), k - 1)
    y[:k] = np.arange(k)
    for ours, name in (
        (StructuredVectorCalibrator(), "SVSCalibrator"),
        (StructuredMatrixCalibrator(), "SMSCalibrator"),
    ):
        theirs = peer(name)
        other = 1e3 * best_seconds(lambda theirs=theirs: theirs.fit(p, y), repeat=2)
        found = 1e3 * best_seconds(lambda ours=ours: ours.fit(p, y), repeat=2)
        report(f"{name[:3]}, n = {n:,}, {k} classes", found, other)
        gap = np.abs(ours.predict_proba(p) - theirs.predict_proba(p)).max()
        print(f"greatest difference of probabilities {gap:.1e}")


def main() -> None:
    for n in (1_000, 100_000, 1_000_000):
        binary(n)
    for n, k in ((1_000, 3), (1_000, 10), (20_000, 10), (5_000, 30)):
        many(n, k)


if __name__ == "__main__":
    main()
