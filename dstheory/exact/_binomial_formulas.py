"""The predictive masses of a Bernoulli outcome, derived by symbolic integration.

Each function starts from the definition (a random interval, or a contour and eqs. 22-23) and
integrates for given small counts and symbolic arguments. None contains the closed form that it
checks.

Source: Ph. Xu, F. Davoine, H. Zha and T. Denoeux, Evidential calibration of binary SVM
classifiers, International Journal of Approximate Reasoning 72, 2016, equations 22-32.
"""

from typing import Any

import sympy

from dstheory.checks.arguments import check_count, shown
from dstheory.exact._symbols import as_expression

__all__ = [
    "at_least_probability",
    "confidence_formula",
    "dempster_formula",
    "incomplete_beta",
    "likelihood_formula",
]

# The time grows quadratically: at most 3 s for 200 terms.
MOST_TERMS = 200


def dempster_formula(k: int, n: int) -> tuple[Any, Any]:
    """m({1}) and m({0}) of Dempster's model, from order statistics (eq. 24).

    Trial i is a success if a uniform variable Z_i <= tau (eq. 18). With k successes, tau lies
    between the k-th smallest variable U and the next one V.

    Parameters
    ----------
    k, n : int
        Successes and trials, 0 <= k <= n.

    Returns
    -------
    m1, m0 : sympy expression
        E(U) and 1 - E(V).

    Raises
    ------
    ValueError
        If not 0 <= k <= n.

    Examples
    --------
    >>> dempster_formula(2, 3)
    (1/2, 1/4)
    """
    _require_counts(k, n)
    return _mean_order_statistic(k, n), 1 - _mean_order_statistic(k + 1, n)


def _mean_order_statistic(j: int, n: int) -> Any:
    """Mean of the j-th smallest of n uniform variables; the 0-th is 0 and the (n + 1)-th 1."""
    if j == 0 or j == n + 1:
        return sympy.Integer(int(j > 0))
    t = sympy.Symbol("t")
    ways = n * sympy.binomial(n - 1, j - 1)  # which one is the j-th, and which lie below it
    return _integral(t * ways * t ** (j - 1) * (1 - t) ** (n - j), t, 0, 1)


def confidence_formula(low: Any, high: Any, alpha: Any) -> tuple[Any, Any]:
    """m({1}) and m({0}) of the contour 1 on [low, high] and alpha elsewhere (eqs. 25-27).

    Parameters
    ----------
    low, high, alpha : sympy expression or number
        Limits, 0 <= low <= high <= 1, and the error probability.

    Returns
    -------
    m1, m0 : sympy expression
        By eqs. 22 and 23; any point of [low, high] is a mode.

    Examples
    --------
    >>> low, high, alpha = sympy.symbols("low high alpha")
    >>> [sympy.factor(m) for m in confidence_formula(low, high, alpha)]
    [-low*(alpha - 1), (alpha - 1)*(high - 1)]
    """
    t, mode = sympy.symbols("t mode")
    low, high = as_expression(low, "low"), as_expression(high, "high")
    one, part = sympy.Integer(1), as_expression(alpha, "alpha")
    below = sympy.integrate(part, (t, 0, low)) + sympy.integrate(one, (t, low, mode))
    above = sympy.integrate(one, (t, mode, high)) + sympy.integrate(part, (t, high, 1))
    return sympy.expand(mode - below), sympy.expand(1 - mode - above)


def likelihood_formula(k: int, n: int) -> tuple[Any, Any]:
    """m({1}) and m({0}) of the relative likelihood, by eqs. 22 and 23 (eqs. 29-30).

    Parameters
    ----------
    k, n : int
        Successes and trials, 0 <= k <= n and n > 0.

    Returns
    -------
    m1, m0 : sympy expression
        Rational numbers.

    Raises
    ------
    ValueError
        If not 0 <= k <= n with n > 0.

    Examples
    --------
    >>> likelihood_formula(1, 1), likelihood_formula(1, 2)
    ((1/2, 0), (1/6, 1/6))
    """
    _require_counts(k, n)
    if n == 0:
        raise ValueError("there are no trials; give n > 0")
    t, mode = sympy.Symbol("t"), sympy.Rational(k, n)
    likelihood = t**k * (1 - t) ** (n - k)
    largest = likelihood.subs(t, mode)
    below, above = _integral(likelihood, t, 0, mode), _integral(likelihood, t, mode, 1)
    return mode - below / largest, 1 - mode - above / largest


def incomplete_beta(z: Any, a: int, b: int) -> Any:
    """Lower incomplete beta function by its definition, as a polynomial in z (eq. 31a).

    Parameters
    ----------
    z : sympy expression or number
        Upper end of the integral.
    a, b : int
        Positive shape parameters.

    Returns
    -------
    sympy expression

    Raises
    ------
    ValueError
        If a shape parameter is not positive.

    Examples
    --------
    >>> incomplete_beta(sympy.Symbol("z"), 2, 2)
    -z**3/3 + z**2/2
    """
    _require_size("a", a, 1)
    _require_size("b", b, 1)
    t = sympy.Symbol("t")
    return _integral(t ** (a - 1) * (1 - t) ** (b - 1), t, 0, as_expression(z, "z"))


def at_least_probability(tau: Any, k: int, n: int) -> Any:
    """Probability of k or more successes: alpha / 2 at the lower Clopper-Pearson limit (eq. 28).

    Parameters
    ----------
    tau : sympy expression or number
        Probability of success.
    k, n : int
        Successes and trials, 0 <= k <= n.

    Returns
    -------
    sympy expression
        The binomial sum. It is the distribution function of a beta variable with parameters k and n
        - k + 1, so the limit is a beta quantile.

    Raises
    ------
    ValueError
        If not 0 <= k <= n.

    Examples
    --------
    >>> at_least_probability(sympy.Symbol("tau"), 1, 2)
    -tau**2 + 2*tau
    """
    _require_counts(k, n)
    tau = as_expression(tau, "tau")
    terms = (sympy.binomial(n, j) * tau**j * (1 - tau) ** (n - j) for j in range(k, n + 1))
    return sympy.expand(sum(terms, start=sympy.Integer(0)))


def _integral(polynomial: Any, t: Any, low: Any, high: Any) -> Any:
    return sympy.expand(sympy.integrate(sympy.expand(polynomial), (t, low, high)))


def _require_counts(k: int, n: int) -> None:
    _require_size("n", n)
    _require_size("k", k)
    if not 0 <= k <= n:
        raise ValueError(f"{k} successes in {n} trials; expected 0 <= k <= n")


def _require_size(name: str, value: int, least: int = 0) -> None:
    """Raise unless a number of terms is small enough to integrate them one by one."""
    check_count(name, value, least)
    if value > MOST_TERMS:
        raise ValueError(
            f"{name} is {shown(value)}: a polynomial of as many terms would be integrated, at most "
            f"{MOST_TERMS} are; use dstheory.inference.binomial for large counts"
        )
