"""Printed formulas (24)-(32) of Xu et al. 2016 against their derivation, for small counts."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
import sympy

from dstheory.inference import binomial_masses
from tests.dstheory.inference.counts.derivation import (
    at_least_probability,
    confidence_formula,
    dempster_formula,
    incomplete_beta,
    likelihood_formula,
)
from tests.naive import inference as naive_inference
from tests.support.each import each

COUNTS = [(k, n) for n in range(1, 7) for k in range(n + 1)]


def printed_sum(z, a, b):
    """Equation 32."""
    return sum(
        sympy.Rational(factorial(a - 1) * factorial(b - 1), factorial(j) * factorial(a + b - 1 - j))
        * z**j
        * (1 - z) ** (a + b - 1 - j)
        for j in range(a, a + b)
    )


@each(("k", "n"), [(0, 0), *COUNTS])
def test_equation_24(k, n):
    expected = sympy.Rational(k, n + 1), sympy.Rational(n - k, n + 1)
    assert dempster_formula(k, n) == expected


def test_equations_26_and_27():
    low, high, alpha = sympy.symbols("low high alpha")
    m1, m0 = confidence_formula(low, high, alpha)
    assert sympy.simplify(m1 - (1 - alpha) * low) == 0
    assert sympy.simplify(m0 - (1 - alpha) * (1 - high)) == 0


@each(("k", "n"), COUNTS)
def test_equation_28(k, n):
    """Both limits are quantiles of beta variables: two identities of polynomials."""
    tau = sympy.Symbol("tau")
    if k > 0:
        total = incomplete_beta(1, k, n - k + 1)
        beta = incomplete_beta(tau, k, n - k + 1) / total
        assert sympy.expand(beta - at_least_probability(tau, k, n)) == 0
    if k < n:
        at_most = 1 - at_least_probability(tau, k + 1, n)
        beta = incomplete_beta(tau, k + 1, n - k) / incomplete_beta(1, k + 1, n - k)
        assert sympy.expand(1 - beta - at_most) == 0


@each(("k", "n"), COUNTS)
def test_equation_30(k, n):
    """All three cases of both masses, with eq. 31b for the upper incomplete function."""
    mode = sympy.Rational(k, n)
    largest = mode**k * (1 - mode) ** (n - k)
    lower = incomplete_beta(mode, k + 1, n - k + 1)
    upper = incomplete_beta(1 - mode, n - k + 1, k + 1)
    alone = sympy.Rational(n, n + 1)
    m1 = 0 if k == 0 else alone if k == n else mode - lower / largest
    m0 = 0 if k == n else alone if k == 0 else 1 - mode - upper / largest
    assert likelihood_formula(k, n) == (m1, m0)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 4), (2, 3), (5, 2), (4, 4)])
def test_equations_31_and_32(a, b):
    z, t = sympy.symbols("z t")
    assert sympy.expand(incomplete_beta(z, a, b) - printed_sum(z, a, b)) == 0
    upper = sympy.integrate(sympy.expand(t ** (a - 1) * (1 - t) ** (b - 1)), (t, z, 1))
    assert sympy.expand(upper - incomplete_beta(1 - z, b, a)) == 0


@each(("k", "n"), COUNTS)
def test_the_library_computes_what_is_derived(k, n):
    for model, derived in (
        ("likelihood", likelihood_formula(k, n)),
        ("dempster", dempster_formula(k, n)),
    ):
        exact = [Fraction(int(m.p), int(m.q)) for m in derived]
        np.testing.assert_allclose(binomial_masses(k, n, model), [float(m) for m in exact], 1e-14)
        assert exact == [Fraction(m) for m in getattr(naive_inference, model)(k, n)]
