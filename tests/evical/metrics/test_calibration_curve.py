"""The calibration curve against its definition, scikit-learn's, and exact limits."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve as sklearn_curve

from dstheory import Frame, MassFunction
from evical.metrics import calibration_curve
from tests.support.each import each

RANDOM = np.random.default_rng(0)
P = RANDOM.beta(1, 2, size=300)
Y = (RANDOM.uniform(size=300) < P).astype(np.int64)


@each("strategy", ["uniform", "quantile"])
@each("n_bins", [1, 5, 10])
def test_scikit_learn_has_the_same_centers_and_frequencies(strategy, n_bins):
    curve = calibration_curve(Y, P, n_bins=n_bins, strategy=strategy)
    true, prob = sklearn_curve(Y, P, n_bins=n_bins, strategy=strategy)
    np.testing.assert_allclose(curve.centers, prob, rtol=1e-12)
    np.testing.assert_allclose(curve.frequencies, true, rtol=1e-12)
    assert curve.counts.sum() == 300


def test_edges_belong_to_the_upper_bin_and_empty_bins_are_left_out():
    curve = calibration_curve([0, 1, 1], [0.0, 0.5, 1.0], n_bins=4)
    np.testing.assert_array_equal(curve.number, [0, 2, 3])
    np.testing.assert_array_equal(curve.centers, [0, 0.5, 1])
    np.testing.assert_array_equal(curve.counts, [1, 1, 1])


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_limits_are_those_of_clopper_and_pearson(confidence):
    curve = calibration_curve(Y, P, n_bins=7, strategy="quantile", confidence=confidence)
    for i, n in enumerate(curve.counts.tolist()):
        k = round(curve.frequencies[i] * n)
        exact = binomtest(k, n).proportion_ci(confidence, "exact")
        np.testing.assert_allclose([curve.lower[i], curve.upper[i]], exact, atol=1e-9)


def test_weights_move_means_and_count_as_an_effective_number():
    weight = RANDOM.integers(0, 4, size=300)
    rows = np.repeat(np.arange(300), weight)
    weighted = calibration_curve(Y, P, sample_weight=weight)
    repeated = calibration_curve(Y[rows], P[rows])
    np.testing.assert_allclose(weighted.centers, repeated.centers, rtol=1e-12)
    np.testing.assert_allclose(weighted.frequencies, repeated.frequencies, rtol=1e-12)
    assert weighted.counts.sum() == (weight > 0).sum()
    same, scaled = calibration_curve(Y, P), calibration_curve(Y, P, sample_weight=np.full(300, 7.0))
    np.testing.assert_allclose(scaled.lower, same.lower, atol=1e-9)
    np.testing.assert_allclose(scaled.upper, same.upper, atol=1e-9)


def test_labels_and_beliefs():
    names = np.array(["no", "yes"])[Y]
    expected = calibration_curve(Y, P)
    masses = MassFunction(Frame(["no", "yes"]), [1, 2], np.stack([1 - P, P], axis=1))
    for curve in (
        calibration_curve(names, P, pos_label="yes"),
        calibration_curve(names, masses),
        calibration_curve(Y, np.stack([1 - P, P], axis=1)),
    ):
        np.testing.assert_allclose(curve.frequencies, expected.frequencies, rtol=1e-12)
        np.testing.assert_allclose(curve.lower, expected.lower, rtol=1e-9)
    other = calibration_curve(names, 1 - P, pos_label="no")
    np.testing.assert_allclose(other.frequencies, 1 - expected.frequencies[::-1], rtol=1e-12)


def test_other_limits_and_none():
    assert calibration_curve(Y, P, interval=None).lower is None
    curve = calibration_curve([1] * 5, [0.9] * 5, interval="likelihood")
    assert curve.lower[0] == pytest.approx(5 / 6)  # Xu et al. 2016, eq. 30: n / (n + 1)
    assert curve.upper[0] == 1
    rows = str(calibration_curve(Y, P, n_bins=3)).splitlines()
    assert rows[0].split() == ["samples", "predicted", "observed", "interval"]
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bins": 0}, "n_bins is 0, expected at least 1"),
        ({"strategy": "quantil"}, "strategy is 'quantil', expected .*; did you mean 'quantile'"),
        ({"interval": "clopper-pearson"}, "did you mean 'clopper_pearson'"),
        ({"confidence": 1}, "confidence is 1, expected a level inside"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        calibration_curve(Y, P, **options)
