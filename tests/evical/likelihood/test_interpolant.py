"""Adaptive piecewise Chebyshev interpolation."""

import numpy as np

from evical.likelihood.interpolant import evaluate_piecewise, fit_piecewise


def test_interpolant_refines_where_it_must():
    def peak(x):
        return np.stack([1 / (1 + (x / 0.05) ** 2), x], axis=1)

    edges, coefficients = fit_piecewise(
        peak, np.array([-2.0, -1.0, 1.0, 2.0]), lambda values, error: (error < 1e-10).all(axis=1)
    )
    x = np.linspace(-2, 2, 1001)
    np.testing.assert_allclose(evaluate_piecewise(edges, coefficients, x), peak(x).T, atol=1e-9)
    assert np.all(np.diff(edges) > 0)
    assert np.diff(edges).min() < 0.1 < np.diff(edges).max()


def test_points_outside_take_the_nearest_value():
    edges, coefficients = fit_piecewise(
        lambda x: x[:, None] ** 3, np.array([-1.0, 0.0, 2.0]), lambda values, error: error[:, 0] < 1
    )
    values = evaluate_piecewise(edges, coefficients, np.array([-np.inf, -1.0, 2.0, 5.0, np.inf]))
    np.testing.assert_allclose(values, [[-1.0, -1.0, 8.0, 8.0, 8.0]], rtol=1e-12)


def test_more_points_than_a_chunk():
    edges, coefficients = fit_piecewise(
        lambda x: np.sin(x)[:, None],
        np.array([0.0, 3.0]),
        lambda values, error: error[:, 0] < 1e-12,
    )
    x = np.random.default_rng(0).uniform(0, 3, 40_000)
    np.testing.assert_allclose(evaluate_piecewise(edges, coefficients, x)[0], np.sin(x), atol=1e-11)
