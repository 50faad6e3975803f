"""Gebel's calibrators on 100,000 scores, each against the obvious way in the same run.

Run with ``python -m tests.benchmarks.bench_gebel``.
"""

from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta

from evical.calibrators import (
    AssignmentValueCalibrator,
    AsymmetricLaplaceCalibrator,
    GaussianCalibrator,
    NormalizingCalibrator,
    PiecewiseLogisticCalibrator,
)
from tests.benchmarks.timing import best_seconds

N = 100_000


def piecewise_by_optimizer(scores: Any, y: Any) -> None:
    """Piecewise logistic regression as it is described: an optimizer for each pair of knots.

    Only one pair of 171 is fitted here; the time is multiplied.
    """
    quantiles = np.quantile(scores[y == 1], np.arange(1, 20) / 20)
    (pair,) = list(combinations(quantiles, 2))[:1]
    knots = [scores.min(), *pair, scores.max()]

    def objective(w: Any) -> Any:
        eta = np.interp(scores, knots, w)
        return np.sum(np.logaddexp(0, eta) - y * eta)

    minimize(objective, np.zeros(4), method="BFGS")


def laplace_modes(scores: Any, y: Any) -> None:
    """A thousandth of the modes, each by sums over all scores; the time is multiplied."""
    own = scores[y == 1]
    for mode in scores[: N // 1000]:
        left, right = np.maximum(mode - own, 0).sum(), np.maximum(own - mode, 0).sum()
        np.sqrt(left) + np.sqrt(right)


def beta_map(values: Any) -> None:
    """The map of assignment values by scipy's distributions."""
    beta(6, 2).ppf(beta(5, 3).cdf(values))


def main() -> None:
    """Print seconds of fits and predictions, and ratios to the obvious ways."""
    rng = np.random.default_rng(0)
    scores, new = 2 * rng.normal(size=N), 2 * rng.normal(size=N)
    y = (rng.random(N) < expit(np.where(scores < 0, scores / 2, 2 * scores))).astype(int)
    for calibrator in (
        NormalizingCalibrator(),
        NormalizingCalibrator(method="exponential"),
        PiecewiseLogisticCalibrator(),
        PiecewiseLogisticCalibrator(model="likelihood"),
        GaussianCalibrator(),
        GaussianCalibrator(model="likelihood"),
        AsymmetricLaplaceCalibrator(),
        AssignmentValueCalibrator(),
    ):
        fit = best_seconds(lambda c=calibrator: c.fit(scores, y))
        mass = best_seconds(lambda c=calibrator: c.predict_mass(new))
        print(f"{calibrator!s:50} fit {fit:6.3f} s   mass functions {mass:6.3f} s")
    pairs = best_seconds(lambda: piecewise_by_optimizer(scores, y), 1) * 171
    modes = best_seconds(lambda: laplace_modes(scores, y), 1) * 1000
    inverse = best_seconds(lambda: beta_map(expit(new)), 1)
    fits = [
        best_seconds(lambda c=c: c.fit(scores, y))
        for c in (PiecewiseLogisticCalibrator(), AsymmetricLaplaceCalibrator())
    ]
    values = AssignmentValueCalibrator().fit(scores, y)
    mass = best_seconds(lambda: values.predict_mass(new))
    print(f"an optimizer for each pair of knots: {pairs:.0f} s, {pairs / fits[0]:.0f} times")
    print(f"sums for each mode: {modes:.0f} s, {modes / fits[1]:.0f} times")
    print(f"inverse Beta distributions: {inverse:.2f} s, {inverse / mass:.0f} times")


if __name__ == "__main__":
    main()
