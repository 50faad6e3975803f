"""Triangular norms with a parameter, and their extension to weights above one.

A t-norm combines weights in [0, 1]; minimum and product are the two ends of the families
used here. Elementwise on floats; on fractions where the norm is rational, else rounded.
Klement, Mesiar & Pap 2000, Triangular Norms; Denoeux 2008.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._checks import check_number

__all__ = ["Family", "Norm", "extended", "t_norm"]

Family = Literal["frank", "sugeno_weber", "dubois_prade"]
Norm = Callable[[Any, Any], Any]


def t_norm(family: str, parameter: float) -> Norm:
    """The t-norm of a family with this parameter.

    Examples
    --------
    >>> t_norm("dubois_prade", 0.5)(np.array([0.25, 0.75]), np.array([0.5, 0.5]))
    array([0.25, 0.5 ])
    """
    if family not in _FAMILIES:
        raise ValueError(f"family is one of {', '.join(_FAMILIES)}, not {family!r}")
    make, allowed, bounds = _FAMILIES[family]
    check_number(parameter, "parameter")
    if not allowed(parameter):
        raise ValueError(f"the parameter of {family} is {bounds}, not {parameter!r}")
    return make(parameter)


def extended(norm: Norm) -> Norm:
    """The norm on weights above 1 too: the operator of Denoeux 2008, on ln w.

    Two weights above 1 are combined as 1 / S(1/x, 1/y) with S the dual t-conorm; of one
    above and one below the smaller remains. The result never exceeds the smaller one,
    which is what keeps masses non-negative. Exact weights are taken as they are.

    Examples
    --------
    >>> product = extended(t_norm("dubois_prade", 1.0))
    >>> np.exp(product(np.log([0.5, 0.5, 2.0]), np.log([0.5, 2.0, 2.0])))
    array([0.25      , 0.5       , 1.33333333])
    """

    def combined(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        if object in (x.dtype, y.dtype):
            return _extended(norm, x, y, one=Fraction(1))
        # Beyond this range e^x or e^-x is no float; weights there are as good as 0 or inf.
        weights = (np.exp(np.clip(log, -700, 700)) for log in (x, y))
        values = _extended(norm, *weights, one=1.0)
        with np.errstate(divide="ignore"):  # ln 0 = -inf
            return np.asarray(np.minimum(np.log(values), np.minimum(x, y)))

    return combined


def _extended(norm: Norm, x: NDArray[Any], y: NDArray[Any], *, one: Any) -> NDArray[Any]:
    x, y = np.broadcast_arrays(x, y)
    smaller = np.minimum(x, y)
    result = smaller.copy()
    above = np.asarray(smaller > one, dtype=bool)
    below = np.asarray(np.maximum(x, y) <= one, dtype=bool)
    result[below] = norm(x[below], y[below])
    result[above] = one / (one - norm(one - one / x[above], one - one / y[above]))
    return np.asarray(np.minimum(result, smaller))  # rounding may exceed it by 1e-16


def _product(x: Any, y: Any) -> Any:
    return x * y


def _lukasiewicz(x: Any, y: Any) -> Any:
    return np.maximum(x + y - 1, 0)


def _dubois_prade(gamma: float) -> Norm:
    if gamma == 0:
        return np.minimum  # 0 / 0 at x = y = 0
    return lambda x, y: x * y / np.maximum(np.maximum(x, y), _like(gamma, x))


def _sugeno_weber(parameter: float) -> Norm:
    if parameter == math.inf:
        return _product

    def norm(x: Any, y: Any) -> Any:
        a = _like(parameter, x)
        return np.maximum((x + y - 1 + a * x * y) / (1 + a), 0)

    return norm


def _frank(parameter: float) -> Norm:
    simple: dict[float, Norm] = {0: np.minimum, 1: _product, math.inf: _lukasiewicz}
    if parameter in simple:
        return simple[parameter]
    log_s = math.log(parameter)

    def norm(x: Any, y: Any) -> Any:
        x, y = np.asarray(x), np.asarray(y)
        value = _frank_values(x.astype(np.float64), y.astype(np.float64), log_s)
        return _to_fraction(value) if object in (x.dtype, y.dtype) else value

    return norm


def _frank_values(x: NDArray[Any], y: NDArray[Any], log_s: float) -> NDArray[Any]:
    """log_s(1 + (s^x - 1)(s^y - 1) / (s - 1))."""
    with np.errstate(divide="ignore"):  # log(0) = -inf is right at x or y = 0 or 1
        if log_s > -1:
            inner = np.expm1(x * log_s) / np.expm1(log_s) * np.expm1(y * log_s)
            return np.asarray(np.log1p(inner) / log_s)
        # Towards the minimum, s^x (1 - s^y) + s^y (1 - s^(1 - y)) over 1 - s: all terms are
        # positive, so the logarithm is that of a sum, which does not underflow.
        first = x * log_s + np.log(-np.expm1(y * log_s))
        second = y * log_s + np.log(-np.expm1((1 - y) * log_s))
        total = np.logaddexp(first, second) - np.log(-np.expm1(log_s))
        return np.asarray(total / log_s)


def _like(value: float, weights: Any) -> Any:
    """The parameter as a fraction where the weights are exact."""
    exact = np.asarray(weights).dtype == object and math.isfinite(value)
    return Fraction(value) if exact else value


_to_fraction = np.frompyfunc(Fraction, 1, 1)

# Sugeno-Weber's lower end, the drastic product, is left out: it is not continuous, so that
# the rounding of a weight 1 would decide about everything.
_FAMILIES: dict[str, tuple[Callable[[float], Norm], Callable[[float], bool], str]] = {
    "frank": (_frank, lambda s: s >= 0, "at least 0"),
    "sugeno_weber": (_sugeno_weber, lambda a: a > -1, "above -1"),
    "dubois_prade": (_dubois_prade, lambda gamma: 0 <= gamma <= 1, "from 0 to 1"),
}
