"""Sums over pairs for whole batches: compiled, plain, and by the definition."""

import numpy as np
import pytest

from dstheory.kernels import batches


def double_loop(left, right, index, n_sets, n_rows):
    sums = np.zeros((n_sets, n_rows))
    left, right = (np.broadcast_to(a, (len(a), n_rows)) for a in (left, right))
    for pair, target in enumerate(index):
        i, j = divmod(pair, len(right))
        sums[target] += left[i] * right[j]
    return sums


@pytest.mark.parametrize("route", [batches.batch_sums, batches.sums_in_blocks, batches.sums_by_row])
@pytest.mark.parametrize(("n_left", "n_right"), [(1300, 1300), (1, 1300), (1300, 1)])
def test_routes_agree_with_the_definition(route, n_left, n_right):
    rng = np.random.default_rng(0)
    left, right = rng.random((4, n_left)), rng.random((5, n_right))
    index = np.append(rng.integers(0, 6, 14), np.arange(6)).astype(np.intp)
    wanted = double_loop(left, right, index, 6, 1300)
    np.testing.assert_allclose(route(left, right, index, 6, 1300), wanted, rtol=1e-14)


def test_the_plain_text_of_the_compiled_loop_gives_the_same():
    rng = np.random.default_rng(1)
    left, right = rng.random((2, 3)), rng.random((2, 3))
    index = np.array([0, 1, 1, 2], dtype=np.intp)
    sums = np.zeros((3, 3))
    text = getattr(batches._add_products, "__wrapped__", batches._add_products)
    text(sums, left, right, index, 2)
    np.testing.assert_allclose(sums, batches.sums_in_blocks(left, right, index, 3, 3))
