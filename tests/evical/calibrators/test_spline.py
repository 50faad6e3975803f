"""Spline calibration: the penalized optimum, left-out samples, the line at its end, hard data."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.special import expit

from evical.calibrators import LogisticCalibrator, SplineCalibrator
from evical.curves import platt_targets, spline
from evical.datasets import simulated_probability, simulated_quantiles, simulated_scores
from evical.scores import ScoreCounts


def problem_of(scores, y, n_knots=6, weights=None):
    counts = ScoreCounts.from_samples(scores, y, weights)
    knots = spline._knots(counts, n_knots)
    return counts, knots, spline._problem(counts, counts, knots)


def wavy(n=80, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 1, n).round(2)
    return scores, (rng.random(n) < expit(3 * np.sin(6 * scores))).astype(int)


def soft(weights, targets):
    """Weights of the targets of both classes, these targets being given."""
    (negative, positive), (low, high) = weights, targets
    return (1 - low) * negative + (1 - high) * positive, low * negative + high * positive


def test_roughness_is_the_integral_of_the_squared_second_derivative():
    _, knots, problem = problem_of(*wavy())
    unit = (knots - knots[0]) / (knots[-1] - knots[0])
    values = np.random.default_rng(1).normal(size=len(knots))
    curve = CubicSpline(unit, values, bc_type="natural")
    pieces = [quad(lambda x: float(curve(x, 2)) ** 2, *ends)[0] for ends in pairwise(unit)]
    parameters = np.linalg.solve(problem.values, values)
    np.testing.assert_allclose(parameters @ problem.roughness @ parameters, sum(pieces), rtol=1e-9)


@pytest.mark.parametrize("penalty", [1e-4, 1e-2, 1.0])
def test_the_fit_is_the_optimum_of_the_penalized_deviance(penalty):
    scores, y = wavy()
    counts, knots, problem = problem_of(scores, y)
    low, high = platt_targets(counts.n_negative, counts.n_positive)
    targets = np.where(y, high, low)
    basis = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")(scores)

    def deviance(values):
        eta = basis @ values
        parameters = np.linalg.solve(problem.values, values)
        price = penalty / 2 * parameters @ problem.roughness @ parameters
        return (np.logaddexp(0, eta) - targets * eta).sum() + price

    found = problem.values @ spline._newton(problem, np.zeros(len(knots)), penalty).parameters
    other = minimize(deviance, np.zeros(len(knots)), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(found, other.x, atol=1e-4)
    assert deviance(found) <= other.fun + 1e-9


def test_leaving_one_out_is_refitting_without_it():
    scores, y = wavy(60)
    counts, knots, problem = problem_of(scores, y)
    fit = spline._newton(problem, np.zeros(len(knots)), 0.01)
    losses = spline._left_out_losses(problem, fit)
    for row in range(0, len(counts), 5):
        for label, weights in enumerate((counts.negative, counts.positive)):
            if weights[row] == 0:
                continue
            fewer = [counts.negative.copy(), counts.positive.copy()]
            fewer[label][row] -= 1
            without = problem._replace(soft=soft(fewer, problem.targets))
            refit = spline._newton(without, fit.parameters, 0.01)
            eta = problem.basis[row] @ refit.parameters
            exact = np.logaddexp(0, eta if label == 0 else -eta)
            np.testing.assert_allclose(losses[label, row], exact, rtol=0.03)


@pytest.mark.filterwarnings("ignore:scores point the wrong way")  # on purpose
def test_a_high_penalty_is_logistic_calibration():
    scores, y = wavy()
    _, knots, problem = problem_of(scores, y)
    values = problem.values @ spline._newton(problem, np.zeros(len(knots)), 1e5).parameters
    curve = spline.LogisticSpline(knots, values, 1e5, 2.0)
    platt = LogisticCalibrator("bayesian").fit(scores, y)
    probes = np.linspace(scores.min(), scores.max(), 31)
    np.testing.assert_allclose(
        expit(curve.logit(probes)), platt.predict_proba(probes)[:, 1], atol=1e-4
    )


@pytest.mark.filterwarnings("ignore:scores point the wrong way")  # on purpose
def test_two_knots_are_logistic_calibration():
    scores, y = wavy()
    probes = np.linspace(scores.min(), scores.max(), 31)
    np.testing.assert_allclose(
        SplineCalibrator(n_knots=2).fit(scores, y).predict_proba(probes),
        LogisticCalibrator("bayesian").fit(scores, y).predict_proba(probes),
        atol=1e-12,
    )


@pytest.mark.filterwarnings("ignore:scores point the wrong way")  # on purpose
def test_degrees_of_freedom_are_those_of_the_linear_smoother():
    scores, y = wavy(300)
    fitted = SplineCalibrator(n_knots=10).fit(scores, y)
    counts, _, problem = problem_of(scores, y, n_knots=10)
    p = expit(problem.basis @ np.linalg.solve(problem.values, fitted.values_))
    weight = counts.total * p * (1 - p)
    information = problem.basis.T * weight @ problem.basis
    smoother = np.linalg.solve(information + fitted.penalty_ * problem.roughness, information)
    np.testing.assert_allclose(fitted.degrees_of_freedom_, np.trace(smoother), rtol=1e-4)


@pytest.mark.filterwarnings("ignore:scores point the wrong way")  # on purpose
def test_the_curve_straightens_at_its_ends_and_is_constant_beyond():
    fitted = SplineCalibrator().fit(*wavy(300))
    curve = spline.LogisticSpline(fitted.knots_, fitted.values_, 0.0, 0.0)
    low, high = fitted.knots_[[0, -1]]
    step = 1e-4 * np.arange(3)
    for inside in (curve.logit(low + step), curve.logit(high - step)):
        first, second = np.diff(inside)
        np.testing.assert_allclose(second, first, rtol=1e-2)
    beyond = curve.logit(np.array([low - 9, high + 9]))
    np.testing.assert_allclose(beyond, fitted.values_[[0, -1]], rtol=1e-14)


@pytest.mark.filterwarnings("ignore:scores point the wrong way")  # on purpose
def test_scale_and_origin_of_the_scores_do_not_matter():
    scores, y = wavy(200)
    plain = SplineCalibrator().fit(scores, y).predict_proba(scores)
    moved = SplineCalibrator().fit(1e6 + 1e-3 * scores, y).predict_proba(1e6 + 1e-3 * scores)
    np.testing.assert_allclose(moved, plain, atol=1e-5)


@pytest.mark.parametrize("kind", ["monotone", "nonmonotone", "margin"])
def test_much_data_lead_to_the_true_curve(kind):
    sample = simulated_scores(kind, 20_000, np.random.default_rng(0))
    fitted = SplineCalibrator().fit(sample.scores, sample.y)
    probes = simulated_quantiles(kind, 500)
    error = fitted.predict_proba(probes)[:, 1] - simulated_probability(kind, probes)
    assert np.sqrt((error**2).mean()) < 0.02
    line = LogisticCalibrator("bayesian").fit(sample.scores, sample.y)
    worse = line.predict_proba(probes)[:, 1] - simulated_probability(kind, probes)
    assert (error**2).mean() < (worse**2).mean() / 2


@pytest.mark.parametrize(
    ("scores", "y"),
    [
        ([1, 1], [0, 1]),
        ([0, 1], [0, 1]),
        ([0, 1, 2], [0, 0, 1]),
        ([1, 2, 3, 4, 1e150], [0, 1, 0, 1, 1]),
        ([-8e307, 0, 1, 8e307], [0, 1, 0, 1]),
        (np.arange(100), np.arange(100) > 50),
        (np.arange(100), np.arange(100) == 50),
        ([1, 1 + 1e-15, 1 + 2e-15, 2], [0, 1, 0, 1]),
        ([0, 5e-324, 1e-323], [0, 1, 0]),
    ],
)
def test_hard_data_give_probabilities(scores, y):
    fitted = SplineCalibrator().fit(scores, np.asarray(y, dtype=int))
    inside = fitted.predict_proba(scores)
    assert ((inside > 0) & (inside < 1)).all()
    ends = fitted.predict_proba([min(scores), max(scores)])
    np.testing.assert_array_equal(fitted.predict_proba([-1e308, 1e308]), ends)


@pytest.mark.parametrize(
    ("n_knots", "error"), [(1, ValueError), (2.5, TypeError), (True, TypeError)]
)
def test_wrong_numbers_of_knots(n_knots, error):
    with pytest.raises(error, match=f"n_knots is {n_knots}"):
        SplineCalibrator(n_knots=n_knots).fit([0.0, 1.0], [0, 1])


@pytest.mark.parametrize("seed", [13, 18])
def test_weights_of_any_ratio(seed):
    """The information of some samples is lost in the rounding of the others."""
    rng = np.random.default_rng(seed)
    scores = np.exp(30 * rng.normal(size=60))
    y = (scores > np.median(scores)).astype(int)
    y[:9] = 1 - y[:9]
    fitted = SplineCalibrator().fit(scores, y, 10.0 ** rng.uniform(-12, 12, 60))
    p = fitted.predict_proba(scores)
    assert ((p >= 0) & (p <= 1)).all()
