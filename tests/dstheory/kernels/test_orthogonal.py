"""Dempster's rule on arrays: which rows need logarithms, and what they give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.kernels.orthogonal import by_logarithms, least_positive, orthogonal_sum

MASSES = st.sampled_from([0.0, -0.0, -1e-17, 5e-324, 1e-310, 2.0**-1022, 1e-200, 0.25, 1.0])


@given(values=st.lists(MASSES, max_size=9), copies=st.sampled_from([1, 5000]))
def test_least_positive(values, copies):
    """A list or the bits of an array, in several blocks."""
    wanted = min((value for value in values if value > 0), default=1.0)
    assert least_positive(np.array(values * copies)) == wanted
    assert least_positive(np.array([values] * copies).T) == wanted


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3)])
def test_rows_that_underflow_are_those_of_logarithms(shape):
    """Sources whose batches broadcast; some rows fall below all floats and come back."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        parts = []
        for place in range(4):
            own = shape if place % 2 else shape[-1:]
            masses = 10.0 ** rng.uniform(-160, 0, (3, *own)) * rng.integers(0, 4, (3, *own))
            masses[place % 3] += 1e-150 if place % 2 else 1.0
            parts.append((np.array([1, 2, 7]), masses / masses.sum(axis=0)))
        fast, slow = orthogonal_sum(parts), by_logarithms(parts)
        both = [np.zeros(shape, bool) if c is None else c for c in (fast.conflict, slow.conflict)]
        np.testing.assert_array_equal(*both)
        assert fast.masses.shape[1:] == slow.masses.shape[1:] == shape
        for mask in (1, 2, 7):  # sets that no source supports may be left out
            found, wanted = (one.masses[one.focal == mask].sum(axis=0) for one in (fast, slow))
            np.testing.assert_allclose(found, wanted, rtol=1e-9)
            assert (np.asarray(found > 0) == (wanted > 0)).all()


def test_no_positive_mass_becomes_zero():
    tiny = np.array([1, 2]), np.array([1.0, 1e-200])
    assert orthogonal_sum([tiny, tiny]).masses.tolist() == [1.0, 5e-324]
    again = orthogonal_sum([tiny, tiny, (np.array([2]), np.array([1.0]))])
    assert (again.focal.tolist(), again.masses.tolist()) == ([2], [1.0])
