"""Convex problems over the simplex, beside a general solver and the conditions of an optimum."""

import numpy as np
import pytest
from scipy.optimize import minimize

from evical.curves.newton import least_squares_on_simplex, minimize_on_simplex
from tests.support.each import each


def general(value, gradient, size):
    return minimize(
        value,
        np.full(size, 1 / size),
        jac=gradient,
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-14, "maxiter": 500},
    ).x


@each("size", [1, 2, 5, 20])
@each("seed", range(3))
def test_least_squares(size, seed):
    rng = np.random.default_rng(seed)
    rows, target = rng.normal(size=(30, size)), rng.normal(size=30)
    found = least_squares_on_simplex(rows, target)
    expected = general(
        lambda x: ((rows @ x - target) ** 2).sum(),
        lambda x: 2 * rows.T @ (rows @ x - target),
        size,
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


@each("scale", [0.1, 1.0, 30.0])
@each("size", [1, 3, 12])
def test_the_minimum_has_equal_slopes_where_weights_are_positive(size, scale):
    """No steeper way down leads to any corner."""
    rng = np.random.default_rng(size)
    rows = scale * rng.normal(size=(50, size))

    def derivatives(x):
        """Sum of log(1 + exp(rows @ x)), and a small square for strict convexity."""
        p = 1 / (1 + np.exp(-rows @ x))
        value = np.logaddexp(0, rows @ x).sum() + x @ x / 2
        return value, rows.T @ p + x, (rows.T * (p * (1 - p))) @ rows + np.eye(size)

    found = minimize_on_simplex(derivatives, np.full(size, 1 / size))
    slope = derivatives(found)[1]
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    np.testing.assert_allclose(slope[found > 1e-9], slope.min(), rtol=1e-5, atol=1e-5)


def test_a_start_in_a_corner_is_left():
    def derivatives(x):
        return float(((x - [0.2, 0.8]) ** 2).sum()), 2 * (x - [0.2, 0.8]), 2 * np.eye(2)

    np.testing.assert_allclose(minimize_on_simplex(derivatives, np.array([1.0, 0.0])), [0.2, 0.8])
