"""Labels of all kinds, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from dstheory import Frame, MassFunction
from evical import metrics
from tests.evical.metrics.kinds import (
    adaptive_calibration_error,
    classwise_calibration_error,
    classwise_maximum_calibration_error,
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
from tests.support.each import each

P = [0.2, 0.8, 0.6, 0.1]
EXPECTED = metrics.expected_calibration_error([0, 1, 1, 0], P)
BINARY = [
    metrics.expected_calibration_error,
    metrics.maximum_calibration_error,
    adaptive_calibration_error,
    debiased_squared_calibration_error,
    metrics.debiased_calibration_error,
    metrics.smooth_calibration_error,
    kolmogorov_smirnov_error,
    kuiper_error,
    kolmogorov_smirnov_test,
    kuiper_test,
    spiegelhalter_test,
    metrics.binomial_test,
    metrics.brier_decomposition,
    metrics.corp_decomposition,
]
CLASSES = [
    metrics.brier_score,
    metrics.log_loss,
    metrics.ranked_probability_score,
    metrics.spherical_score,
    metrics.root_mean_squared_error,
    mean_root_squared_error,
    metrics.correctness_rate,
    metrics.well_calibration_ratio,
    metrics.calibration_measure,
    classwise_calibration_error,
    classwise_maximum_calibration_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    top_label_calibration_error,
    metrics.roc_auc,
]
every_metric = each("metric", BINARY + CLASSES, ids=lambda f: f.__name__)


@each(
    "y",
    [
        [0, 1, 1, 0],
        [False, True, True, False],
        [0.0, 1.0, 1.0, 0.0],
        [-1, 1, 1, -1],
        np.array([0, 1, 1, 0], dtype=object),
        pd.Series([0, 1, 1, 0], index=[5, 3, 1, 0]),
    ],
)
def test_labels(y):
    assert metrics.expected_calibration_error(y, P) == EXPECTED
    assert metrics.brier_score(y, P) == metrics.brier_score([0, 1, 1, 0], P)


@pytest.mark.parametrize(
    ("y", "pos_label"), [(["no", "yes", "yes", "no"], "yes"), ([3, 7, 7, 3], 7), ([7, 3, 3, 7], 3)]
)
def test_pos_label(y, pos_label):
    assert metrics.expected_calibration_error(y, P, pos_label=pos_label) == EXPECTED


def test_pos_label_is_one_label():
    for wrong in ([1], np.array([1]), {1}):
        with pytest.raises(TypeError, match="pos_label is"):
            metrics.expected_calibration_error([0, 1], [0.2, 0.8], pos_label=wrong)


def test_pos_label_of_a_frame():
    p = np.array(P)
    m = MassFunction(Frame(["yes", "no"]), [1, 2], np.stack([p, 1 - p], axis=1))
    y = ["no", "yes", "yes", "no"]
    assert metrics.expected_calibration_error(y, m, pos_label="yes") == EXPECTED
    flipped = metrics.expected_calibration_error([1, 0, 0, 1], 1 - p)
    assert metrics.expected_calibration_error(y, m) == flipped
    with pytest.raises(ValueError, match="pos_label is 'maybe', expected one of"):
        metrics.expected_calibration_error(y, m, pos_label="maybe")
    with pytest.raises(ValueError, match=r"y_true\[1\] is 'perhaps', expected one of"):
        metrics.expected_calibration_error(["no", "perhaps", "yes", "no"], m)


def test_probabilities_of_both_classes():
    p = np.stack([1 - np.array(P), P], axis=1)
    for shape in (p, np.array(P)[:, np.newaxis], pd.DataFrame(p), p.astype(np.float32)):
        found = metrics.expected_calibration_error([0, 1, 1, 0], shape)
        assert found == pytest.approx(EXPECTED, abs=1e-6)


def test_labels_of_columns():
    p = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
    expected = metrics.brier_score([2, 1], p, labels=[0, 1, 2])
    assert metrics.brier_score(["c", "b"], p, labels=["a", "b", "c"]) == expected
    other = np.array(p)[:, [2, 0, 1]]
    assert metrics.brier_score(["c", "b"], other, labels=["c", "a", "b"]) == expected
    with pytest.raises(ValueError, match="y_true has 2 labels, but there are 3 columns"):
        metrics.brier_score([2, 1], p)
    with pytest.raises(ValueError, match=r"y_true\[0\] is 5, expected one of \[0, 1, 2\]"):
        metrics.brier_score([5, 1], p, labels=[0, 1, 2])
    with pytest.raises(ValueError, match="expected 3 distinct labels"):
        metrics.brier_score([2, 1], p, labels=[0, 1])


@every_metric
@each(
    ("y", "p", "message"),
    [
        ([0, 1], [0.5, 1.5], r"y_prob\[1\] is 1.5, expected a probability in \[0, 1\]"),
        ([0, 1], [-0.1, 0.5], r"y_prob\[0\] is -0.1, expected a probability in \[0, 1\]"),
        ([0, 1], [0.5, np.nan], r"y_prob\[1\] is nan, expected a finite number"),
        ([0, 1], [0.5, np.inf], r"y_prob\[1\] is inf, expected a finite number"),
        ([0, 1, 1], [0.5, 0.2], "lengths differ: y_true has 3 rows, y_prob has 2"),
        ([0, 1], [[0.5, 0.4], [0.2, 0.8]], "row 0 of y_prob sums to 0.9, expected 1"),
        ([0, 1], [[0.5, 0.5], [0.2]], "y_prob are .* whose rows differ in length"),
        ([0, 1], [[[0.5]], [[0.4]]], r"y_prob has shape \(2, 1, 1\)"),
        ([0, np.nan], [0.5, 0.4], r"y(_true)?\[1\] is nan"),
        ([], [], "no sample|is empty"),
    ],
)
def test_refused(metric, y, p, message):
    with pytest.raises(ValueError, match=message):
        metric(y, p)


@every_metric
def test_refused_weights(metric):
    y, p = [0, 1], [0.4, 0.6]
    with pytest.raises(ValueError, match=r"sample_weight\[1\] is -1.0"):
        metric(y, p, sample_weight=[1, -1])
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\), expected \(2,\)"):
        metric(y, p, sample_weight=[1, 1, 1])
    with pytest.raises(ValueError, match="all sample weights are zero"):
        metric(y, p, sample_weight=[0, 0])


@every_metric
def test_words_are_no_probabilities(metric):
    with pytest.raises(TypeError, match=r"y_prob are \['0.2', '0.4'\], expected real numbers"):
        metric([0, 1], ["0.2", "0.4"])
    with pytest.raises(TypeError, match="y_prob hold None, expected real numbers"):
        metric([0, 1], None)


@each("metric", [*BINARY, metrics.roc_auc], ids=lambda f: f.__name__)
def test_refused_labels(metric):
    with pytest.raises(ValueError, match=r"y_true\[2\] is 2, expected 0 or 1, or -1 or 1"):
        metric([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="y_true holds -1, 0 and 1"):
        metric([0, 1, -1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="name the positive label by pos_label"):
        metric(["no", "yes"], [0.1, 0.2])
    with pytest.raises(ValueError, match="expected 'maybe' and one other label"):
        metric(["no", "yes"], [0.1, 0.2], pos_label="maybe")
    with pytest.raises(ValueError, match="has other labels than 1 and 3"):
        metric([1, 3, 5], [0.1, 0.2, 0.3], pos_label=1)
    with pytest.raises(ValueError, match="pos_label is 7, but all labels are 3"):
        metric([3, 3], [0.1, 0.2], pos_label=7)
    if metric in BINARY:
        with pytest.raises(ValueError, match="has 3 columns, but this metric is about two classes"):
            metric([0, 1], [[0.2, 0.3, 0.5]] * 2)


def test_intervals_in_place_of_probabilities():
    with pytest.raises(ValueError, match=r"for \[Bel, Pl\] give a mass function, or their mean"):
        metrics.brier_score([0, 1], [[0.1, 0.5], [0.2, 0.7]])


@every_metric
def test_inputs_stay_as_they_are(metric):
    y, p, w = np.array([0, 1, 1, 0]), np.array(P), np.ones(4)
    copies = y.copy(), p.copy(), w.copy()
    for array in (y, p, w):
        array.flags.writeable = False
    metric(y, p, sample_weight=w)
    for array, copy in zip((y, p, w), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_one_label_of_two_is_enough():
    """As long as it is clear what the other one is."""
    assert metrics.brier_score([-1, -1], [0.5, 0.0]) == 0.125
    assert metrics.brier_score([1, 1], [0.5, 1.0]) == 0.125
    assert metrics.expected_calibration_error([-1, -1], [0.5, 0.5]) == 0.5
    with pytest.raises(ValueError, match="y_true has 1 labels, but there are 2 columns"):
        metrics.brier_score(["no", "no"], [0.5, 0.0])


@pytest.mark.parametrize("many", [10_000_001, 10**400])
def test_counts_that_never_end_are_refused(many):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"n_resamples is .*, expected at most 10000000"):
        metrics.debiased_interval([0, 1], [0.2, 0.6], n_resamples=many, rng=rng)
    with pytest.raises(ValueError, match=r"n_bins is .*, expected at most 10000000"):
        metrics.expected_calibration_error([0, 1], [0.2, 0.6], n_bins=many)
