"""Predictive belief functions: closed forms, mpmath, and quadrature against Monte Carlo."""

import math
from functools import cache

import mpmath
import numpy as np
import pytest
from scipy import stats

from dstheory import Frame
from dstheory.inference import (
    LikelihoodContour,
    RandomInterval,
    binomial,
    binomial_contour,
    gaussian_contour,
    normal_contour,
    poisson_contour,
    predictive,
    predictive_binary,
    predictive_ordered,
    predictive_sampled,
    trapezoidal_contour,
)
from dstheory.inference.prediction.sampled_interval import SampledInterval
from tests.support.each import each

POISSON = RandomInterval(poisson_contour([3, 5, 2]))
FAMILIES = {
    "normal": predictive(
        RandomInterval(normal_contour([1.0, 2.0, 4.0], sigma=1.5)), lambda m: stats.norm(m, 1.5)
    ),
    "poisson": predictive(POISSON, stats.poisson),
    "exponential": predictive(
        RandomInterval(poisson_contour([1, 1, 1], [1.0, 2.5, 0.5])),
        lambda rate: stats.expon(scale=1 / np.maximum(rate, 1e-300)),
    ),
    "binomial": predictive(RandomInterval(binomial_contour(3, 10)), lambda p: stats.binom(20, p)),
    "bounded": predictive(
        RandomInterval(LikelihoodContour(lambda x: -(x**2) / 2, (-1.0, 2.5))), stats.norm
    ),
    "discounted": predictive(POISSON.discount(rate=0.25), stats.poisson),
}
EVENTS = [(-np.inf, 2.0), (1.0, 6.0), (3.0, 3.0), (2.0, np.inf), (-1.0, 40.0), (-np.inf, np.inf)]


@cache
def bel_and_pl(name):
    """Of all events at once."""
    low, high = np.transpose(EVENTS)
    return FAMILIES[name].bel(low, high), FAMILIES[name].pl(low, high)


# -- mass functions --------------------------------------------------------------------------------


@each("k", [0, 1, 3, 7, 10])
@each("n", [10, 1000])
def test_binary_equals_the_binomial_model(k, n):
    """Equations 20-23 by quadrature, and eq. 30 in closed form."""
    m = predictive_binary(RandomInterval(binomial_contour(k, n)))
    np.testing.assert_allclose(m.masses, binomial(k, n).masses, rtol=0, atol=1e-13)


def test_binary_of_a_discounted_interval_is_discounted():
    interval = RandomInterval(binomial_contour(3, 10))
    plain, weak = predictive_binary(interval), predictive_binary(interval.discount(rate=0.3))
    np.testing.assert_allclose(weak.masses[:2], 0.7 * plain.masses[:2], atol=1e-14)


def test_two_ordered_categories_are_binary():
    """With 1 first, its cumulative probability is the parameter (eq. 18)."""
    interval = RandomInterval(binomial_contour(3, 10), rate=0.1)
    m = predictive_ordered(interval, Frame((1, 0)), lambda tau: tau[None])
    expected = predictive_binary(interval)
    for label in (0, 1):
        assert m.bel(label) == pytest.approx(expected.bel(label), abs=1e-10)


def test_ordered_by_levels():
    """Bel of a run {a..b} is the mean of max(0, F_b(V) - F_(a-1)(U)) over the levels."""
    frame = Frame(["none", "few", "some", "many"])
    cuts = np.array([[0], [2], [4]])
    m = predictive_ordered(POISSON, frame, lambda rate: stats.poisson(rate).cdf(cuts))
    low, high = POISSON.contour.level_set((np.arange(20_000) + 0.5) / 20_000)
    zero = np.zeros((1, low.size))
    least = np.concatenate([zero, stats.poisson(high).cdf(cuts), zero + 1])
    most = np.concatenate([zero, stats.poisson(low).cdf(cuts), zero + 1])
    for first in range(4):
        for last in range(first, 4):
            expected = np.maximum(least[last + 1] - most[first], 0).mean()
            run = frame.labels[first : last + 1]
            assert m.bel(run) == pytest.approx(1.0 if len(run) == 4 else expected, abs=1e-6)
    assert m.bel(["none", "many"]) == pytest.approx(m.bel("none") + m.bel("many"))


def test_ordered_agrees_with_monte_carlo():
    frame = Frame(range(5))
    cuts = np.arange(1, 5)[:, None]
    for interval in (POISSON, RandomInterval(poisson_contour([0, 1]))):
        exact = predictive_ordered(interval, frame, lambda rate: stats.poisson(rate).cdf(cuts))
        drawn, errors = predictive_sampled(
            interval,
            frame,
            lambda rate, z: (z[..., None] > stats.poisson(rate[..., None]).cdf(cuts[:, 0])).sum(-1),
            1500,
            np.random.default_rng(2),
        )
        assert len(drawn.focal) >= 7
        for mask, mass, error in zip(drawn.focal, drawn.masses, errors, strict=True):
            assert abs(mass - exact.mass(mask=int(mask))) <= 4 * error + 4 / 1500


