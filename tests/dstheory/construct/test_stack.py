"""Stacked and concatenated batches: rows are what went in, axes are NumPy's."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, concatenate, stack, vacuous
from dstheory.combine import combine_axis, dempster, murphy
from dstheory.errors import FrameError
from dstheory.testing import frames, masses
from tests.support.each import each

ABC = Frame(list("abc"))
TWO = MassFunction(ABC, [1, 7], [[0.5, 0.5], [0.25, 0.75]])
THREE = MassFunction(ABC, [2, 6, 7], [[1, 0, 0], [0, 1, 0], [0.5, 0.25, 0.25]])


@st.composite
def several(draw):
    frame = draw(frames(1, 4))
    return [draw(masses(frame, empty=True)) for _ in range(draw(st.integers(1, 4)))]


@given(ms=several())
def test_rows_are_what_was_stacked(ms):
    batch = stack(ms)
    assert batch.batch_shape == (len(ms),)
    assert all(row == m for row, m in zip(batch, ms, strict=True))
    assert set(batch.focal.tolist()) == {mask for m in ms for mask in m.focal.tolist()}
    assert batch.focal.tolist() == sorted(batch.focal.tolist())
    again = concatenate([batch, batch])
    assert list(again) == ms + ms
    assert [type(v) for v in batch.masses.ravel()] == [
        type(v) for v in np.array(batch.masses.tolist(), batch.masses.dtype).ravel()
    ]


@each("axis", [0, 1, 2, -1, -2, -3])
def test_axes_are_those_of_numpy(axis):
    one, two = (
        MassFunction(ABC, [k, 7], np.stack([p, 1 - p], axis=-1))
        for k, p in zip((1, 2), np.random.default_rng(0).random((2, 2, 3)), strict=True)
    )
    batch = stack([one, two], axis)
    expected = np.stack([one.mass("a"), two.mass("a")], axis)
    np.testing.assert_array_equal(batch.mass("a"), expected)
    np.testing.assert_array_equal(batch.bel("b"), np.stack([one.bel("b"), two.bel("b")], axis))
    assert batch.store.flags.c_contiguous
    assert not batch.store.flags.writeable
    if axis not in (2, -3):
        joined = concatenate([one, two, one], axis)
        parts = [m.pl("b") for m in (one, two, one)]
        np.testing.assert_array_equal(joined.pl("b"), np.concatenate(parts, axis))


def test_batches_of_other_lengths_are_concatenated():
    joined = concatenate([TWO, THREE, TWO[:0]])
    assert joined.batch_shape == (5,)
    assert joined.focal.tolist() == [1, 2, 6, 7]
    assert list(joined) == [*TWO, *THREE]
    columns = concatenate([TWO.reshape(2, 1), THREE[:2].reshape(2, 1)], axis=1)
    assert columns[1, 0] == TWO[1]
    assert columns[1, 1] == THREE[1]


def test_numbers_keep_their_kind():
    third = Fraction(1, 3)
    exact = MassFunction.from_dict(ABC, {"a": third, ABC: 1 - third})
    both = stack([exact, MassFunction.from_dict(ABC, {"b": Fraction(1)})])
    assert both.masses.dtype == object
    assert both.mass("a").tolist() == [third, 0]
    assert both[0].mass("a") == third
    assert stack([TWO, TWO]).masses.dtype == np.float64
    p = sympy.Symbol("p", positive=True)
    symbolic = MassFunction.from_dict(ABC, {"a": p, ABC: 1 - p})
    assert stack([exact, symbolic]).mass("a").tolist() == [third, p]


def test_frames_beyond_machine_words():
    frame = Frame(range(80))
    ms = [MassFunction.from_dict(frame, {(i, 79): 0.5, frame: 0.5}) for i in range(3)]
    batch = stack(ms)
    assert list(batch) == ms
    assert batch.focal.dtype == object
    assert all(type(mask) is int for mask in batch.focal)


def test_ten_thousand_at_once():
    p = np.random.default_rng(1).random(10_000)
    ms = [MassFunction(ABC, [1 + i % 6, 7], [x, 1 - x]) for i, x in enumerate(p)]
    batch = stack(ms)
    assert batch.batch_shape == (10_000,)
    assert batch.focal.tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(batch.mass(ABC), 1 - p)
    assert batch[9_999] == ms[-1]


def test_stacked_sources_are_combined_along_the_axis():
    one, two = TWO[0], THREE[2]
    assert combine_axis(stack([one, two]), dempster).equals(dempster(one, two))
    assert combine_axis(stack([one, two, one]), murphy).equals(murphy(one, two, one))


@pytest.mark.parametrize("join", [stack, concatenate])
def test_bad_input_is_named(join):
    with pytest.raises(ValueError, match="there is no mass function"):
        join([])
    with pytest.raises(TypeError, match=r"element 2 is .*, expected a MassFunction"):
        join([TWO, 0.5])
    with pytest.raises(TypeError, match="several mass functions"):
        join(3)
    with pytest.raises(TypeError, match="several mass functions"):
        join(np.array(0.5))
    with pytest.raises(FrameError, match="frames differ"):
        join([TWO, vacuous(Frame(list("xy")), 2)])
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        join([TWO], 3)
    with pytest.raises(TypeError):
        join([TWO], 0.5)


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"mass function 2 has batch shape \(3,\), the first one"):
        stack([TWO, THREE])
    with pytest.raises(ValueError, match="see stack"):
        concatenate([TWO[0]])
    with pytest.raises(ValueError, match="may differ along axis 0 only"):
        concatenate([TWO.reshape(2, 1), THREE])
    with pytest.raises(ValueError, match="may differ along axis 1 only"):
        concatenate([TWO.reshape(2, 1), THREE.reshape(3, 1)], axis=1)
    with pytest.raises(TypeError, match="single mass function is not iterable"):
        stack(TWO[0])
