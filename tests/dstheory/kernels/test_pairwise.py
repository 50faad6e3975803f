"""Sums over pairs: each route equals the double loop and each other."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.kernels import batches, bits, limits, pairwise
from dstheory.kernels.pairwise import agreement, log_agreement, logarithms
from tests.support.each import each

OPERATIONS = {
    np.bitwise_and: lambda a, b: a & b,
    np.bitwise_or: lambda a, b: a | b,
    np.bitwise_xor: lambda a, b: a ^ b,
}
every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda f: f.__name__)


def double_loop(focal1, masses1, focal2, masses2, operation):
    """Dictionary of mask to sum, of one row."""
    sums = {}
    for a, x in zip(focal1.tolist(), masses1, strict=True):
        for b, y in zip(focal2.tolist(), masses2, strict=True):
            target = OPERATIONS[operation](a, b)
            sums[target] = sums.get(target, 0) + x * y
    return sums


@st.composite
def sources(draw):
    size = draw(st.sampled_from([2, 4, 63, 70]))
    focals = st.lists(st.integers(0, (1 << size) - 1), min_size=1, max_size=5, unique=True)
    parts = []
    for _ in range(2):
        focal = bits.mask_array(sorted(draw(focals)), size)
        weights = draw(st.lists(st.integers(1, 9), min_size=len(focal), max_size=len(focal)))
        masses = np.array([Fraction(w, 8) for w in weights], dtype=object)
        parts += [focal, masses]
    return parts


@every_operation
@given(parts=sources(), floating=st.booleans())
def test_equals_the_double_loop(operation, parts, floating):
    focal1, masses1, focal2, masses2 = parts
    wanted = double_loop(*parts, operation)
    if floating:  # eighths, exact in float64
        masses1, masses2 = masses1.astype(float), masses2.astype(float)
    focal, sums = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    assert focal.tolist() == sorted(wanted)
    assert sums.tolist() == [wanted[mask] for mask in sorted(wanted)]
    focal, sums = pairwise.combine_pairs(
        focal1, masses1, focal2, masses2, operation, keep_empty=False
    )
    assert focal.tolist() == sorted(set(wanted) - {0})
    assert len(sums) == len(focal)


SHAPES = [((), ()), ((), (5,)), ((5,), ()), ((3, 1), (4,)), ((2, 3), (3,)), ((1, 1), (1,))]


@every_operation
@each(("shape1", "shape2"), SHAPES)
@each("n_sets", [3, 150])  # 150 x 150 pairs go row by row without numba
def test_batches(operation, shape1, shape2, n_sets):
    rng = np.random.default_rng(1)
    focal1, focal2 = (np.sort(rng.choice(256, n_sets, replace=False)) for _ in range(2))
    masses1, masses2 = rng.random((n_sets, *shape1)), rng.random((n_sets, *shape2))
    focal, sums = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    batch = np.broadcast_shapes(shape1, shape2)
    assert sums.shape == (len(focal), *batch)
    ones = np.broadcast_to(np.moveaxis(masses1, 0, -1), (*batch, n_sets))
    twos = np.broadcast_to(np.moveaxis(masses2, 0, -1), (*batch, n_sets))
    for place in [next(np.ndindex(*batch)), tuple(np.array(batch) - 1)]:
        wanted = double_loop(focal1, ones[place], focal2, twos[place], operation)
        got = dict(zip(focal.tolist(), sums[:, *place], strict=True))
        assert {mask for mask, value in got.items() if value} == set(wanted)
        np.testing.assert_allclose([got[mask] for mask in wanted], list(wanted.values()))


@every_operation
def test_all_routes_agree(operation, monkeypatch):
    rng = np.random.default_rng(2)
    focal1, focal2 = (np.sort(rng.choice(1 << 10, 40, replace=False)) for _ in range(2))
    masses1, masses2 = rng.random((40, 7)), rng.random((40, 7))
    together = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    monkeypatch.setattr(batches, "HAVE_NUMBA", False)
    plain = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    monkeypatch.setattr(batches, "_BLOCK_VALUES", 1)
    tiny = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    monkeypatch.setattr(batches, "_MANY_PAIRS", 0)
    by_row = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    monkeypatch.setattr(limits, "_TABLE_PER_PAIR", 0)
    sorting = pairwise.combine_pairs(focal1, masses1, focal2, masses2, operation)
    for focal, sums in (plain, tiny, by_row, sorting):
        np.testing.assert_array_equal(focal, together[0])
        np.testing.assert_allclose(sums, together[1], rtol=1e-13)
    for row in range(7):
        focal, sums = pairwise.combine_pairs(
            focal1, masses1[:, row], focal2, masses2[:, row], operation
        )
        np.testing.assert_array_equal(focal, together[0])
        np.testing.assert_allclose(sums, together[1][:, row], rtol=1e-13)


@pytest.mark.parametrize("batch", [(0,), (0, 3)])
@pytest.mark.parametrize("n_sets", [0, 2])
def test_nothing_to_combine(batch, n_sets):
    focal = np.arange(1, n_sets + 1)
    result, sums = pairwise.combine_pairs(
        focal, np.ones((n_sets, *batch)), np.array([1]), np.ones(1), np.bitwise_and
    )
    assert sums.shape == (len(result), *batch)


def test_exact_zeros_stay_absent():
    """Commonalities multiplied and transformed back would leave 1e-17 here."""
    focal, sums = pairwise.combine_pairs(
        np.array([1, 6]),
        np.array([0.1, 0.9]),
        np.array([1, 2]),
        np.array([0.3, 0.7]),
        np.bitwise_and,
    )
    assert focal.tolist() == [0, 1, 2]
    np.testing.assert_allclose(sums, [0.34, 0.03, 0.63])


ONE, TWO = np.array([0, 1, 3, 6]), np.array([1, 2, 5])


def masses(n_sets, shape, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_sets), shape).transpose()


@each("scale", [1.0, 1e-150, 1e-160])
@each("shape", [(), (3,), (0,)])
def test_masses_are_those_of_all_pairs_up_to_a_factor(scale, shape):
    left, right = masses(4, shape, 0), masses(3, shape, 1)
    focal, store, total = agreement(ONE, left * scale, TWO, right * scale)
    wanted = pairwise.combine_pairs(ONE, left, TWO, right, np.bitwise_and, keep_empty=False)
    np.testing.assert_array_equal(focal, wanted[0])
    np.testing.assert_allclose(store / total, wanted[1] / wanted[1].sum(axis=0), rtol=1e-12)


def test_both_routes_stand_side_by_side_in_a_batch():
    left, right = masses(4, (5,), 0), masses(3, (2, 1), 1).reshape(3, 2, 1)
    left[:, 3] *= 1e-300
    right[:, 1] *= 1e-300
    focal, store, total = agreement(ONE, left, TWO, right)
    logs = [logarithms(np.broadcast_to(m, (len(m), 2, 5))) for m in (left[:, np.newaxis], right)]
    sets, sums = log_agreement((ONE, logs[0]), (TWO, logs[1]))
    np.testing.assert_array_equal(focal, sets)
    np.testing.assert_allclose(store / total, np.exp(sums - np.logaddexp.reduce(sums)), rtol=1e-11)


def test_total_is_zero_only_where_no_sets_with_mass_meet():
    left = np.array([[1.0, 1.0], [1e-300, 0.0]])
    focal, store, total = agreement(np.array([1, 2]), left, np.array([2]), np.array([1e-300]))
    np.testing.assert_array_equal(focal, [2])
    np.testing.assert_array_equal(store, [[1, 0]])
    np.testing.assert_array_equal(total, [1, 0])


@pytest.mark.parametrize("n_sets", [0, 1])
def test_without_focal_sets_nothing_is_agreed(n_sets):
    none = np.zeros(0, dtype=np.int64)
    focal, store, total = agreement(none, np.zeros((0, 2)), np.arange(n_sets), np.ones(n_sets))
    assert (len(focal), store.shape) == (0, (0, 2))
    np.testing.assert_array_equal(total, [0, 0])