def test_sampled_categories_need_no_order():
    """Three sectors of a circle: a focal interval around 1 / 2 with Z allows what it touches."""
    interval = RandomInterval(
        LikelihoodContour(lambda x: np.where(abs(x - 0.5) <= 0.1, 0.0, -np.inf), (0, 1), mode=0.5)
    )
    m, errors = predictive_sampled(
        interval,
        Frame(["a", "b", "c"]),
        lambda theta, z: np.minimum((3 * ((theta + z) % 1)).astype(int), 2),
        40_000,
        np.random.default_rng(0),
    )
    # A window of length 0.2 on a circle of three arcs: inside of one arc with probability
    # 1 - 3 * 0.2, and over each of the three borders with probability 0.2.
    pairs = [m.mass(["a", "b"]), m.mass(["b", "c"]), m.mass(["a", "c"])]
    np.testing.assert_allclose(pairs, 0.2, atol=5 * errors.max())
    assert m.bel("a") + m.bel("b") + m.bel("c") == pytest.approx(0.4, abs=0.02)


# -- continuous and counted quantities -------------------------------------------------------------


@each("name", FAMILIES)
def test_quadrature_agrees_with_monte_carlo(name):
    y = FAMILIES[name]
    sample = y.sample(2000, np.random.default_rng(4))
    for event, bel, pl in zip(EVENTS, *bel_and_pl(name), strict=True):
        for exact, share in ((bel, sample.bel(*event)), (pl, sample.pl(*event))):
            assert abs(exact - share) <= 4 * sample.standard_error(exact)
    if y.rate == 0:
        for exact, mean, error in zip(
            y.expectation(), sample.expectation(), sample.expectation_error(), strict=True
        ):
            assert abs(exact - mean) <= 4 * error


@each("name", FAMILIES)
def test_laws(name):
    """Bel <= Pl; Pl(A) = 1 - Bel(not A) for half lines; the model's own P lies between."""
    y = FAMILIES[name]
    bel, pl = bel_and_pl(name)
    assert np.all((bel >= 0) & (bel <= pl) & (pl <= 1))
    x = np.array([-1.0, 0.0, 1.0, 2.0, 5.0])
    lower, upper = y.cdf(x)
    above = np.nextafter(x, np.inf)
    np.testing.assert_allclose(1 - lower, y.pl(above, np.inf), atol=1e-9)
    np.testing.assert_allclose(1 - upper, y.bel(above, np.inf), atol=1e-9)
    assert np.all(np.diff(lower) >= -1e-12)
    assert np.all(np.diff(upper) >= -1e-12)


@each("name", FAMILIES)
def test_quantiles_invert_the_distribution_functions(name):
    y = FAMILIES[name]
    p = np.array([0.02, 0.7])
    for end, value in zip((1, 0), y.quantile(p), strict=True):
        known = np.isfinite(value)
        assert np.all(y.rate >= (p if end else 1 - p)[~known])
        value, share = value[known], p[known]
        assert np.all(y.cdf(value)[end] >= share - 1e-8)
        assert np.all(y.cdf(value - 1e-6 * (1 + abs(value)))[end] <= share + 1e-8)


def test_normal_family_in_closed_form():
    """Y = m + Z, m within r of the mean: P(Z <= y + r) over Rayleigh's r, by mpmath."""
    y = predictive(RandomInterval(normal_contour([0.0], sigma=1.0)), stats.norm)

    def upper(x):
        return float(
            mpmath.quad(
                lambda r: mpmath.ncdf(x + r) * r * mpmath.exp(-r * r / 2), [0, 1, 2, 4, 8, 16]
            )
        )

    for x in (-3.0, 0.0, 1.5):
        assert y.cdf(x) == pytest.approx((1 - upper(-x), upper(x)), abs=1e-12)
    # Two-sided belief: P(2 r < 4, -2 + r <= Z <= 2 - r).
    inside = mpmath.quad(
        lambda r: (mpmath.ncdf(2 - r) - mpmath.ncdf(r - 2)) * r * mpmath.exp(-r * r / 2), [0, 1, 2]
    )
    assert y.bel(-2, 2) == pytest.approx(float(inside), abs=1e-11)
    assert y.expectation() == pytest.approx(
        (-math.sqrt(math.pi / 2), math.sqrt(math.pi / 2)), rel=1e-11
    )


def test_much_data_leave_the_plug_in_distribution():
    y = predictive(RandomInterval(poisson_contour([3 * 10**12], 1e12)), stats.poisson)
    np.testing.assert_allclose(y.cdf([0, 2, 5]), [stats.poisson(3).cdf([0, 2, 5])] * 2, atol=1e-6)


