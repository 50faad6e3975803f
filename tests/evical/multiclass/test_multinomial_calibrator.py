"""Evidential multinomial logistic calibration against binary calibration, closed forms, SLSQP."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit

from evical.beliefs.bounded import joint_sets
from evical.calibrators import LogisticCalibrator
from evical.multiclass import MultinomialLogisticCalibrator, SoftmaxCalibrator
from evical.multiclass._level_sets import (
    LogOdds,
    Quadratic,
    SampleDeviance,
    coefficients,
    crossing,
    expected_probability,
    extremes,
    levels,
)
from tests.protocols.multiclass_table import PROBES, K, simulated
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")


@pytest.mark.parametrize("n", [2, 3, 10, 60, 190])
def test_for_two_classes_it_is_logistic_calibration(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = (rng.random(n) < expit(2 * x)).astype(int)
    y[:2] = 0, 1
    probes = [-1e9, -50, -1.5, 0, 0.2, 2, 50, 1e9]
    ours, peer = (
        MultinomialLogisticCalibrator(model="likelihood").fit(x, y),
        LogisticCalibrator().fit(x, y),
    )
    np.testing.assert_allclose(
        ours.predict_interval(probes)[:, 1], peer.predict_interval(probes), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(
        ours.contour([-1.5, 0.2], 1, [0.1, 0.5, 0.8]),
        peer.contour(np.array([[-1.5], [0.2]]), [0.1, 0.5, 0.8]),
        rtol=0,
        atol=1e-6,
    )


@pytest.mark.parametrize("repeats", [1, 4, 30])
def test_closed_form_of_a_saturated_model(repeats):
    """Three points with free probabilities each: a multinomial sample of targets."""
    scores, y = np.tile(np.eye(K), (repeats, 1)), np.tile(np.arange(K), repeats)
    calibrator = MultinomialLogisticCalibrator(model="likelihood").fit(scores, y)
    t = (repeats + 1) / (repeats + K)

    def contour(p):
        return ((p / t) ** t * ((1 - p) / (1 - t)) ** (1 - t)) ** repeats

    lower = t - quad(contour, 0, t, epsabs=1e-12)[0]
    upper = t + quad(contour, t, 1, epsabs=1e-12)[0]
    interval = calibrator.predict_interval(np.eye(K))
    np.testing.assert_allclose(interval[0, 0, 0], lower, rtol=0, atol=1e-6)
    # Plausibilities may be raised, where no belief function has the bounds.
    assert interval[0, 0, 1] >= upper - 1e-6
    taus = np.array([0.3, 0.5, 0.9])
    np.testing.assert_allclose(calibrator.contour(np.eye(K), 0, taus)[0], contour(taus), atol=1e-6)


def problems(n=30, seed=0, k=K):
    """A fitted sample deviance, and all problems of a few probes."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    scores = rng.normal(size=(n, k)) + np.eye(k)[y]
    calibrator = MultinomialLogisticCalibrator(model="likelihood").fit(scores, y)
    standard = calibrator._standard(rng.normal(size=(3, k)))
    return calibrator._deviance(), calibrator._level_sets(*standard).problems(slice(None))


def test_the_deviance_has_its_derivatives_and_unit_curvature():
    deviance, odds = problems()
    rng = np.random.default_rng(0)
    u, d = rng.normal(size=(2, 5, deviance.basis.shape[1]))
    h = 1e-5
    gradient, hessian = deviance.derivatives(u)
    _, along = deviance.along(u)
    slope = (deviance.along(u + h * d)[0] - deviance.along(u - h * d)[0]) / (2 * h)
    np.testing.assert_allclose((gradient * d).sum(axis=1), slope, rtol=1e-6)
    np.testing.assert_allclose((gradient * u).sum(axis=1), along, rtol=1e-9)
    bend = (deviance.derivatives(u + h * d)[0] - deviance.derivatives(u - h * d)[0]) / (2 * h)
    np.testing.assert_allclose((hessian @ d[:, :, None])[:, :, 0], bend, atol=1e-7)
    origin = np.zeros((1, u.shape[1]))
    assert abs(deviance.along(origin)[0][0]) < 1e-14
    np.testing.assert_allclose(deviance.derivatives(origin)[0], 0, atol=1e-9)
    np.testing.assert_allclose(deviance.derivatives(origin)[1][0], np.eye(u.shape[1]), atol=1e-8)
    some = odds[np.arange(5)]
    g, b = some.derivatives(u)[1:]
    slope = (some.value(u + h * d) - some.value(u - h * d)) / (2 * h)
    np.testing.assert_allclose((g * d).sum(axis=1), slope, rtol=1e-5, atol=1e-9)
    bend = (some.derivatives(u + h * d)[1] - some.derivatives(u - h * d)[1]) / (2 * h)
    np.testing.assert_allclose((b @ d[:, :, None])[:, :, 0], bend, atol=1e-7)


