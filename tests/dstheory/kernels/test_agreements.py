import numpy as np
import pytest

from dstheory.kernels import pairwise
from dstheory.kernels.agreements import agreement, log_agreement, logarithms

ONE, TWO = np.array([0, 1, 3, 6]), np.array([1, 2, 5])


def masses(n_sets, shape, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_sets), shape).transpose()


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e-160])
@pytest.mark.parametrize("shape", [(), (3,), (0,)])
def test_masses_are_those_of_all_pairs_up_to_a_factor(scale, shape):
    left, right = masses(4, shape, 0), masses(3, shape, 1)
    focal, store, total = agreement(ONE, left * scale, TWO, right * scale)
    wanted = pairwise.combine_pairs(ONE, left, TWO, right, np.bitwise_and, keep_empty=False)
    np.testing.assert_array_equal(focal, wanted[0])
    np.testing.assert_allclose(store / total, wanted[1] / wanted[1].sum(axis=0), rtol=1e-12)


def test_both_routes_stand_side_by_side_in_a_batch():
    left, right = masses(4, (5,), 0), masses(3, (2, 1), 1).reshape(3, 2, 1)
    left[:, 3] *= 1e-300
    right[:, 1] *= 1e-300
    focal, store, total = agreement(ONE, left, TWO, right)
    logs = [logarithms(np.broadcast_to(m, (len(m), 2, 5))) for m in (left[:, np.newaxis], right)]
    sets, sums = log_agreement((ONE, logs[0]), (TWO, logs[1]))
    np.testing.assert_array_equal(focal, sets)
    np.testing.assert_allclose(store / total, np.exp(sums - np.logaddexp.reduce(sums)), rtol=1e-11)


def test_total_is_zero_only_where_no_sets_with_mass_meet():
    left = np.array([[1.0, 1.0], [1e-300, 0.0]])
    focal, store, total = agreement(np.array([1, 2]), left, np.array([2]), np.array([1e-300]))
    np.testing.assert_array_equal(focal, [2])
    np.testing.assert_array_equal(store, [[1, 0]])
    np.testing.assert_array_equal(total, [1, 0])


@pytest.mark.parametrize("n_sets", [0, 1])
def test_without_focal_sets_nothing_is_agreed(n_sets):
    none = np.zeros(0, dtype=np.int64)
    focal, store, total = agreement(none, np.zeros((0, 2)), np.arange(n_sets), np.ones(n_sets))
    assert (len(focal), store.shape) == (0, (0, 2))
    np.testing.assert_array_equal(total, [0, 0])
