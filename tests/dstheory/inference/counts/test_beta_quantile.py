"""Beta quantiles against the integral of the density by mpmath, for parameters of any size."""

import mpmath
import numpy as np
import pytest
from scipy.special import betaincinv

from dstheory.inference.counts.quantiles import _bisected, _expanded, beta_quantile

# 1000 of 1e9, where SciPy 1.17 and 1.18 give twice the quantile; three for which older ones give
# NaN; both sides of the size from which the normal distribution is corrected; as many as are
# allowed.
PARAMETERS = [
    (1000, 999_999_001),
    (1000, 1e15),
    (245112026065.375, 35016003724.625),
    (875e9, 125e9 + 1),
    (4709, 9999995292),
    (0.99e7, 3e12),
    (1.01e7, 1.01e7),
    (1.01e7, 1e15),
    (3e14, 7e14),
    (5e14, 5e14),
]


def below(a, b, x):
    """P(X <= x) by integration of the density over the 20 standard deviations below x."""
    a, b, x = mpmath.mpf(a), mpmath.mpf(b), mpmath.mpf(x)
    deviation = mpmath.sqrt(a * b / (a + b) ** 3)
    constant = mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b)

    def density(t):
        return mpmath.exp(constant + (a - 1) * mpmath.log(t) + (b - 1) * mpmath.log1p(-t))

    return mpmath.quad(density, [x - k * deviation for k in (20, 12, 8, 5, 3, 1.5, 0)])


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_the_quantile_has_its_probability(a, b):
    for p in (1e-9, 0.025, 0.6):
        x = float(beta_quantile(a, b, p))
        with mpmath.workdps(40):
            found = below(a, b, x)
            nearby = below(a, b, np.nextafter(x, 0))
        # As close as neighboring floats can be, or seven digits.
        assert abs(found - p) <= max(1e-7 * p, 4 * (found - nearby)), p


def test_quantiles_of_both_ends():
    """X is at most x with probability x^a if b is 1, and above x with (1 - x)^b if a is 1."""
    for p in (0.0, 1e-200, 0.3, 0.75, 1.0):
        assert beta_quantile(2.0, 1.0, p) == pytest.approx(p**0.5, rel=1e-14)
        assert 1 - beta_quantile(1.0, 2.0, p) == pytest.approx((1 - p) ** 0.5, rel=1e-14)
        assert beta_quantile(2e7, 2e7, p) == pytest.approx({0.0: 0, 1.0: 1}.get(p, 0.5), abs=0.003)


def test_all_ways_agree_where_all_of_them_work():
    a, b, p = np.array([2e5, 1e6, 3e7]), np.array([3e6, 1e6, 1e9]), np.array([0.025, 1e-6, 0.9])
    known = betaincinv(a, b, p)
    np.testing.assert_allclose(_bisected(a, b, p), known, rtol=1e-9)
    np.testing.assert_allclose(_expanded(a, b, p), known, rtol=1e-9)
    small = np.array([0.2, 1e-30, 1e-150])
    ones = np.ones(3)
    np.testing.assert_allclose(_bisected(0.5 * ones, ones, small), small**2, rtol=1e-12)
