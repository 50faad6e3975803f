"""The near-isotonic path: the thesis' algorithm exactly, a quadratic program, and its laws."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, lsq_linear

from evical.curves.near_isotonic_blocks import join_lambdas, joins_of
from tests.evical.curves.of_arrays import near_isotonic_path
from tests.naive import near_isotonic as naive
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

INF = float("inf")
labels = st.lists(st.tuples(st.integers(0, 1), st.just(1)), min_size=1, max_size=60)
weighted = st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 5)), min_size=1, max_size=25)


def columns(pairs):
    values, weights = zip(*pairs, strict=True)
    return np.array(values), np.array(weights)


def exact(values, weights):
    return naive.path([Fraction(int(v)) for v in values], [Fraction(int(w)) for w in weights])


def random_problem(seed, n, kind):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, n) if kind == "labels" else rng.normal(size=n) + np.arange(n) / n
    weights = np.ones(n) if kind == "labels" else rng.lognormal(sigma=2, size=n)
    return values.astype(float), weights


# ---- definition


@given(pairs=st.one_of(labels, weighted))
def test_equals_the_algorithm_of_the_thesis(pairs):
    """Breakpoints are the rational numbers correctly rounded, so simultaneous merges are one."""
    values, weights = columns(pairs)
    path = near_isotonic_path(values, weights)
    models = exact(values, weights)
    np.testing.assert_array_equal(path.lambdas, [float(lam) for lam, _ in models])
    for lam, blocks in models:
        np.testing.assert_array_equal(path.starts(float(lam)), [first for first, _, _ in blocks])
        wanted = [float(value) for value in naive.fit(blocks)]
        np.testing.assert_allclose(path.at(float(lam)), wanted, rtol=0, atol=1e-13)


def test_a_long_row_of_labels_equals_the_algorithm_of_the_thesis():
    rng = np.random.default_rng(7)
    values = (rng.random(600) < np.linspace(0.2, 0.8, 600)).astype(int)
    path, models = near_isotonic_path(values), exact(values, np.ones(600))
    np.testing.assert_array_equal(path.lambdas, [float(lam) for lam, _ in models])
    assert [len(path.starts(lam)) for lam in path.lambdas] == [len(blocks) for _, blocks in models]


def test_all_meet_at_once():
    path = near_isotonic_path([1, 0, 1, 0, 1, 0])
    np.testing.assert_array_equal(path.lambdas, [0, 0.5])
    np.testing.assert_array_equal(path.at(0.5), np.full(6, 0.5))
    np.testing.assert_array_equal(path.starts(0.5), [0])
    np.testing.assert_array_equal(path.starts(0.499), np.arange(6))


def test_blocks_at_rest_that_become_equal_are_one():
    """1 0 and 1 0 both become 1/2 and stop, with a boundary between them that never fell."""
    path = near_isotonic_path([1, 0, 1, 0, 1])
    np.testing.assert_array_equal(path.starts(0.5), [0, 4])
    np.testing.assert_array_equal(path.at(0.5), [0.5, 0.5, 0.5, 0.5, 1])


# ---- oracle


def solved(values, weights, lam):
    """The dual, least squares in a box: b = y - D'u / w with 0 <= u <= lambda."""
    n, root = len(values), np.sqrt(weights)
    differences = (np.eye(n)[:-1] - np.eye(n)[1:]).T  # D'
    dual = lsq_linear(
        differences / root[:, None], values * root, (0, lam), method="bvls", tol=1e-15, max_iter=999
    )
    return values - differences @ dual.x / weights


@each("kind", ["labels", "real"])
@each(("seed", "n"), [(0, 2), (1, 7), (2, 30), (3, 60)])
def test_equals_a_quadratic_program(kind, seed, n):
    values, weights = random_problem(seed, n, kind)
    path = near_isotonic_path(values, weights)
    last = path.lambdas[-1]
    for lam in [*path.lambdas[1::5], 0.3, 0.37 * last + 0.01, 0.9 * last + 0.01, 2 * last + 1]:
        np.testing.assert_allclose(path.at(lam), solved(values, weights, lam), rtol=0, atol=1e-7)