@pytest.mark.parametrize("k", [3, 4])
def test_no_constrained_optimizer_finds_a_better_extreme(k):
    deviance, odds = problems(k=k)
    found = extremes(odds, deviance, np.array([1.0, 3.0]))
    rng = np.random.default_rng(0)
    for place in rng.choice(len(odds.sign), 6, replace=False):
        one = odds[np.array([place])]
        for level, ours in zip((1.0, 3.0), found[:, place], strict=True):
            best = max(_slsqp(one, deviance, level, rng) for _ in range(3))
            assert best <= ours + 1e-8
            assert best >= ours - 1e-2  # one of three starts comes near


def _slsqp(one, deviance, level, rng):
    start = rng.normal(size=one.slopes.shape[2])
    peer = minimize(
        lambda u: -one.value(u[None])[0],
        start * level / np.linalg.norm(start),
        jac=lambda u: -one.derivatives(u[None])[1][0],
        constraints={
            "type": "ineq",
            "fun": lambda u: level**2 / 2 - deviance.along(u[None])[0][0],
            "jac": lambda u: -deviance.derivatives(u[None])[0][0],
        },
        method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-10},
    )
    inside = deviance.along(peer.x[None])[0][0] <= level**2 / 2 * (1 + 1e-7)
    return -peer.fun if inside else -np.inf


def test_the_least_probability_is_found_among_several_rivals():
    """Two rivals that are independent: pushing either one up is a local optimum of its own."""
    slopes = np.zeros((1, 3, 2))
    slopes[0, 1, 0], slopes[0, 2, 1] = 1.0, 2.0
    # The first rival is ahead now, the second one can be moved farther.
    odds = LogOdds(np.array([[0.0, -1.0, -4.0]]), slopes, np.array([0]), np.array([-1.0]))
    np.testing.assert_array_equal(odds.rival_starts()[:, 0], slopes[0, 1:])
    found = extremes(odds, Quadratic(), np.array([5.0]))[0, 0]
    angle = np.linspace(0, 2 * np.pi, 200_001)
    circle = 5 * np.stack([np.cos(angle), np.sin(angle)])
    best = np.log(np.exp(circle[0] - 1) + np.exp(2 * circle[1] - 4)).max()
    np.testing.assert_allclose(found, best, rtol=1e-8)


def test_the_quadratic_model_comes_near_with_more_samples():
    gaps = []
    for n in (30, 150):
        scores, y = simulated(n, seed=4)
        exact = (
            MultinomialLogisticCalibrator(model="likelihood")
            .fit(scores, y)
            .predict_interval(PROBES)
        )
        fast = (
            MultinomialLogisticCalibrator(model="quadratic").fit(scores, y).predict_interval(PROBES)
        )
        gaps.append(np.abs(exact - fast).max())
    assert gaps[1] < 0.5 * gaps[0] < 0.1


def test_a_thinned_likelihood_comes_near_the_whole():
    scores, y = simulated(300, seed=2)
    whole = MultinomialLogisticCalibrator(model="likelihood", max_size=300).fit(scores, y)
    part = MultinomialLogisticCalibrator(model="likelihood", max_size=100).fit(scores, y)
    assert len(part.rows_) <= 100
    gap = np.abs(whole.predict_interval(PROBES) - part.predict_interval(PROBES)).max()
    assert 0 < gap < 5e-3


