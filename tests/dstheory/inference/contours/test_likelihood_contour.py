"""Consonant belief functions on a parameter: definition, laws, and the search against formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from dstheory.inference import (
    LikelihoodContour,
    binomial_contour,
    normal_contour,
    poisson_contour,
    profile,
    profile_of,
)
from tests.support.each import each

LINE = (-np.inf, np.inf)
DATA = np.random.default_rng(5).normal(5.0, 2.0, 12)


def normal_plane(data):
    def log_likelihood(mean, sd):
        squares = ((data[:, None] - mean) ** 2).sum(axis=0)
        return -data.size * np.log(sd) - squares / (2 * sd**2)

    return LikelihoodContour(log_likelihood, [LINE, (0, np.inf)])


# -- definition ------------------------------------------------------------------------------------


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 16))
def test_binomial_contour_is_the_relative_likelihood(k, failures, sixteenths):
    """Equation 29, in exact arithmetic."""
    n, tau = k + failures, Fraction(sixteenths, 16)
    p = Fraction(k, n) if n else Fraction(1, 2)
    expected = tau**k * (1 - tau) ** failures / (p**k * (1 - p) ** failures)
    contour = binomial_contour(k, n)
    assert contour.contour(float(tau)) == pytest.approx(float(expected), rel=1e-12)


POISSON, EXPONENTIAL = np.array([3.0, 0, 5, 1]), np.array([0.5, 2.0, 1.25])
ROUTES = {
    "binomial": (
        binomial_contour(3, 10),
        lambda p: stats.binom.logpmf(3, 10, p),
        (0, 1),
    ),
    "no success": (binomial_contour(0, 4), lambda p: 0 * np.log(p) + 4 * np.log1p(-p), (0, 1)),
    "poisson": (
        poisson_contour(POISSON, [1.0, 2.0, 3.0, 4.0]),
        lambda rate: stats.poisson.logpmf(POISSON, rate[:, None] * [1.0, 2.0, 3.0, 4.0]).sum(
            axis=1
        ),
        (0, np.inf),
    ),
    "no event": (poisson_contour([0, 0]), lambda rate: -2 * rate, (0, np.inf)),
    "exponential": (
        poisson_contour([1, 1, 1], EXPONENTIAL),
        lambda rate: stats.expon.logpdf(EXPONENTIAL, scale=1 / rate[:, None]).sum(axis=1),
        (0, np.inf),
    ),
    "censored": (
        poisson_contour([1, 0, 1], EXPONENTIAL),
        lambda rate: 2 * np.log(rate) - rate * EXPONENTIAL.sum(),
        (0, np.inf),
    ),
    "normal": (
        normal_contour(DATA, sigma=2.0),
        lambda m: stats.norm.logpdf(DATA, m[:, None], 2.0).sum(axis=1),
        LINE,
    ),
}


@each("name", ROUTES)
def test_closed_forms_equal_the_search(name):
    closed, log_likelihood, bounds = ROUTES[name]
    found = LikelihoodContour(log_likelihood, bounds)
    assert found.mode == pytest.approx(closed.mode, abs=1e-7)
    assert found.is_unimodal
    low, high = closed.level_set([0.01, 0.3, 0.9])
    inside = np.concatenate([low, high, [closed.mode]])
    np.testing.assert_allclose(found.contour(inside), closed.contour(inside), atol=1e-9)
    np.testing.assert_allclose(found.level_set([0.01, 0.3, 0.9]), (low, high), atol=1e-8)


def test_unknown_deviation_is_profiled_out():
    """The closed form of the mean's contour, by the search over the plane."""
    plane, closed = normal_plane(DATA), normal_contour(DATA)
    assert plane.mode == pytest.approx((DATA.mean(), DATA.std()), rel=1e-7)
    mean = profile(plane, (1, 0))
    x = np.linspace(2, 8, 9)
    np.testing.assert_allclose(mean.contour(x), closed.contour(x), rtol=1e-9, atol=1e-12)
    assert plane.pl(-np.inf, 4, 0, np.inf) == pytest.approx(closed.pl(-np.inf, 4), rel=1e-7)
    assert plane.bel(4, 7, 0, np.inf) == pytest.approx(closed.bel(4, 7), rel=1e-7)


