"""Weighted random intervals: their definitions, the Sandia challenge problem, p-boxes, contours."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dstheory import Frame, FrameError, MassError, TotalConflictError
from dstheory.errors import CostLimitError
from dstheory.inference import GRFN, RandomInterval, SampledInterval, binomial_contour
from tests.naive import random_intervals as naive
from tests.naive.rules import as_sets


@st.composite
def structures(draw, low=-4):
    """A list of (low, high, weight), exact, and the SampledInterval of the same numbers."""
    size = draw(st.integers(1, 4))
    numbers = st.lists(st.integers(low, low + 8), min_size=2, max_size=2)
    ends = [sorted(draw(numbers)) for _ in range(size)]
    counts = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    rows = [(a, b, Fraction(n, sum(counts))) for (a, b), n in zip(ends, counts, strict=True)]
    return rows, SampledInterval(*zip(*[(a, b, float(w)) for a, b, w in rows], strict=True))


def same(found, expected):
    rows = [(a, b, w) for a, b, w in expected if w]
    kept = found.weights > 1e-15
    assert np.stack([found.low, found.high])[:, kept].T.tolist() == [[a, b] for a, b, _ in rows]
    np.testing.assert_allclose(found.weights[kept], [float(w) for *_, w in rows], atol=1e-12)


@given(one=structures(), event=st.tuples(st.integers(-5, 5), st.integers(0, 4)))
def test_summaries_equal_their_definitions(one, event):
    rows, sample = one
    low, high = event[0], sum(event)
    assert sample.bel(low, high) == pytest.approx(float(naive.bel(rows, low, high)))
    assert sample.pl(low, high) == pytest.approx(float(naive.pl(rows, low, high)))
    assert sample.expectation() == pytest.approx(tuple(map(float, naive.expectation(rows))))
    levels = (Fraction(1, 3), Fraction(1, 2), Fraction(1))
    expected = [naive.quantile(rows, p) for p in levels]
    assert [sample.quantile(float(p)) for p in levels] == expected
    assert list(zip(*sample.quantile(levels), strict=True)) == expected
    lower, upper = sample.cdf(np.arange(-5, 6))
    assert lower.tolist() == [sample.bel(-np.inf, y) for y in range(-5, 6)]
    assert upper.tolist() == [sample.pl(-np.inf, y) for y in range(-5, 6)]


@given(one=structures(), two=structures(), cuts=st.sets(st.integers(-4, 4), min_size=1, max_size=3))
def test_rules_and_classes_equal_their_definitions(one, two, cuts):
    same(one[1].fuse(two[1], rule="mean"), naive.mean(one[0], two[0]))
    if naive.pl([(a, b, w) for a, b, w in one[0] if w], -9, 9) and any(
        a <= d and c <= b for a, b, w in one[0] if w for c, d, v in two[0] if v
    ):
        same(one[1].fuse(two[1]), naive.dempster(one[0], two[0]))
    m = one[1].to_mass(sorted(cuts))
    expected = naive.classes(one[0], sorted(cuts))
    found = as_sets(m)
    assert all(found.get(run, 0) == pytest.approx(float(w)) for run, w in expected.items())


@given(one=structures(low=1), two=structures(low=1))
def test_corners_and_grids_find_the_same(one, two):
    """Of a function that falls in one argument and rises in the other."""

    def function(a, b):
        return b * b / a

    expected = naive.image(lambda a, b: Fraction(b * b, a), one[0], two[0])
    for options in ({"monotone": True}, {}):
        found = SampledInterval.from_function(function, one[1], two[1], **options)
        mean = tuple(map(float, naive.expectation(expected)))
        assert found.expectation() == pytest.approx(mean, abs=1e-6)
        for y in (0.55, 2.3, 10.1):
            bounds = naive.bel(expected, -99, y), naive.pl(expected, -99, y)
            assert found.cdf(y) == pytest.approx(tuple(map(float, bounds)))


def power(a, b):
    return (a + b) ** a


def test_sandia_challenge():
    """Oberkampf et al. 2004, y = (a + b)^a: problem 1 exactly, experts against a fine grid."""
    a, b = SampledInterval([0.1], [1.0]), SampledInterval([0.0], [1.0])
    y = SampledInterval.from_function(power, a, b, atol=1e-9)
    np.testing.assert_allclose([y.low[0], y.high[0]], [np.exp(-1 / np.e), 2], atol=1e-9)  # a = 1/e
    a = SampledInterval([0.5, 0.3, 0.1], [0.7, 0.8, 1.0])
    b = SampledInterval([0.6, 0.4, 0.2, 0.0], [0.6, 0.85, 0.9, 1.0])
    y = SampledInterval.from_function(power, a, b)
    ends = []
    for low1, high1 in zip(a.low, a.high, strict=True):
        for low2, high2 in zip(b.low, b.high, strict=True):
            grid = power(*np.meshgrid(np.linspace(low1, high1, 801), np.linspace(low2, high2, 801)))
            ends.append([grid.min(), grid.max()])
    np.testing.assert_allclose(y.expectation(), np.mean(ends, axis=0), atol=1e-6)
    assert sorted(set(y.low.round(4))) == sorted({round(low, 4) for low, _ in ends})


@pytest.mark.parametrize("n_sources", [1, 2, 3, 4])
def test_extremes_inside_are_found_to_the_tolerance(n_sources):
    """A hill and a valley at places that no grid has; more weight does not change the image."""
    rng = np.random.default_rng(0)
    ends = np.sort(rng.normal(size=(2, 5, n_sources)), axis=0)
    sources = [SampledInterval(ends[0, :, i], ends[1, :, i]) for i in range(n_sources)]

    def hill(*x):
        return sum(np.cos(one - 0.1234) for one in x)

    y = SampledInterval.from_function(hill, *sources, pairing="comonotone", atol=1e-8)
    inside = np.clip(0.1234, ends[0], ends[1])
    best = np.cos(inside - 0.1234).sum(axis=1)
    least = np.cos(np.abs(ends - 0.1234).max(axis=0)).sum(axis=1)
    np.testing.assert_allclose(y.expectation(), [least.mean(), best.mean()], atol=1e-8)


def test_the_highest_of_several_waves_is_found():
    """The grid is higher on the second one; and a narrow diagonal valley is followed."""
    one = SampledInterval([0.0], [2.0])
    y = SampledInterval.from_function(lambda x: np.sin(9 * x) - 0.002 * x, one)
    first = np.arccos(0.002 / 9) / 9
    assert y.high[0] == pytest.approx(np.sin(9 * first) - 0.002 * first, abs=1e-8)
    wide = SampledInterval([-1.9], [2.0])
    y = SampledInterval.from_function(
        lambda a, b: (a - 0.7) ** 2 + 99 * (b - 0.8 * a - 0.3) ** 2, wide, wide
    )
    assert y.low[0] == pytest.approx(0, abs=1e-7 * y.high[0])


def test_comonotone_sources_meet_at_their_levels():
    """Draws are paired; nested intervals add as fuzzy numbers do; unequal weights are cut."""
    draws = [SampledInterval([0.0, 1.0], [1.0, 3.0]), SampledInterval([10.0, 0.0], [10.0, 2.0])]
    paired = SampledInterval.from_function(np.add, *draws, pairing="comonotone", monotone=True)
    assert paired.low.tolist() == [1.0, 10.0]
    assert paired.high.tolist() == [5.0, 11.0]
    grid = np.linspace(-2, 2, 401)
    triangle = SampledInterval.from_contour(grid, np.maximum(1 - abs(grid), 0))
    both = SampledInterval.from_function(
        np.add, triangle, triangle, pairing="comonotone", monotone=True
    )
    for y in (-1.3, 0.0, 0.8, 1.9):
        assert both.pl(y, y) == pytest.approx(1 - abs(y) / 2, abs=0.011)
    one = SampledInterval([0.0, 1.0], [0.0, 1.0], [0.25, 0.75])
    two = SampledInterval([0.0, 10.0], [0.0, 10.0], [0.5, 0.5])
    cut = SampledInterval.from_function(np.add, one, two, pairing="comonotone", monotone=True)
    assert (cut.low.tolist(), cut.weights.tolist()) == ([0, 1, 11], [0.25, 0.25, 0.5])


def test_a_pbox_from_outside_and_at_its_middle_levels():
    interval = RandomInterval(binomial_contour(2, 5))
    outer = SampledInterval.from_pbox(interval.quantile, 50, bounds=(0, 1))
    y = np.linspace(0, 1, 33)
    exact, found = interval.cdf(y), outer.cdf(y)
    assert (found[0] <= exact[0] + 1e-9).all()
    assert (found[1] >= exact[1] - 1e-9).all()
    np.testing.assert_allclose(found, exact, atol=1 / 50 + 1e-9)
    middle = SampledInterval.from_pbox(interval.quantile, 500)
    np.testing.assert_allclose(middle.expectation(), interval.expectation(), atol=1e-3)
    precise = SampledInterval.from_pbox(stats.norm.ppf, 1, bounds=(-np.inf, np.inf))
    assert precise.expectation() == (-np.inf, np.inf)
    fuzzy = SampledInterval.from_pbox(GRFN(1, 2, 3).quantile_bounds, 2000)
    np.testing.assert_allclose(fuzzy.cdf(1.5), GRFN(1, 2, 3).cdf_bounds(1.5), atol=1e-3)


def test_a_contour_on_a_grid_is_the_plausibility_of_its_points():
    contour = binomial_contour(3, 7)
    grid = np.append(np.linspace(0, 1, 200), contour.mode)
    grid.sort()
    nested = SampledInterval.from_contour(grid, contour.contour(grid))
    np.testing.assert_allclose(nested.pl(grid, grid), contour.contour(grid), atol=1e-12)
    np.testing.assert_allclose(nested.cdf(grid), RandomInterval(contour).cdf(grid), atol=0.02)


def test_draws_of_a_gaussian_random_fuzzy_number():
    number = GRFN([0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [2.0, 3.0, 0.0])
    draws = number.sample(20_000, np.random.default_rng(0))
    for found, exact in ((draws.bel(-1, 2), number.bel(-1, 2)), (draws.pl(1, 2), number.pl(1, 2))):
        assert (abs(found - exact) < 4 * draws.standard_error(exact)).all()


def test_classes_of_a_batch_are_those_of_its_rows():
    rng = np.random.default_rng(0)
    ends = np.sort(rng.normal(size=(2, 6, 3)), axis=0)
    frame = Frame(["low", "middle", "high"])
    batch = SampledInterval(*ends, rng.dirichlet(np.ones(6))).to_mass([-0.5, 0.5], frame)
    assert batch.batch_shape == (3,)
    weights = np.array(SampledInterval(*ends).weights)
    rows = SampledInterval(*ends, weights).to_mass([-0.5, 0.5], frame)
    for i in range(3):
        assert rows[i].equals(SampledInterval(*ends[:, :, i]).to_mass([-0.5, 0.5], frame))


def test_weights_of_zero_do_not_spoil_unbounded_intervals():
    sample = SampledInterval([0.0, -np.inf], [1.0, np.inf], [1.0, 0.0])
    assert sample.expectation() == (0.0, 1.0)
    assert sample.quantile(1.0) == (0.0, 1.0)


def test_errors_say_what_to_do():
    one, batch = SampledInterval([0.0], [1.0]), SampledInterval([[0.0, 1.0]], [[1.0, 2.0]])
    wide = SampledInterval([0.0], [np.inf])
    many = SampledInterval(np.zeros(5000), np.ones(5000))
    with pytest.raises(MassError, match=r"weights sum to 0\.75"):
        SampledInterval([0, 1], [1, 2], [0.5, 0.25])
    with pytest.raises(ValueError, match="there are 2 intervals"):
        SampledInterval([0, 1], [1, 2], [1.0])
    with pytest.raises(ValueError, match="only equally likely draws"):
        SampledInterval([0, 1], [1, 2], [0.75, 0.25]).standard_error(0.5)
    with pytest.raises(TotalConflictError, match="rule='mean'"):
        one.fuse(SampledInterval([2.0], [3.0]))
    with pytest.raises(ValueError, match="batch of shape"):
        one.fuse(batch)
    with pytest.raises(TypeError, match="expected SampledInterval"):
        one.fuse((0, 1))
    with pytest.raises(CostLimitError, match="combining random intervals"):
        many.fuse(many)
    with pytest.raises(ValueError, match="there is no source"):
        SampledInterval.from_function(np.add)
    with pytest.raises(ValueError, match="unbounded, where a search"):
        SampledInterval.from_function(np.exp, wide)
    assert SampledInterval.from_function(np.exp, wide, monotone=True).high == [np.inf]
    with pytest.raises(ValueError, match=r"gives shape \(\)"):
        SampledInterval.from_function(lambda x: 1.0, one)
    with pytest.raises(TypeError) as caught:
        SampledInterval.from_function(math.sin, one)
    assert "numpy.vectorize" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match=r"nan at \(-1\)"):
        SampledInterval.from_function(np.log, SampledInterval([-1.0], [1.0]))
    with pytest.raises(ValueError, match="cuts are not ascending"):
        one.to_mass([1, 0])
    with pytest.raises(FrameError, match="cuts have 2 categories"):
        one.to_mass([1], ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"largest plausibility is 0\.5"):
        SampledInterval.from_contour([0, 1], [0.5, 0.5])
    with pytest.raises(ValueError, match="values are not ascending"):
        SampledInterval.from_contour([1, 0], [0.5, 1])
    with pytest.raises(ValueError, match=r"shapes \(3,\) and \(3,\) for 5"):
        SampledInterval.from_pbox(lambda p: [1, 2, 3], 5)
    with pytest.raises(ValueError, match="there are 2 values"):
        SampledInterval.from_contour([0, 1], [1.0])
