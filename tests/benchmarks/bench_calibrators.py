"""Fitting and prediction of each calibrator on a million scores, against scikit-learn.

Run with ``python -m tests.benchmarks.bench_calibrators``. Scores come unsorted, as a user
has them; each row prints the best of three and the ratio to scikit-learn's calibration of
the same kind in the same run (for binning, whose kind it lacks, NumPy's histogram).
"""

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.svm import LinearSVC

from evical import EvidentialClassifier
from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from tests.benchmarks.timing import best_seconds

N = 1_000_000


class Histogram:
    """Shares of positives in ten bins of equal width, and their look-up."""

    def fit(self, scores: Any, y: Any) -> "Histogram":
        total, self.edges = np.histogram(scores, 10)
        self.shares = np.histogram(scores, self.edges, weights=y)[0] / np.maximum(total, 1)
        return self

    def predict(self, scores: Any) -> Any:
        return self.shares[np.clip(np.searchsorted(self.edges, scores, "right") - 1, 0, 9)]


PAIRS = [
    (BinningCalibrator(), Histogram()),
    (BinningCalibrator(strategy="quantile"), Histogram()),
    (IsotonicCalibrator(), IsotonicRegression(out_of_bounds="clip")),
    (LogisticCalibrator(), _SigmoidCalibration()),
    (LogisticCalibrator(model="confidence"), _SigmoidCalibration()),
    (LogisticCalibrator(model="bayesian"), _SigmoidCalibration()),
]


def main() -> None:
    rng = np.random.default_rng(0)
    scores, new = 2 * rng.normal(size=N), 2 * rng.normal(size=N)
    y = (rng.random(N) < expit(scores - 0.5)).astype(int)
    print(f"{'':45} fit          ratio   mass functions  ratio")
    for ours, theirs in PAIRS:
        fit, mass = (
            best_seconds(lambda c=ours: c.fit(scores, y)),
            best_seconds(lambda c=ours: c.predict_mass(new)),
        )
        fit_there = best_seconds(lambda c=theirs: c.fit(scores, y))
        mass_there = best_seconds(lambda c=theirs: c.predict(new))
        ratios = fit / fit_there, mass / mass_there
        print(f"{ours!s:45} {fit:6.3f} s   {ratios[0]:6.2f}   {mass:6.3f} s  {ratios[1]:11.2f}")


def bench_classifiers() -> None:
    """Whole predictions of a trained classifier, mass functions against probabilities."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    y = (rng.random(N) < expit(2 * X[:, 0])).astype(int)
    base = FrozenEstimator(LinearSVC().fit(X[:1000], y[:1000]))
    ours = EvidentialClassifier(base).fit(X, y)
    theirs = CalibratedClassifierCV(base, ensemble=False).fit(X, y)
    mass = best_seconds(lambda: ours.predict_mass(X))
    probability = best_seconds(lambda: theirs.predict_proba(X))
    print(f"EvidentialClassifier.predict_mass {mass:.3f} s, {mass / probability:.2f} times")
    print(f"CalibratedClassifierCV.predict_proba {probability:.3f} s")


if __name__ == "__main__":
    main()
    bench_classifiers()
