"""Limits of Clopper and Pearson: tails as small as bands need.

`test_binomial.py` holds them against mpmath for the levels of intervals.
"""

import mpmath
import numpy as np
import pytest

from dstheory.inference.counts.quantiles import lower_limit
from tests.support.each import each


@each("tail", [0.3, 1e-3, 5e-8, 5e-14, 1e-30])
@each(("successes", "failures"), [(1, 0), (1, 9), (7, 3), (40, 900), (0.5, 2.5), (3000, 700)])
def test_so_many_successes_have_the_probability_of_the_tail(successes, failures, tail):
    found = lower_limit(np.array([successes], float), np.array([failures], float), tail)[0]
    with mpmath.workdps(50):
        share = mpmath.betainc(successes, failures + 1, 0, mpmath.mpf(found), regularized=True)
        # A relative error of the limit has an effect of about the number of successes.
        assert float(share) == pytest.approx(tail, rel=1e-10 * max(1, successes))


def test_no_success_leaves_zero():
    assert lower_limit(np.zeros(2), np.array([0.0, 5.0]), 0.1).tolist() == [0, 0]
