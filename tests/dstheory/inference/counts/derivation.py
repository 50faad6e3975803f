"""The predictive masses of a Bernoulli outcome, derived by symbolic integration.

Each function starts from the definition (a random interval, or a contour and eqs. 22-23) and
integrates for given small counts and symbolic arguments. None contains the closed form that it
checks.

Source: Ph. Xu, F. Davoine, H. Zha and T. Denoeux, Evidential calibration of binary SVM
classifiers, International Journal of Approximate Reasoning 72, 2016, equations 22-32.
"""

from typing import Any

import sympy


def dempster_formula(k: int, n: int) -> tuple[Any, Any]:
    """m({1}) and m({0}) of Dempster's model, from order statistics (eq. 24).

    Trial i is a success if a uniform variable Z_i <= tau (eq. 18). With k successes, tau lies
    between the k-th smallest variable U and the next one V."""
    return _mean_order_statistic(k, n), 1 - _mean_order_statistic(k + 1, n)


def _mean_order_statistic(j: int, n: int) -> Any:
    """Mean of the j-th smallest of n uniform variables; the 0-th is 0 and the (n + 1)-th 1."""
    if j == 0 or j == n + 1:
        return sympy.Integer(int(j > 0))
    t = sympy.Symbol("t")
    ways = n * sympy.binomial(n - 1, j - 1)  # which one is the j-th, and which lie below it
    return _integral(t * ways * t ** (j - 1) * (1 - t) ** (n - j), t, 0, 1)


def confidence_formula(low: Any, high: Any, alpha: Any) -> tuple[Any, Any]:
    """m({1}) and m({0}) of the contour 1 on [low, high] and alpha elsewhere (eqs. 25-27)."""
    t, mode = sympy.symbols("t mode")
    low, high = sympy.sympify(low), sympy.sympify(high)
    one, part = sympy.Integer(1), sympy.sympify(alpha)
    below = sympy.integrate(part, (t, 0, low)) + sympy.integrate(one, (t, low, mode))
    above = sympy.integrate(one, (t, mode, high)) + sympy.integrate(part, (t, high, 1))
    return sympy.expand(mode - below), sympy.expand(1 - mode - above)


def likelihood_formula(k: int, n: int) -> tuple[Any, Any]:
    """m({1}) and m({0}) of the relative likelihood, by eqs. 22 and 23 (eqs. 29-30)."""
    t, mode = sympy.Symbol("t"), sympy.Rational(k, n)
    likelihood = t**k * (1 - t) ** (n - k)
    largest = likelihood.subs(t, mode)
    below, above = _integral(likelihood, t, 0, mode), _integral(likelihood, t, mode, 1)
    return mode - below / largest, 1 - mode - above / largest


def incomplete_beta(z: Any, a: int, b: int) -> Any:
    """Lower incomplete beta function by its definition, as a polynomial in z (eq. 31a)."""
    t = sympy.Symbol("t")
    return _integral(t ** (a - 1) * (1 - t) ** (b - 1), t, 0, sympy.sympify(z))


def at_least_probability(tau: Any, k: int, n: int) -> Any:
    """Probability of k or more successes: alpha / 2 at the lower Clopper-Pearson limit (eq. 28)."""
    tau = sympy.sympify(tau)
    terms = (sympy.binomial(n, j) * tau**j * (1 - tau) ** (n - j) for j in range(k, n + 1))
    return sympy.expand(sum(terms, start=sympy.Integer(0)))


def _integral(polynomial: Any, t: Any, low: Any, high: Any) -> Any:
    return sympy.expand(sympy.integrate(sympy.expand(polynomial), (t, low, high)))
