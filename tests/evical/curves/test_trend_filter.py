"""Linear trend filtering: its definition, its laws, another solver, and hard points."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sklearn.linear_model import lars_path

from evical.curves.trend_filtering import (
    NO_KINKS,
    Points,
    Polyline,
    TrendFilterPath,
    bend,
    check_optimal,
    line,
    string,
)
from evical.errors import ConvergenceError
from tests.evical.curves.of_arrays import fits_of, path_of, trend_filter
from tests.naive import trend as naive_trend
from tests.support.each import each, pairs


def labels(n, seed=0, ties=False):
    """Scores and labels whose probability waves."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.random(n).round(2) if ties else rng.random(n))
    return x, (rng.random(n) < 0.5 + 0.4 * np.sin(12 * x)).astype(float)


def exactly(function, x, y, w, lam, fit):
    rows = [[Fraction(float(a)) for a in column] for column in (x, y, w)]
    return function(*rows, Fraction(float(lam)), [Fraction(a) for a in fit])


def gap(x, y, w, lam, fit):
    """How far the objective may be above its minimum, as a share; exact."""
    value = exactly(naive_trend.objective, x, y, w, lam, fit)
    return float((value - exactly(naive_trend.lower_bound, x, y, w, lam, fit)) / value)


def greatest(x, y, weights=None):
    return path_of(x, y, weights, n_lambdas=1).lambdas[0]


# ---- definition


@given(st.data())
def test_no_other_fit_has_a_lower_objective(data):
    n = data.draw(st.integers(3, 12))
    gaps = data.draw(st.lists(st.sampled_from([1, 2, 3, 100]), min_size=n - 1, max_size=n - 1))
    x = np.cumsum([0, *gaps]) / 64
    y = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)), dtype=float)
    w = np.array(data.draw(st.lists(st.sampled_from([1, 2, 50]), min_size=n, max_size=n)), float)
    lam = data.draw(st.sampled_from([1e-4, 0.01, 0.1, 1, 10]))
    fit = trend_filter(x, y, lam, w)
    cost = exactly(naive_trend.objective, x, y, w, lam, fit)
    bound = exactly(naive_trend.lower_bound, x, y, w, lam, fit)
    assert cost - bound <= 1e-9 * float(cost) + 1e-25


@pytest.mark.parametrize("ratio", [0.1, 1e-2, 1e-4])
def test_optimality_certificate_of_many_points(ratio):
    x, y = labels(10_000)
    lam = float(ratio * greatest(x, y))
    fit = trend_filter(x, y, lam).tolist()
    columns = x.tolist(), y.tolist(), [1.0] * len(x)
    cost = naive_trend.objective(*columns, lam, fit)
    assert cost - naive_trend.lower_bound(*columns, lam, fit) < 1e-9 * cost


# ---- oracles: the dual by scipy, and a lasso of hinges by scikit-learn


def bends_of(x):
    h, n = np.diff(x), len(x)
    bends = np.zeros((n - 2, n))
    for i in range(n - 2):
        bends[i, i : i + 3] = 1 / h[i], -1 / h[i] - 1 / h[i + 1], 1 / h[i + 1]
    return bends


def as_dual(x, y, w, lam):
    """Least squares with bounds, by an active set; in units of lambda, which is small."""
    root, pulls = np.sqrt(w), lam * bends_of(x).T
    dual = lsq_linear(
        pulls / root[:, None], root * y, (-1, 1), method="bvls", tol=1e-25, max_iter=2000
    )
    return y - pulls @ dual.x / w


def as_lasso(x, y, w, lam):
    """Hinges at all inner points, by least angle regression; the line is free."""
    root = np.sqrt(w)[:, None]
    line, hinges = root * np.stack([x**0, x], 1), root * np.maximum(x[:, None] - x[1:-1], 0)
    q, _ = np.linalg.qr(line)
    target = root[:, 0] * y
    design = hinges - q @ (q.T @ hinges)
    design -= q @ (q.T @ design)
    free = target - q @ (q.T @ target)
    _, _, paths = lars_path(design, free, alpha_min=lam / len(x), method="lasso")
    bent = hinges @ paths[:, -1]
    return (q @ (q.T @ (target - bent)) + bent) / root[:, 0]


# The dual has many free variables where lambda is great, the lasso many hinges where it is
# small: each of these solvers is exact to 1e-8 only at its own end.
@each(
    ("solver", "n", "weighted"),
    pairs([(as_lasso, 0.3), (as_dual, 0.01), (as_dual, 1e-4)], [5, 50, 200], [False, True]),
)
def test_another_solver_finds_the_same(solver, n, weighted):
    other, ratio = solver
    x, y = labels(n, seed=n)
    w = np.random.default_rng(1).integers(1, 20, n).astype(float) if weighted else np.ones(n)
    lam = ratio * greatest(x, y, w)
    ours, theirs = trend_filter(x, y, lam, w), other(x, y, w, lam)
    cost, reference = (
        float(exactly(naive_trend.objective, x, y, w, lam, fit)) for fit in (ours, theirs)
    )
    assert cost == pytest.approx(reference, rel=1e-8)
    assert gap(x, y, w, lam, ours) < 1e-9
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


