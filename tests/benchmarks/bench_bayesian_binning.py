"""Bayesian binnings: fitting and prediction, each beside the obvious alternative in one run.

Run with ``python -m tests.benchmarks.bench_bayesian_binning``. Beside BBQ stand netcal's BBQ
where it is installed (a model of other bins and another score) and all binnings made from the
samples one by one, both up to 10^5 samples; beside ABB stands the table of all bins, N by N.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from evical.calibrators import ABBCalibrator, BBQCalibrator, SBBCalibrator
from evical.curves.bayesian_binning import BinPrior, bin_scores
from evical.curves.quantile_binning import bin_range
from evical.scores import ScoreCounts
from tests.benchmarks.timing import best_seconds

NAN = float("nan")


def data(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    scores = rng.random(n)
    return scores, (rng.random(n) < 0.5 + 0.4 * np.sin(9 * scores)).astype(int)


def binned_one_by_one(scores: Any, y: Any) -> None:
    """Counts of all binnings of BBQ, each from quantiles of the samples."""
    least, greatest = bin_range(len(scores))
    for n_bins in range(least, greatest + 1):
        edges = np.quantile(scores, np.linspace(0, 1, n_bins + 1))
        bins = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, n_bins - 1)
        np.bincount(bins, y, n_bins)


def netcal(scores: Any, y: Any) -> float:
    if find_spec("netcal") is None:
        return NAN
    peer = import_module("netcal.binning").BBQ()
    return best_seconds(lambda: peer.fit(scores, y), 1)


def all_bins(scores: Any, y: Any) -> Any:
    """Average over all binnings from the (N, N) table of the scores of bins."""
    counts = ScoreCounts.from_samples(scores, y)
    table, m = bin_scores(counts, 10.0, BinPrior()), len(counts)
    logs, shares = np.full((m, m), -np.inf), np.zeros((m, m))
    for first in range(m):
        positive, negative, *_ = table.bins(first, slice(first + 1, None))
        logs[first, first:] = table.log_scores(first)
        shares[first, first:] = (positive + 1) / (positive + negative + 2)
    before, behind = np.zeros(m + 1), np.zeros(m + 1)
    for i in range(m):
        before[i + 1] = np.logaddexp.reduce(before[: i + 1] + logs[: i + 1, i])
        behind[m - 1 - i] = np.logaddexp.reduce(logs[m - 1 - i, m - 1 - i :] + behind[m - i :])
    weights = np.exp(before[:-1, np.newaxis] + logs + behind[1:] - behind[0])
    # A bin covers k if it begins at or before k and ends at or behind it.
    covering = np.cumsum(np.cumsum((weights * shares)[:, ::-1], axis=1)[:, ::-1], axis=0)
    return np.diagonal(covering)


def bench_bbq() -> None:
    print("BBQ          fit         one by one           netcal        mass functions of N scores")
    for n in (10**3, 10**4, 10**5, 10**6):
        scores, y = data(n)
        calibrator = BBQCalibrator()
        ours = best_seconds(lambda c=calibrator, s=scores, y=y: c.fit(s, y))
        other = peer = NAN
        if n <= 10**5:
            other = best_seconds(lambda s=scores, y=y: binned_one_by_one(s, y), 1)
            peer = netcal(scores, y)
        new = best_seconds(lambda c=calibrator, s=scores: c.predict_mass(s))
        print(
            f"N = {n:<8} {ours:7.3f} s {other:8.3f} s {other / ours:6.1f}x "
            f"{peer:8.3f} s {peer / ours:6.1f}x {new:8.3f} s"
        )


def bench_all_binnings() -> None:
    print("\nN distinct     SBB          ABB       all bins          ABB 'likelihood'")
    for n in (500, 1000, 2000, 5000):
        scores, y = data(n)
        best, average, evidence = (
            best_seconds(lambda c=c, s=scores, y=y: c.fit(s, y), 1)
            for c in (SBBCalibrator(), ABBCalibrator(), ABBCalibrator(model="likelihood"))
        )
        table = NAN
        if n <= 2000:
            ours = ABBCalibrator().fit(scores, y).masses_[0]
            assert np.abs(all_bins(scores, y) - ours).max() < 1e-9
            table = best_seconds(lambda s=scores, y=y: all_bins(s, y), 1)
        print(
            f"N = {n:<8} {best:7.3f} s {average:9.3f} s {table:8.3f} s {table / average:5.1f}x"
            f" {evidence:9.3f} s"
        )


if __name__ == "__main__":
    bench_bbq()
    bench_all_binnings()
