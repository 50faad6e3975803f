"""Products of contours: closed forms, laws, the order of magnitude of data, and bad input."""

from math import exp, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory.errors import TotalConflictError
from dstheory.inference import (
    LikelihoodContour,
    binomial_contour,
    combine_contours,
    gaussian_contour,
    trapezoidal_contour,
)
from tests.support.each import each

GRID = np.linspace(0, 1, 101)
counts = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda t: (min(t), max(t)))
experts = (
    st.lists(st.floats(0, 1), min_size=3, max_size=3)
    .map(sorted)
    .filter(lambda p: p[2] - p[0] > 0.01)
)


def triangle(low, mode, high):
    return trapezoidal_contour(low, mode, mode, high)


# --- definition ---------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.floats(-9, 9), st.floats(0.1, 9), st.floats(-9, 9), st.floats(0.1, 9))
def test_definition_of_two_bells(mean1, scale1, mean2, scale2):
    """exp(-a^2/2) exp(-b^2/2) is a bell again, of height exp(-(distance / scale)^2 / 2)."""
    joint, conflict = combine_contours(
        gaussian_contour(mean1, scale1), gaussian_contour(mean2, scale2)
    )
    total = scale1**2 + scale2**2
    assert conflict == pytest.approx(1 - exp(-((mean1 - mean2) ** 2) / 2 / total), abs=1e-12)
    mean = (mean1 * scale2**2 + mean2 * scale1**2) / total
    expected = gaussian_contour(mean, scale1 * scale2 / total**0.5)
    x = mean + np.linspace(-3, 3, 13)
    np.testing.assert_allclose(joint.contour(x), expected.contour(x), rtol=1e-9, atol=1e-12)


@settings(max_examples=30)
@given(counts, counts)
def test_law_likelihoods_multiply(one, two):
    """The product of the likelihoods of two samples is the likelihood of both together."""
    joint, conflict = combine_contours(binomial_contour(*one), binomial_contour(*two))
    pooled = binomial_contour(one[0] + two[0], one[1] + two[1])
    np.testing.assert_allclose(joint.contour(GRID), pooled.contour(GRID), rtol=1e-7, atol=1e-9)
    product = binomial_contour(*one).contour(pooled.mode) * binomial_contour(*two).contour(
        pooled.mode
    )
    assert conflict == pytest.approx(1 - product, abs=1e-9)


@settings(max_examples=20)
@given(counts, experts)
def test_definition_with_an_expert_on_a_grid(sample, points):
    data, expert = binomial_contour(*sample), triangle(*points)
    joint, conflict = combine_contours(data, expert)
    product = data.contour(GRID) * expert.contour(GRID)
    np.testing.assert_allclose(joint.contour(GRID) * (1 - conflict), product, atol=1e-9)
    assert product.max() <= 1 - conflict + 1e-9
    fine = np.linspace(points[0], points[2], 20001)
    best = (data.contour(fine) * expert.contour(fine)).max()
    assert 1 - conflict == pytest.approx(best, rel=1e-3)


def test_two_parameters():
    one = LikelihoodContour(lambda a, b: -(a**2) - b**2, [(-1, 5), (-inf, inf)])
    two = LikelihoodContour(lambda a, b: -((a - 2) ** 2) - b**2, [(-5, 1.5), (-inf, inf)])
    joint, conflict = combine_contours(one, two)
    assert joint.bounds == ((-1, 1.5), (-inf, inf))
    assert joint.mode == pytest.approx((1, 0), abs=1e-6)
    assert conflict == pytest.approx(1 - exp(-1 - 1 + 0.25), abs=1e-9)  # two has mode 1.5


# --- law ----------------------------------------------------------------------------------


@settings(max_examples=20)
@given(counts, experts, st.floats(0.2, 0.8))
def test_law_commutes_and_associates(sample, points, mean):
    sources = binomial_contour(*sample), triangle(*points), gaussian_contour(mean, 0.2)
    joint, conflict = combine_contours(*sources)
    half, first = combine_contours(sources[2], sources[1])
    again, second = combine_contours(half, sources[0])
    np.testing.assert_allclose(joint.contour(GRID), again.contour(GRID), atol=1e-7)
    assert 1 - conflict == pytest.approx((1 - first) * (1 - second), abs=1e-9)


@given(experts)
def test_law_no_conflict_with_a_flat_contour(points):
    expert = triangle(*points)
    joint, conflict = combine_contours(expert, binomial_contour(0, 0))
    np.testing.assert_allclose(joint.contour(GRID), expert.contour(GRID), atol=1e-7)
    assert conflict == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_data_of_any_size_are_found(n):
    """First order: the slope 1 / (x - 0.2) of the expert moves the mode by p (1 - p) / (n / 10)."""
    joint, conflict = combine_contours(binomial_contour(3 * n // 10, n), triangle(0.2, 0.5, 0.8))
    assert (joint.mode - 0.3) * n == pytest.approx(2.1, rel=0.05 if n < 10**12 else 1)
    assert conflict == pytest.approx(2 / 3, abs=0.02)


def test_plain_functions():
    joint, conflict = combine_contours(lambda u: u, lambda u: 1 - u, bounds=(0, 1))
    assert joint.mode == pytest.approx(0.5, abs=1e-6)
    assert conflict == pytest.approx(0.75, abs=1e-12)
    same, _ = combine_contours(binomial_contour(1, 1), lambda u: 1 - u)
    assert same.bounds == ((0, 1),)
    assert same.mode == pytest.approx(0.5, abs=1e-6)


# --- arrays -------------------------------------------------------------------------------


# --- errors -------------------------------------------------------------------------------


@each(
    ("call", "error", "message"),
    [
        (
            lambda: combine_contours(triangle(0, 1, 2), triangle(3, 4, 5)),
            TotalConflictError,
            "parameter spaces of the sources, .*, do not meet",
        ),
        (
            lambda: combine_contours(triangle(0, 1, 2), triangle(2, 3, 4)),
            TotalConflictError,
            "the sources have only 2 in common, which one of them excludes",
        ),
        (
            lambda: combine_contours(
                trapezoidal_contour(0, 0, 1, 1), trapezoidal_contour(1, 1, 2, 2)
            ),
            ValueError,
            "leave the space .* without interior; widen one of them",
        ),
        (
            lambda: combine_contours(lambda u: u, lambda u: u),
            ValueError,
            "no source defines the parameter space; give bounds",
        ),
        (
            lambda: combine_contours(
                binomial_contour(1, 2), LikelihoodContour(lambda a, b: a + b, [(0, 1), (0, 1)])
            ),
            ValueError,
            r"parameters of dimensions \[1, 2\] cannot be combined",
        ),
        (
            lambda: combine_contours(lambda u: 2 * u, binomial_contour(1, 2)),
            ValueError,
            "source 0 has the plausibility .*; expected a number in",
        ),
        (
            lambda: combine_contours(binomial_contour(1, 2), 3),
            TypeError,
            "source 1 is 3, expected a LikelihoodContour",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
