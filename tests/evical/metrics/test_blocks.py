"""Sums by blocks of rows are the sums of all rows at once: routes of equal results."""

import numpy as np
import pytest

from evical import metrics
from evical.metrics.inputs import BLOCK
from tests.evical.metrics.kinds import kuiper_error, spiegelhalter_test

N = 2 * BLOCK + 77


def drawn(digits, weighted, seed=0):
    """Predictions with ties (two digits), without (16), or all but a few equal (0)."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.05, 0.95, N), digits)
    p = np.where(np.arange(N) % 1000 == 0, p, 0.25) if digits == 0 else p
    y = (rng.random(N) < np.clip(p + 0.01, 0, 1)).astype(np.float64)
    return y, p, rng.integers(0, 4, N).astype(np.float64) if weighted else None


@pytest.mark.parametrize("digits", [0, 2, 16])
@pytest.mark.parametrize("weighted", [False, True])
class TestAgainstAllRowsAtOnce:
    def test_spiegelhalter(self, digits, weighted):
        y, p, w = drawn(digits, weighted)
        v = np.ones(N) if w is None else w
        total = (v * (1 - 2 * p) * (y - p)).sum()
        expected = total / np.sqrt((v**2 * (1 - 2 * p) ** 2 * p * (1 - p)).sum())
        found = spiegelhalter_test(y, p, sample_weight=w).statistic
        assert found == pytest.approx(expected, rel=1e-11)

    def test_kuiper(self, digits, weighted):
        y, p, w = drawn(digits, weighted)
        v = np.ones(N) if w is None else w
        groups = np.unique(p, return_inverse=True)[1]
        path = np.cumsum(np.bincount(groups, v * (y - p))) / v.sum()
        expected = max(path.max(), 0) - min(path.min(), 0)
        assert kuiper_error(y, p, sample_weight=w) == pytest.approx(expected, rel=1e-10)

    def test_bins(self, digits, weighted):
        y, p, w = drawn(digits, weighted)
        v = np.ones(N) if w is None else w
        number = np.minimum((p * 10).astype(int), 9)
        gaps = np.bincount(number, v * (y - p), 10)
        expected = np.abs(gaps).sum() / v.sum()
        assert metrics.expected_calibration_error(y, p, sample_weight=w) == pytest.approx(expected)
        test = metrics.binomial_test(y, p, strategy="uniform", sample_weight=w)
        total = np.bincount(number, v, 10)
        filled = total > 0
        np.testing.assert_allclose(
            test.observed, np.bincount(number, v * y, 10)[filled] / total[filled]
        )
        np.testing.assert_allclose(
            test.size, (total**2)[filled] / np.bincount(number, v * v, 10)[filled]
        )

    def test_intervals(self, digits, weighted):
        """The walk that is reflected at 0, step by step in Python."""
        y, p, w = drawn(digits, weighted)
        v = np.ones(N) if w is None else w
        width = np.minimum(0.002, np.minimum(p, 1 - p))
        bel, pl = p - width, p + width
        groups = np.unique(np.round(bel + pl, 12), return_inverse=True)[1]
        ups = np.bincount(groups, v * (y - pl)) / v.sum()
        downs = np.bincount(groups, v * (bel - y)) / v.sum()
        most = above = below = 0.0
        for up, down in zip(ups.tolist(), downs.tolist(), strict=True):
            above, below = max(above + up, 0.0), max(below + down, 0.0)
            most = max(most, above + below)
        bounds = np.stack([bel, pl], axis=1)
        test = metrics.interval_calibration_test(y, bounds, sample_weight=w)
        q = np.clip(0.5, bel, pl)
        deviation = np.sqrt((v**2 * q * (1 - q)).sum()) / v.sum()
        assert test.statistic == pytest.approx(most / deviation, rel=1e-9)
        share = metrics.nearest_calibrated(y, bounds, sample_weight=w)
        assert kuiper_error(y, share, sample_weight=w) <= most + 1e-9

    def test_coverage(self, digits, weighted):
        y, p, w = drawn(digits, weighted)
        bounds = np.stack([p / 2, p / 2 + 0.5], axis=1)
        test = metrics.coverage_test(y, bounds, sample_weight=w)
        alone = metrics.binomial_test(y, p / 2 + 0.25, sample_weight=w)
        np.testing.assert_allclose(test.size, alone.size)
        np.testing.assert_allclose(test.observed, alone.observed)
        np.testing.assert_allclose((test.bel + test.pl) / 2, alone.predicted)