def test_profile_of_a_nonlinear_function():
    """The coefficient of variation, against a search over the nuisance parameter by SciPy."""
    plane = normal_plane(DATA)
    ratio = profile_of(
        plane, lambda m, s: s / m, lambda v, s: (s / v, s), bounds=(0.01, 10), free=(0, np.inf)
    )
    assert ratio.mode == pytest.approx(DATA.std() / DATA.mean(), rel=1e-6)
    for value in (0.2, 0.4, 0.9):
        best = optimize.minimize_scalar(
            lambda s, v=value: -plane.log_contour(s / v, s), bounds=(0.1, 20), method="bounded"
        )
        assert ratio.contour(value) == pytest.approx(math.exp(-best.fun), rel=1e-6)


def test_profile_along_oblique_weights():
    """A Gaussian with covariance S: the variance of w'x is w'Sw."""
    covariance = np.array([[4.0, 1.9], [1.9, 1.0]])
    inverse = np.linalg.inv(covariance)

    def log_likelihood(a, b):
        return -(inverse[0, 0] * a * a + 2 * inverse[0, 1] * a * b + inverse[1, 1] * b * b) / 2

    plane = LikelihoodContour(log_likelihood, [LINE, LINE])
    for w in ((1.0, 0.0), (0.0, 1.0), (1.0, -2.0), (3.0, 1.0)):
        deviation = math.sqrt(np.array(w) @ covariance @ w)
        line = profile(plane, w)
        assert line.contour(2 * deviation) == pytest.approx(math.exp(-2.0), rel=1e-8)
        assert line.scale == pytest.approx(deviation, rel=1e-6)


def test_profile_stays_inside_of_the_space():
    plane = LikelihoodContour(lambda a, b: -a - b, [(0, 1), (0, 2)])
    total = profile(plane, (1, 1))
    assert total.bounds == ((0.0, 3.0),)
    np.testing.assert_allclose(total.contour([0, 1, 3, 3.1]), [1, math.exp(-1), math.exp(-3), 0])


# -- laws ------------------------------------------------------------------------------------------


@each("name", ROUTES)
def test_belief_and_plausibility_of_intervals(name):
    """Equation 12 on a grid; Bel(A) = 1 - Pl(not A); Bel <= Pl."""
    contour = ROUTES[name][0]
    low, high = contour.level_set(1e-6)
    grid = np.linspace(low, high, 801)
    values = contour.contour(grid)
    for i, j in ((0, 200), (150, 500), (390, 420), (600, 800)):
        assert contour.pl(grid[i], grid[j]) == pytest.approx(values[i : j + 1].max(), abs=2e-4)
        outside = np.concatenate([values[: i + 1], values[j:]])
        bel = contour.bel(grid[i], grid[j])
        assert bel == pytest.approx(1 - outside.max(), abs=2e-4) or low in contour.bounds[0]
        assert bel <= contour.pl(grid[i], grid[j])
    assert contour.pl(*contour.bounds[0]) == contour.bel(*contour.bounds[0]) == 1.0


@each("name", ROUTES)
def test_level_sets_are_nested_and_end_on_their_level(name):
    contour = ROUTES[name][0]
    gamma = np.array([0.0, 1e-9, 0.05, 0.5, 0.99, 1.0])
    low, high = contour.level_set(gamma)
    assert np.all(np.diff(low) >= 0)
    assert np.all(np.diff(high) <= 0)
    assert (low[0], high[0]) == contour.bounds[0]
    assert low[-1] == high[-1] == contour.mode
    for ends, bound in ((low, contour.bounds[0][0]), (high, contour.bounds[0][1])):
        free = ends[1:] != bound
        np.testing.assert_allclose(contour.contour(ends[1:])[free], gamma[1:][free], rtol=1e-9)


def test_intervals_that_meet_the_space_in_part_or_not():
    contour = binomial_contour(1, 2)
    assert contour.pl(-2, -1) == contour.bel(-2, -1) == contour.pl(1.5, 2) == 0.0
    assert contour.bel(-1, 2) == 1.0
    assert contour.bel(-1, 0.75) == pytest.approx(0.25)
    np.testing.assert_allclose(contour.pl([[-1], [0.75]], [1.0, 2.0]), [[1, 1], [0.75, 0.75]])


def test_boxes():
    """Independent parameters: the plausibility of a box is the product."""
    one, two = binomial_contour(3, 4), binomial_contour(1, 6)
    plane = LikelihoodContour(
        lambda a, b: one.log_contour(a) + two.log_contour(b), [(0, 1), (0, 1)]
    )
    for a, b in (((0, 0.4), (0.3, 1)), ((0, 1), (0.5, 0.6)), ((0.7, 0.8), (0.1, 0.2))):
        assert plane.pl(*a, *b) == pytest.approx(one.pl(*a) * two.pl(*b), rel=1e-7)
        outside = max(1 - one.bel(*a), 1 - two.bel(*b))
        assert plane.bel(*a, *b) == pytest.approx(1 - outside, rel=1e-7)
    assert plane.pl(2, 3, 0, 1) == 0.0
    assert plane.bel(0, 1, 0, 1) == 1.0


