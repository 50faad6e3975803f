"""Theorems 5.2.1, 5.2.2 and 5.2.5 of Naeini (2016) on simulated scores.

How far bins may be off the truth, at most and on average, and what AUC they may lose.

For B bins of N / B samples each, the greatest calibration error stays below
sqrt(2 B log(2 B / delta) / N) with a probability of at least 1 - delta. The step from
Hoeffding's inequality (eq. 5.1) gives half of that bound, which is tested too.
"""

import numpy as np
import pytest

from evical.calibrators import BBQCalibrator, BinningCalibrator
from evical.metrics import roc_auc

DELTA = 0.1
ROUNDS = 200


def share(score):
    return 0.5 + 0.4 * np.sin(9 * score)


def mean_share(low, high):
    """Mean of `share` over scores between two edges."""
    return 0.5 + 0.4 * (np.cos(9 * low) - np.cos(9 * high)) / (9 * (high - low))


def errors_of_bins(calibrator, n, rng):
    """As in the proof: bins of one prediction, and their true share of positives."""
    scores = rng.random(n)
    calibrator.fit(scores, rng.random(n) < share(scores))
    inner = (
        calibrator.thresholds_ if hasattr(calibrator, "thresholds_") else calibrator.edges_[1:-1]
    )
    edges = np.concatenate([[0], inner, [1]])
    found = calibrator.predict_proba(edges[:-1])[:, 1]
    return np.abs(found - mean_share(edges[:-1], edges[1:])), np.diff(edges)


def greatest_error(calibrator, n, rng):
    return errors_of_bins(calibrator, n, rng)[0].max()


def mean_error(calibrator, n, rng):
    errors, sizes = errors_of_bins(calibrator, n, rng)
    return errors @ sizes


def bound(n_bins, n):
    return np.sqrt(2 * n_bins * np.log(2 * n_bins / DELTA) / n)


@pytest.mark.parametrize(("n_bins", "n"), [(5, 500), (10, 1000), (20, 1000)])
def test_maximum_calibration_error_of_histogram_binning(n_bins, n):
    rng = np.random.default_rng(0)
    calibrator = BinningCalibrator(n_bins=n_bins, strategy="quantile", model="bayesian")
    errors = np.array([greatest_error(calibrator, n, rng) for _ in range(ROUNDS)])
    assert (errors > bound(n_bins, n)).mean() <= DELTA
    assert (errors > bound(n_bins, n) / 2).mean() <= DELTA
    # The bound says something here: errors reach a good part of it.
    assert errors.max() > bound(n_bins, n) / 4


def test_maximum_calibration_error_of_one_smoothed_binning():
    """Smoothing by two samples a bin moves a share by at most 2 B / N."""
    n_bins, n = 10, 1000
    rng = np.random.default_rng(1)
    calibrator = BBQCalibrator(n_bins=(n_bins, n_bins))
    errors = np.array([greatest_error(calibrator, n, rng) for _ in range(ROUNDS)])
    assert (errors > bound(n_bins, n) / 2 + 2 * n_bins / n).mean() <= DELTA


def test_the_error_falls_at_the_rate_of_the_corollary():
    """Corollary 5.2.1.1: O(sqrt(B log B / N)); 64 times the samples, an eighth of the error."""
    rng = np.random.default_rng(2)
    calibrator = BinningCalibrator(n_bins=10, strategy="quantile", model="bayesian")
    few, many = (
        np.mean([greatest_error(calibrator, n, rng) for _ in range(30)]) for n in (500, 32_000)
    )
    assert few / many == pytest.approx(8, rel=0.3)


@pytest.mark.parametrize(("n_bins", "n"), [(5, 500), (20, 1000)])
def test_expected_calibration_error_of_histogram_binning(n_bins, n):
    """Theorem 5.2.2: O(sqrt(B / N)); by eq. 5.1 and lemmas 5.2.3 and 5.2.4 sqrt(pi B / 2 N)."""
    rng = np.random.default_rng(3)
    calibrator = BinningCalibrator(n_bins=n_bins, strategy="quantile", model="bayesian")
    few, many = (
        np.mean([mean_error(calibrator, size, rng) for _ in range(50)]) for size in (n, 64 * n)
    )
    limit = np.sqrt(np.pi * n_bins / (2 * n))
    assert limit / 4 < few < limit
    assert few / many == pytest.approx(8, rel=0.3)


@pytest.mark.parametrize("n_bins", [2, 5, 20])
def test_the_auc_that_histogram_binning_loses(n_bins):
    """Theorem 5.2.5: at most 1 / (2 B), for many samples; a wrong order gains instead."""
    rng = np.random.default_rng(4)
    scores = rng.random(60_000)
    losses = []
    for probability in (scores, (scores > 0.5) * 0.8 + 0.1, share(scores)):
        y = rng.random(len(scores)) < probability
        calibrator = BinningCalibrator(n_bins=n_bins, strategy="quantile", model="bayesian")
        found = calibrator.fit(scores, y).predict_proba(scores)[:, 1]
        losses.append(roc_auc(y, scores) - roc_auc(y, found))
    assert max(losses) < 1 / (2 * n_bins)
    # A rising map always loses what its bins no longer tell apart.
    assert losses[0] > 0
    assert losses[2] < 0 or n_bins == 2