# ---- laws


def test_ends_of_the_path_are_the_line_and_the_data():
    x, y = labels(300)
    path = path_of(x, y)
    assert path.lambdas.shape == (50,)
    assert fits_of(path).shape == (50, 300)
    np.testing.assert_allclose(fits_of(path)[0], np.polyval(np.polyfit(x, y, 1), x), atol=1e-12)
    np.testing.assert_allclose(np.diff(np.log(path.lambdas)), np.log(1e-4) / 49)
    np.testing.assert_array_equal(trend_filter(x, y, 0), y)
    np.testing.assert_allclose(trend_filter(x, y, np.inf), fits_of(path)[0], rtol=1e-15)


def test_greatest_lambda_is_exact():
    x, y = labels(300)
    lam = greatest(x, y)
    dual = np.linalg.lstsq(bends_of(x).T, y, rcond=None)[0]
    assert lam == pytest.approx(np.abs(dual).max(), rel=1e-8)
    straight = trend_filter(x, y, lam)
    np.testing.assert_allclose(trend_filter(x, y, 2 * lam), straight, rtol=1e-15)
    assert np.abs(trend_filter(x, y, 0.999 * lam) - straight).max() > 1e-6


def test_a_path_is_its_single_fits():
    x, y = labels(400, ties=True)
    path = path_of(x, y, n_lambdas=7)
    for lam, fit in zip(path.lambdas, fits_of(path), strict=True):
        np.testing.assert_allclose(trend_filter(x, y, lam), fit, atol=1e-9)


def test_degrees_of_freedom_are_kinks_and_two():
    # Labels 0 and 1 bring the dual to its bound at points where the line is straight, too.
    x, y = labels(200)
    path = path_of(x, y, n_lambdas=20)
    assert path.degrees_of_freedom[0] == 2
    assert path.degrees_of_freedom[-1] > 20
    slopes = np.diff(fits_of(path), axis=1) / np.diff(x)
    bends = np.abs(np.diff(slopes, axis=1))
    np.testing.assert_array_equal((bends > 1e-8).sum(axis=1) + 2, path.degrees_of_freedom)


@given(st.floats(-1e3, 1e3), st.sampled_from([1e-200, 1e-9, 0.1, 7.0, 1e200]), st.integers(0, 50))
def test_scale_and_shift_of_x_change_nothing_but_lambda(shift, scale, seed):
    x, y = labels(40, seed)
    x = (x * 2**20).round() / 2**20  # shifts that round are another matter
    lam = 0.02 * greatest(x, y)
    fit = trend_filter(x, y, lam)
    np.testing.assert_allclose(trend_filter(scale * x, y, scale * lam), fit, atol=1e-9)
    np.testing.assert_allclose(trend_filter(x + round(shift), y, lam), fit, atol=1e-9)
    np.testing.assert_allclose(trend_filter(-x[::-1], y[::-1], lam)[::-1], fit, atol=1e-9)


def test_scale_and_lines_of_y_go_through():
    x, y = labels(100)
    lam = 0.02 * greatest(x, y)
    fit = trend_filter(x, y, lam)
    np.testing.assert_allclose(trend_filter(x, 3 * y, 3 * lam), 3 * fit, atol=1e-9)
    np.testing.assert_allclose(trend_filter(x, y + 5 - 9 * x, lam), fit + 5 - 9 * x, atol=1e-9)
    np.testing.assert_allclose(trend_filter(x, y + 1e6, lam), fit + 1e6, rtol=0, atol=1e-7)


def test_ties_are_one_point_with_their_weight():
    x, y = labels(300, ties=True)
    distinct, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    assert len(distinct) < 150
    means = np.bincount(inverse, y) / counts
    lam = 0.01 * greatest(x, y)
    tied = trend_filter(x, y, lam)
    np.testing.assert_allclose(tied, trend_filter(distinct, means, lam, counts)[inverse], 1e-12)
    weighted = trend_filter(distinct, means, 1e9 * lam, 1e9 * counts)
    np.testing.assert_allclose(tied, weighted[inverse], atol=1e-9)


def test_between_and_outside_points():
    path = TrendFilterPath(
        np.arange(3.0), np.ones(1), (np.array([0.0, 2.0]),), (np.array([1.0, 3.0]),)
    )
    np.testing.assert_array_equal(fits_of(path, [-5, 0.5, 9]), [[1, 1.5, 3]])


def test_inputs_are_not_changed():
    x, y = labels(20)
    before = x.copy(), y.copy()
    path_of(x, y, np.ones(20))
    np.testing.assert_array_equal((x, y), before)


# ---- hard points