@pytest.mark.parametrize("gamma", [0.9, 0.1, 1e-4])
def test_outline_lies_on_the_level(gamma):
    plane = normal_plane(DATA)
    x, y = plane.level_set(gamma, n_points=40)
    np.testing.assert_allclose(plane.contour(x, y), gamma, rtol=1e-9)
    angle = np.unwrap(np.arctan2((y - plane.mode[1]), (x - plane.mode[0])))
    assert np.all(np.diff(angle) > 0)


def test_outline_ends_on_bounds():
    plane = LikelihoodContour(lambda a, b: -a - b, [(0, 1), (0, 1)])
    x, y = plane.level_set(0.5, n_points=80)
    on_level = np.isclose(x + y, math.log(2), atol=1e-9)
    on_bound = (x == 0) | (y == 0)
    assert np.all(on_level | on_bound)
    assert on_level.sum() > 10


# -- maxima ----------------------------------------------------------------------------------------


@each("scale", [1e-12, 1e-3, 1.0, 1e9])
@each("shift", [0.0, 1.0, -1e6])
def test_maximum_on_any_scale(scale, shift):
    contour = LikelihoodContour(lambda x: -(((x - shift) / scale) ** 2) / 2, LINE)
    error = 1e-7 * scale + 4e-15 * abs(shift)  # what rounding of x allows
    assert abs(contour.mode - shift) <= error
    if scale > 1e-9 * abs(shift):
        low, high = contour.level_set(math.exp(-2.0))
        assert (high - low) / scale == pytest.approx(4.0, rel=1e-6)


@pytest.mark.parametrize("place", [0.0, 1e-15, 0.25, 1 - 1e-9, 1.0])
def test_maximum_near_a_bound(place):
    contour = LikelihoodContour(lambda x: -abs(x - place), (0, 1))
    assert contour.mode == pytest.approx(place, rel=1e-9, abs=1e-25)


