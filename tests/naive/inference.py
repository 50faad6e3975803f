"""Predictive belief functions of a Bernoulli outcome, as defined, on exact numbers.

Only the standard library. The likelihood is integrated as the polynomial that it is.
"""

from fractions import Fraction
from math import comb


def area(k, n, low, high):
    """Integral of the relative likelihood of a proportion (Xu et al., eq. 29)."""
    p = Fraction(k, n)

    def antiderivative(u):
        return sum(
            comb(n - k, i) * (-1) ** i * u ** (k + i + 1) / Fraction(k + i + 1)
            for i in range(n - k + 1)
        )

    return (antiderivative(high) - antiderivative(low)) / (p**k * (1 - p) ** (n - k))


def likelihood(k, n):
    """m({1}), m({0}) by eqs. 22 and 23."""
    p = Fraction(k, n)
    return p - area(k, n, Fraction(0), p), 1 - p - area(k, n, p, Fraction(1))


def bayesian(k, n):
    return Fraction(k) / n, 1 - Fraction(k) / n


def laplace(k, n):
    return Fraction(k + 1) / (n + 2), Fraction(n - k + 1) / (n + 2)


def dempster(k, n):
    """Eq. 24."""
    return Fraction(k) / (n + 1), Fraction(n - k) / (n + 1)


def inverse_pignistic(k, n):
    """Consonant, with commonality of {0, 1} twice the smaller probability."""
    p = Fraction(k) / n
    both = 2 * min(p, 1 - p)
    return p - both / 2, 1 - p - both / 2


def at_least(k, n, p):
    """P(X >= k) for X binomial: half the error probability at Clopper-Pearson's lower limit."""
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))
