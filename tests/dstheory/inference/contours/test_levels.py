"""Crossings and maxima for many rows: smooth, kinked, with jumps and plateaus, at any scale."""

import numpy as np
import pytest
from scipy.special import erfc

from dstheory.inference.contours.levels import crossing, radius
from dstheory.inference.contours.maximum import Line, maximize_rows, zoom
from dstheory.inference.prediction._rayleigh import rayleigh_mean
from tests.support.each import each

SHAPES = {
    "linear": (lambda x: np.abs(x), lambda r: r),
    "square": (lambda x: x * x, lambda r: np.sqrt(r)),
    "root": (lambda x: np.sqrt(np.abs(x)), lambda r: r**2),
    "exponential": (lambda x: np.expm1(np.minimum(np.abs(x), 700)), lambda r: np.log1p(r)),
    "logarithmic": (lambda x: np.log1p(np.abs(x)), lambda r: np.expm1(r)),
    "jump": (lambda x: np.where(np.abs(x) <= 2, 0.0, np.inf), lambda r: 2.0 + 0 * r),
}


@each("name", SHAPES)
@each("step", [1e-6, 1.0, 1e5])
def test_crossing(name, step):
    distance, inverse = SHAPES[name]
    level = np.array([1e-3, 0.5, 1.0, 9.0])
    zero, one = np.zeros(4), np.ones(4)
    for side in (-1.0, 1.0):
        x = crossing(lambda x: distance(x - 7), zero + 7, side * one * np.inf, step * one, level)
        np.testing.assert_allclose(side * (x - 7), inverse(level), rtol=1e-9, atol=1e-14)


def test_crossing_ends():
    zero, one = np.zeros(4), np.ones(4)
    level = np.array([0.0, 0.5, 2.0, np.inf])
    x = crossing(np.abs, zero, one, one, level)
    np.testing.assert_allclose(x, [0.0, 0.5, 1.0, 1.0])
    np.testing.assert_array_equal(crossing(np.abs, one, one, one, level), 1.0)
    plateau = crossing(lambda x: np.maximum(x - 0.25, 0.0), zero, one * 4, one, level)
    np.testing.assert_allclose(plateau, [0.25, 0.75, 2.25, 4.0], rtol=1e-12)


def test_radius_inverts_the_normal_plausibility():
    r = np.array([0.0, 0.5, 3.0, 30.0])
    np.testing.assert_allclose(radius(-(r**2) / 2), r)
    assert radius(np.array(1e-17)) == 0.0


@pytest.mark.parametrize(
    ("low", "high"), [(-np.inf, np.inf), (0.0, np.inf), (-np.inf, 9.0), (0.0, 9.0)]
)
def test_maximize_rows(low, high):
    place = np.array([1e-9, 0.5, 8.999, 3.0])
    line = Line(*(np.full(4, x) for x in (low, high, 0.0, 1.0)))
    x, value = maximize_rows(lambda x: -np.abs(x - place[:, None]), line)
    np.testing.assert_allclose(x, place, rtol=1e-10, atol=2e-14)
    np.testing.assert_allclose(value, 0.0, atol=1e-10)
    x, _ = maximize_rows(lambda x: x / (1 + np.abs(x)), line)
    assert np.all(x == high) if np.isfinite(high) else np.all(x > 1e7)


def test_zoom_keeps_the_rows_apart():
    left, right = np.array([0.0, 5.0]), np.array([1.0, 6.0])
    x, value = zoom(lambda x: x * np.array([[1.0], [-1.0]]), left, right)
    np.testing.assert_allclose(x, [1.0, 5.0])
    np.testing.assert_allclose(value, [1.0, -5.0])


def test_rayleigh_mean_of_kinks_and_rows():
    """P(r > a) = exp(-a^2 / 2), and its integral up to an end of each row."""
    a = np.array([[0.5], [1.3]])
    value = rayleigh_mean(lambda r: np.maximum(r - a, 0.0), breaks=[0.5, 1.3])
    expected = np.sqrt(np.pi / 2) * erfc(a[:, 0] / np.sqrt(2))
    np.testing.assert_allclose(value, expected, atol=1e-13)
    end = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(
        rayleigh_mean(np.ones_like, end=end), 1 - np.exp(-(end**2) / 2), atol=1e-14
    )
