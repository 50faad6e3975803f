import numpy as np
import pytest

from dstheory.kernels import setwise
from tests.support.each import each

FOCAL = np.array([0, 1, 3, 6])
MASSES = np.array([[0.1, 0.4], [0.2, 0.3], [0.3, 0.2], [0.4, 0.1]])


@each(
    ("function", "event", "sets"),
    [
        (setwise.mass, 3, [2]),
        (setwise.mass, 2, []),
        (setwise.belief, 3, [1, 2]),
        (setwise.belief, 0, []),
        (setwise.implicability, 3, [0, 1, 2]),
        (setwise.implicability, 0, [0]),
        (setwise.plausibility, 2, [2, 3]),
        (setwise.plausibility, 0, []),
        (setwise.commonality, 2, [2, 3]),
        (setwise.commonality, 0, [0, 1, 2, 3]),
    ],
)
def test_sums_over_sets(function, event, sets):
    np.testing.assert_allclose(function(FOCAL, MASSES, event), MASSES[sets].sum(axis=0))
    assert function(FOCAL, MASSES.astype(object), event).dtype == object


def test_sums_without_event():
    np.testing.assert_allclose(setwise.nonempty_sum(FOCAL, MASSES), [0.9, 0.6])
    np.testing.assert_allclose(
        setwise.contour(FOCAL, MASSES, 3), [[0.5, 0.5], [0.7, 0.3], [0.4, 0.1]]
    )


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)])
def test_weighted_sums_on_floats_and_objects(shape):
    rng = np.random.default_rng(0)
    masses, weights = rng.integers(0, 9, (4, *shape)) / 8, rng.integers(0, 3, (6, 4)) / 2
    exact = setwise.weighted_sum(weights, masses.astype(object))
    assert exact.dtype == object
    assert exact.shape == (6, *shape)
    np.testing.assert_array_equal(setwise.weighted_sum(weights, masses), exact.astype(float))


@each("dtype", [float, object])
@each("shape", [(), (5,), (0,)])
def test_weighted_sums_without_focal_sets_are_zero(dtype, shape):
    sums = setwise.weighted_sum(np.ones((2, 0)), np.zeros((0, *shape), dtype=dtype))
    assert sums.dtype == dtype
    np.testing.assert_array_equal(sums, np.zeros((2, *shape)))


def test_rows_are_copied():
    part = setwise.take_rows(MASSES, slice(None))
    assert not np.shares_memory(part, MASSES)
    assert part.flags.c_contiguous
