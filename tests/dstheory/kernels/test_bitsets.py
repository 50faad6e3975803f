"""Long bitsets against plain sets of cells; both kinds of masks."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dstheory.kernels import bits, bitsets
from tests.support.each import each


def cells(mask, shape):
    return {cell for i, cell in enumerate(np.ndindex(*shape)) if int(mask) >> i & 1}


@st.composite
def boxes(draw):
    """A shape, some of its axes in any order, and sets of cells."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 5, 18]), min_size=1, max_size=3)))
    axes = draw(st.lists(st.sampled_from(range(len(shape))), min_size=1, unique=True))
    size = int(np.prod(shape))
    return shape, axes, draw(st.lists(st.integers(0, (1 << size) - 1), max_size=4))


@given(case=boxes())
def test_projection(case):
    shape, axes, masks = case
    found = bitsets.project_masks(bits.mask_array(masks, int(np.prod(shape))), shape, axes)
    part = [shape[axis] for axis in axes]
    assert found.dtype == bits.mask_array([], int(np.prod(part))).dtype
    wanted = [{tuple(cell[axis] for axis in axes) for cell in cells(m, shape)} for m in masks]
    assert [cells(mask, part) for mask in found] == wanted


@given(case=boxes(), data=st.data())
def test_extension(case, data):
    onto, axes, _ = case
    shape = [onto[axis] for axis in axes]
    size = int(np.prod(shape))
    masks = data.draw(st.lists(st.integers(0, (1 << size) - 1), max_size=4))
    found = bitsets.extend_masks(bits.mask_array(masks, size), axes, onto)
    everywhere = list(product(*map(range, onto)))
    wanted = [
        {cell for cell in everywhere if tuple(cell[axis] for axis in axes) in cells(m, shape)}
        for m in masks
    ]
    assert [cells(mask, onto) for mask in found] == wanted


@each("size", [1, 7, 8, 61, 62, 63, 64, 65, 200])
def test_packing_undoes_unpacking(size):
    rng = np.random.default_rng(size)
    table = rng.random((5, size)) < 0.5
    table[0], table[1] = False, True
    masks = bitsets.pack_masks(table)
    assert masks.dtype == bits.mask_array([], size).dtype
    assert masks.tolist() == [sum(1 << i for i in np.flatnonzero(row).tolist()) for row in table]
    np.testing.assert_array_equal(bits.members(masks, size).T, table)


@given(masks=st.lists(st.integers(0, 1 << 70)))
def test_distinct(masks):
    array = bits.mask_array(masks, 71)
    sets, index = bitsets.distinct(array)
    assert sets.tolist() == sorted(set(masks))
    assert sets[index].tolist() == masks
