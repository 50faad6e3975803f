"""Smooth calibration error: against the integral by quadrature, and as a fixed point."""

import numpy as np
import pytest

from evical.metrics import smooth_calibration_error
from tests.evical.metrics.samples import calibrated


def by_quadrature(y, p, width, weight=None):
    """The definition, with images of the kernel instead of cosines."""
    t = (np.arange(20_000) + 0.5) / 20_000
    weight = np.ones(len(y)) if weight is None else weight
    total = np.zeros_like(t)
    for residual, place in zip(weight * (y - p), p, strict=True):
        for image in range(-3, 4):
            for center in (2 * image + place, 2 * image - place):
                total += residual * np.exp(-0.5 * ((t - center) / width) ** 2)
    return np.abs(total).mean() / (width * np.sqrt(2 * np.pi) * weight.sum())


@pytest.mark.parametrize("width", [0.02, 0.1, 0.5])
def test_is_the_integral(width):
    rng = np.random.default_rng(0)
    p = np.append(rng.random(20), [0.0, 1.0])
    y, w = rng.integers(2, size=22), rng.random(22)
    found = smooth_calibration_error(y, p, width=width, sample_weight=w)
    assert found == pytest.approx(by_quadrature(y, p, width, w), rel=1e-4)


def test_is_a_fixed_point():
    rng = np.random.default_rng(1)
    p = rng.random(100)
    y = (rng.random(100) < p**2).astype(int)
    found = smooth_calibration_error(y, p)
    assert smooth_calibration_error(y, p, width=found) == pytest.approx(found, abs=1e-7)
    assert by_quadrature(y, p, found) == pytest.approx(found, rel=1e-3)


def test_falls_with_the_width():
    y, p = calibrated(100, np.random.default_rng(2))
    errors = [smooth_calibration_error(y, p, width=s) for s in (0.01, 0.03, 0.1, 0.3, 1, 10)]
    assert errors == sorted(errors, reverse=True)
    # A very wide kernel leaves the mean residual.
    assert errors[-1] == pytest.approx(abs(np.mean(y - p)), abs=1e-9)


def test_near_the_distance_of_a_shift():
    """All predictions too high by 0.1: so is the error, nearly."""
    rng = np.random.default_rng(3)
    truth = 0.2 + 0.6 * rng.random(100_000)
    y = (rng.random(100_000) < truth).astype(int)
    assert smooth_calibration_error(y, truth + 0.1) == pytest.approx(0.1, abs=0.005)
    assert smooth_calibration_error(y, truth) < 0.02


def test_both_ends_are_reflected_alike():
    """Probabilities of the other class are as far from calibrated, those of 0 and 1 too."""
    y, p = calibrated(200, np.random.default_rng(5))
    p[:50], p[50:60] = 0.0, 1.0
    for width in (1e-3, 0.05, None):
        found = smooth_calibration_error(1 - y, 1 - p, width=width)
        assert found == pytest.approx(smooth_calibration_error(y, p, width=width), rel=1e-9)


def test_changes_continuously():
    """Unlike bins: a prediction that crosses an edge changes little."""
    y = np.array([0, 1, 1, 0])
    below = smooth_calibration_error(y, [0.2, 0.5 - 1e-9, 0.7, 0.9])
    above = smooth_calibration_error(y, [0.2, 0.5 + 1e-9, 0.7, 0.9])
    assert below == pytest.approx(above, abs=1e-6)


def test_certainties_that_are_right():
    assert smooth_calibration_error([0, 1, 1], [0.0, 1.0, 1.0]) == 0.0
    assert smooth_calibration_error([1, 1, 1], [0.0, 0.0, 0.0]) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("error", [1e-3, 1e-4, 1e-6, 1e-9, 1e-11])
def test_errors_smaller_than_a_cell(error):
    """Residuals that do not cancel are only moved about, however narrow the kernel."""
    assert smooth_calibration_error([1], [1 - error]) == pytest.approx(error, abs=1e-9)
    even = smooth_calibration_error([0, 1] * 50, [0.5 + error] * 100)
    assert even == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize("width", [1e-6, 1e-5, 1e-4, 1e-3])
def test_a_narrow_kernel_increases_nothing(width):
    rng = np.random.default_rng(5)
    y, p = calibrated(30, rng)
    most = np.abs(y - p).mean()
    assert smooth_calibration_error(y, p, width=width) <= most * (1 + 1e-12)


def test_all_wrong_is_one():
    for n in range(1, 60):
        assert smooth_calibration_error([1] * n, [0.0] * n) <= 1
        assert smooth_calibration_error([0] * n, [1.0] * n) <= 1


@pytest.mark.parametrize("width", [0, -1, np.inf, np.nan])
def test_bad_width(width):
    with pytest.raises(ValueError, match="expected a finite number above 0"):
        smooth_calibration_error([0, 1], [0.1, 0.9], width=width)