def test_discounting():
    plain, weak = FAMILIES["poisson"], FAMILIES["poisson"].discount(rate=0.4)
    bel, pl = bel_and_pl("poisson")
    low, high = np.transpose(EVENTS)
    whole = np.isinf(low) & np.isinf(high)
    weak_bel = weak.bel(low, high)
    np.testing.assert_allclose(weak_bel, 0.6 * bel + 0.4 * whole, rtol=1e-6)
    assert weak_bel[whole] == [1.0]
    np.testing.assert_allclose(weak.pl(low, high), 0.4 + 0.6 * pl, rtol=1e-6)
    assert weak.expectation() == (-np.inf, np.inf)
    assert weak.quantile(0.3) == pytest.approx((-np.inf, plain.quantile(0.5)[1]))


RATES = [0.0, 0.1, 0.3, 1 / 3, 0.4, 0.7]


@each(("name", "rate"), [(name, RATES[i % 6]) for i, name in enumerate([*FAMILIES, *FAMILIES])])
def test_the_whole_line_is_certain_without_rounding(name, rate):
    interval = FAMILIES[name].discount(rate=rate)
    assert interval.bel(-np.inf, np.inf) == interval.pl(-np.inf, np.inf) == 1.0
    assert interval.cdf(np.inf) == (1.0, 1.0)


def test_sampled_interval():
    sample = SampledInterval([[0.0, 5.0], [1.0, 6.0]], [[2.0, 7.0], [3.0, 8.0]])
    assert sample.bel(0, 7).tolist() == [1.0, 0.5]
    assert sample.pl(2.5, 4).tolist() == [0.5, 0.0]
    np.testing.assert_array_equal(sample.quantile(1.0), [[1, 6], [3, 8]])
    assert len(sample) == 2
    with pytest.raises(ValueError, match="low end is 1 in row 0; expected"):
        SampledInterval([1.0], [0.0])
    with pytest.raises(ValueError, match="first axis"):
        SampledInterval(0.0, 1.0)


# -- errors ----------------------------------------------------------------------------------------


def test_wrong_arguments():
    interval = RandomInterval(binomial_contour(1, 2))
    frame = Frame(["a", "b", "c"])
    with pytest.raises(TypeError, match="RandomInterval"):
        predictive(binomial_contour(1, 2), stats.bernoulli)
    with pytest.raises(ValueError, match="p is 0 or 1"):
        FAMILIES["normal"].quantile(0)
    with pytest.raises(ValueError, match="nan for a parameter"):
        predictive(RandomInterval(poisson_contour([1])), lambda x: stats.norm(0, -x)).cdf(1)
    with pytest.raises(ValueError, match=r"not a part of \[0, 1\]"):
        predictive_binary(POISSON)
    with pytest.raises(ValueError, match="needs at least 2"):
        predictive_ordered(interval, Frame(["a"]), lambda tau: np.empty((0, *tau.shape)))
    with pytest.raises(ValueError, match="one row for each category but the last"):
        predictive_ordered(interval, frame, lambda tau: tau[None])
    with pytest.raises(ValueError, match="expected increasing"):
        predictive_ordered(interval, frame, lambda tau: np.stack([tau, tau / 2]))
    with pytest.raises(ValueError, match="increase with the parameter in some places"):
        predictive_ordered(interval, frame, lambda tau: np.stack([tau**2 / 2, 1 - tau / 2]))
    with pytest.raises(ValueError, match="must return indices of 3 labels"):
        predictive_sampled(
            interval, frame, lambda t, z: (9 * t).astype(int), 9, np.random.default_rng(0)
        )
    with pytest.raises(TypeError, match="expected indices"):
        predictive_sampled(interval, frame, lambda t, z: t, 9, np.random.default_rng(0))


def test_families_that_are_not_monotone():
    """Ends of a level set bound nothing then: N(m**2, 1) had one distribution function, not two."""
    interval = RandomInterval(gaussian_contour(0.0, 1.0))
    with pytest.raises(ValueError, match=r"P\(Y <= -1.28\d*\) increases with the par"):
        predictive(interval, lambda m: stats.norm(m**2, 1))
    scale = RandomInterval(trapezoidal_contour(1.0, 2.0, 2.0, 4.0))
    y = predictive(scale, lambda s: stats.norm(0, s))  # P(Y <= y) is monotone in s for each y
    levels = (np.arange(2000) + 0.5) / 2000
    low, high = scale.contour.level_set(levels)
    wanted = [np.mean(stats.norm(0, s).cdf(1.0)) for s in (high, low)]
    assert y.cdf(1.0) == pytest.approx(wanted, abs=1e-6)
    with pytest.raises(ValueError, match="the distributions of the family cross"):
        y.expectation()
