"""Sums over pairs for whole batches: compiled, plain, and by the definition."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.combine import dubois_prade, florea, inagaki, lefevre, mixing, pcr6, yager
from dstheory.kernels import batches
from dstheory.kernels.batches import added_up, scalar, stretch
from dstheory.revise import discount, negate
from tests.support.each import each


def double_loop(left, right, index, n_sets, n_rows):
    sums = np.zeros((n_sets, n_rows))
    left, right = (np.broadcast_to(a, (len(a), n_rows)) for a in (left, right))
    for pair, target in enumerate(index):
        i, j = divmod(pair, len(right))
        sums[target] += left[i] * right[j]
    return sums


@each("route", [batches.batch_sums, batches.sums_in_blocks, batches.sums_by_row])
@each(("n_left", "n_right"), [(1300, 1300), (1, 1300), (1300, 1)])
def test_routes_agree_with_the_definition(route, n_left, n_right):
    rng = np.random.default_rng(0)
    left, right = rng.random((4, n_left)), rng.random((5, n_right))
    index = np.append(rng.integers(0, 6, 14), np.arange(6)).astype(np.intp)
    wanted = double_loop(left, right, index, 6, 1300)
    np.testing.assert_allclose(route(left, right, index, 6, 1300), wanted, rtol=1e-14)


@pytest.mark.parametrize("left_rows", [1, 50])
def test_sets_without_mass_change_nothing(left_rows):
    rng = np.random.default_rng(2)
    left = rng.random((20, left_rows)) * (rng.random((20, left_rows)) < 0.2)
    right = rng.random((30, 50)) * (rng.random((30, 50)) < 0.1)
    right[:, 0] = 0
    index = rng.integers(0, 9, 600).astype(np.intp)
    wanted = double_loop(left, right, index, 9, 50)
    found = batches.sums_by_row(left, right, index, 9, 50)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_the_plain_text_of_the_compiled_loop_gives_the_same():
    rng = np.random.default_rng(1)
    left, right = rng.random((2, 3)), rng.random((2, 3))
    index = np.array([0, 1, 1, 2], dtype=np.intp)
    sums = np.zeros((3, 3))
    text = getattr(batches._add_products, "__wrapped__", batches._add_products)
    text(sums, left, right, index, 2)
    np.testing.assert_allclose(sums, batches.sums_in_blocks(left, right, index, 3, 3))


def test_new_axes_come_before_those_of_the_batch():
    store = np.arange(6.0).reshape(2, 3)
    wide = stretch(store, (4, 3))
    assert wide.shape == (2, 4, 3)
    np.testing.assert_array_equal(wide[:, 2], store)
    assert np.shares_memory(wide, store)
    assert stretch(store[:, :1], (0,)).shape == (2, 0)
    with pytest.raises(ValueError, match="broadcast"):
        stretch(store, (4,))


def test_single_values_become_python_values():
    third = np.array(Fraction(1, 3), dtype=object)
    for value in (np.float64(0.5), np.array(0.5), np.bool_(True), third):
        assert not isinstance(scalar(value), np.generic | np.ndarray)
    assert scalar(third) == Fraction(1, 3)
    assert scalar(np.zeros(0)).shape == (0,)


def naive(parts, batch):
    """Sums of masses by set, one after the other."""
    found = {}
    for sets, masses, *scale in parts:
        values = stretch(masses, batch)
        factor = np.broadcast_to(scale[0] if scale else 1, batch)
        for key, value in zip(sets.tolist(), values, strict=True):
            found[key] = found.get(key, 0) + value * factor
    return found


def parts_of(rng, batch, exact):
    def numbers(*shape):
        values = rng.integers(0, 9, shape)
        if not exact:
            return values / 8
        return np.array([Fraction(int(v), 7) for v in values.ravel()], object).reshape(shape)

    own = batch[1:] if len(batch) > 1 else ()
    return [
        (rng.integers(0, 6, 5), numbers(5, *batch)),
        (rng.integers(0, 6, 4), numbers(4, *own), numbers(*batch)),
        (np.array([63]), numbers(1, *batch), 2),
    ]


@each("exact", [False, True])
@each("batch", [(), (1,), (7,), (3, 5), (0,), (9000,), (3, 3000)])
def test_sums_are_those_of_a_dictionary(exact, batch):
    parts = parts_of(np.random.default_rng(1), batch, exact)
    sets, sums = added_up(*parts)
    expected = naive(parts, batch)
    assert sets.tolist() == sorted(expected)
    assert sums.shape == (len(sets), *batch)
    assert sums.flags.c_contiguous
    for row, key in zip(sums, sets.tolist(), strict=True):
        assert np.array_equal(row, expected[key])  # eighths are exact as floats, too


def test_large_masks_and_no_sets():
    sets, sums = added_up((np.array([1 << 70, 1, 1 << 70], dtype=object), np.array([0.25, 0.5, 1])))
    assert (sets.tolist(), sums.tolist()) == ([1, 1 << 70], [0.5, 1.25])
    sets, sums = added_up((np.array([], dtype=np.int64), np.zeros((0, 3))))
    assert (len(sets), sums.shape) == (0, (0, 3))


CALLS = {
    "dubois_prade": dubois_prade,
    "florea": florea,
    "inagaki": lambda a, b: inagaki(a, b, k=0.5),
    "lefevre": lambda a, b: lefevre(a, b, share=mixing),
    "mixing": mixing,
    "pcr6": pcr6,
    "yager": yager,
    "discount": lambda a, b: discount(a, rate=b.store[0]),
    "negate": lambda a, b: negate(a, rate=b.store[0]),
}
FRAME = Frame(range(6))


def batch_of_sources(n_rows):
    rng = np.random.default_rng(2)
    focals = [[1, 2, 12, 17, 40, 63], [2, 5, 24, 33, 60, 63]]
    return [MassFunction(FRAME, sets, rng.dirichlet(np.ones(6), n_rows)) for sets in focals]


@each("name", CALLS)
def test_what_is_held_beside_the_result_does_not_grow_with_the_batch(name):
    one, two = batch_of_sources(50_000)
    CALLS[name](one[:2], two[:2])  # what is imported or compiled is not part of it
    tracemalloc.start()
    result = CALLS[name](one, two)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3.5 * result.store.nbytes


@each("name", CALLS)
def test_a_row_of_a_large_batch_is_that_row_alone(name):
    one, two = batch_of_sources(20_000)
    result = CALLS[name](one, two)
    for row in (0, 5_460, 5_461, 19_999):
        alone = CALLS[name](one[row], two[row])
        assert result[row].equals(alone, atol=1e-15)
