"""Is there a calibrated probability within the intervals: minimum, level, power."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from evical.metrics import interval_calibration_test, nearest_calibrated
from tests.evical.metrics.kinds import kuiper_error, kuiper_test
from tests.evical.metrics.samples import calibrated

eighths = st.integers(0, 8)
samples = st.lists(
    st.tuples(st.integers(0, 1), eighths, eighths, st.integers(1, 3)), min_size=1, max_size=9
)


def as_arrays(found):
    y, a, b, w = np.array(found).T
    bounds = np.sort(np.stack([a, b], axis=1), axis=1) / 8
    return y, bounds, w.astype(np.float64)


def least_by_programming(y, bounds, w):
    """Least range of cumulative residuals in the order of middles, as a linear program."""
    n = len(y)
    share = w / w.sum()
    middle = bounds.sum(axis=1)
    ends = [middle <= value for value in np.unique(middle)]
    sums = np.array([np.zeros(n), *(share * end for end in ends)])
    # Variables p, top, bottom: bottom <= sum of (y - p) <= top for all prefixes.
    upper = np.hstack([-sums, np.tile([-1.0, 0.0], (len(sums), 1))])
    lower = np.hstack([sums, np.tile([0.0, 1.0], (len(sums), 1))])
    limits = np.concatenate([-(sums @ y), sums @ y])
    cost = np.append(np.zeros(n), [1.0, -1.0])
    free = [(None, None)] * 2
    result = linprog(cost, np.vstack([upper, lower]), limits, bounds=[*bounds.tolist(), *free])
    return result.fun


def in_order_of(bounds):
    """Predictions that sort as the intervals do."""
    _, ranks = np.unique(bounds.sum(axis=1), return_inverse=True)
    return ranks


@given(samples)
def test_is_the_least_range(found):
    y, bounds, w = as_arrays(found)
    test = interval_calibration_test(y, bounds, sample_weight=w)
    q = np.clip(0.5, *bounds.T)
    deviation = np.sqrt((w**2 * q * (1 - q)).sum()) / w.sum()
    least = least_by_programming(y, bounds, w)
    if deviation > 0:
        assert test.statistic * deviation == pytest.approx(least, abs=1e-9)
    p = nearest_calibrated(y, bounds, sample_weight=w)
    assert (p >= bounds[:, 0]).all()
    assert (p <= bounds[:, 1]).all()
    order = in_order_of(bounds)
    sums = [(w * (y - p))[order <= rank].sum() / w.sum() for rank in range(order.max() + 1)]
    path = [0.0, *sums]
    assert max(path) - min(path) == pytest.approx(least, abs=1e-9)


def test_for_probabilities_it_is_kuipers():
    y, p = calibrated(200, np.random.default_rng(0))
    w = np.random.default_rng(1).random(200)
    bounds = np.stack([p, p], axis=1)
    found = interval_calibration_test(y, bounds, sample_weight=w)
    expected = kuiper_test(y, p, sample_weight=w)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.pvalue == pytest.approx(expected.pvalue)
    np.testing.assert_array_equal(nearest_calibrated(y, bounds), p)


def test_wider_intervals_are_less_suspicious():
    y, p = calibrated(300, np.random.default_rng(2))
    shifted = np.clip(p + 0.1, 0, 1)
    pvalues = []
    for width in (0, 0.02, 0.05, 0.1):
        bounds = np.clip(np.stack([shifted - width, shifted + width], axis=1), 0, 1)
        pvalues.append(interval_calibration_test(y, bounds).pvalue)
    assert pvalues == sorted(pvalues)
    vacuous = interval_calibration_test(y, np.tile([0.0, 1.0], (300, 1)))
    assert (vacuous.statistic, vacuous.pvalue) == (0, 1)


@pytest.mark.parametrize("n_resamples", [0, 99])
def test_level_of_precise_intervals(n_resamples):
    rng = np.random.default_rng(3)
    n_sets, n = (1000, 500) if n_resamples == 0 else (1000, 60)
    y, p = calibrated(n, rng, n_sets)
    rejected = [
        interval_calibration_test(a, np.stack([b, b], 1), n_resamples=n_resamples, rng=rng).pvalue
        <= 0.05
        for a, b in zip(y, p, strict=True)
    ]
    assert 0.035 <= np.mean(rejected) <= 0.065


@pytest.mark.parametrize("end", [0.0, 0.5, 1.0])
def test_level_wherever_the_truth_lies(end):
    """At an end of every interval, which is worst, or inside."""
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(300):
        y, p = calibrated(500, rng)
        width = 0.2 * rng.random(500)
        bounds = np.clip(np.stack([p - end * width, p + (1 - end) * width], axis=1), 0, 1)
        rejected += interval_calibration_test(y, bounds).pvalue <= 0.05
    assert rejected <= 18


def test_power():
    """Intervals that lie beside the truth are found out, with more samples more surely."""
    rng = np.random.default_rng(5)
    powers = []
    for n in (50, 500, 3000):
        rejected = 0
        for _ in range(50):
            y, p = calibrated(n, rng)
            bounds = np.clip(np.stack([p + 0.05, p + 0.15], axis=1), 0, 1)
            rejected += interval_calibration_test(y, bounds).pvalue <= 0.05
        powers.append(rejected)
    assert powers == sorted(powers)
    assert powers[-1] == 50


def test_errors_that_a_bin_would_hide():
    """Too low below 1/2 and too high above: the sum is right, the range is not."""
    rng = np.random.default_rng(6)
    truth = np.repeat([0.3, 0.7], 500)
    y = (rng.random(1000) < truth).astype(int)
    bounds = np.repeat([[0.4, 0.45], [0.55, 0.6]], 500, axis=0)
    assert interval_calibration_test(y, bounds).pvalue < 0.01
    assert abs(y.mean() - 0.5) < 0.02


def test_impossible_outcomes():
    bounds = [[0.0, 0.0], [0.2, 0.8], [1.0, 1.0]]
    assert interval_calibration_test([0, 1, 1], bounds).pvalue == pytest.approx(1)
    assert interval_calibration_test([1, 1, 1], bounds).pvalue == 0
    assert interval_calibration_test([0, 1, 0], bounds).pvalue == 0


def test_nearest_is_better_than_the_middle():
    y, p = calibrated(300, np.random.default_rng(7))
    bounds = np.clip(np.stack([p - 0.1, p + 0.2], axis=1), 0, 1)
    nearest = nearest_calibrated(y, bounds)
    assert kuiper_error(y, bounds.mean(axis=1)) > 0.04
    steps = (y - nearest)[np.argsort(bounds.sum(axis=1), kind="stable")]
    path = np.cumsum(np.append(0, steps)) / 300
    assert np.ptp(path) < 0.02


def test_resamples_need_a_generator():
    with pytest.raises(TypeError, match=r"rng is None, expected a numpy.random.Generator"):
        interval_calibration_test([0, 1], [[0.2, 0.4]] * 2, n_resamples=9)
