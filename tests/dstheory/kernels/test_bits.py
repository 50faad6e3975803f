from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.kernels import bits


@st.composite
def sized_masks(draw):
    """Frame size and masks; half of the sizes need Python integers."""
    size = draw(st.sampled_from([1, 5, 61, 62, 63, 64, 130]))
    return size, draw(st.lists(st.integers(0, (1 << size) - 1), max_size=6))


def elements(mask, size):
    return {i for i in range(size) if mask >> i & 1}


@given(case=sized_masks())
def test_kinds(case):
    size, masks = case
    array = bits.mask_array(masks, size)
    assert array.dtype == (np.int64 if size <= bits.MAX_INT64_BITS else object)
    assert array.tolist() == masks
    assert all(type(mask) is int for mask in array.tolist())


@given(case=sized_masks())
def test_against_sets(case):
    size, masks = case
    array, sets = bits.mask_array(masks, size), [elements(mask, size) for mask in masks]
    assert bits.cardinality(array).tolist() == [len(s) for s in sets]
    table = bits.members(array, size)
    assert table.shape == (size, len(masks))
    assert table.dtype == bool
    assert [set(np.flatnonzero(column)) for column in table.T] == sets
    for mask, event in zip(masks, sets, strict=True):
        assert bits.subset_of(array, mask).tolist() == [s <= event for s in sets]
    wanted = [[not (s <= t or t <= s) for t in sets] for s in sets]
    assert bits.incomparable(array).tolist() == wanted


@pytest.mark.parametrize("size", [62, 63])
def test_the_whole_frame_fits(size):
    full = (1 << size) - 1
    assert bits.cardinality(bits.mask_array([full], size)).tolist() == [size]


@pytest.mark.parametrize("size", [3, 70])
def test_overlap_is_the_ratio_of_common_to_all_elements(size):
    masks = bits.mask_array([0, 1, 3, 6, 7], size)
    sets = [frozenset(i for i in range(size) if int(mask) >> i & 1) for mask in masks]
    wanted = [[Fraction(len(a & b), len(a | b)) if a | b else 1 for b in sets] for a in sets]
    assert bits.overlap(masks, exact=True).tolist() == wanted
    np.testing.assert_allclose(bits.overlap(masks), np.array(wanted, dtype=float), rtol=1e-15)
    assert bits.common(masks).tolist() == [[len(a & b) for b in sets] for a in sets]
    assert bits.overlap(masks[:0]).shape == (0, 0)


@given(places=st.sets(st.integers(0, 400)))
def test_masks_and_places_are_inverse(places):
    mask = bits.mask_of([*places, *places])
    assert mask == sum(1 << place for place in places)
    assert bits.positions(mask) == sorted(places)
