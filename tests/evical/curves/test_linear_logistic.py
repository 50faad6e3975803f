"""Logistic regression on columns: other optimizers, closed forms and hard columns."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from evical.curves._linear_logistic import fit_linear_logistic
from tests.support.each import each

RNG = np.random.default_rng(0)


def sample(n, d):
    x = np.sort(RNG.normal(size=n))
    columns = np.stack([x, np.cos(x)])[:d]
    weight = RNG.uniform(0.5, 3.0, n)
    target = weight * (RNG.random(n) < expit(columns.sum(axis=0) - 0.3))
    return columns, weight, target


@each("intercept", [True, False])
@each(("n", "d"), [(30, 1), (200, 2), (9000, 2)])
def test_equal_to_a_general_optimizer(n, d, intercept):
    columns, weight, target = sample(n, d)
    design = np.concatenate([columns, np.full((1, n), float(intercept))])

    def loss(theta):
        eta = theta @ design
        value = weight @ np.logaddexp(0, eta) - target @ eta
        return value, design @ (weight * expit(eta) - target)

    peer = minimize(loss, np.zeros(d + 1), jac=True, method="BFGS", options={"gtol": 1e-7 * n})
    fit = fit_linear_logistic(columns, weight - target, target, intercept)
    np.testing.assert_allclose(fit.parameters, peer.x, atol=1e-5)
    assert fit.objective <= peer.fun + 1e-9 * n
    used = slice(None) if intercept else slice(-1)
    p = expit(fit.parameters @ design)
    information = (design * (weight * p * (1 - p))) @ design.T
    np.testing.assert_allclose(
        fit.covariance[used, used], np.linalg.inv(information[used, used]), rtol=1e-7
    )


def test_no_column_and_no_parameter():
    weight, target = np.array([1.0, 3.0]), np.array([1.0, 0.0])
    none = np.empty((0, 2))
    assert fit_linear_logistic(none, weight - target, target, True).parameters == pytest.approx(
        logit(0.25)
    )
    fit = fit_linear_logistic(none, weight - target, target, False)
    assert fit.parameters.tolist() == [0.0]
    assert fit.objective == pytest.approx(4 * np.log(2))


def test_unit_and_origin_of_columns_cost_no_digits():
    columns, weight, target = sample(100, 2)
    plain = fit_linear_logistic(columns, weight - target, target, True)
    moved = fit_linear_logistic(1e-7 * columns + 3.0, weight - target, target, True)
    np.testing.assert_allclose(moved.parameters[:2] * 1e-7, plain.parameters[:2], rtol=1e-6)
    assert moved.objective == pytest.approx(plain.objective, rel=1e-8)


def test_columns_in_any_order():
    """Means of groups are then a bad start, and are not used."""
    columns, weight, target = sample(9000, 2)
    order = RNG.permutation(9000)
    sorted_fit = fit_linear_logistic(columns, weight - target, target, True)
    fit = fit_linear_logistic(columns[:, order], (weight - target)[order], target[order], True)
    np.testing.assert_allclose(fit.parameters, sorted_fit.parameters, atol=1e-8)
