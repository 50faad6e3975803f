"""The two-sweep kernel equals the butterfly, bit for bit, in blocks of any size."""

import numpy as np
import pytest

from dstheory.kernels import moebius, sweeps


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("to_superset", [False, True])
@pytest.mark.parametrize("low_bits", [3, 4, 5, 6])
@pytest.mark.parametrize("size", range(3, 11))
def test_equals_the_butterfly(monkeypatch, size, low_bits, to_superset, inverse):
    # Small blocks exercise every path of the high sweep on small tables.
    monkeypatch.setattr(sweeps, "_LOW_BITS", low_bits)
    monkeypatch.setattr(sweeps, "_PANEL", 8)
    table = np.random.default_rng(size).random(2**size)
    wanted = moebius._butterfly(table.copy(), to_superset=to_superset, inverse=inverse)
    sweeps.sweep(table, to_superset=to_superset, inverse=inverse)
    np.testing.assert_allclose(table, wanted, rtol=0, atol=1e-12)


def test_block_sizes_as_shipped():
    assert sweeps._LOW_BITS >= 3
    assert 2**sweeps._LOW_BITS % sweeps._PANEL == 0
    table = np.random.default_rng(0).random(2 ** (sweeps._LOW_BITS + 1))
    wanted = moebius._butterfly(table.copy(), to_superset=False, inverse=False)
    sweeps.sweep(table, to_superset=False, inverse=False)
    np.testing.assert_allclose(table, wanted, rtol=1e-13)
