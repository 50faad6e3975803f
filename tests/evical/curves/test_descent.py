"""Descent: the minimum, and threads of linear algebra that are as before when it is over."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from evical.curves.descent import descend


def threads():
    return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


def test_the_minimum_within_bounds():
    found = descend(lambda x: (float(x @ x), 2 * x), np.full(2, 5.0), bounds=[(1, 9), (-9, 9)])
    np.testing.assert_allclose(found.x, [1, 0], atol=1e-8)


def test_one_thread_inside_and_as_many_as_before_outside():
    """Elsewhere than in the main thread, nothing is set: limits of several threads mix up."""
    seen = []

    def objective(x):
        seen.append(threads())
        return float(x @ x), 2 * x

    def wrong(x):
        raise ZeroDivisionError

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        descend(objective, np.ones(2))
        assert set().union(*seen) == {1}
        with pytest.raises(ZeroDivisionError):
            descend(wrong, np.ones(2))
        assert threads() == before
        seen.clear()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(descend, objective, np.ones(2)).result()
        assert set().union(*seen) == before
