"""Butterflies equal the sums of the definition, exactly, and undo each other."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.kernels import moebius
from tests.support.each import each, pairs

fractions = st.fractions(-2, 2, max_denominator=12)


@st.composite
def tables(draw):
    """Tables (2^K, *batch) of fractions."""
    size = draw(st.integers(0, 4))
    shape = (2**size, *draw(st.sampled_from([(), (1,), (2,), (2, 2)])))
    values = draw(st.lists(fractions, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    table = np.empty(len(values), dtype=object)
    table[:] = values
    return table.reshape(shape)


def subsets(mask, n_sets):
    return [other for other in range(n_sets) if other & mask == other]


def supersets(mask, n_sets):
    return [other for other in range(n_sets) if other & mask == mask]


@pytest.mark.parametrize(
    ("transform", "related"),
    [(moebius.subset_sums, subsets), (moebius.superset_sums, supersets)],
)
@given(table=tables())
def test_definition(transform, related, table):
    sums = transform(table)
    assert sums.shape == table.shape
    for mask in range(len(table)):
        wanted = sum(table[other] for other in related(mask, len(table)))
        assert np.all(sums[mask] == wanted)


@pytest.mark.parametrize(
    ("forward", "back"),
    [
        (moebius.subset_sums, moebius.subset_differences),
        (moebius.superset_sums, moebius.superset_differences),
    ],
)
@given(table=tables())
def test_inverse(forward, back, table):
    before = table.copy()
    assert np.all(back(forward(table)) == table)
    assert np.all(forward(back(table)) == table)
    assert np.all(table == before)


ALL = [getattr(moebius, name) for name in moebius.__all__]


@each(
    ("transform", "shape", "size"),
    pairs(ALL, [(), (1,), (3,), (2, 2)], [0, 1, 2, 5, 7, 8, 9, 12]),
)
def test_floats_equal_fractions(transform, shape, size):
    rng = np.random.default_rng(size)
    eighths = rng.integers(-8, 9, (2**size, *shape))  # sums of these are exact in float64
    exact = transform(np.vectorize(lambda i: Fraction(int(i), 8), otypes=[object])(eighths))
    floating = transform(eighths / 8)
    assert floating.dtype == np.float64
    np.testing.assert_array_equal(floating, exact.astype(np.float64))


@pytest.mark.parametrize("transform", ALL)
def test_any_memory_order_and_read_only_tables(transform):
    table = np.random.default_rng(0).random((16, 3, 2))
    wanted = transform(table)
    fortran = np.asfortranarray(table)
    fortran.flags.writeable = False
    np.testing.assert_array_equal(transform(fortran), wanted)
    np.testing.assert_array_equal(transform(table[:, ::-1])[:, ::-1], wanted)
    assert transform(table[:, :0]).shape == (16, 0, 2)
