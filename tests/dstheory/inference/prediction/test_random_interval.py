"""Random intervals: definition by levels, laws, closed forms and Monte Carlo."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory.inference import (
    LikelihoodContour,
    RandomInterval,
    binomial_contour,
    normal_contour,
    poisson_contour,
)
from tests.support.each import each

LINE = (-np.inf, np.inf)
INTERVALS = {
    "binomial": RandomInterval(binomial_contour(3, 10)),
    "no success": RandomInterval(binomial_contour(0, 4)),
    "poisson": RandomInterval(poisson_contour([2, 5])),
    "normal": RandomInterval(normal_contour([1.0, 2.0, 4.0])),
    "bounded": RandomInterval(LikelihoodContour(lambda x: -(x**2) / 2, (-1.0, 2.5))),
    "discounted": RandomInterval(binomial_contour(3, 10), rate=0.2),
}


def levels(interval, n=20_000):
    """Ends at the midpoints of n levels, and the probability of each interval."""
    gamma = (np.arange(n) + 0.5) / n
    low, high = interval.contour.level_set(gamma)
    bottom, top = interval.contour.bounds[0]
    weight = np.append(np.full(n, (1 - interval.rate) / n), interval.rate)
    return np.append(low, bottom), np.append(high, top), weight


@each("name", INTERVALS)
def test_definition_by_levels(name):
    """Equation 14: the measure of the levels whose interval is inside, or meets."""
    interval = INTERVALS[name]
    low, high, weight = levels(interval)
    for a, b in ((0.0, 0.25), (0.2, 0.5), (-1.0, 2.0), (1.0, 4.0), (0.0, 1.0), (-9.0, 9.0)):
        inside, meets = weight @ ((low >= a) & (high <= b)), weight @ ((low <= b) & (high >= a))
        assert interval.bel(a, b) == pytest.approx(inside, abs=1e-4)
        assert interval.pl(a, b) == pytest.approx(meets, abs=1e-4)


@each("name", INTERVALS)
def test_quantiles_invert_the_distribution_functions(name):
    interval = INTERVALS[name]
    low, high, weight = levels(interval)
    for p in (0.1, 0.5, 0.7, 0.95):
        lower, upper = interval.quantile(p)
        for end, value in ((low, lower), (high, upper)):
            order = np.argsort(end)
            reached = np.searchsorted(np.cumsum(weight[order]), p - 1e-12)
            assert value == pytest.approx(end[order][reached], abs=2e-3)
        assert interval.cdf(upper)[0] == pytest.approx(max(p, interval.cdf(upper)[0]), abs=1e-9)


@each("name", INTERVALS)
def test_expectation_is_an_integral_of_the_contour(name):
    """Equations 22c and 23c, by mpmath."""
    interval = INTERVALS[name]
    contour, mode = interval.contour, interval.contour.mode

    def area(end):
        def value(x):
            return mpmath.mpf(float(contour.contour(float(x))))

        if math.isinf(end):
            cuts = [mode] + [mode + np.sign(end) * contour.scale * 2.0**k for k in range(-1, 40)]
        else:
            cuts = np.linspace(mode, end, 13).tolist()
        return float(mpmath.quad(value, cuts))

    bottom, top = contour.bounds[0]
    rate = interval.rate
    lower = rate * (bottom if rate else 0) + (1 - rate) * (mode + area(bottom))
    upper = rate * (top if rate else 0) + (1 - rate) * (mode + area(top))
    assert interval.expectation() == pytest.approx((lower, upper), rel=1e-9, abs=1e-9)


def test_expectation_in_closed_form():
    """E r = sqrt(pi / 2) for the normal; Cauchy's contour 1 / (1 + x^2) has area pi / 2."""
    normal = RandomInterval(normal_contour([0.0], sigma=2.0)).expectation()
    assert normal == pytest.approx((-2 * math.sqrt(math.pi / 2), 2 * math.sqrt(math.pi / 2)))
    cauchy = RandomInterval(LikelihoodContour(lambda x: -np.log1p(x * x), LINE, mode=0.0))
    assert cauchy.expectation() == pytest.approx((-math.pi / 2, math.pi / 2), rel=1e-11)
    half = RandomInterval(LikelihoodContour(lambda x: -np.log1p(x * x) / 2, LINE, mode=0.0))
    assert half.expectation() == (-np.inf, np.inf)
    flat = RandomInterval(LikelihoodContour(np.zeros_like, (2.0, np.inf)))
    assert flat.expectation() == (2.0, np.inf)
    weak = RandomInterval(normal_contour([0.0], sigma=2.0), rate=0.1)
    assert weak.expectation() == (-np.inf, np.inf)