def test_the_most_likely_probabilities_are_those_of_the_softmax():
    scores, y = simulated(40)
    ours, peer = (
        MultinomialLogisticCalibrator(model="likelihood").fit(scores, y),
        SoftmaxCalibrator().fit(scores, y),
    )
    np.testing.assert_allclose(ours.weights_, peer.weights_, atol=1e-8)
    np.testing.assert_allclose(ours.intercepts_, peer.intercepts_, atol=1e-8)
    top = peer.predict_proba(PROBES)
    interval = ours.predict_interval(PROBES)
    assert (interval[..., 0] <= top).all()
    assert (top <= interval[..., 1]).all()


def test_directions_never_seen_tell_nothing():
    scores, y = simulated(30)
    flat = scores - scores.mean(axis=1, keepdims=True)  # scores of a sample sum to 0
    calibrator = MultinomialLogisticCalibrator(model="quadratic").fit(flat, y)
    seen, unseen = calibrator.predict_interval([[1.0, -1.0, 0.0], [1.0, -1.0, 3.0]])
    assert (seen[:, 1] - seen[:, 0]).max() < 0.6
    np.testing.assert_array_equal(unseen, [[0, 1]] * K)
    np.testing.assert_array_equal(calibrator.contour([[1.0, 0.0, 3.0]], 0, [0.2, 1.0]), [[1, 0]])


@each("slope", [0.1, 3.0, 1e6])
@each("start", [-2.0, 0.0, 4.0])
@each("sign", [1.0, -1.0])
def test_expected_probability_of_lines(slope, start, sign):
    series = coefficients(np.array([start]), start + slope * levels(12)[:, np.newaxis])
    step = float(np.clip(-start / slope, 0, 6.5))

    def density(r):
        return r * np.exp(-r * r / 2) * expit(sign * (start + slope * r))

    marks = [step - 50 / slope, step, step + 50 / slope]
    inside = [m for m in marks if 0 < m < 10]
    wanted = quad(density, 0, 10, points=inside or None, epsabs=1e-12, limit=200)[0]
    found = expected_probability(series, np.array([sign]))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-9)
    middle = crossing(series, np.array([start + 2 * slope]))
    np.testing.assert_allclose(middle, 2, rtol=1e-9)


@given(
    st.integers(2, 6).flatmap(lambda k: arrays(float, (2, k), elements=st.floats(0.001, 1))),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_masses_have_the_bounds_or_raise_plausibilities(raw, below, above):
    """Any bounds of probabilities: beliefs are kept; plausibilities too if a belief has them."""
    p = raw[:1] / raw[:1].sum()
    lower = p * (1 - below * raw[1:])
    upper = np.minimum(p + above * raw[1:] * (1 - p), lower + 1 - lower.sum())
    single, sets, masses = joint_sets(lower, np.maximum(upper, p))
    k = p.shape[1]
    assert (masses >= 0).all()
    np.testing.assert_allclose(single.sum() + masses.sum(), 1, atol=1e-12)
    np.testing.assert_allclose(single, lower, atol=1e-9)
    assert (sets[masses > 0].sum(axis=1) >= 2).all()
    reached = single + np.einsum("ns,nsk->nk", masses, sets)
    possible = (lower + np.maximum(upper, p)).sum() >= 2
    if possible or k == 2:
        np.testing.assert_allclose(reached, upper if possible else reached, atol=1e-9)
    assert (reached >= np.maximum(upper, p) - 1e-9).all()


def test_label_and_probability_of_a_contour_are_checked():
    calibrator = MultinomialLogisticCalibrator(model="quadratic").fit(*simulated(30))
    with pytest.raises(ValueError, match=r"label is 5, but the classes are \[0, 1, 2\]"):
        calibrator.contour(PROBES, 5, [0.5])
    with pytest.raises(ValueError, match=r"probability\[0\] is 1\.5"):
        calibrator.contour(PROBES, 0, [1.5])
    assert isinstance(calibrator._deviance(), Quadratic)
    assert isinstance(problems()[0], SampleDeviance)
