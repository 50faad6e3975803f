"""What must not matter: order, repetition instead of weights, which class is called positive."""

import numpy as np
import pytest
from hypothesis import assume, given
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


def around(p):
    return np.stack([np.maximum(p - 0.125, 0), np.minimum(p + 0.25, 1)], axis=1)


def same(found, expected):
    """All numbers of both, in the order of the metrics."""
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=1e-9, equal_nan=False
    )  # to which smooth errors are solved


def both_classes(samples):
    return len({y for y, *_ in samples}) == 2


def values(wanted, y, p, w=None):
    return [metric(y, p, sample_weight=w) for metric in wanted]


@given(samples=binary(min_size=2), data=st.data())
def test_order(samples, data):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    order = np.array(data.draw(st.permutations(range(len(y)))))
    every = MEASURES + INFERENCES
    same(values(every, y[order], p[order], w[order]), values(every, y, p, w))


@given(samples=binary(min_size=2))
def test_repetition(samples):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    many_y, many_p, _ = arrays(repeated(samples))
    same(values(MEASURES, many_y, many_p), values(MEASURES, y, p, w))


@given(samples=binary(min_size=2))
def test_scale_of_weights_and_weight_zero(samples):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    expected = values(INFERENCES, y, p, w)
    same(values(INFERENCES, y, p, 4 * w), expected)
    more = np.append(y, 1), np.append(p, 0.3), np.append(w, 0)
    same(values(INFERENCES, *more), expected)


@given(samples=binary(min_size=2))
def test_flipped_labels(samples):
    assume(both_classes(samples))
    y, p, w = arrays(samples)
    p = p * 0.97 + 0.013  # on no edge, and never even
    same(values(FLIPPED, 1 - y, 1 - p, w), values(FLIPPED, y, p, w))


@pytest.mark.parametrize("metric", [metrics.brier_score, classwise_calibration_error])
@given(samples=classes(), order=st.permutations(range(3)))
def test_order_of_classes(metric, samples, order):
    y, p, w = arrays(samples)
    expected = metric(y, p, labels=[0, 1, 2], sample_weight=w)
    same(metric(y, p[:, order], labels=order, sample_weight=w), expected)
