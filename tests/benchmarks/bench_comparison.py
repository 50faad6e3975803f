"""A comparison of calibrators, against scikit-learn's cross-validation of the same ones.

Run with ``python -m tests.benchmarks.bench_comparison``. The alternative fits and predicts only; a
comparison measures each fold, tests differences and recommends. The bootstrap of an evaluation is
timed against the same number of resamples by scikit-learn's Brier score and area.
"""

from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from evical.datasets import simulated_scores
from evical.evaluation import Evaluation, compare
from evical.evaluation.methods import make_calibrator
from tests.benchmarks.timing import best_seconds, report

METHODS = ("logistic", "beta", "isotonic", "venn_abers", "spline", "kde")
TIMES = 199


def plain_cross_validation(scores: Any, y: Any) -> None:
    """Probabilities out of fold, one method after the other."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for name in METHODS:
        method = make_calibrator(name)
        cross_val_predict(method, scores[:, None], y, cv=folds, method="predict_proba")


def plain_bootstrap(p: Any, y: Any) -> None:
    """Two of the measures, resample by resample."""
    rng = np.random.default_rng(0)
    for _ in range(TIMES):
        rows = rng.integers(len(y), size=len(y))
        brier_score_loss(y[rows], p[rows])
        roc_auc_score(y[rows], p[rows])


def run(n: int) -> None:
    scores, y, p = simulated_scores("overconfident", n, np.random.default_rng(0))
    ours = best_seconds(lambda: compare(scores, y, METHODS), 1)
    plain = best_seconds(lambda: plain_cross_validation(scores, y), 1)
    report(f"six methods, ten folds, N = {n:,}", 1e3 * ours, 1e3 * plain)
    ours = best_seconds(lambda: Evaluation.from_predictions(y, p, n_resamples=TIMES), 1)
    plain = best_seconds(lambda: plain_bootstrap(p, y), 1)
    report(f"evaluation, {TIMES} resamples, N = {n:,}", 1e3 * ours, 1e3 * plain)


def main() -> None:
    for n in (1_000, 100_000):
        run(n)


if __name__ == "__main__":
    main()
