"""Forecasts of a linear model: the definition by a search, two quadratures, and Monte Carlo."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from dstheory.inference import predict
from dstheory.inference.prediction._forecast import LinearLaw
from tests.support.each import each

RNG = np.random.default_rng(8)
X = np.column_stack([np.ones(9), RNG.normal(size=9)])
Y = X @ [1.0, 2.0] + RNG.normal(size=9)
NEW = np.array([[1.0, 0.0], [1.0, 3.0], [1.0, -20.0]])
FORECASTS = {
    "unknown": predict(X, Y, NEW),
    "known": predict(X, Y, NEW, sigma=1.2),
    "few": predict(X[:3], Y[:3], NEW),
    "two": predict(np.ones((2, 1)), [0.0, 2.0], [[1.0]]),
}


def focal_extremes(value, r, row):
    """Least and largest value(m, s) over the focal set, by SciPy: the definition."""
    coefficients, *_ = np.linalg.lstsq(X, Y)
    h = NEW[row] @ np.linalg.inv(X.T @ X) @ NEW[row]
    sd = math.sqrt(((Y - X @ coefficients) ** 2).mean())
    mean = NEW[row] @ coefficients

    def slack(p):
        m, s = mean + sd * p[0], sd * math.exp(p[1])
        loss = 9 * math.log(s / sd) + (9 * sd**2 + (m - mean) ** 2 / h) / (2 * s * s) - 4.5
        return r * r / 2 - loss

    # The search may leave the focal set, but not with a deviation that goes to 0 or infinity.
    assert max(slack([0.0, -1.0]), slack([0.0, 1.0])) < 0

    def extreme(sign):
        found = [
            optimize.minimize(
                lambda p: sign * value(mean + sd * p[0], sd * math.exp(p[1])),
                start,
                method="SLSQP",
                bounds=[(None, None), (-1.0, 1.0)],
                constraints={"type": "ineq", "fun": slack},
                options={"ftol": 1e-12, "maxiter": 300},
            )
            for start in ([0.0, 0.0], [0.1, 0.1], [-0.1, -0.1])
        ]
        return sign * min(f.fun for f in found if slack(f.x) > -1e-6)

    return extreme(1), extreme(-1)


@each("r", [0.3, 1.5, 3.0])
@each("row", [0, 1])
def test_ranges_over_focal_sets_equal_a_nonlinear_program(r, row):
    law = FORECASTS["unknown"]._law
    for z in (0.05, 0.5, 0.9):
        t = stats.norm.ppf(z)
        low, high = law.quantile_range(np.array(z), np.array([r]))
        expected = focal_extremes(lambda m, s, t=t: m + s * t, r, row)
        assert (low[row, 0], high[row, 0]) == pytest.approx(expected, rel=1e-4, abs=1e-4)
    for y in (-2.0, 3.0):
        low, high = law.cdf_range(np.full((3, 1), y), np.array([r]))
        # The search is over the argument of the function, for in its tails the slope is lost.
        expected = stats.norm.cdf(focal_extremes(lambda m, s, y=y: (y - m) / s, r, row))
        assert (low[row, 0], high[row, 0]) == pytest.approx(expected, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("name", FORECASTS)
def test_expected_bounds_by_two_quadratures(name):
    """Over the plausibility of the error (Xu eqs. 22-23), and over the level of the focal sets."""
    forecast = FORECASTS[name]
    law = forecast._law
    gauss, weight = np.polynomial.legendre.leggauss(25)
    r = ((np.arange(64)[:, None] + (1 + gauss) / 2) * 9 / 64).ravel()
    weight = np.tile(weight * 9 / 128, 64) * r * np.exp(-(r**2) / 2)
    for y in (-30.0, -1.0, 1.5, 4.0, 60.0):
        by_level = law.cdf_range(np.full((*forecast.shape, 1), y), r)
        for bound, values in zip(forecast.cdf(y), by_level, strict=True):
            np.testing.assert_allclose(bound, values @ weight, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", FORECASTS)
def test_expectation_is_an_integral_of_the_distribution_functions(name):
    forecast = FORECASTS[name]
    row = 0
    for end, value in enumerate(forecast.expectation()):

        def tail(x, end=end, sign=1.0):
            c = forecast.cdf(sign * x)[1 - end][row]
            return 1 - c if sign > 0 else c

        above = integrate.quad(lambda x: tail(x), 0, 1e3, points=[1, 5, 20, 100], limit=400)[0]
        below = integrate.quad(
            lambda x: tail(x, sign=-1.0), 0, 1e3, points=[1, 5, 20, 100], limit=400
        )[0]
        # Beyond 1000, n observations leave a tail of order x**(1 - n).
        tolerance = {"two": 5e-2, "few": 1e-4}.get(name, 1e-6)
        assert value[row] == pytest.approx(above - below, abs=tolerance)


def test_known_deviation_in_closed_form():
    """Y = m + Z with m within r sqrt(h): P(Y_upper <= y) is normal minus Rayleigh."""
    forecast = predict(np.ones((4, 1)), [0.0, 1.0, 1.0, 2.0], [[1.0]], sigma=1.0)
    for y in (-1.0, 1.0, 2.5):
        d = y - 1
        share = 1 / math.sqrt(1 + 0.25)  # E Phi(d + r / 2), completing the square
        upper = stats.norm.cdf(d) + 0.5 * share * math.exp(-(d**2) * share**2 / 2) * stats.norm.cdf(
            -d * 0.5 * share
        )
        assert forecast.cdf(y)[1][0] == pytest.approx(upper, abs=1e-13)


@pytest.mark.parametrize("name", FORECASTS)
def test_quadrature_agrees_with_monte_carlo(name):
    forecast = FORECASTS[name]
    sample = forecast.sample(4000, np.random.default_rng(6))
    for event in ((-np.inf, 1.0), (-1.0, 4.0), (0.0, np.inf), (-60.0, 20.0)):
        for exact, share in (
            (forecast.bel(*event), sample.bel(*event)),
            (forecast.pl(*event), sample.pl(*event)),
        ):
            assert np.all(abs(exact - share) <= 4 * sample.standard_error(exact))
    for exact, mean, error in zip(
        forecast.expectation(), sample.expectation(), sample.expectation_error(), strict=True
    ):
        assert np.all(abs(exact - mean) <= (5 if name == "two" else 4) * error)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_belief_intervals_have_their_belief(level):
    forecast = FORECASTS["unknown"]
    low, high = forecast.belief_interval(level)
    bel = forecast.bel(low, high)
    assert np.all(bel >= level - 1e-9)
    assert np.all(bel < level + 0.6 * (1 - level))
    np.testing.assert_allclose(forecast.cdf(low)[1], (1 - level) / 2, atol=1e-9)
    np.testing.assert_allclose(forecast.cdf(high)[0], (1 + level) / 2, atol=1e-9)


def test_laws():
    """More data leave a smaller gap; far from the data it is larger; units do not matter."""
    low, high = predict(X, Y, NEW).expectation()
    more_low, more_high = predict(np.tile(X, (20, 1)), np.tile(Y, 20), NEW).expectation()
    assert np.all(more_high - more_low < 0.3 * (high - low))
    assert high[2] - low[2] > high[1] - low[1] > high[0] - low[0]
    scaled = predict(X * [1, 1e6], 1e-3 * Y, NEW * [1, 1e6]).cdf(2e-3)
    np.testing.assert_allclose(scaled, predict(X, Y, NEW).cdf(2.0), atol=1e-10)
    lower, upper = predict(X, Y, NEW).cdf(1.5)
    fit = np.linalg.lstsq(X, Y)[0]
    plug_in = stats.norm.cdf(1.5, NEW @ fit, math.sqrt(((Y - X @ fit) ** 2).mean()))
    assert np.all((lower <= plug_in) & (plug_in <= upper))


def test_row_of_a_batch_is_the_same_alone():
    forecast = FORECASTS["unknown"]
    for row in range(3):
        alone = predict(X, Y, NEW[row : row + 1])
        np.testing.assert_allclose(
            [e[0] for e in alone.cdf(1.0)], [e[row] for e in forecast.cdf(1.0)], atol=1e-13
        )
        assert alone.quantile(0.1)[0][0] == pytest.approx(forecast.quantile(0.1)[0][row], abs=1e-8)


def test_distance_is_zero_on_the_most_plausible_line():
    law = LinearLaw(np.zeros(1), 1.0, np.array([1e-10]), 1e9)
    t = np.array([-3.0, 0.0, 2.0])
    h = np.full(3, 1e-10)
    np.testing.assert_allclose(law.distance(t, t, h), 0.0, atol=1e-3)
    assert law.distance(t + 1e-5, t, h) == pytest.approx(
        1e-5 / np.sqrt(1e-10 + t**2 / (2 * 1e9)), rel=1e-3
    )


@each(
    ("make", "message"),
    [
        (lambda: predict(X, Y, NEW[:, :1]), "new design has 1 columns, not 2"),
        (lambda: predict(X, Y, [[0.0, 0.0]]), "row 0 of the new design is all 0"),
        (lambda: predict(X, X @ [1, 2], NEW), "exactly"),
        (lambda: predict(X, Y, NEW, sigma=-1), "sigma is -1"),
        (lambda: predict(X, Y, [[1.0, np.nan]]), "not finite in row 0"),
        (lambda: FORECASTS["unknown"].cdf(np.nan), "y is nan"),
        (lambda: FORECASTS["unknown"].bel(1, 0), "low end is 1; expected at most"),
    ],
)
def test_unusable_arguments(make, message):
    with pytest.raises(ValueError, match=message):
        make()
