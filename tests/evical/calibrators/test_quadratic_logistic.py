"""Quadratic logistic calibration: its definition, probmetrics, exact numbers, brute force."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import tanhsinh
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import norm

from dstheory import betp
from evical.calibrators import (
    LogisticCalibrator,
    QuadraticLogisticCalibrator,
)
from evical.errors import ConvergenceError
from tests.naive import logistic as naive_logistic
from tests.naive import quadratic as naive
from tests.support.each import each

PEER = json.loads((Path(__file__).parents[2] / "oracles" / "probmetrics.json").read_text("utf-8"))
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=80).round(2)
LABELS = (RNG.random(80) < expit(1 + 2 * SCORES - SCORES**2)).astype(int)
AT = np.array([-4.0, -1.0, -0.3, 0.4, 1.0, 2.5, 6.0])
MODELS = ["likelihood", "confidence", "inverse_pignistic", "bayesian"]


def fitted(**parameters):
    return QuadraticLogisticCalibrator(**parameters).fit(SCORES, LABELS)


# ---- the probability


@pytest.mark.parametrize("case", PEER["binary"], ids=lambda case: f"n={len(case['y'])}")
def test_equal_to_probmetrics(case):
    """Up to its optimizer, which stops at a gradient of 1e-4: ours has the better likelihood."""
    p, y, at = (np.array(case[name]) for name in ("p", "y", "at"))
    ours = QuadraticLogisticCalibrator(smooth=False, model="bayesian", transform="logit")
    ours.fit(p[:, 1], y)
    theirs = np.array(case["quadratic"])
    np.testing.assert_allclose(ours.predict_proba(at[:, 1]), theirs, atol=2e-3)
    x, z = logit(p[:, 1]), logit(at[:, 1])
    peer = np.polyfit(z, logit(theirs[:, 1]), 2)[::-1]  # the parabola through its predictions
    sample = x.tolist(), y.astype(float).tolist(), [1.0] * len(y)
    best = naive.loss(ours.coefficients_.tolist(), *sample)
    assert best <= naive.loss(peer.tolist(), *sample) + 1e-9
    assert best == pytest.approx(naive.loss(peer.tolist(), *sample), abs=1e-4)


@pytest.mark.parametrize("smooth", [True, False])
def test_equal_to_its_definition(smooth):
    weights = 1.0 + np.arange(80) % 3
    ours = QuadraticLogisticCalibrator(smooth=smooth, model="bayesian")
    ours.fit(SCORES, LABELS, weights)
    wanted = naive.fit(SCORES.tolist(), LABELS.tolist(), weights.tolist(), smooth)
    np.testing.assert_allclose(ours.coefficients_, wanted, rtol=1e-8)
    eta = np.polyval(wanted[::-1], AT)
    np.testing.assert_allclose(ours.predict_proba(AT)[:, 1], expit(eta), rtol=1e-8)
    turn = -wanted[1] / wanted[2] / 2
    assert ours.turning_point_ == pytest.approx(turn, rel=1e-8)
    np.testing.assert_allclose(*ours.predict_proba([turn - 1, turn + 1])[:, 1], rtol=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_two_scores_have_a_line(model):
    scores, y = np.repeat([0.2, 0.9], 20), np.tile([0, 0, 0, 1, 1], 8)
    ours = QuadraticLogisticCalibrator(model=model).fit(scores, y)
    line = LogisticCalibrator(model=model).fit(scores, y)
    np.testing.assert_allclose(
        ours.predict_mass(AT).masses, line.predict_mass(AT).masses, atol=1e-6
    )
    assert ours.coefficients_[2] == 0
    assert ours.turning_point_ == np.inf


@each("score", [0.0, 3.0, -1.7e308, 1e-310])
@each("model", MODELS)
def test_one_score_tells_nothing_about_others(model, score):
    ours = QuadraticLogisticCalibrator(model=model).fit([score] * 4, [0, 1, 1, 1])
    line = LogisticCalibrator(model=model).fit([score] * 4, [0, 1, 1, 1])
    at = [score, -1.0, 7.0]
    np.testing.assert_allclose(
        ours.predict_mass(at).masses, line.predict_mass(at).masses, atol=1e-8
    )


def test_unit_and_origin_cost_no_digits():
    wanted = fitted().predict_mass(SCORES).masses
    for scale, shift in ((1e-200, 0.0), (1e150, 0.0), (2.0**-20, 1024.0)):
        moved = QuadraticLogisticCalibrator().fit(scale * SCORES + shift, LABELS)
        got = moved.predict_mass(scale * SCORES + shift).masses
        np.testing.assert_allclose(got, wanted, atol=1e-7)


# ---- separated classes


def test_separated_is_what_some_parabola_separates():
    """All labels of up to five scores, those with both classes among them."""
    refused = {True: 0, False: 0}
    for n in (3, 4, 5):
        for code in range(3**n):
            kinds = [code // 3**i % 3 for i in range(n)]  # negative, positive, both
            x = [i for i, kind in enumerate(kinds) for _ in range(1 + (kind == 2))]
            y = [label for kind in kinds for label in ([0, 1] if kind == 2 else [kind])]
            if len(set(y)) < 2:
                continue
            separable = naive.separable(x, y)
            refused[separable] += 1
            calibrator = QuadraticLogisticCalibrator(smooth=False, model="bayesian")
            with (
                pytest.raises(ValueError, match="a parabola of the score separates the classes")
                if separable
                else nullcontext()
            ):
                calibrator._fit_quietly(x, y)
    assert min(refused.values()) > 10


def test_separated_classes_have_a_smooth_fit():
    scores, y = np.arange(12.0), np.repeat([0, 1, 0], 4)
    p = QuadraticLogisticCalibrator(model="bayesian").fit(scores, y).predict_proba(scores)
    assert ((p > 0.01) & (p < 0.99)).all()
    np.testing.assert_array_equal(p[:, 1] > 0.5, y)
    low, high = QuadraticLogisticCalibrator().fit(scores, y).predict_interval([5.5, 100.0]).T
    assert low[0] > 0.3
    assert low[1] < 0.01 < high[1]


# ---- what the sample leaves open


def objective(free, x, y):
    t = np.array(naive_logistic.targets(y.tolist(), [1.0] * len(y)))
    eta = np.polyval(free[::-1], x)
    return float(np.logaddexp(0, eta).sum() - t @ eta)


@each("s", [-3.0, 0.0, 0.7, 5.0])
@each("p", [0.05, 0.4, 0.8])
def test_contour_is_that_of_a_constrained_optimizer(s, p):
    calibrator = fitted()
    best = calibrator.coefficients_
    wanted = minimize(
        objective,
        best,
        args=(SCORES, LABELS),
        constraints={"type": "eq", "fun": lambda w: np.polyval(w[::-1], s) - logit(p)},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    assert wanted.success
    relative = np.exp(objective(best, SCORES, LABELS) - wanted.fun)
    assert calibrator.contour(s, p) == pytest.approx(relative, abs=1e-5)


@each(("n", "s"), [(5, -3.0), (12, 0.1), (80, 1.5), (5, 30.0), (12, -3.0), (80, 30.0)])
def test_masses_are_the_areas_under_the_contour(n, s):
    calibrator = QuadraticLogisticCalibrator().fit(SCORES[:n], LABELS[:n])
    p = expit(calibrator._fit.log_odds([s]))[0]
    below, above = tanhsinh(
        lambda tau: calibrator.contour(s, tau), [0, p], [p, 1], atol=1e-9
    ).integral
    wanted = [p - below, p + above]
    np.testing.assert_allclose(calibrator.predict_interval([s])[0], wanted, atol=1e-6)


@each("n", [70, 300, 3000])
@each("bend", [-1.0, 0.0, 0.5])
def test_a_quadrature_is_as_good_as_the_sample(n, bend):
    rng = np.random.default_rng(n)
    x = rng.standard_t(4, size=n)
    y = rng.random(n) < expit(0.5 + x + bend * x * x)
    reduced = QuadraticLogisticCalibrator().fit(x, y)
    profile = reduced._profile
    assert len(profile.nodes) < min(n, 220)
    z = profile.fit.standardize(reduced.counts_.scores)
    exact = type(profile)(profile.fit, z, reduced.counts_.total)
    places = profile.fit.standardize(np.array([-20.0, -2.0, 0.0, 0.5, 3.0, 50.0]))
    for shift in (-4.0, -1.0, 0.5, 3.0):
        eta = (profile.linear.mle(places) + shift * profile.linear.spread(places))[:, None]
        ours, wanted = profile.at(places, eta), exact.at(places, eta)
        np.testing.assert_allclose(np.exp(-ours), np.exp(-wanted), atol=1e-7)


def test_far_scores_are_as_the_sign_of_the_bend_is_known():
    calibrator = fitted()
    interval = calibrator.predict_interval([-1e12, -1e9, 1e9, 1e12])
    np.testing.assert_allclose(interval, interval[:1].repeat(4, axis=0), atol=2e-6)
    line = minimize(
        lambda w: objective(np.append(w, 0.0), SCORES, LABELS), np.zeros(2), method="BFGS"
    ).fun
    relative = np.exp(objective(calibrator.coefficients_, SCORES, LABELS) - line)
    np.testing.assert_allclose(interval[0], [0.0, relative], atol=2e-6)


def test_confidence_is_the_delta_method():
    ours = fitted(model="confidence", confidence=0.9)
    design = np.stack([np.ones(80), SCORES, SCORES**2])
    p = expit(ours.coefficients_ @ design)
    information = (design * p * (1 - p)) @ design.T
    h = np.array([1.0, 0.7, 0.49])
    eta = ours.coefficients_ @ h
    half = norm.ppf(0.95) * np.sqrt(h @ np.linalg.solve(information, h))
    m = ours.predict_mass([0.7])
    assert m.bel(1)[0] == pytest.approx(0.9 * expit(eta - half), rel=1e-6)
    assert m.bel(0)[0] == pytest.approx(0.9 * expit(-eta - half), rel=1e-6)


def test_inverse_pignistic_keeps_the_probability():
    m = fitted(model="inverse_pignistic").predict_mass(AT)
    np.testing.assert_allclose(betp(m), fitted(model="bayesian").predict_proba(AT), atol=1e-15)


def test_the_interval_holds_the_probability_and_is_wider_than_that_of_a_line():
    interval, p = fitted().predict_interval(AT), fitted(model="bayesian").predict_proba(AT)[:, 1]
    assert (interval[:, 0] <= p).all()
    assert (p <= interval[:, 1]).all()
    straight = LogisticCalibrator().fit(SCORES, LABELS).predict_interval([-4.0, 6.0])
    assert (np.ptp(interval[[0, -1]], axis=1) > np.ptp(straight, axis=1)).all()


# ---- bad input


def test_only_the_likelihood_model_has_a_contour():
    with pytest.raises(ValueError, match="needs 'likelihood'"):
        fitted(model="bayesian").contour(0.0, 0.5)


@pytest.mark.parametrize(
    ("options", "error"),
    [({"smooth": 1}, TypeError), ({"model": "dempster"}, ValueError)],
)
def test_wrong_parameters_are_refused(options, error):
    with pytest.raises(error, match=f"{next(iter(options))} is "):
        fitted(**options)


def test_weights_in_which_rounding_shows_are_named():
    scores, y = np.linspace(-3, 3, 40), np.arange(40) % 3 == 1
    with pytest.raises(ConvergenceError, match="powers of ten"):
        QuadraticLogisticCalibrator().fit(scores, y, np.full(40, 1e12))


def test_scores_beside_an_outlier_that_is_too_far_are_one():
    """In floats they are, in units of the standard deviation."""
    scores, y = [*range(30), 1e100], np.arange(31) % 2 == 0
    calibrator = QuadraticLogisticCalibrator(model="bayesian").fit(scores, y)
    line = LogisticCalibrator(model="bayesian").fit([0.0] * 30 + [1.0], y)
    wanted = line.predict_proba([0.0, 0.0, 1.0])
    np.testing.assert_allclose(calibrator.predict_proba([0, 29, 1e100]), wanted, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:the weights of .* samples have the sum")  # on purpose
@pytest.mark.filterwarnings("ignore:scores look reversed")  # as labels take turns
@each(
    ("scores", "weight"),
    [
        ([*np.linspace(0, 1, 80), 1e30], None),  # all but two places are one in floats
        ([0.1, 0.2, 0.3, 1e18], None),
        ([5e-61, 3e-38, 7e-12, 1.0], [1e-8, 20.0, 25.0, 1.0]),
        (NORMAL := np.linspace(-3, 3, 40), np.full(40, 1e-10)),
        (NORMAL, np.full(40, 1e10)),
        (NORMAL, 10.0 ** (np.arange(40) % 9 - 4)),
        (1 + np.arange(30) * 2.0**-52, None),
    ],
    ids=["merged", "outlier", "powers", "light", "heavy", "mixed", "ulps"],
)
def test_hostile_samples_have_an_answer(scores, weight):
    """They ended within the linear algebra, or with a warning of NumPy."""
    y = np.arange(len(scores)) % 3 == 1
    for model in MODELS:
        calibrator = QuadraticLogisticCalibrator(model=model).fit(scores, y, weight)
        at = np.r_[scores, 0.5, -1e300, 1e300]
        interval = calibrator.predict_interval(at)
        assert ((interval >= 0) & (interval <= 1)).all()
        again = QuadraticLogisticCalibrator.from_dict(json.loads(json.dumps(calibrator.to_dict())))
        np.testing.assert_array_equal(again.predict_interval(at), interval)
        if weight is not None and max(weight) < 1 and model == "likelihood":
            assert (np.diff(interval) > 0.7).all()  # less than one sample


def test_damaged_states_are_refused():
    data = fitted().to_dict()
    for damage in (
        {"root": np.zeros((3, 3)).tolist()},
        {"coefficients": [0.0] * 4, "root": np.eye(4).tolist()},
        {"edges": [], "table": []},
        {"scale": 0.0},
    ):
        with pytest.raises(ValueError, match="damaged"):
            QuadraticLogisticCalibrator.from_dict({**data, "state": {**data["state"], **damage}})


def test_three_changes_of_class_are_more_than_a_parabola_has_roots():
    fitted = QuadraticLogisticCalibrator(smooth=False, model="bayesian")
    p = fitted.fit([0, 1, 2, 3], [0, 1, 0, 1]).predict_proba([0, 1, 2, 3])
    assert np.all((p > 0) & (p < 1))
    for y in ([0, 1, 0, 0], [0, 0, 1, 1]):
        with pytest.raises(ValueError, match="separates the classes"):
            fitted.fit([0, 1, 2, 3], y)
