"""Beta calibration: its relatives among the calibrators, its constraints, and its ends."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from dstheory import betp
from evical.calibrators import BetaCalibrator, LogisticCalibrator, TemperatureCalibrator
from evical.errors import WrongWayWarning
from tests.support.each import each, pairs

RNG = np.random.default_rng(0)
SCORES = RNG.beta(0.7, 0.9, 200)
LABELS = (RNG.random(200) < expit(0.5 * np.log(SCORES) - 1.5 * np.log1p(-SCORES))).astype(int)
AT = np.array([0.0, 1e-6, 0.2, 0.5, 0.7, 0.999, 1.0])
MODELS = ["likelihood", "confidence", "inverse_pignistic", "bayesian"]


def fitted(**parameters):
    return BetaCalibrator(**parameters).fit(SCORES, LABELS)


@pytest.mark.parametrize("model", MODELS)
def test_am_is_the_sigmoid_of_log_odds(model):
    """The sign of the slope is the one difference, and is not in doubt here."""
    ours = fitted(parameters="am", model=model).predict_mass(AT).masses
    wanted = LogisticCalibrator(model=model, transform="logit").fit(SCORES, LABELS)
    np.testing.assert_allclose(ours, wanted.predict_mass(AT).masses, atol=5e-7)


@pytest.mark.parametrize("model", MODELS)
def test_a_is_temperature_scaling_of_log_odds(model):
    ours, theirs = (
        fitted(parameters="a", model=model),
        TemperatureCalibrator(model=model, transform="logit"),
    )
    theirs.fit(SCORES, LABELS)
    np.testing.assert_allclose(
        ours.predict_mass(AT).masses, theirs.predict_mass(AT).masses, atol=5e-7
    )
    assert ours.coefficients_[0] == pytest.approx(1 / theirs.temperature_, rel=1e-6)
    if model == "likelihood":
        p = np.array([0.3, 0.4, 0.6, 0.8])
        np.testing.assert_allclose(ours.contour(0.6, p), theirs.contour(0.6, p), atol=1e-8)


def test_midpoint_is_where_classes_are_equally_probable():
    for parameters in ("abm", "am", "ab"):
        calibrator = fitted(parameters=parameters, model="bayesian")
        p = calibrator.predict_proba([calibrator.midpoint_])
        np.testing.assert_allclose(p, 0.5, atol=1e-9)
    with pytest.warns(WrongWayWarning):
        reverse = BetaCalibrator(model="bayesian").fit(1 - SCORES, LABELS)
    assert reverse.coefficients_[:2].tolist() == [0, 0]
    assert np.isnan(reverse.midpoint_)
    np.testing.assert_allclose(
        reverse.predict_proba(AT)[:, 1], (LABELS.sum() + 1 / 3) / 200, atol=0.01
    )


@pytest.mark.parametrize("parameters", ["abm", "am", "ab", "a"])
def test_bounds_increase_with_the_score(parameters):
    """All maps of the family increase, so that their lower and upper envelopes do."""
    interval = fitted(parameters=parameters).predict_interval(np.linspace(0, 1, 200))
    assert (np.diff(interval, axis=0) > -1e-6).all()
    p = fitted(parameters=parameters, model="bayesian").predict_proba(np.linspace(0, 1, 200))[:, 1]
    assert (interval[:, 0] <= p + 1e-12).all()
    assert (p <= interval[:, 1] + 1e-12).all()


@pytest.mark.parametrize("model", MODELS)
def test_zero_and_one_are_no_exception(model):
    scores, y = [0.0, 0.0, 0.3, 0.6, 1.0, 1.0], [0, 1, 0, 1, 1, 1]
    for parameters in ("abm", "am", "ab", "a"):
        m = (
            BetaCalibrator(parameters=parameters, model=model)
            .fit(scores, y)
            .predict_mass([0.0, 0.5, 1.0])
        )
        assert np.isfinite(m.masses).all()
        assert (m.pl([0]) > 0).all()
        assert (m.pl([1]) > 0).all()


def test_confidence_is_the_delta_method():
    ours = fitted(model="confidence", confidence=0.9)
    x = logit(0.3)
    h = np.array([np.log(0.3), -np.log(0.7), 1.0])
    eta = ours.coefficients_ @ h
    p = expit(
        ours.coefficients_ @ np.stack([np.log(SCORES), -np.log1p(-SCORES), np.ones_like(SCORES)])
    )
    design = np.stack([np.log(SCORES), -np.log1p(-SCORES), np.ones_like(SCORES)])
    information = (design * p * (1 - p)) @ design.T
    half = norm.ppf(0.95) * np.sqrt(h @ np.linalg.solve(information, h))
    m = ours.predict_mass(expit([x]))
    assert m.bel(1)[0] == pytest.approx(0.9 * expit(eta - half), rel=1e-5)
    assert m.bel(0)[0] == pytest.approx(0.9 * expit(-eta - half), rel=1e-5)


def test_inverse_pignistic_keeps_the_probability():
    m = fitted(model="inverse_pignistic").predict_mass(AT)
    np.testing.assert_allclose(betp(m), fitted(model="bayesian").predict_proba(AT), atol=1e-15)


def test_one_score_bounds_its_neighbors_from_one_side():
    """Nothing is known elsewhere but that probabilities do not decrease."""
    calibrator = BetaCalibrator().fit([0.5] * 4, [0, 1, 1, 1])
    interval = calibrator.predict_interval([0.4, 0.5, 0.6])
    assert interval[0, 0] == 0
    assert interval[2, 1] == 1
    assert interval[0, 1] == interval[1, 1] < 1
    assert interval[2, 0] == interval[1, 0] > 0


def test_scores_between_two_that_are_known():
    calibrator = BetaCalibrator().fit(np.repeat([0.3, 0.6], 20), np.tile([0, 0, 0, 1], 10))
    interval = calibrator.predict_interval([0.01, 0.3, 0.45, 0.6, 0.99])
    widths = np.ptp(interval, axis=1)
    assert widths[0] > widths[1]
    assert widths[4] > widths[3]


@pytest.mark.parametrize("parameters", ["abm", "am", "ab", "a"])
def test_separable_classes(parameters):
    scores, y = [0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="a threshold separates the classes"):
        BetaCalibrator(parameters=parameters, smooth=False).fit(scores, y)
    p = BetaCalibrator(parameters=parameters, model="bayesian").fit(scores, y).predict_proba(scores)
    assert ((p > 0) & (p < 1)).all()
    BetaCalibrator(parameters=parameters, smooth=False).fit(scores, [1, 1, 0, 0])  # a = b = 0


def test_only_scores_of_the_unit_interval():
    with pytest.raises(ValueError, match=r"scores reach from -1 to 0\.5, but beta calibration"):
        BetaCalibrator(transform=None).fit([-1, 0, 0.5], [0, 1, 1])
    with pytest.raises(ValueError, match="transform is 'logit', but beta"):
        BetaCalibrator(transform="logit").fit(SCORES, LABELS)
    with pytest.raises(ValueError, match="parameters is 'b', expected one of 'abm', 'am'"):
        BetaCalibrator(parameters="b").fit(SCORES, LABELS)
    with pytest.raises(TypeError, match="smooth is 1, expected True or False"):
        BetaCalibrator(smooth=1).fit(SCORES, LABELS)
    margins = BetaCalibrator(model="bayesian", transform="sigmoid").fit(logit(SCORES), LABELS)
    np.testing.assert_allclose(
        margins.coefficients_, fitted(model="bayesian").coefficients_, rtol=1e-6
    )


def test_contour_is_one_at_the_fit_and_needs_the_likelihood():
    calibrator = fitted()
    p = fitted(model="bayesian").predict_proba([0.2, 0.7])[:, 1]
    np.testing.assert_allclose(calibrator.contour([0.2, 0.7], p), 1, atol=1e-9)
    with pytest.raises(ValueError, match="needs 'likelihood'"):
        fitted(model="bayesian").contour(0.5, 0.5)
    with pytest.raises(ValueError, match=r"probability is 1\.5"):
        calibrator.contour(0.5, 1.5)


def test_saved_state_is_small_and_damage_is_found():
    n = 5000
    scores = RNG.random(n)
    calibrator = BetaCalibrator().fit(scores, RNG.random(n) < scores)
    data = calibrator.to_dict()
    assert len(json.dumps(data)) < 50_000
    restored = BetaCalibrator.from_dict(data)
    assert restored.contour(0.3, 0.31) == calibrator.contour(0.3, 0.31)
    for name in ("coefficients", "slope", "nodes"):
        damaged = {**data, "state": {**data["state"], name: [0.0]}}
        with pytest.raises(ValueError, match="saved calibrator is damaged"):
            BetaCalibrator.from_dict(damaged)


NOISE = {
    "two, 1e-12 apart": (np.array([0.7, 0.7 + 1e-12]), [0, 1]),
    "two, 1e-14 apart": (np.array([0.7, 0.7 + 1e-14]), [0, 1]),
    "two floats next to each other": (np.array([0.7, np.nextafter(0.7, 1)]), [0, 1]),
    "one of 1000 is off": (np.append(np.full(999, 0.7), 0.7 + 1e-12), np.arange(1000) % 2),
    "1000 that jitter": (
        0.7 + 1e-15 * np.random.default_rng(0).normal(size=1000),
        np.arange(1000) % 3 > 0,
    ),
}


@each("model", MODELS)
@each("parameters", ["abm", "am", "ab", "a"])
@each("name", NOISE)
def test_scores_that_differ_by_rounding_are_one(name, parameters, model):
    scores, y = NOISE[name]
    fitted = BetaCalibrator(parameters=parameters, model=model).fit(
        scores, np.asarray(y, dtype=int)
    )
    one = BetaCalibrator(parameters=parameters, model=model).fit(
        np.full(len(y), 0.7), np.asarray(y, dtype=int)
    )
    at = np.array([scores.min(), scores.max(), 0.2, 0.9])
    expected = one.predict_interval([0.7, 0.7, 0.2, 0.9])
    np.testing.assert_allclose(fitted.predict_interval(at), expected, atol=1e-7)


@each(
    ("width", "middle", "parameters"),
    pairs([1e-8, 1e-6, 1e-4], [0.01, 0.5, 0.7, 0.999], ["abm", "am", "ab", "a"]),
)
def test_narrow_scores_are_fitted(width, middle, parameters):
    rng = np.random.default_rng(0)
    scores = middle + width * (1 - middle) * rng.normal(size=50)
    y = (rng.random(50) < 0.5).astype(int)
    bel, pl = (
        BetaCalibrator(parameters=parameters).fit(scores, y).predict_interval(np.sort(scores)).T
    )
    assert ((bel >= 0) & (bel <= pl) & (pl <= 1)).all()
    assert (np.diff([bel, pl]) > -5e-6).all()


BACKWARD = {
    "two samples": ([0.2, 0.7], [1, 0]),
    "two scores": ([0.2, 0.7, 0.2, 0.7, 0.7], [1, 0, 0, 1, 0]),
    "few": ([0.1, 0.5, 0.9, 0.3], [1, 0, 1, 0]),
    "narrow": (0.5 + 1e-4 * np.arange(40) / 40, [1, 0, 1, 0, 1, 1, 0, 0] * 5),
    "wrong way": (np.arange(60) / 60, [1, 1, 1, 0] * 8 + [0, 0, 0, 1] * 7),
}


@pytest.mark.filterwarnings("ignore:scores look reversed", "ignore:scores are from")  # on purpose
@each(
    ("name", "parameters", "smooth"), pairs(list(BACKWARD), ["abm", "am", "ab", "a"], [True, False])
)
def test_nothing_falls_on_scores_that_point_the_wrong_way(name, parameters, smooth):
    scores, y = BACKWARD[name]
    at = np.concatenate([[1e-12, 1e-6], np.linspace(0.001, 0.999, 999), [1 - 1e-6, 1 - 1e-12]])
    for model, error in (("bayesian", 1e-15), ("likelihood", 1e-6)):
        fitted = BetaCalibrator(parameters=parameters, smooth=smooth, model=model).fit(scores, y)
        assert np.diff(fitted.predict_interval(at), axis=0).min() >= -error


def test_great_margins_are_not_read_in_steps():
    """The sigmoid of 33 is next to 1, where floats are too far apart to tell 33 from 33.01."""
    scores, y = np.array([-3.0, -1.0, 0.0, 1.0, 2.0]), [0, 1, 0, 1, 1]
    calibrator = BetaCalibrator().fit(scores, y)
    belief = calibrator.predict_interval(np.linspace(30.0, 35.0, 501))[:, 0]
    assert (np.diff(belief) > 0).all()
    ends = BetaCalibrator(extrapolate=False).fit(scores, y).predict_interval([2.0, 33.0])
    assert (ends[0] == ends[1]).all()


@pytest.mark.filterwarnings("ignore:scores are from")  # far ones
@each("model", ["likelihood", "confidence"])
def test_intervals_of_margins_have_no_steps_of_probabilities_next_to_1(model):
    rng = np.random.default_rng(0)
    s = rng.normal(size=80)
    calibrator = BetaCalibrator(transform="sigmoid", model=model).fit(s, rng.random(80) < expit(s))
    far = np.linspace(30, 36, 200)  # where the sigmoid has about 200 steps of 2.2e-16 in all
    ends = np.log1p(-calibrator.predict_interval(far, level=0.9)[:, 0])
    assert np.abs(np.diff(ends, 2)).max() < 0.1 * np.abs(np.diff(ends)).max()
