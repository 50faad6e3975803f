"""Tests of calibration: statistics by definition, level, and power."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from evical import metrics
from evical.metrics.cumulative import brownian_maximum_sf, brownian_range_sf
from evical.metrics.goodness import at_least, at_most
from tests.evical.metrics.kinds import (
    kolmogorov_smirnov_error,
    kolmogorov_smirnov_test,
    kuiper_error,
    kuiper_test,
    spiegelhalter_test,
)
from tests.evical.metrics.samples import arrays, binary, calibrated
from tests.naive import metrics as naive
from tests.support.each import each

TESTS = [
    spiegelhalter_test,
    kolmogorov_smirnov_test,
    kuiper_test,
    metrics.binomial_test,
]
every_test = each("test", TESTS, ids=lambda test: test.__name__)
N_SETS = 600


def rejections(test, y, p, **options):
    return np.mean([test(a, b, **options).pvalue <= 0.05 for a, b in zip(y, p, strict=True)])


@every_test
def test_level(test):
    """5% of calibrated sets are rejected; fewer by the binomial test, which is exact."""
    y, p = calibrated(1000, np.random.default_rng(0), N_SETS)
    share = rejections(test, y, p)
    assert share <= 0.065
    assert share >= (0.01 if test is metrics.binomial_test else 0.035)


@every_test
def test_level_with_weights(test):
    """Weights that do not depend on outcomes leave the level as it is."""
    rng = np.random.default_rng(1)
    y, p = calibrated(1000, rng, N_SETS // 2)
    w = rng.gamma(2, size=1000)
    share = rejections(test, y, p, sample_weight=w)
    assert share <= 0.08
    assert share >= (0.01 if test is metrics.binomial_test else 0.02)


@every_test
def test_power(test):
    """Overconfident predictions are found out, with more samples more surely."""
    rng = np.random.default_rng(2)
    powers = []
    for n in (100, 1000, 4000):
        y, p = calibrated(n, rng, 50)
        odds = (p / (1 - p)) ** 1.5
        powers.append(rejections(test, y, odds / (1 + odds)))
    assert powers == sorted(powers)
    assert powers[-1] == 1


@given(binary())
def test_cumulative_by_definition(samples):
    y, p, w = arrays(samples)
    path = [float(place) for place in naive.path(samples)]
    found = kolmogorov_smirnov_error(y, p, sample_weight=w)
    assert found == pytest.approx(max(map(abs, path)), abs=1e-14)
    path = [0.0, *path]
    largest = max(abs(b - a) for a, b in ((a, b) for i, a in enumerate(path) for b in path[i:]))
    assert kuiper_error(y, p, sample_weight=w) == pytest.approx(largest, abs=1e-14)
    deviation = np.sqrt((w**2 * p * (1 - p)).sum()) / w.sum()
    if deviation > 0:
        test = kuiper_test(y, p, sample_weight=w)
        assert test.statistic * deviation == pytest.approx(largest, abs=1e-13)
        ks = kolmogorov_smirnov_test(y, p, sample_weight=w)
        assert ks.statistic * deviation == pytest.approx(max(map(abs, path)), abs=1e-13)


def test_spiegelhalter_by_scores():
    """z is the Brier score, standardized by its mean and variance if p is right."""
    y, p = calibrated(50, np.random.default_rng(3))
    expected = (p * (1 - p)).sum()
    variance = (p * (1 - p) * (1 - 2 * p) ** 2).sum()
    z = (((y - p) ** 2).sum() - expected) / np.sqrt(variance)
    test = spiegelhalter_test(y, p)
    assert test.statistic == pytest.approx(z)
    assert test.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_distributions_by_simulation():
    """Of a walk of many steps, with its overshoot at each barrier of about 0.58 steps."""
    rng = np.random.default_rng(4)
    n = 2500
    maxima, ranges = [], []
    for _ in range(10):
        walks = np.cumsum(rng.normal(size=(200, n)), axis=1) / np.sqrt(n)
        maxima.append(np.abs(walks).max(axis=1))
        ranges.append(np.maximum(walks.max(axis=1), 0) - np.minimum(walks.min(axis=1), 0))
    maxima = np.concatenate(maxima) + 0.5826 / np.sqrt(n)
    ranges = np.concatenate(ranges) + 2 * 0.5826 / np.sqrt(n)
    for x in (0.7, 1.0, 1.5, 2.0, 2.5, 3.0):
        assert brownian_maximum_sf(x) == pytest.approx((maxima > x).mean(), abs=0.025)
        assert brownian_range_sf(x) == pytest.approx((ranges > x).mean(), abs=0.025)


def test_distributions_are_smooth_and_end_well():
    x = np.linspace(0, 8, 801)
    for sf in (brownian_maximum_sf, brownian_range_sf):
        values = np.array([sf(v) for v in x])
        assert values[0] == 1
        assert 0 <= values[-1] < 1e-14
        assert (np.diff(values) <= 1e-12).all()
        assert np.abs(np.diff(values)).max() < 0.01  # no jump where series change
        assert sf(np.inf) == 0
    # The exact two-sided law: both series of the maximum agree where they meet.
    assert brownian_maximum_sf(1.5) == pytest.approx(brownian_maximum_sf(1.5 + 1e-12), abs=1e-10)


@every_test
def test_an_impossible_outcome_refutes(test):
    p = np.array([0.5] * 20 + [0.0, 1.0])
    y = np.array([0, 1] * 10 + [0, 1])
    assert test(y, p).pvalue > 0
    for row in (20, 21):
        wrong = y.copy()
        wrong[row] = 1 - wrong[row]
        assert test(wrong, p).pvalue == 0
        weight = np.ones(22)
        weight[row] = 0
        assert test(wrong, p, sample_weight=weight).pvalue > 0


@every_test
def test_certainties_that_are_right(test):
    found = test([0, 1, 1], [0.0, 1.0, 1.0])
    assert found.pvalue == 1


def test_binomial_tails():
    n = np.full(8, 7.0)
    k = np.arange(8.0)
    p = np.full(8, 0.3)
    np.testing.assert_allclose(at_most(k, n, p), stats.binom.cdf(k, 7, 0.3), rtol=1e-12)
    np.testing.assert_allclose(at_least(k, n, p), stats.binom.sf(k - 1, 7, 0.3), rtol=1e-12)


def test_binomial_bins():
    rng = np.random.default_rng(5)
    y, p = calibrated(400, rng)
    found = metrics.binomial_test(y, p, n_bins=5, strategy="uniform")
    bins = np.minimum((p * 5).astype(int), 4)
    for b, pvalue in enumerate(found.pvalues):
        n, k, e = (bins == b).sum(), y[bins == b].sum(), p[bins == b].mean()
        tails = min(stats.binom.cdf(k, n, e), stats.binom.sf(k - 1, n, e))
        assert pvalue == pytest.approx(min(2 * tails, 1))
    np.testing.assert_allclose(found.adjusted, 1 - (1 - found.pvalues) ** 5)
    assert found.pvalue == found.adjusted.min()
    assert str(found).count("\n") == 6


def test_results_print_what_they_are():
    text = str(kuiper_test([1] * 5, [0.5] * 5))
    assert text.splitlines()[0] == "Kuiper: statistic 2.236, p = 0.1"
    assert "hypothesis: each outcome" in text
    assert "statistic: largest |sum of y - p|" in text


def test_kuiper_sees_what_makes_up_for_itself():
    """Residuals of alternating sign in the middle: the range is larger than the distance."""
    y, p = [1, 1, 0, 0], [0.4, 0.45, 0.55, 0.6]
    path = list(accumulate(np.array(y) - p, initial=0.0))
    assert kuiper_error(y, p) == pytest.approx((max(path) - min(path)) / 4)
