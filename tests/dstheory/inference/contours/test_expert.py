"""Contours that experts state: definition, belief in intervals, and bad input."""

from math import exp, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.inference import gaussian_contour, trapezoidal_contour
from tests.support.each import each

ascending = st.lists(st.integers(-9, 9), min_size=4, max_size=4).map(sorted)
proper = ascending.filter(lambda p: p[0] < p[3])


def trapezoid(x, low, core_low, core_high, high):
    if core_low <= x <= core_high:
        return 1.0
    if low < x < core_low:
        return (x - low) / (core_low - low)
    if core_high < x < high:
        return (high - x) / (high - core_high)
    return 0.0


@given(proper, st.floats(-10, 10))
def test_definition_of_the_trapezoid(points, x):
    assert trapezoidal_contour(*points).contour(x) == pytest.approx(
        trapezoid(x, *points), abs=1e-15
    )


@given(proper, st.floats(-10, 10))
def test_a_triangle_is_a_trapezoid_without_core(points, x):
    low, mode, _, high = points
    triangle = trapezoidal_contour(low, mode, mode, high)
    assert triangle.contour(x) == pytest.approx(trapezoid(x, low, mode, mode, high), abs=1e-15)
    assert triangle.mode == mode


@given(st.floats(-5, 5), st.floats(0.1, 5), st.floats(-9, 9))
def test_definition_of_the_bell(mean, deviation, x):
    expected = exp(-(((x - mean) / deviation) ** 2) / 2)
    assert gaussian_contour(mean, deviation).contour(x) == pytest.approx(expected, abs=1e-15)


def test_bounds_belong_to_steps():
    step = trapezoidal_contour(1, 1, 2, 2)
    assert step.contour([0.99, 1, 1.5, 2, 2.01]).tolist() == [0, 1, 1, 1, 0]
    assert step.bel(1, 2) == 1
    assert step.bel(1.1, 2) == 0


def test_level_sets_and_belief():
    expert = trapezoidal_contour(0, 2, 2, 10)
    low, high = expert.level_set([1.0, 0.5, 0.0])
    np.testing.assert_allclose(low, [2, 1, 0], atol=1e-12)
    np.testing.assert_allclose(high, [2, 6, 10], atol=1e-12)
    assert expert.bel(1, 6) == pytest.approx(0.5)
    assert expert.pl(6, inf) == pytest.approx(0.5)


@each(
    ("call", "error", "message"),
    [
        (lambda: trapezoidal_contour(0, 2, 2, 1), ValueError, "do not ascend; give low <= core"),
        (lambda: trapezoidal_contour(1, 1, 1, 1), ValueError, "do not ascend"),
        (lambda: trapezoidal_contour(0, 2, 1, 3), ValueError, r"\[0.0, 2.0, 1.0, 3.0\] do not as"),
        (lambda: trapezoidal_contour(0, 1, 2, inf), ValueError, "are not finite numbers"),
        (lambda: gaussian_contour(0, 0), ValueError, "deviation is 0; expected a positive number"),
        (lambda: gaussian_contour(np.nan, 1), ValueError, "point is nan"),
        (lambda: gaussian_contour("0", 1), TypeError, "real numbers"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