@each("kind", ["labels", "real"])
@each("n", [1, 2, 100, 20_000])
def test_ends_are_the_data_and_isotonic_regression(kind, n):
    values, weights = random_problem(4, n, kind)
    path = near_isotonic_path(values, weights)
    wanted = isotonic_regression(values, weights=weights).x
    np.testing.assert_array_equal(path.at(0), values)
    np.testing.assert_allclose(path.at(INF), wanted, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(path.at(path.lambdas[-1]), path.at(INF))


# ---- laws


@given(pairs=weighted)
def test_blocks_never_split_and_values_move_along_lines(pairs):
    """Tibshirani, Hoefling & Tibshirani (2011), lemma 1: what has met stays together."""
    path = near_isotonic_path(*columns(pairs))
    for low, high in pairwise(path.lambdas):
        assert set(path.starts(high)) < set(path.starts(low))
        middle = path.at((low + high) / 2)
        np.testing.assert_allclose(middle, (path.at(low) + path.at(high)) / 2, atol=1e-13)


@given(pairs=weighted)
def test_backward_and_upside_down_is_the_same_problem(pairs):
    values, weights = columns(pairs)
    path, mirrored = (
        near_isotonic_path(values, weights),
        near_isotonic_path(-values[::-1], weights[::-1]),
    )
    np.testing.assert_array_equal(mirrored.joins[::-1], path.joins)


@given(pairs=weighted, factor=st.sampled_from([0.1, 1 / 3, 1e-9, 1e9, 1e200, 1e-200]))
def test_scales_of_values_and_weights_only_scale_lambda(pairs, factor):
    """Simultaneous merges stay so where 0.1 + 0.1 + 0.1 is not 0.3."""
    values, weights = columns(pairs)
    path = near_isotonic_path(values, weights)
    for scaled in (
        near_isotonic_path(values, weights * factor),
        near_isotonic_path(values * factor, weights),
    ):
        assert len(scaled.lambdas) == len(path.lambdas)
        np.testing.assert_allclose(scaled.joins, path.joins * factor, rtol=1e-12)


@given(pairs=weighted)
def test_a_large_offset_moves_the_fit_only(pairs):
    values, weights = columns(pairs)
    path, far = near_isotonic_path(values, weights), near_isotonic_path(values + 1e6, weights)
    np.testing.assert_array_equal(far.joins, path.joins)
    lam = path.lambdas[-1] / 2
    np.testing.assert_allclose(far.at(lam) - 1e6, path.at(lam), rtol=0, atol=1e-9)


@pytest.mark.parametrize("heavy", [1, 1e3, 1e9])
def test_weights_are_repetitions(heavy):
    rng = np.random.default_rng(5)
    values, weights = rng.integers(0, 2, 200), rng.integers(1, 6, 200)
    repeated = near_isotonic_path(np.repeat(values, weights), np.full(weights.sum(), heavy))
    path = near_isotonic_path(values, weights * heavy)
    np.testing.assert_allclose(path.lambdas, repeated.lambdas, rtol=1e-13)
    for lam in path.lambdas[1:]:  # at 0, the path gives the data
        np.testing.assert_allclose(
            np.repeat(path.at(lam), weights), repeated.at(lam), rtol=0, atol=1e-13
        )


def test_light_among_heavy_weights():
    """The light ones follow the heavy ones; nothing is lost in sums of 1e9 and 1e-9."""
    path = near_isotonic_path([1, 0, 1, 0], [1e9, 1e-9, 1e-9, 1e9])
    models = naive.path([Fraction(v) for v in (1, 0, 1, 0)], [Fraction(w) for w in path.weights])
    np.testing.assert_allclose(path.lambdas, [float(lam) for lam, _ in models], rtol=1e-14)


def test_input_is_neither_changed_nor_kept():
    values, weights = np.array([1.0, 0.0]), np.array([1.0, 2.0])
    path = near_isotonic_path(values, weights)
    values[0] = weights[0] = 7
    np.testing.assert_array_equal(path.at(0), [1, 0])
    path.at(0)[0] = 7
    np.testing.assert_array_equal(path.at(0), [1, 0])
    np.testing.assert_array_equal(path.weights, [1, 2])


# ---- routes


def test_compiled_and_plain_text_agree():
    plain = getattr(join_lambdas, "__wrapped__", join_lambdas)
    rng = np.random.default_rng(6)
    falls = np.append(0, np.tile([1, 0], 100))
    sums, weights = rng.integers(1, 9, 200) * falls[1:], rng.integers(9, 20, 200).astype(float)
    args = sums.astype(float), weights, falls, 0.0
    np.testing.assert_array_equal(join_lambdas(*args), plain(*args))


def test_sums_and_weights_are_left_alone():
    sums, weights = np.array([1.0, 0.0]), np.ones(2)
    joins_of(sums, weights)
    np.testing.assert_array_equal([sums, weights], [[1, 0], [1, 1]])
