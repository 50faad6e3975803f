"""Dense tables of pairs: the compiled and the NumPy route equal the double loop."""

import numpy as np
import pytest

from dstheory.kernels import pairwise


@pytest.mark.parametrize("route", [pairwise.pair_table, pairwise.pair_table_numpy])
@pytest.mark.parametrize("operation", [np.bitwise_and, np.bitwise_or, np.bitwise_xor])
@pytest.mark.parametrize("block", [1, 10, 1 << 16])
def test_equals_the_double_loop(monkeypatch, route, operation, block):
    monkeypatch.setattr(pairwise, "_BLOCK_PAIRS", block)
    rng = np.random.default_rng(0)
    focal1, focal2 = (np.sort(rng.choice(64, size, replace=False)) for size in (30, 20))
    masses1, masses2 = rng.random(30), rng.random(20)
    wanted = np.zeros(64)
    for a, x in zip(focal1, masses1, strict=True):
        for b, y in zip(focal2, masses2, strict=True):
            wanted[operation(a, b)] += x * y
    for array in (focal1, focal2, masses1, masses2):
        array.flags.writeable = False  # as those of mass functions are
    got = route(focal1, masses1, focal2, masses2, operation, 64)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)
    strided = np.repeat(masses1, 2)[::2]
    np.testing.assert_array_equal(route(focal1, strided, focal2, masses2, operation, 64), got)