def gaps_of(kind, n, rng):
    if kind == "one gap":
        return np.where(np.arange(n - 1) == n // 2, 1.0, 1e-12)
    return 10 ** rng.uniform(-12, 0, n - 1) if kind == "all scales" else np.ones(n - 1)


@each("kind", ["even", "all scales", "one gap"])
@each("heavy", [False, True])
def test_gaps_of_all_scales_and_weights_up_to_a_billion(kind, heavy):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 60))
        x = np.unique(np.cumsum(np.append(0, gaps_of(kind, n, rng))))
        n = len(x)
        y = rng.integers(0, 2, n) + 0.1 * rng.normal(size=n)
        w = 10 ** rng.uniform(0, 9, n) if heavy else np.ones(n)
        path = path_of(x, y, w, n_lambdas=4)
        for lam, *polyline in zip(path.lambdas[1:], path.knots[1:], path.values[1:], strict=True):
            # The rounding of a value is 1e-4 of its slope across 1e-12: most is lost by that.
            assert gap(x, y, w, lam, between(x, *polyline)) < 1e-6


@pytest.mark.parametrize("seed", [1, 4, 34, 55, 7])
def test_a_light_point_among_heavy_ones_bends_the_line(seed):
    """The gap was up to 0.9: bends of 1e-14 at heavy points counted as rounding."""
    rng = np.random.default_rng(seed)
    x, y = np.arange(30.0), np.zeros(30)
    y[rng.integers(30)] = 1
    w = rng.choice([1.0, 1e12], 30)
    path = path_of(x, y, w, n_lambdas=6)
    for lam, *polyline in zip(path.lambdas[1:], path.knots[1:], path.values[1:], strict=True):
        # The rounding of a value times the heavy weight is 1e-4.
        assert gap(x, y, w, lam, between(x, *polyline)) < 1e-6


def test_a_fit_without_a_proof_is_refused():
    x, y = labels(60)
    points = Points(
        x, y - np.interp(x, x[[0, -1]], line(Points(x, y, np.ones(60))).values), np.ones(60)
    )
    lam = 0.1 * float(np.abs(string(points)).max())
    kinks, fit = bend(points, lam, NO_KINKS, 1e-10)
    check_optimal(points, lam, kinks, fit, 1e-9)
    for wrong, values in (
        (kinks, fit.values * (1 + 1e-9)),
        (kinks._replace(signs=-kinks.signs), fit.values),
        (kinks._replace(at=kinks.at[1:], signs=kinks.signs[1:], bends=kinks.bends[1:]), None),
    ):
        knots = fit.knots if values is not None else np.delete(fit.knots, 1)
        shown = values if values is not None else np.delete(fit.values, 1)
        with pytest.raises(ConvergenceError, match="the trend filter may still gain"):
            check_optimal(points, lam, wrong, Polyline(knots, shown), 1e-9)


def between(x, knots, values):
    """A polyline at each x, without rounding."""
    knots, values = [Fraction(float(k)) for k in knots], [Fraction(float(v)) for v in values]
    right = np.clip(np.searchsorted(knots, x, side="right"), 1, len(knots) - 1)
    return [
        values[i - 1]
        + (values[i] - values[i - 1])
        * (Fraction(float(a)) - knots[i - 1])
        / (knots[i] - knots[i - 1])
        for a, i in zip(x, right, strict=True)
    ]


def test_one_two_and_three_points():
    assert trend_filter([5], [2], 1) == [2]
    np.testing.assert_array_equal(trend_filter([1, 1], [0, 1], 1, [1, 3]), [0.75, 0.75])
    np.testing.assert_allclose(trend_filter([0, 3], [4, 1], 7), [4, 1], rtol=1e-15)
    np.testing.assert_allclose(trend_filter([0, 1, 3], [0, 1, 3], 1), [0, 1, 3], atol=1e-15)
    for x in ([5], [1, 1], [0, 3]):
        path = path_of(x, np.arange(len(x)), n_lambdas=3)
        np.testing.assert_array_equal(path.lambdas, 0)
        np.testing.assert_array_equal(path.degrees_of_freedom, len(set(x)))


@pytest.mark.parametrize("heavy", [1e14, 1e20, 1e300])
def test_a_point_that_outweighs_all_others(heavy):
    path = path_of([0, 0.5, 1, 2], [0, 1, 0, 3], [1, heavy, 1, 1])
    assert path.lambdas[0] > 0
    np.testing.assert_allclose(fits_of(path)[:, 1], 1, atol=1e-6)
    np.testing.assert_allclose(fits_of(path)[-1], [0, 1, 0, 3], atol=1e-2)


@each(
    "x",
    [
        [-1e300, 0, 1e300],
        [-1.7e308, 0, 1.7e308],
        [-1e-150, 0, 1e-150],
        [0, 5e-324, 1],
        [0, 1e-310, 2e-310],
        [1, np.nextafter(1, 2), 2],
    ],
    ids=str,
)
def test_extreme_x(x):
    path = path_of(x, [0, 1, 0])
    assert np.isfinite(fits_of(path)).all()
    assert (fits_of(path) > -0.5).all()
    assert (fits_of(path) < 1.5).all()


def test_a_dense_fit_ends():
    rng = np.random.default_rng(0)
    x, y = np.sort(rng.random(2000)), rng.normal(size=2000)
    lam = 1e-8 * greatest(x, y)
    fit = trend_filter(x, y, lam)
    assert gap(x, y, np.ones(2000), lam, fit) < 1e-8