@settings(max_examples=25)
@given(st.integers(0, 30), st.integers(0, 30), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_laws(k, failures, x, y, rate):
    """Bel <= Pl; Bel(A) + Bel(not A) <= 1; discounting scales belief."""
    interval = RandomInterval(binomial_contour(k, k + failures))
    low, high = min(x, y), max(x, y)
    bel, pl = interval.bel(low, high), interval.pl(low, high)
    assert 0 <= bel <= pl <= 1
    weak = interval.discount(rate=rate)
    whole = low == 0 and high == 1
    assert weak.bel(low, high) == pytest.approx(1 if whole else (1 - rate) * bel)
    assert weak.pl(low, high) == pytest.approx(rate + (1 - rate) * pl)
    lower, upper = interval.expectation()
    assert lower <= interval.contour.mode + 1e-12
    assert upper >= interval.contour.mode - 1e-12
    below = interval.cdf(low)
    assert below == (interval.bel(-np.inf, low), interval.pl(-np.inf, low))


def test_confidence_contour_is_a_discounted_interval():
    """Equations 25-27: 1 on an interval and alpha elsewhere."""
    inside = LikelihoodContour(
        lambda x: np.where((x >= 0.2) & (x <= 0.6), 0.0, -np.inf), (0, 1), mode=0.4
    )
    interval = RandomInterval(inside, rate=0.05)
    assert interval.expectation() == pytest.approx((0.95 * 0.2, 0.95 * 0.6 + 0.05), abs=1e-12)
    assert interval.pl(0.7, 0.8) == pytest.approx(0.05)
    assert inside.level_set(1.0) == pytest.approx((0.2, 0.6), abs=1e-14)


def test_samples_agree_with_the_closed_forms():
    interval = INTERVALS["discounted"]
    low, high = interval.sample(20_000, np.random.default_rng(3))
    for a, b in ((0.1, 0.5), (0.3, 1.0), (0.0, 0.2)):
        for share, exact in (
            (((low >= a) & (high <= b)).mean(), interval.bel(a, b)),
            (((low <= b) & (high >= a)).mean(), interval.pl(a, b)),
        ):
            assert abs(share - exact) <= 4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-12
    for ends, exact in zip((low, high), interval.expectation(), strict=True):
        assert abs(ends.mean() - exact) <= 4 * ends.std() / math.sqrt(20_000)


def test_wrong_arguments():
    bumpy = LikelihoodContour(lambda x: np.cos(x) * 3, (0, 20))
    with pytest.raises(ValueError, match="one peak"):
        RandomInterval(bumpy)
    with pytest.raises(TypeError, match="LikelihoodContour"):
        RandomInterval(0.5)
    with pytest.raises(ValueError, match="rate is 2"):
        INTERVALS["binomial"].discount(rate=2)
    with pytest.raises(ValueError, match="p is -1"):
        INTERVALS["binomial"].quantile(-1)
    with pytest.raises(AttributeError, match="immutable"):
        INTERVALS["binomial"].rate = 0.5


def test_the_mode_on_a_bound_is_no_kink():
    interval = RandomInterval(LikelihoodContour(lambda x: -x, (0, 2)))
    np.testing.assert_allclose(interval.kinks(), [2.0])  # sqrt(2 * 2)


def test_an_infinite_mean_is_seen_from_finite_parts():
    """Sqrt of Cauchy's contour: the integrand is finite at each node, its integral is not."""
    half = RandomInterval(LikelihoodContour(lambda x: -np.log1p(x * x) / 2, LINE, mode=0.0))
    assert half.expectation() == (-np.inf, np.inf)
