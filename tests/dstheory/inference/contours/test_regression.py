"""Contours of regression coefficients: the closed form and the constrained maximum, by search."""

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit, logit

from dstheory.inference import LikelihoodContour, linear_contour, logistic_contour, profile_of
from evical.curves.logistic_profile import fit_profile
from evical.curves.platt import fit_platt

RNG = np.random.default_rng(11)
X = np.column_stack([np.ones(25), RNG.normal(size=(25, 2))])
Y = X @ [1.0, 2.0, -1.0] + RNG.normal(size=25)
LABELS = (RNG.random(25) < expit(X @ [0.2, 1.0, -0.5])).astype(float)
WEIGHTS = np.array([1.0, 0.5, -2.0])


def constrained(log_likelihood, weights, value, start):
    """Largest log-likelihood with a given value of the function, by SciPy."""
    found = optimize.minimize(
        lambda b: -log_likelihood(b),
        start,
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda b: weights @ b[: len(weights)] - value},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    return -found.fun


@pytest.mark.parametrize("weights", [WEIGHTS, [0, 0, 1.0]])
@pytest.mark.parametrize("known", [None, 1.3])
def test_linear_contour_is_the_profile(weights, known):
    weights = np.asarray(weights)
    contour = linear_contour(X, Y, weights, known)

    def log_likelihood(b):
        log_sd = b[3] if known is None else np.log(known)
        return -25 * log_sd - ((Y - X @ b[:3]) ** 2).sum() / (2 * np.exp(2 * log_sd))

    start = np.append(np.linalg.lstsq(X, Y)[0], 0.0)
    best = constrained(log_likelihood, weights, contour.mode, start)
    for step in (-2.5, 1.0):
        value = contour.mode + step * contour.scale
        found = constrained(log_likelihood, weights, value, start)
        assert contour.log_contour(value) == pytest.approx(found - best, rel=1e-4)


@pytest.mark.parametrize("weights", [WEIGHTS, [0, 0, 1.0]])
def test_logistic_contour_is_the_profile(weights):
    weights = np.asarray(weights)
    contour = logistic_contour(X, LABELS, weights)

    def log_likelihood(b):
        eta = X @ b
        return (LABELS * eta - np.logaddexp(0, eta)).sum()

    best = constrained(log_likelihood, weights, contour.mode, np.zeros(3))
    for step in (-3.0, 1.0, 2.0):
        value = contour.mode + step * contour.scale
        found = constrained(log_likelihood, weights, value, np.zeros(3))
        assert contour.log_contour(value) == pytest.approx(found - best, rel=1e-4)


def test_logistic_routes():
    """Newton on the hyperplane, the search in the plane, and evical's calibrator (eq. 40)."""
    x = RNG.normal(size=30)
    y = (RNG.random(30) < expit(2 * x)).astype(float)
    targets = np.where(y == 1, (y.sum() + 1) / (y.sum() + 2), 1 / (30 - y.sum() + 2))
    s, tau = 0.7, np.array([0.3, 0.6, 0.75, 0.95])
    newton = logistic_contour(np.column_stack([np.ones(30), x]), targets, [1.0, s])

    def log_likelihood(a, b):
        eta = -a[:, None] - b[:, None] * x  # eq. 2 has the opposite sign
        return (targets * eta - np.logaddexp(0, eta)).sum(axis=1)

    line = (-np.inf, np.inf)
    plane = LikelihoodContour(log_likelihood, [line, line])
    search = profile_of(
        plane,
        lambda a, b: expit(-a - b * s),
        lambda t, b: (np.log(1 / t - 1) - b * s, b),
        (0, 1),
    )
    order = np.argsort(x)
    counts = x[order], 1 - y[order], y[order]
    calibrated = fit_profile(*counts, fit_platt(*counts)).contour(s, tau)
    np.testing.assert_allclose(newton.contour(logit(tau)), calibrated, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(search.contour(tau), calibrated, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_logistic_contour_far_out():
    """Plausibility falls exponentially and stays finite, whatever the scale of the columns."""
    for scale in (1e-6, 1.0, 1e6):
        contour = logistic_contour(X * [1.0, scale, 1.0], LABELS, [0.0, 1.0, 0.0])
        low, high = contour.level_set([1e-3, 1e-12])
        np.testing.assert_allclose(contour.contour(high), [1e-3, 1e-12], rtol=1e-6)
        np.testing.assert_allclose(contour.contour(low), [1e-3, 1e-12], rtol=1e-6)
        values = contour.log_contour(np.array([10.0, 1e3, 1e6]) / scale)
        assert np.all(np.isfinite(values))
        assert np.all(np.diff(values) < 0)


def test_linear_contour_does_not_depend_on_units():
    contour = linear_contour(X, Y, WEIGHTS)
    scaled = linear_contour(X * [1, 1e8, 1e-8], 1e5 * Y, WEIGHTS * [1, 1e8, 1e-8])
    value = contour.mode + np.array([-2, 0.5]) * contour.scale
    np.testing.assert_allclose(scaled.contour(1e5 * value), contour.contour(value), rtol=1e-7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: linear_contour(X[:, [0, 1, 1]], Y, WEIGHTS), "collinear"),
        (lambda: linear_contour(X[:2], Y[:2], WEIGHTS), "collinear"),
        (lambda: linear_contour(X, X @ [1, 2, 3], WEIGHTS), "fits all 25 observations exactly"),
        (lambda: linear_contour(X, Y[:3], WEIGHTS), "response have 3 elements, not 25"),
        (lambda: linear_contour(X, Y, [0, 0, 0]), "weights are all 0"),
        (lambda: linear_contour(X, Y, [1.0]), "weights have 1 elements, not 3"),
        (lambda: logistic_contour(X, X[:, 1] > 0, WEIGHTS), "separates the classes"),
        (lambda: logistic_contour(X, np.ones(25), WEIGHTS), "separates the classes"),
        (lambda: logistic_contour(X, LABELS * 2, WEIGHTS), "labels 2.0 in row"),
        (lambda: logistic_contour(X[:, [0, 0]], LABELS, [1, 0]), "collinear"),
    ],
)
def test_unusable_data(make, message):
    with pytest.raises(ValueError, match=message):
        make()
