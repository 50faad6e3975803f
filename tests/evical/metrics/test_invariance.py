"""What must not matter: order, repetition instead of weights, which class is called positive."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evical import metrics
from tests.evical.metrics.kinds import (
    adaptive_calibration_error,
    classwise_calibration_error,
    debiased_squared_calibration_error,
    kolmogorov_smirnov_error,
    kolmogorov_smirnov_test,
    kuiper_error,
    kuiper_test,
    mean_root_squared_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    spiegelhalter_test,
    top_label_calibration_error,
)
from tests.evical.metrics.samples import arrays, binary, classes, repeated
from tests.support.each import each

MEASURES = [
    metrics.brier_score,
    metrics.log_loss,
    metrics.spherical_score,
    metrics.root_mean_squared_error,
    mean_root_squared_error,
    metrics.correctness_rate,
    metrics.well_calibration_ratio,
    metrics.calibration_measure,
    classwise_calibration_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    top_label_calibration_error,
    metrics.expected_calibration_error,
    metrics.maximum_calibration_error,
    adaptive_calibration_error,
    metrics.smooth_calibration_error,
    kolmogorov_smirnov_error,
    kuiper_error,
    metrics.roc_auc,
    lambda y, p, **options: metrics.corp_decomposition(y, p, **options).miscalibration,
    lambda y, p, **options: metrics.corp_decomposition(y, p, **options).discrimination,
    lambda y, p, **options: metrics.brier_decomposition(y, p, **options).calibration,
    lambda y, p, **options: metrics.brier_decomposition(y, p, n_bins=3, **options).within,
]
INFERENCES = [
    debiased_squared_calibration_error,
    lambda y, p, **options: spiegelhalter_test(y, p, **options).statistic,
    lambda y, p, **options: kuiper_test(y, p, **options).pvalue,
    lambda y, p, **options: kolmogorov_smirnov_test(y, p, **options).pvalue,
    lambda y, p, **options: metrics.binomial_test(y, p, **options).pvalue,
    lambda y, p, **options: metrics.coverage_test(y, around(p), **options).pvalue,
    lambda y, p, **options: metrics.interval_calibration_test(y, around(p), **options).pvalue,
    lambda y, p, **options: metrics.coverage_test(y, around(p), **options).share,
    lambda y, p, **options: metrics.evidential_log_likelihood(y, around(p), **options),
]
# Bins hold their left edges, which flipped probabilities leave: predictions are kept away from
# edges of equal width. Edges of equal frequency may fall on a middle of ranks; and the distance
# of the path from where it starts is another one from its end.
UNLIKE = (adaptive_calibration_error, kolmogorov_smirnov_error)
FLIPPED = [metric for metric in MEASURES if metric not in UNLIKE]


few = settings(max_examples=10)  # of each of many metrics


def around(p):
    return np.stack([np.maximum(p - 0.125, 0), np.minimum(p + 0.25, 1)], axis=1)


def same(a, b):
    return a == pytest.approx(b, abs=1e-9)  # smooth_calibration_error solves to 1e-9


def both_classes(samples):
    return len({y for y, *_ in samples}) == 2


@each("metric", MEASURES + INFERENCES)
@few
@given(samples=binary(min_size=2), data=st.data())
def test_order(metric, samples, data):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    order = np.array(data.draw(st.permutations(range(len(y)))))
    expected = metric(y, p, sample_weight=w)
    assert same(metric(y[order], p[order], sample_weight=w[order]), expected)


@each("metric", MEASURES)
@few
@given(samples=binary(min_size=2))
def test_repetition(metric, samples):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    many_y, many_p, _ = arrays(repeated(samples))
    assert same(metric(y, p, sample_weight=w), metric(many_y, many_p))


@each("metric", INFERENCES)
@few
@given(samples=binary(min_size=2))
def test_scale_of_weights_and_weight_zero(metric, samples):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    expected = metric(y, p, sample_weight=w)
    assert same(metric(y, p, sample_weight=4 * w), expected)
    found = metric(np.append(y, 1), np.append(p, 0.3), sample_weight=np.append(w, 0))
    assert same(found, expected)


@each("metric", FLIPPED)
@few
@given(samples=binary(min_size=2))
def test_flipped_labels(metric, samples):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    p = p * 0.97 + 0.013  # on no edge, and never even
    expected = metric(y, p, sample_weight=w)
    assert same(metric(1 - y, 1 - p, sample_weight=w), expected)


@pytest.mark.parametrize("metric", [metrics.brier_score, classwise_calibration_error])
@few
@given(samples=classes(), order=st.permutations(range(3)))
def test_order_of_classes(metric, samples, order):
    y, p, w = arrays(samples)
    expected = metric(y, p, labels=[0, 1, 2], sample_weight=w)
    assert same(metric(y, p[:, order], labels=order, sample_weight=w), expected)
