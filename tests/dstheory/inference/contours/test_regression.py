"""Contours of regression coefficients: the closed form and the constrained maximum, by search."""

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import optimize
from scipy.special import expit, logit

from dstheory.errors import ConvergenceError
from dstheory.inference import LikelihoodContour, linear_contour, logistic_contour, profile_of
from dstheory.inference.contours.regression import _check_small
from tests.evical.curves.of_arrays import fit_platt, fit_profile
from tests.support.each import each

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


UNITS = [(1, 1e8, 1), (1e-10, 1, 1e6), (1, 1e12, 1e-12)]


@pytest.mark.parametrize("units", UNITS)
def test_logistic_contour_does_not_depend_on_units(units):
    """Two hundred steps in columns of sizes 1 and 1e8 ended anywhere, silently."""
    contour = logistic_contour(X, LABELS, WEIGHTS)
    scaled = logistic_contour(X * units, LABELS, WEIGHTS * units)
    value = contour.mode + np.array([-3.0, 1.0, 10.0]) * contour.scale
    assert scaled.mode == pytest.approx(contour.mode, rel=1e-9)
    np.testing.assert_allclose(scaled.log_contour(value), contour.log_contour(value), rtol=1e-9)


HOSTILE = {
    "plain": (X[:, 1:], LABELS),
    "units": (X[:, 1:] * [1e8, 1e-8], LABELS),
    "an outlier of each class": (np.vstack([X[:, 1:], [[1e5, 0], [2e5, 1]]]), [*LABELS, 0, 1]),
    "far from the origin": (X[:, 1:] + [1e6, -1e4], LABELS),
    "nearly separable": (np.arange(12.0)[:, None] ** [1, 2], [0] * 5 + [1, 0] + [1] * 5),
    "targets": (np.arange(6.0)[:, None] ** [1, 3], [0.01] * 3 + [0.99] * 3),
}


@each("name", HOSTILE)
def test_logistic_contour_with_sixty_digits(name):
    columns, labels = HOSTILE[name]
    design = np.column_stack([np.ones(len(columns)), columns])
    labels = np.asarray(labels, dtype=float)
    weights = np.append(1.0, columns[2] + 0.5 * np.ptp(columns, axis=0) / len(columns))
    contour = logistic_contour(design, labels, weights)
    mode, best = exact_maximum(design, labels, weights, None)
    assert contour.mode == pytest.approx(mode, rel=1e-8, abs=1e-8 * contour.scale)
    for step in (-4.0, -0.5, 1.0, 8.0):
        value = contour.mode + step * contour.scale
        exact = exact_maximum(design, labels, weights, value)[1] - best
        assert contour.log_contour(value) == pytest.approx(float(exact), rel=1e-7)


def exact_maximum(design, labels, weights, value):
    """Value of the function at the maximum of the log-likelihood, and it, by Newton's method.

    With a given value, the first coefficient (of a constant, with weight 1) follows from the rest.
    """
    with mp.workdps(60):
        x = mp.matrix(design.tolist())
        y, w = [[mpf(float(a)) for a in part] for part in (labels, weights)]
        n, q = x.rows, x.cols
        if value is None:
            offset, z = [mpf(0)] * n, x
        else:
            offset = [mpf(float(value))] * n
            z = mp.matrix(n, q - 1)
            for i in range(n):
                for j in range(1, q):
                    z[i, j - 1] = x[i, j] - w[j]

        def at(b):
            eta = [offset[i] + sum(z[i, j] * b[j] for j in range(z.cols)) for i in range(n)]
            return eta, sum(y[i] * eta[i] - mp.log(1 + mp.exp(eta[i])) for i in range(n))

        b = mp.matrix(z.cols, 1)
        for _ in range(300):
            eta, found = at(b)
            p = [1 / (1 + mp.exp(-e)) for e in eta]
            gradient = z.T * mp.matrix([y[i] - p[i] for i in range(n)])
            bent = z.T * mp.diag([a / (1 + mp.exp(e)) for a, e in zip(p, eta, strict=True)]) * z
            step = mp.lu_solve(bent, gradient)
            gain = (step.T * gradient)[0]
            if gain < mpf(10) ** -40:
                break
            length = mpf(1)
            while at(b + length * step)[1] < found + length * gain / 10**4:
                length /= 2
            b += length * step
        else:
            raise AssertionError("the oracle found no maximum")
        return float(sum(w[j] * b[j] for j in range(q))) if value is None else value, found


def test_a_maximum_without_a_proof_is_refused():
    _check_small(np.array([1e-12, 0.0]), np.array([-5.0, -1e3]))  # is rounding
    with pytest.raises(ConvergenceError, match="the log-likelihood may still gain 5e-09"):
        _check_small(np.array([1e-12, 1e-8]), np.array([-5.0, -1e2]))


@each(
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
        (lambda: logistic_contour(X, LABELS * 2, WEIGHTS), "labels 2 in row"),
        (lambda: logistic_contour(X[:, [0, 0]], LABELS, [1, 0]), "collinear"),
    ],
)
def test_unusable_data(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_contour_keeps_its_labels():
    design, labels = [[1.0], [1.0], [1.0]], np.array([0.0, 1.0, 1.0])
    contour = logistic_contour(design, labels, [1.0])
    wanted = contour.contour(0.0)
    labels[:] = 0
    assert contour.contour(0.0) == wanted
