"""Areas under the relative likelihood: definition, law, and the two routes against each other."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.inference.counts import _binomial
from dstheory.inference.counts._binomial import likelihood_areas
from tests.support.each import each

counts = st.floats(min_value=0.01, max_value=1e12)


def integral(a, b, side):
    """Area below (side -1) or above (side +1) the maximum, by quadrature in 30 digits."""
    with mpmath.workdps(30):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        p = a / (a + b)
        width = mpmath.sqrt((a + 1) * (b + 1) / (a + b) ** 3)
        ends = (p + side * width * mpmath.mpf(step) for step in range(0, 121, 2))
        points = [point for point in ends if 0 < point < 1]
        if len(points) < 61:
            points.append(mpmath.mpf(side > 0))

        def relative_likelihood(u):
            if u <= 0 or u >= 1:
                return mpmath.mpf(0)
            return mpmath.exp(a * mpmath.log1p((u - p) / p) + b * mpmath.log1p((p - u) / (1 - p)))

        # Powers below 1 have no Taylor series at an end.
        method = "tanh-sinh" if min(a, b) < 1 else "gauss-legendre"
        return side * mpmath.quad(relative_likelihood, points, method=method)


@each(
    ("a", "b"),
    [
        (0.3, 2.5),
        (1, 10**9 - 1),
        (9.99, 4000.5),
        (10.01, 31.9),
        (31.9, 1e6),
        (32, 32),
        (32.5, 1e12),
        (123.25, 400.5),
        (3e8, 7e8),
        (5e14, 5e14),
    ],
)
def test_definition_by_quadrature(a, b):
    lower, upper = likelihood_areas(np.array([a, b], float), np.array([b, a], float))
    below, above = integral(a, b, -1), integral(a, b, +1)
    expected = np.array([[below, above], [above, below]], dtype=float)
    np.testing.assert_allclose(np.array([lower, upper]), expected, rtol=5e-15)


@given(counts)
def test_law_only_successes(n):
    """u^n has area 1 / (n + 1) over [0, 1]."""
    lower, upper = likelihood_areas(np.array([n]), np.array([0.0]))
    assert lower[0] == pytest.approx(1 / (n + 1), rel=5e-15)
    assert upper[0] == 0


@given(counts, counts)
def test_law_areas_swap_with_the_outcomes(a, b):
    lower, upper = likelihood_areas(np.array([a, b]), np.array([b, a]))
    np.testing.assert_allclose([lower[0], upper[0]], [upper[1], lower[1]], rtol=1e-14)


@given(st.floats(32, 300), st.floats(1, 1e6))
def test_routes_few_equals_many(a, ratio):
    pair = np.array([a]), np.array([a * ratio])
    few, many = _binomial._areas_few(*pair), _binomial._areas_many(*pair)
    np.testing.assert_allclose(few, many, rtol=1e-13)


def test_route_series_of_stirling_meets_the_gamma_function():
    x = np.array([0, 0.5, 1, 9.999999, 10, 10.000001, 25, 1e15])
    with mpmath.workdps(30):
        expected = [
            float(mpmath.gammaprod([v + 1], []) * mpmath.exp(v) / mpmath.mpf(v) ** v)
            if v < 1e15
            else math.sqrt(2 * math.pi * v)
            for v in map(float, x)
        ]
    np.testing.assert_allclose(_binomial._scaled_factorial(x), expected, rtol=3e-15)
