"""Normalization: the printed formulas, the fitted exponents, and scores at the ends."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from evical.calibrators import NormalizingCalibrator
from evical.curves.platt import platt_targets
from evical.errors import WrongWayWarning
from tests.naive import gebel as naive

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=80)
Y = (RNG.random(80) < expit(3 * SCORES)).astype(int)


@pytest.mark.parametrize("rho", [1.0, 1.05, 3.0])
def test_range_is_the_definition(rho):
    got = NormalizingCalibrator(rho=rho).fit(SCORES, Y).predict_proba(SCORES)[:, 1]
    wanted = [naive.normalized(s, SCORES.tolist(), rho) for s in SCORES.tolist()]
    np.testing.assert_allclose(got, wanted, atol=1e-14)


def test_range_clips_what_is_beyond_the_training_scores():
    calibrator = NormalizingCalibrator(rho=1.0).fit([-1.0, 2.0], [0, 1])
    np.testing.assert_array_equal(calibrator.predict_proba([-5.0, 5.0])[:, 1], [0.0, 1.0])


@pytest.mark.parametrize("method", ["softmax", "exponential"])
def test_exponential_methods_are_the_definition(method):
    calibrator = NormalizingCalibrator(method=method).fit(SCORES, Y)
    if method == "softmax":
        np.testing.assert_array_equal(calibrator.alphas_, [1, 1])
    for score, row in zip(SCORES, calibrator.predict_proba(SCORES), strict=True):
        wanted = naive.e_calibration([-score, score], calibrator.alphas_.tolist())
        np.testing.assert_allclose(row, wanted, rtol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
def test_exponents_are_the_most_likely_ones(scale):
    low, high = platt_targets(float(sum(1 - Y)), float(sum(Y)))
    targets = np.where(Y == 1, high, low)

    def loss(slope):
        eta = slope * SCORES
        return np.sum(np.logaddexp(0, eta) - targets * eta)

    best = minimize_scalar(loss, bounds=(0, 50), method="bounded", options={"xatol": 1e-10})
    fitted = NormalizingCalibrator(method="exponential").fit(scale * SCORES, Y)
    assert fitted.alphas_.sum() * scale == pytest.approx(best.x, rel=1e-6)


def test_scores_that_point_the_wrong_way_are_even():
    with pytest.warns(WrongWayWarning):
        down = NormalizingCalibrator(method="exponential").fit(-SCORES, Y)
    np.testing.assert_array_equal(down.alphas_, 0.0)
    np.testing.assert_array_equal(down.predict_proba([-1.0, 5.0])[:, 1], 0.5)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e17])
def test_the_slope_is_found_wherever_it_lies(scale):
    scores, y = scale * np.array([-2.0, -1.0, 1.0, 2.0]), [0, 1, 0, 1]
    slope = NormalizingCalibrator(method="exponential").fit(scores[[0, 3]], [0, 1]).alphas_.sum()
    assert slope * scores[3] == pytest.approx(np.log(2), rel=1e-12)
    fitted = NormalizingCalibrator(method="exponential").fit([*scores, 1e290 * scale], [*y, 1])
    assert (np.diff(fitted.predict_proba(scores)[:, 1]) >= 0).all()


def test_exponents_keep_both_tails():
    mass = NormalizingCalibrator(method="softmax").fit(SCORES, Y).predict_mass([100.0])
    assert mass.mass(0)[0] == pytest.approx(np.exp(-200), rel=1e-12)


@pytest.mark.parametrize("method", ["range", "exponential"])
def test_zero_scores_are_even(method):
    fitted = NormalizingCalibrator(method=method).fit([0.0, 0.0], [0, 1])
    np.testing.assert_array_equal(fitted.predict_proba([0.0, 1.0])[:, 1], 0.5)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "logistic"}, ValueError),
        ({"rho": 0.9}, ValueError),
        ({"rho": np.nan}, ValueError),
        ({"rho": "1"}, TypeError),
        ({"rho": True}, TypeError),
    ],
)
def test_wrong_parameters_are_refused(options, error):
    with pytest.raises(error, match=f"{next(iter(options))} is "):
        NormalizingCalibrator(**options).fit(SCORES, Y)
