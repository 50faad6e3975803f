"""The two-sweep kernel equals the butterfly, bit for bit, in blocks of any size."""

import numpy as np
import pytest

from dstheory.kernels import moebius


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("to_superset", [False, True])
@pytest.mark.parametrize("low_bits", [3, 4, 5, 6])
@pytest.mark.parametrize("size", range(3, 11))
def test_equals_the_butterfly(monkeypatch, size, low_bits, to_superset, inverse):
    # Small blocks exercise every path of the high sweep on small tables.
    monkeypatch.setattr(moebius, "_LOW_BITS", low_bits)
    monkeypatch.setattr(moebius, "_PANEL", 8)
    table = np.random.default_rng(size).random(2**size)
    step = np.subtract if inverse else np.add
    wanted = moebius._butterfly(table.copy(), step, to_superset=to_superset)
    moebius.sweep(table, to_superset=to_superset, inverse=inverse)
    np.testing.assert_allclose(table, wanted, rtol=0, atol=1e-12)


def test_block_sizes_as_shipped():
    assert moebius._LOW_BITS >= 3
    assert 2 ** (moebius._LOW_BITS - 1) % moebius._PANEL == 0  # each thread takes whole panels
    assert moebius._THREADED_BITS > moebius._LOW_BITS  # and whole blocks
    table = np.random.default_rng(0).random(2 ** (moebius._LOW_BITS + 1))
    wanted = moebius._butterfly(table.copy(), np.add, to_superset=False)
    moebius.sweep(table, to_superset=False, inverse=False)
    np.testing.assert_allclose(table, wanted, rtol=1e-13)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("to_superset", [False, True])
@pytest.mark.parametrize("size", [6, 7, 10])
def test_two_threads_do_the_same(monkeypatch, size, to_superset, inverse):
    monkeypatch.setattr(moebius, "_LOW_BITS", 5)
    monkeypatch.setattr(moebius, "_PANEL", 8)
    table = np.random.default_rng(size).random(2**size)
    alone = table.copy()
    moebius.sweep(alone, to_superset=to_superset, inverse=inverse)
    monkeypatch.setattr(moebius, "_THREADED_BITS", 6)
    monkeypatch.setattr(moebius, "_n_cores", lambda: 2)
    moebius.sweep(table, to_superset=to_superset, inverse=inverse)
    np.testing.assert_array_equal(table, alone)


def test_there_is_a_core():
    assert moebius._n_cores() >= 1
