"""Binned calibration errors by definition, for two classes and more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evical import metrics
from tests.evical.metrics.kinds import (
    adaptive_calibration_error,
    classwise_calibration_error,
    classwise_maximum_calibration_error,
    debiased_squared_calibration_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    top_label_calibration_error,
)
from tests.evical.metrics.samples import arrays, binary, calibrated, classes, unweighted
from tests.naive import metrics as naive
from tests.support.each import each

BINNINGS = {"uniform": naive.uniform_bins, "quantile": naive.quantile_bins}
n_bins_of = st.sampled_from([1, 2, 4, 8, 16])
every_strategy = each("strategy", BINNINGS)


@every_strategy
@given(binary(), n_bins_of)
def test_two_classes(strategy, samples, n_bins):
    y, p, w = arrays(samples)
    bins = BINNINGS[strategy](samples, n_bins)
    options = {"n_bins": n_bins, "strategy": strategy, "sample_weight": w}
    found = metrics.expected_calibration_error(y, p, **options)
    assert found == pytest.approx(float(naive.expected_error(bins)), abs=1e-14)
    found = metrics.maximum_calibration_error(y, p, **options)
    assert found == pytest.approx(float(naive.maximum_error(bins)), abs=1e-14)


@given(binary(), n_bins_of)
def test_adaptive(samples, n_bins):
    y, p, w = arrays(samples)
    expected = naive.expected_error(naive.quantile_bins(samples, n_bins))
    found = adaptive_calibration_error(y, p, n_bins=n_bins, sample_weight=w)
    assert found == pytest.approx(float(expected), abs=1e-14)


@every_strategy
@given(binary(min_size=2), n_bins_of)
def test_debiased(strategy, samples, n_bins):
    plain = unweighted(samples)
    y, p, _ = arrays(plain)
    expected = float(naive.debiased_squared(BINNINGS[strategy](plain, n_bins)))
    options = {"n_bins": n_bins, "strategy": strategy}
    found = debiased_squared_calibration_error(y, p, **options)
    assert found == pytest.approx(expected, abs=1e-14)
    same = debiased_squared_calibration_error(y, p, sample_weight=np.full(len(y), 3.0), **options)
    assert same == pytest.approx(expected, abs=1e-14)
    root = metrics.debiased_calibration_error(y, p, **options)
    assert root == pytest.approx(max(expected, 0) ** 0.5, abs=1e-7)


@every_strategy
@settings(max_examples=30)
@given(classes(), n_bins_of)
def test_many_classes(strategy, samples, n_bins):
    y, p, w = arrays(samples)
    binned = BINNINGS[strategy]
    options = {"n_bins": n_bins, "strategy": strategy, "sample_weight": w, "labels": [0, 1, 2]}
    each = [binned(naive.one_against_rest(samples, k), n_bins) for k in range(3)]
    heap = binned(naive.heap(samples), n_bins)
    top = binned([(int(ps.index(max(ps)) == c), max(ps), v) for c, ps, v in samples], n_bins)
    expected = {
        classwise_calibration_error: sum(map(naive.expected_error, each)) / 3,
        classwise_maximum_calibration_error: max(map(naive.maximum_error, each)),
        micro_calibration_error: naive.expected_error(heap),
        micro_maximum_calibration_error: naive.maximum_error(heap),
        top_label_calibration_error: naive.expected_error(top),
    }
    for metric, value in expected.items():
        assert metric(y, p, **options) == pytest.approx(float(value), abs=1e-13), metric


def test_ten_bins_hold_their_left_edges():
    """A tenth, as a decimal number, is in the bin that begins there."""
    edges = np.arange(11) / 10
    p = np.append(edges, 0.999)
    # One sample a bin but for the last, of three; each gap counts by itself.
    y = np.zeros(12, dtype=int)
    expected = (edges[:9].sum() + (0.9 + 1.0 + 0.999)) / 12
    assert metrics.expected_calibration_error(y, p) == pytest.approx(expected)
    assert metrics.maximum_calibration_error(y, p) == pytest.approx((0.9 + 1.0 + 0.999) / 3)


@pytest.mark.parametrize("n_bins", [7, 49, 100, 161, 1000])
def test_every_edge_has_a_bin_of_its_own(n_bins):
    """0.29 is in the bin from 29 hundredths, though 100 times it is less than 29."""
    p = np.arange(n_bins) / n_bins
    y = np.arange(n_bins) % 2
    found = metrics.expected_calibration_error(y, p, n_bins=n_bins)
    assert found == pytest.approx(np.abs(y - p).mean())


def test_equal_predictions_stay_together():
    """One value has one bin, however many there are of it."""
    y, p = np.array([0, 1, 1, 0, 1, 1]), np.full(6, 0.5)
    for n_bins in (1, 3, 10):
        found = adaptive_calibration_error(y, p, n_bins=n_bins)
        assert found == pytest.approx(abs(4 / 6 - 0.5))


def test_many_bins_of_equal_frequency():
    """Few bins are found by comparisons, many by a search."""
    rng = np.random.default_rng(2)
    p = rng.integers(400, size=500) / 400
    samples = [(0, float(value), 1) for value in p]
    for n_bins in (99, 100, 101, 300):
        expected = [len(found) for found in naive.quantile_bins(samples, n_bins)]
        found = metrics.binomial_test(np.zeros(500, int), p, n_bins=n_bins)
        assert found.size.tolist() == expected


def test_debiased_is_unbiased():
    """For predictions equal within bins, over all outcomes."""
    p, truth, n = 0.25, 0.5, 6
    y = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1  # all outcomes are equally probable
    estimates = [debiased_squared_calibration_error(row, np.full(n, p), n_bins=3) for row in y]
    assert np.mean(estimates) == pytest.approx((p - truth) ** 2, abs=1e-15)


def test_interval_covers():
    rng = np.random.default_rng(0)
    truth = ((0.5 - 0.3) ** 2 + (0.5 - 0.6) ** 2) / 2
    p = np.repeat([0.3, 0.6], 200)
    hits = 0
    for _ in range(60):
        y = rng.integers(2, size=400)
        found = metrics.debiased_interval(y, p, rng=rng, n_bins=2, n_resamples=200)
        assert found.low < found.high
        hits += found.low <= truth <= found.high
    assert hits >= 51  # 57 expected, less three standard deviations and a half


def test_interval_arguments():
    y, p = calibrated(50, np.random.default_rng(1))
    with pytest.raises(TypeError, match="Generator"):
        metrics.debiased_interval(y, p, rng=0)
    with pytest.raises(ValueError, match="confidence is 1"):
        metrics.debiased_interval(y, p, rng=np.random.default_rng(0), confidence=1)
    found = metrics.debiased_interval(
        y, p, rng=np.random.default_rng(0), sample_weight=np.arange(50.0), n_resamples=20
    )
    expected = debiased_squared_calibration_error(y, p, sample_weight=np.arange(50.0))
    assert found.estimate == expected


@pytest.mark.parametrize("metric", [metrics.expected_calibration_error, metrics.binomial_test])
def test_bad_bins(metric):
    with pytest.raises(ValueError, match="n_bins is 0, expected at least 1"):
        metric([0, 1], [0.2, 0.4], n_bins=0)
    with pytest.raises(TypeError, match=r"n_bins is 2\.0, expected a whole number"):
        metric([0, 1], [0.2, 0.4], n_bins=2.0)
    with pytest.raises(ValueError, match="strategy is 'equal', expected one of 'uniform'"):
        metric([0, 1], [0.2, 0.4], strategy="equal")