def test_maximum_on_a_narrow_oblique_ridge():
    """Logistic regression on scores shifted by 10^5 is the same model with another intercept."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    y = rng.random(40) < 1 / (1 + np.exp(-x))

    def model(shift):
        def log_likelihood(a, b):
            eta = a[:, None] + b[:, None] * (x + shift)
            return (y * eta - np.logaddexp(0, eta)).sum(axis=1)

        return LikelihoodContour(log_likelihood, [LINE, LINE])

    plain, shifted = model(0.0), model(1e5)
    assert shifted.mode[1] == pytest.approx(plain.mode[1], abs=1e-3)
    a, b = plain.mode
    assert shifted.contour(a - 1e5 * b, b) == pytest.approx(1.0, abs=1e-6)


def test_flat_likelihood_is_vacuous():
    contour = LikelihoodContour(lambda x: 0 * x, (0, np.inf))
    assert contour.level_set(0.5) == (0.0, np.inf)
    assert contour.pl(3, 4) == 1.0
    assert contour.bel(0, 1e300) == 0.0


def test_supremum_at_infinity():
    """The likelihood of a separable sample: its limit is the supremum."""
    contour = LikelihoodContour(lambda x: -np.logaddexp(0, -x), LINE)
    low, high = contour.level_set([0.5, 0.9])
    np.testing.assert_allclose(low, [0.0, math.log(9.0)], atol=1e-9)
    assert np.all(high == np.inf)


def test_likelihood_with_a_jump():
    """Uniform on [0, theta], largest observation 3: theta**-5 from 3 on."""
    contour = LikelihoodContour(lambda t: np.where(t >= 3, -5 * np.log(t), -np.inf), (0, np.inf))
    low, high = contour.level_set([0.5, 0.01])
    np.testing.assert_allclose(low, 3.0, rtol=1e-12)
    np.testing.assert_allclose(high, 3 * np.array([0.5, 0.01]) ** -0.2, rtol=1e-9)


def test_several_peaks():
    contour = LikelihoodContour(
        lambda x: np.logaddexp(-((x - 3) ** 2), -((x + 3) ** 2) - 0.5), LINE
    )
    np.testing.assert_allclose(contour.peaks, [-3, 3], atol=1e-4)
    assert not contour.is_unimodal
    assert contour.pl(-4, -2) == pytest.approx(math.exp(-0.5), rel=1e-9)
    assert contour.bel(2, 4) == pytest.approx(1 - math.exp(-0.5), rel=1e-9)
    with pytest.raises(ValueError, match="peaks at"):
        contour.level_set(0.5)


# -- errors ----------------------------------------------------------------------------------------


@each(
    ("log_likelihood", "bounds", "message"),
    [
        (lambda x: x, LINE, "still rises at 2.77.*unbounded"),
        (lambda x: -np.log(x), (0, 1), "inf at 0: the likelihood is unbounded"),
        (lambda x: -np.log(x), (0, np.inf), "unbounded"),
        (lambda x: np.nan * x, (0, 1), "nan at"),
        (lambda x: np.full(x.shape, -np.inf), (0, 1), "-inf at all points"),
        (lambda x: x[:1], (0, 1), "gives shape"),
        (lambda a, b: a - b**2, [LINE, LINE], "rises at .* of the first parameter"),
        (lambda a, b: b - a**2, [LINE, LINE], "rises at .*unbounded"),
        (lambda x: x, (1, 0), "give low < high"),
        (lambda x: x, (0, 1, 2), "bounds have shape"),
    ],
)
def test_no_maximum_is_an_error(log_likelihood, bounds, message):
    with pytest.raises(ValueError, match=message):
        LikelihoodContour(log_likelihood, bounds)


def test_wrong_arguments():
    contour, plane = binomial_contour(1, 2), normal_plane(DATA)
    with pytest.raises(ValueError, match="theta is nan in row 1"):
        contour.contour([0.5, np.nan])
    with pytest.raises(ValueError, match="the low end is 1; expected at most the high end"):
        contour.pl(1, 0)
    with pytest.raises(ValueError, match="gamma is 2"):
        contour.level_set(2)
    with pytest.raises(ValueError, match="dimension 1, not 2"):
        contour.contour(0.1, 0.2)
    with pytest.raises(ValueError, match="give 4 numbers"):
        plane.pl(0, 1)
    with pytest.raises(ValueError, match="one positive number"):
        plane.level_set(0.0)
    with pytest.raises(ValueError, match="dimension 2, not 1"):
        profile(contour, (1, 0))
    with pytest.raises(ValueError, match="not both 0"):
        profile(plane, (0, 0))
    with pytest.raises(ValueError, match="solve does not reach"):
        profile_of(plane, lambda m, s: s / m, lambda v, s: (s * v, s), (0.01, 10), (0, np.inf))
    with pytest.raises(ValueError, match="not a point"):
        LikelihoodContour(lambda x: -x, (0, 1), mode=2)
    with pytest.raises(ValueError, match=r"log_likelihood is 0\.\d+ higher at .* than at the mode"):
        LikelihoodContour(lambda x: -(x**2), (-1, 1), mode=0.5)
    with pytest.raises(ValueError, match=r"than at the mode \[0\.0, 2\.0\]; give the right mode"):
        LikelihoodContour(lambda x, y: -(x**2) - y**2, [LINE, LINE], mode=(0, 2))
    for scale in (0.0, -1.0, np.inf):
        with pytest.raises(ValueError, match="expected positive numbers"):
            LikelihoodContour(lambda x: -x, (0, 1), scale=scale)
    with pytest.raises(AttributeError, match="immutable"):
        contour.mode = 0.2


@each(
    ("make", "message"),
    [
        (lambda: normal_contour([2.0, 2.0]), "all 2 observations are 2.*unbounded"),
        (lambda: normal_contour([]), "shape"),
        (lambda: normal_contour([1.0, np.nan]), "data nan in row 1"),
        (lambda: normal_contour([1.0, 2.0], sigma=0), "sigma is 0"),
        (lambda: poisson_contour([1, -1]), r"counts -1 in row 1"),
        (lambda: poisson_contour([1, 1], [1, 0]), "exposure is 0"),
        (lambda: binomial_contour(3, 2), "successes must not exceed trials"),
    ],
)
def test_unusable_data(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_level_set_that_is_open_along_an_axis_ends_at_infinity_there():
    def half_plane(a, b):
        return -(np.minimum(a, 0) ** 2) - b**2

    x, y = LikelihoodContour(half_plane, [LINE, LINE], mode=(0.0, 0.0)).level_set(0.5)
    assert not np.isnan(x).any()
    assert not np.isnan(y).any()
    assert x.max() > 1e9
    assert np.abs(y).max() > 0.8
