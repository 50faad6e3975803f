"""Temperature scaling: models, ends of the family, and what it refuses."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from dstheory import betp
from evical.calibrators import TemperatureCalibrator
from evical.errors import WrongWayWarning
from tests.support.each import each

RNG = np.random.default_rng(0)
SCORES = 3 * RNG.normal(size=150)
LABELS = (RNG.random(150) < expit(0.4 * SCORES)).astype(int)
AT = np.array([-1e300, -20.0, -0.3, 0.0, 0.3, 20.0, 1e300])
MODELS = ["likelihood", "confidence", "inverse_pignistic", "bayesian"]


def fitted(model="likelihood", **parameters):
    return TemperatureCalibrator(model=model, **parameters).fit(SCORES, LABELS)


def test_bayesian_is_the_scaled_sigmoid():
    calibrator = fitted("bayesian")
    p = calibrator.predict_proba(AT)
    np.testing.assert_allclose(p[1:-1, 1], expit(AT[1:-1] / calibrator.temperature_), rtol=1e-12)
    np.testing.assert_array_equal(calibrator.predict(AT), (AT > 0).astype(int))


@pytest.mark.parametrize("model", MODELS)
def test_scaling_margins_changes_nothing_else(model):
    other = TemperatureCalibrator(model=model).fit(1e-5 * SCORES, LABELS)
    assert other.temperature_ == pytest.approx(1e-5 * fitted(model).temperature_)
    np.testing.assert_allclose(
        other.predict_mass(1e-5 * AT).masses, fitted(model).predict_mass(AT).masses, atol=1e-8
    )


@pytest.mark.parametrize("model", MODELS)
def test_classes_exchanged(model):
    mirrored = TemperatureCalibrator(model=model).fit(-SCORES, 1 - LABELS)
    same = fitted(model).predict_mass(AT)
    np.testing.assert_allclose(mirrored.predict_mass(-AT).bel(1), same.bel(0), atol=1e-9)


def test_confidence_is_the_delta_method():
    calibrator = fitted("confidence", confidence=0.8)
    inverse = 1 / calibrator.temperature_
    p = expit(inverse * SCORES)
    half = norm.ppf(0.9) * (SCORES**2 @ (p * (1 - p))) ** -0.5
    m = calibrator.predict_mass([2.0])
    assert m.bel(1)[0] == pytest.approx(0.8 * expit(2 * (inverse - half)), rel=1e-6)
    assert m.bel(0)[0] == pytest.approx(0.8 * expit(-2 * (inverse + half)), rel=1e-6)


def test_inverse_pignistic_keeps_the_probability():
    m = fitted("inverse_pignistic").predict_mass(AT)
    np.testing.assert_allclose(betp(m), fitted("bayesian").predict_proba(AT), atol=1e-15)


def test_doubt_vanishes_at_zero_and_grows_beside_it():
    interval = fitted().predict_interval([0.0, 0.5, -0.5])
    np.testing.assert_array_equal(interval[0], [0.5, 0.5])
    assert interval[1, 0] >= 0.5
    assert interval[2, 1] <= 0.5
    assert np.ptp(interval[1]) > 0.005


def test_contour_is_the_relative_likelihood_of_a_temperature():
    calibrator = fitted(smooth=False)

    def log_likelihood(inverse):
        return LABELS @ (inverse * SCORES) - np.logaddexp(0, inverse * SCORES).sum()

    wanted = np.exp(log_likelihood(0.3) - log_likelihood(1 / calibrator.temperature_))
    z = np.array([-4.0, 0.1, 2.0])
    np.testing.assert_allclose(calibrator.contour(z, expit(0.3 * z)), wanted, rtol=1e-9)
    np.testing.assert_array_equal(calibrator.contour([1, -1, 0, 0, 2], [0.4, 0.6, 0.4, 0.5, 1]),
                                  [0, 0, 0, 1, 0])  # fmt: skip
    with pytest.raises(ValueError, match="needs 'likelihood'"):
        fitted("bayesian").contour(0.0, 0.5)


@pytest.mark.parametrize("model", MODELS)
def test_wrong_way_and_no_way(model):
    with pytest.warns(WrongWayWarning):
        wrong = TemperatureCalibrator(model=model).fit(-SCORES, LABELS)
    nothing = TemperatureCalibrator(model=model, transform=None).fit([0, 0, 0], [0, 1, 1])
    for calibrator in (wrong, nothing):
        assert calibrator.temperature_ == np.inf
        np.testing.assert_allclose(
            TemperatureCalibrator.from_dict(calibrator.to_dict()).predict_mass(AT).masses,
            calibrator.predict_mass(AT).masses,
        )
        assert (calibrator.predict_mass([0.0]).bel(1) <= 0.5).all()
    if model == "likelihood":
        np.testing.assert_allclose(nothing.predict_interval([-1, 0, 1]),
                                   [[0, 0.5], [0.5, 0.5], [0.5, 1]], atol=1e-12)  # fmt: skip


def test_separable_margins():
    scores, y = [-2.0, -1.0, 1.0, 3.0], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="a threshold separates the classes"):
        TemperatureCalibrator(smooth=False).fit(scores, y)
    assert 0 < TemperatureCalibrator().fit(scores, y).temperature_ < np.inf
    # A threshold elsewhere does not make a temperature certain.
    assert TemperatureCalibrator(smooth=False).fit([-2, -1, -0.5, 3], y).temperature_ > 0
    with pytest.raises(TypeError, match="smooth is 'no'"):
        TemperatureCalibrator(smooth="no").fit(scores, y)


def test_damage_is_found():
    data = fitted().to_dict()
    for name, value in (("inverse", -1.0), ("nodes", []), ("edges", [1.0, 0.0])):
        damaged = {**data, "state": {**data["state"], name: value}}
        with pytest.raises(ValueError, match="saved calibrator is damaged"):
            TemperatureCalibrator.from_dict(damaged)


@each("smooth", [True, False])
@each("seed", range(8))
@each("model", MODELS)
def test_bel_and_pl_never_fall_along_the_scores(model, seed, smooth):
    """Whichever way the scores point: no temperature is negative."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=12), 1)
    y = (rng.random(12) < expit((seed % 3 - 1) * 2 * scores)).astype(int)
    y[:2], scores[:2] = [0, 1], [0.3, -0.2]  # no threshold at 0 separates the classes
    fitted = TemperatureCalibrator(smooth=smooth, model=model).fit(scores, y)
    interval = fitted.predict_interval(np.linspace(-9, 9, 181))
    assert (np.diff(interval, axis=0) > -1e-9).all()
