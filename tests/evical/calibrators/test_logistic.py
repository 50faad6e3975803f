"""Logistic calibration: Platt's fit, the four models, and their tails."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.calibration import _SigmoidCalibration
from sklearn.exceptions import NotFittedError

from dstheory import betp, dempster
from evical.calibrators import LogisticCalibrator
from evical.errors import ConvergenceError

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=300)
LABELS = (RNG.random(300) < expit(2 * SCORES - 0.5)).astype(int)
AT = np.array([-30.0, -3.0, -0.2, 0.0, 0.4, 2.0, 30.0])


def fitted(model, **parameters):
    return LogisticCalibrator(model=model, **parameters).fit(SCORES, LABELS)


def test_bayesian_is_the_sigmoid_of_scikit_learn():
    theirs = _SigmoidCalibration().fit(SCORES, LABELS)
    ours = fitted("bayesian")
    np.testing.assert_allclose(ours.theta_, [theirs.b_, theirs.a_], rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(AT)[:, 1], theirs.predict(AT), rtol=1e-6)


def test_bayesian_keeps_both_tails():
    """1 - p would be exactly 0, and ten such sources would exclude each other for nothing."""
    calibrator = fitted("bayesian")
    far = np.array([-200.0, 200.0])
    mass = calibrator.predict_mass(far)
    theta0, theta1 = calibrator.theta_
    assert mass.mass(1)[0] == pytest.approx(np.exp(-(theta0 - 200 * theta1)), rel=1e-12)
    assert mass.mass(0)[1] == pytest.approx(np.exp(theta0 + 200 * theta1), rel=1e-12)
    assert mass.is_bayesian.all()
    combined = dempster(mass, mass[::-1])
    np.testing.assert_allclose(combined.bel(1), np.exp(2 * -theta0) / (1 + np.exp(2 * -theta0)))


def test_inverse_pignistic_has_the_pignistic_probability_of_platt_and_is_consonant():
    mass = fitted("inverse_pignistic").predict_mass(AT)
    np.testing.assert_allclose(betp(mass), fitted("bayesian").predict_proba(AT), atol=1e-15)
    assert mass.is_consonant.all()


def test_confidence_is_the_delta_method():
    """Masses of eq. 26-27 from a normal interval of the linear predictor."""
    model = fitted("confidence", confidence=0.9)
    fit = model.sigmoid_
    z = (AT - fit.center) / fit.scale
    design = np.stack([np.ones_like(z), z])
    spread = np.sqrt(np.einsum("in,ij,jn->n", design, fit.covariance, design))
    eta = -(fit.beta0 + fit.beta1 * z)
    half = norm.ppf(0.95) * spread
    mass = model.predict_mass(AT)
    np.testing.assert_allclose(mass.bel(1), 0.9 * expit(eta - half), rtol=1e-12)
    np.testing.assert_allclose(mass.bel(0), 0.9 * (1 - expit(eta + half)), rtol=1e-9, atol=1e-14)


def test_likelihood_brackets_platt_and_narrows_with_the_sample():
    few = LogisticCalibrator().fit(SCORES[:20], LABELS[:20])
    many = LogisticCalibrator().fit(np.tile(SCORES[:20], 50), np.tile(LABELS[:20], 50))
    for calibrator in (few, many):
        interval = calibrator.predict_interval(AT)
        p = calibrator.sigmoid_.probability(AT)
        assert (interval[:, 0] <= p).all()
        assert (p <= interval[:, 1]).all()
    inside = slice(1, -1)
    assert (np.ptp(many.predict_interval(AT), axis=1) < np.ptp(few.predict_interval(AT), axis=1))[
        inside
    ].all()


@pytest.mark.parametrize("model", ["bayesian", "confidence", "inverse_pignistic"])
def test_only_the_likelihood_model_has_a_contour(model):
    with pytest.raises(ValueError, match="needs 'likelihood'"):
        fitted(model).contour(0.0, 0.5)


def test_dempster_is_refused_as_a_model_of_the_logistic():
    with pytest.raises(ValueError, match="model is 'dempster', expected one of 'likelihood'"):
        fitted("dempster")


def test_contour_has_its_mode_at_platt_and_vanishes_at_the_ends():
    calibrator = fitted("likelihood")
    p = calibrator.sigmoid_.probability(AT[1:-1])
    np.testing.assert_allclose(calibrator.contour(AT[1:-1], p), 1, atol=1e-9)
    assert (calibrator.contour(AT[1:-1], 0.0) == 0).all()
    assert (calibrator.contour(AT[1:-1], 1.0) == 0).all()


@pytest.mark.parametrize("model", ["likelihood", "confidence", "inverse_pignistic", "bayesian"])
def test_scores_at_the_end_of_the_floats(model):
    far = np.array([-1.7e308, 1.7e308])
    interval = fitted(model).predict_interval(far)
    assert np.isfinite(interval).all()
    assert interval[0, 0] < 0.1
    assert interval[1, 1] > 0.9


@pytest.mark.parametrize(
    ("score", "probability", "message"),
    [
        (np.nan, 0.5, r"scores\[0\] is nan"),
        ([0, np.inf], 0.5, r"scores\[1\] is inf"),
        (0, [0.5, 1.5], r"probability\[1\] is 1.5, expected a number in \[0, 1\]"),
        (0, np.nan, "probability is nan"),
    ],
)
def test_a_contour_of_what_is_no_number_is_refused(score, probability, message):
    calibrator = LogisticCalibrator().fit([0, 1, 2, 3], [0, 1, 0, 1])
    with pytest.raises(ValueError, match=message):
        calibrator.contour(score, probability)


def test_before_fit_there_is_nothing_to_tell():
    for tell in (
        lambda calibrator: calibrator.contour(0, 0.5),
        lambda calibrator: calibrator.relative_likelihood(0, 0),
        lambda calibrator: calibrator.theta_,
    ):
        with pytest.raises(NotFittedError):
            tell(LogisticCalibrator())


def test_what_no_halving_resolves_is_refused_after_few_panels():
    """A light outlier at 1e265, and weights 24 powers of ten apart: it took over a minute."""
    rng = np.random.default_rng([0, 181])
    scores = np.append(rng.normal(size=19), 1e265)
    y = (scores > 0).astype(int)
    weight = np.where(np.arange(20) % 3 == 1, 1e-12, 1e12)
    with pytest.raises(ConvergenceError, match="leave out the extreme ones"):
        LogisticCalibrator().fit(scores, y, weight)


def test_parameters_whose_products_are_not_finite_are_refused():
    fitted = LogisticCalibrator().fit([-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1])
    for wrong in (np.inf, np.nan, 1e308):
        with pytest.raises(ValueError, match=r"theta0 is .*, expected a number from -1e\+150 to"):
            fitted.relative_likelihood(wrong, 0.0)
