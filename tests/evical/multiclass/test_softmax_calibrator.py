"""Softmax calibration against independent optimizers, binary calibration and known posteriors."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from evical.calibrators import LogisticCalibrator
from evical.curves.softmax import Problem, minimize_softmax, platt_target_matrix
from evical.multiclass import (
    DirichletCalibrator,
    MultinomialLogisticCalibrator,
    OneVsRestCalibrator,
    ShallowNetCalibrator,
    SoftmaxCalibrator,
)
from examples.studies.parts.no_penalty import NO_PENALTY
from tests.protocols.multiclass_table import PROBES, K, simulated
from tests.support.each import each


def soft_labels(y, weight):
    return platt_target_matrix(np.bincount(y, weight).astype(float))[y]


def one_wrong(y, weight):
    """Targets as if one of all samples, and of one more, was of another class."""
    wrong = 1 / (weight.sum() + 2)
    return np.where(np.eye(K)[y] == 1, 1 - wrong, wrong / (K - 1))


def loss(scores, y, weight, slopes, intercepts, targets):
    """Mean cross-entropy of soft targets, from its definition."""
    logs = log_softmax(scores @ slopes.T + intercepts, axis=1)
    return -np.average((targets(y, weight) * logs).sum(axis=1), weights=weight)


def test_targets_for_two_classes_are_platts():
    np.testing.assert_allclose(platt_target_matrix(np.array([8.0, 3.0]))[:, 1], [1 / 10, 4 / 5])


def test_matrix_is_multinomial_logistic_regression_of_the_targets():
    scores, y = simulated(80)
    targets = soft_labels(y, np.ones(80))
    # Each sample once for each class, with its target as weight.
    peer = LogisticRegression(C=NO_PENALTY, tol=1e-10, max_iter=10_000).fit(
        np.repeat(scores, K, axis=0), np.tile(np.arange(K), 80), sample_weight=targets.ravel()
    )
    ours = SoftmaxCalibrator().fit(scores, y)
    np.testing.assert_allclose(ours.predict_proba(PROBES), peer.predict_proba(PROBES), atol=1e-5)
    np.testing.assert_allclose(ours.weights_.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "unpack"),
    [
        ({"parameters": "temperature"}, lambda x: (x[0] * np.eye(K), np.zeros(K))),
        ({"parameters": "vector"}, lambda x: (np.diag(x[:K]), x[K:])),
        ({"parameters": "vector", "intercept_penalty": 0.3}, lambda x: (np.diag(x[:K]), x[K:])),
        (
            {"off_diagonal_penalty": 0.2, "intercept_penalty": 0.1},
            lambda x: (x[K:].reshape(K, K), x[:K]),
        ),
    ],
    # Of a function that is the same in every process, not its address.
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_objectives_from_their_definition(options, unpack):
    scores, y = simulated(50, seed=3)
    weight = np.random.default_rng(0).uniform(0.5, 2, 50)
    off, mu = options.get("off_diagonal_penalty", 0), options.get("intercept_penalty", 0)
    targets = one_wrong if "parameters" in options else soft_labels

    def objective(slopes, intercepts):
        apart = slopes[~np.eye(K, dtype=bool)]
        penalty = off * (apart**2).mean() + mu * (intercepts**2).mean()
        return loss(scores, y, weight, slopes, intercepts, targets) + penalty

    size = {"temperature": 1, "vector": 2 * K}.get(options.get("parameters"), K + K * K)
    peer = minimize(lambda x: objective(*unpack(x)), np.full(size, 0.1), tol=1e-10)
    ours = SoftmaxCalibrator(**options).fit(scores, y, weight)
    assert objective(ours.weights_, ours.intercepts_) <= peer.fun + 1e-12
    slopes, intercepts = unpack(peer.x)
    wanted = softmax(PROBES @ slopes.T + intercepts, axis=1)
    np.testing.assert_allclose(ours.predict_proba(PROBES), wanted, atol=1e-4)


def test_heavy_penalties_leave_vector_scaling_without_intercepts():
    scores, y = simulated(80)
    ours = SoftmaxCalibrator(off_diagonal_penalty=1e7, intercept_penalty=1e7).fit(scores, y)
    assert np.abs(ours.weights_ - np.diag(np.diag(ours.weights_))).max() < 1e-6
    assert np.abs(ours.intercepts_).max() < 1e-6


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("penalty", [0.0, 0.01])
def test_steps_by_conjugate_gradients_agree(separate, penalty):
    scores, y = simulated(80)
    ones = np.ones((80, 1))
    features = np.stack([scores, ones * np.ones(K)], axis=2) if separate else np.c_[scores, ones]
    problem = Problem.of(features, y, np.ones(80))
    problem = problem._replace(penalty=np.full_like(problem.target, penalty))
    w, peer = (minimize_softmax(problem, newton) for newton in (True, False))
    assert problem.at(w)[0] == pytest.approx(problem.at(peer)[0], abs=1e-13)
    ours, its = (softmax(problem.logits(each), axis=1) for each in (w, peer))
    np.testing.assert_allclose(ours, its, atol=1e-6)
    if not separate:
        np.testing.assert_allclose(problem.logits(w), problem.logits(peer), atol=1e-4)


def test_products_with_the_hessian_are_those_of_the_table():
    scores, y = simulated(9)
    rng = np.random.default_rng(0)
    for features in (np.stack([scores, np.ones_like(scores)], axis=2), scores):
        problem = Problem.of(features, y, np.ones(9))
        problem = problem._replace(penalty=np.full_like(problem.target, 0.1))
        w, along = rng.normal(size=(2, *problem.target.shape))
        p = problem.at(w)[2]
        wanted = (problem.curvature(p) @ along.ravel()).reshape(along.shape)
        np.testing.assert_allclose(problem.curvature_along(p, along), wanted, atol=1e-12)


def test_gradient_and_hessian_are_derivatives():
    scores, y = simulated(9)
    problem = Problem.of(np.stack([scores, np.ones_like(scores)], axis=2), y, np.ones(9))
    rng = np.random.default_rng(0)
    w, direction, h = rng.normal(size=(K, 2)), rng.normal(size=(K, 2)), 1e-5
    up, down = w + h * direction, w - h * direction
    slope = (problem.at(up)[0] - problem.at(down)[0]) / (2 * h)
    np.testing.assert_allclose((problem.at(w)[1] * direction).sum(), slope, rtol=1e-6)
    bend = (problem.at(up)[1] - problem.at(down)[1]) / (2 * h)
    np.testing.assert_allclose(problem.hessian(w) @ direction.ravel(), bend.ravel(), atol=1e-8)


def test_one_score_of_two_classes_is_platts_calibration():
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    y = (rng.random(40) < 1 / (1 + np.exp(-x))).astype(int)
    wanted = LogisticCalibrator(model="bayesian").fit(x, y).predict_proba([-2.0, 0.3, 5.0])
    np.testing.assert_allclose(SoftmaxCalibrator().fit(x, y).predict_proba([-2, 0.3, 5]), wanted)


@each("n_classes", [3, 10, 26])
@each("n", [60, 300])
def test_a_temperature_is_found_whatever_the_number_of_classes(n_classes, n):
    """Scores are the true logits times 2: the slope is 1/2, as labels say it."""
    rng = np.random.default_rng(n)
    logits = 3 * rng.normal(size=(n, n_classes))
    y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    names = np.arange(n_classes)
    y[:n_classes] = names  # all classes

    def by_labels(log_slope):
        logs = log_softmax(np.exp(log_slope) * logits, axis=1)
        return -logs[np.arange(n), y].mean()

    slope = np.exp(minimize_scalar(by_labels, bounds=(-5, 3), method="bounded").x)
    found = SoftmaxCalibrator(parameters="temperature").fit(2 * logits, y).weights_[0, 0]
    assert found == pytest.approx(slope / 2, rel=0.2)


@pytest.mark.parametrize("parameters", ["temperature", "vector"])
def test_classes_that_are_separated_leave_one_sample_of_doubt(parameters):
    scores = 5 * np.tile(np.eye(4), (5, 1))
    ours = SoftmaxCalibrator(parameters=parameters).fit(scores, np.tile(np.arange(4), 5))
    # One of 22 samples is wrong, and every other class as probable.
    expected = np.where(np.eye(4) == 1, 21 / 22, 1 / 66)
    np.testing.assert_allclose(ours.predict_proba(5 * np.eye(4)), expected, atol=1e-6)


def test_temperature_is_not_negative():
    scores, y = simulated(60)
    proba = SoftmaxCalibrator(parameters="temperature").fit(-scores, y).predict_proba(PROBES)
    np.testing.assert_array_equal(proba, np.full_like(proba, 1 / K))


def test_log_of_probabilities():
    scores, y = simulated(60)
    p = softmax(scores, axis=1)
    ours = SoftmaxCalibrator(parameters="vector", transform="log").fit(p, y)
    wanted = SoftmaxCalibrator(parameters="vector").fit(np.log(p), y).predict_proba(np.log(p))
    np.testing.assert_allclose(ours.predict_proba(p), wanted, atol=1e-9)
    with pytest.raises(ValueError, match=r"scores\[0, 0\] is -0\.5 .*, expected a probability"):
        ours.fit([[-0.5, 1, 0.5]] * 60, y)


@each(
    ("calibrator", "excess"),
    [
        (SoftmaxCalibrator(), 0.01),
        (SoftmaxCalibrator(off_diagonal_penalty=1e-3, intercept_penalty=1e-3), 0.01),
        (MultinomialLogisticCalibrator(model="quadratic"), 0.01),
        (ShallowNetCalibrator(n_nets=3, max_iter=50, random_state=0), 0.03),
        (OneVsRestCalibrator(), 0.15),
        (DirichletCalibrator(code="one_vs_rest"), 0.4),
    ],
    ids=lambda value: type(value).__name__,
)
def test_log_loss_comes_near_that_of_the_known_posterior(calibrator, excess):
    """Normal classes with equal covariance: log posterior ratios are linear in the scores."""
    rng = np.random.default_rng(5)
    means = np.array([[1.5, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 2.0]])
    prior = np.array([0.5, 0.3, 0.2])

    def draw(n):
        y = rng.choice(K, size=n, p=prior)
        return means[y] + rng.normal(size=(n, K)), y

    scores, y = draw(1500)
    test, truth = draw(1500)
    posterior = softmax(test @ means.T - (means**2).sum(axis=1) / 2 + np.log(prior), axis=1)
    unit = isinstance(calibrator, DirichletCalibrator)
    read = (lambda s: 1 / (1 + np.exp(1 - s))) if unit else (lambda s: s)
    ours = calibrator.fit(read(scores), y).predict_proba(read(test))
    rows = np.arange(1500)
    best = -np.log(posterior[rows, truth]).mean()
    uniform_of_prior = -np.log(prior[truth]).mean()
    reached = -np.log(ours[rows, truth]).mean()
    assert reached < best + excess
    assert reached < uniform_of_prior


@pytest.mark.parametrize(("n", "k", "m"), [(1, 2, 1), (60, 3, 4), (900, 12, 5)])
def test_shared_features_curve_the_loss_as_features_of_each_class_do(n, k, m):
    rng = np.random.default_rng(n)
    features, weight = rng.normal(size=(n, m)), rng.random(n)
    w = rng.normal(size=(k, m))
    own = np.repeat(features[:, np.newaxis], k, axis=1)
    zeros = np.zeros((k, m)), np.zeros((k, m, m))
    shared, each = (Problem(x, weight, *zeros).hessian(w) for x in (features, own))
    np.testing.assert_allclose(shared, each, rtol=0, atol=1e-10)
