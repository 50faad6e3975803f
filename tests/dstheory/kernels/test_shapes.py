from fractions import Fraction

import numpy as np
import pytest

from dstheory.kernels.shapes import scalar, stretched


def test_new_axes_come_before_those_of_the_batch():
    store = np.arange(6.0).reshape(2, 3)
    wide = stretched(store, (4, 3))
    assert wide.shape == (2, 4, 3)
    np.testing.assert_array_equal(wide[:, 2], store)
    assert np.shares_memory(wide, store)
    assert stretched(store[:, :1], (0,)).shape == (2, 0)
    with pytest.raises(ValueError, match="broadcast"):
        stretched(store, (4,))


def test_single_values_become_python_values():
    third = np.array(Fraction(1, 3), dtype=object)
    for value in (np.float64(0.5), np.array(0.5), np.bool_(True), third):
        assert not isinstance(scalar(value), np.generic | np.ndarray)
    assert scalar(third) == Fraction(1, 3)
    assert scalar(np.zeros(0)).shape == (0,)
