"""Parametric triangular norms, and their extension to weights above one.

A t-norm combines weights in [0, 1]; minimum and product are the two ends of the families used here.
Exact weights are combined by the formula of the norm. Floats are combined as logarithms, because
weights far below 1e-308 occur, and by sums of terms of one sign, because a norm near 1 and its dual
near 0 must not cancel. Klement, Mesiar & Pap 2000, Triangular Norms; Denoeux 2008.

Frank's t-norm on logarithms, for any finite parameter and weights far below 1e-308.

T(x, y) = log_s(1 + (s^x - 1)(s^y - 1) / (s - 1)). The quotient is computed as a logarithm. Where it
approaches -1, near the minimum norm, its distance from -1 is a sum of positive terms. Frank 1979,
On the simultaneous associativity of F(x, y) and x + y - F(x, y), Aequationes Mathematicae 19,
194-226.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats, Numbers, Scalar
from dstheory.checks.arguments import check_choice
from dstheory.checks.masses import check_number

# Below e^-38, e^t - 1 and ln(1 + t) are t to the last bit.
_TINY = -38.0
_HALF = math.log(0.5)


def frank(log_s: float) -> Callable[[Floats, Floats], Floats]:
    """ln T from ln x and ln y, at most 0; `log_s` is ln s, not 0.

    Examples
    --------
    >>> logs = frank(math.log(4))
    >>> np.exp(logs(np.log([0.5]), np.log([0.5])))  # log_4(1 + 1/3)
    array([0.20751875])
    """
    return _towards_lukasiewicz(log_s) if log_s > 0 else _towards_minimum(-log_s)


def _towards_lukasiewicz(size: float) -> Callable[[Floats, Floats], Floats]:
    log_size = math.log(size)

    def logs(x: Floats, y: Floats) -> Floats:
        """Of ln(1 + r) / size."""
        whole = _log_expm1(np.zeros(1), size)[0]
        r = _log_expm1(x, size) + _log_expm1(y, size) - whole
        return np.asarray(_log_log1p(r) - log_size)

    return logs


def _towards_minimum(size: float) -> Callable[[Floats, Floats], Floats]:
    log_size = math.log(size)

    def logs(x: Floats, y: Floats) -> Floats:
        """Of -ln(1 - r) / size; 1 - r is s^x (1 - s^y) + s^y (1 - s^(1 - y)) over 1 - s."""
        whole = _log_decayed_rest(np.zeros(1), log_size)[0]
        of_x, of_y = _log_decayed_rest(x, log_size), _log_decayed_rest(y, log_size)
        r = of_x + of_y - whole
        first = of_y - size * np.exp(x)
        second = np.log(-np.expm1(size * np.expm1(y))) - size * np.exp(y)
        distance = np.minimum(np.logaddexp(first, second) - whole, 0)
        small = np.log(-np.log1p(-np.exp(np.minimum(r, _HALF))))
        values = np.where(r < _TINY, r, small)
        return np.asarray(np.where(r < _HALF, values, np.log(-distance)) - log_size)

    return logs


def _log_expm1(x: Floats, size: float) -> Floats:
    """ln(e^t - 1) with t = size e^x."""
    log = x + math.log(size)
    t = size * np.exp(x)
    middle = np.log(np.expm1(np.minimum(t, 1.0)))
    return np.where(log < _TINY, log, np.where(t < 1, middle, t + np.log1p(-np.exp(-t))))


def _log_decayed_rest(x: Floats, log_size: float) -> Floats:
    """ln(1 - e^-t) with t = size e^x."""
    log = x + log_size
    return np.where(log < _TINY, log, np.log(-np.expm1(-np.exp(log))))


def _log_log1p(r: Floats) -> Floats:
    """ln(ln(1 + e^r))."""
    small = np.log(np.log1p(np.exp(np.clip(r, _TINY, 0))))
    large = np.log(np.maximum(r, 0) + np.log1p(np.exp(-np.maximum(r, 0))))
    return np.where(r < _TINY, r, np.where(r < 0, small, large))


Family = Literal["frank", "sugeno_weber", "dubois_prade"]

# ln w of a weight of zero: far below all others, but finite, so that differences exist.
_LEAST = -1e300


@dataclass(frozen=True)
class Norm:
    """A t-norm T, and its dual S(u, v) = 1 - T(1 - u, 1 - v).

    `exact` is T on numbers. `logs` gives ln T from ln x and ln y, and `dual_logs` ln S from
    ln u and ln v, all of them at most 0.
    """

    exact: Callable[[Any, Any], Any]
    logs: Callable[[Floats, Floats], Floats]
    dual_logs: Callable[[Floats, Floats], Floats]

    def __call__(self, x: Any, y: Any) -> Any:
        return self.exact(x, y)

    def dual(self, u: Any, v: Any) -> Any:
        """The dual S on exact numbers."""
        return 1 - self.exact(1 - u, 1 - v)


class _Frank(Norm):
    """A norm with rounded values; its dual must not be computed as 1 minus a number near 1."""

    def dual(self, u: Any, v: Any) -> Any:
        """Frank's equation T(u, v) + S(u, v) = u + v."""
        return u + v - self.exact(u, v)


def t_norm(family: str, parameter: float) -> Norm:
    """The t-norm of a family with this parameter.

    Examples
    --------
    >>> t_norm("dubois_prade", 0.5)(np.array([0.25, 0.75]), np.array([0.5, 0.5]))
    array([0.25, 0.5 ])
    """
    check_choice("family", family, _FAMILIES)
    make, allowed, bounds = _FAMILIES[family]
    check_number(parameter, "parameter")
    if not allowed(parameter):
        raise ValueError(f"the parameter of {family} is {bounds}, not {parameter!r}")
    return make(parameter)


def extend_norm(norm: Norm) -> Callable[[Any, Any], Any]:
    """Extend a norm to weights above 1, the operator of Denoeux 2008, on ln w.

    Two weights above 1 are combined as 1 / S(1/x, 1/y), where S is the dual t-conorm. Of one weight
    above and one below 1, the smaller remains. The result never exceeds the smaller weight, which
    keeps masses non-negative. Exact weights are used directly, without logarithms.

    Examples
    --------
    >>> product = extend_norm(t_norm("dubois_prade", 1.0))
    >>> np.exp(product(np.log([0.5, 0.5, 2.0]), np.log([0.5, 2.0, 2.0])))
    array([0.25      , 0.5       , 1.33333333])
    """

    def combined(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        if object in (x.dtype, y.dtype):
            one = Fraction(1)
            return _extended(x, y, one, norm.exact, lambda a, b: one / norm.dual(one / a, one / b))
        x, y = np.maximum(x, _LEAST), np.maximum(y, _LEAST)
        with np.errstate(divide="ignore"):  # ln 0 = -inf is right for a weight of 0
            return _extended(x, y, 0.0, norm.logs, lambda a, b: -norm.dual_logs(-a, -b))

    return combined


def _extended(
    x: NDArray[Any], y: NDArray[Any], one: object, low: Callable[..., Any], high: Callable[..., Any]
) -> NDArray[Any]:
    """`low` where both are at most 1, `high` where both are above 1, else the smaller weight."""
    x, y = np.broadcast_arrays(x, y)
    smaller = np.minimum(x, y)
    result = smaller.copy()
    above = np.asarray(smaller > one, dtype=bool)
    below = np.asarray(np.maximum(x, y) <= one, dtype=bool)
    result[below] = low(x[below], y[below])
    result[above] = high(x[above], y[above])
    return np.asarray(np.minimum(result, smaller))  # rounding can exceed it by 1e-16


def _sum_with_rest(larger: Floats, smaller: Floats, share: Floats | float) -> Floats:
    """ln(u + v (1 - share)) from ln u, ln v and the share, at most 1."""
    return np.asarray(np.logaddexp(larger, smaller + np.log1p(-share)))


_MINIMUM = Norm(np.minimum, np.minimum, np.maximum)
_PRODUCT = Norm(
    lambda x, y: x * y,
    lambda x, y: x + y,
    lambda u, v: _sum_with_rest(u, v, np.exp(u)),
)


def _dubois_prade(gamma: float) -> Norm:
    if gamma == 0:
        return _MINIMUM  # 0 / 0 at x = y = 0
    if gamma == 1:
        return _PRODUCT
    log, rest = _log(gamma), float(1 - gamma)

    def logs(x: Floats, y: Floats) -> Floats:
        return np.asarray(np.minimum(x, y) + np.minimum(np.maximum(x, y) - log, 0))

    def dual_logs(u: Floats, v: Floats) -> Floats:
        """The larger, M, or where m is above 1 - gamma: (M (1 - m) + m - (1 - gamma)) / gamma."""
        top, low = np.exp(np.maximum(u, v)), np.exp(np.minimum(u, v))
        both = np.maximum(top * (1 - low) + (low - rest), top * float(gamma))
        return np.where(low > rest, np.log(both) - log, np.maximum(u, v))

    def exact(x: Any, y: Any) -> Any:
        return x * y / np.maximum(np.maximum(x, y), _like(gamma, x))

    return Norm(exact, logs, dual_logs)


def _sugeno_weber(parameter: float) -> Norm:
    if parameter == math.inf:
        return _PRODUCT
    # x y - (1 - x) (1 - y) / (1 + a), and its dual u + v - u v a / (1 + a)
    log = _log(1 + parameter)
    share = -math.expm1(-log) if log > -700 else -math.inf  # a / (1 + a)

    def exact(x: Any, y: Any) -> Any:
        a = _like(parameter, x)
        return np.maximum((x + y - 1 + a * x * y) / (1 + a), 0)

    def logs(x: Floats, y: Floats) -> Floats:
        lost = _log_rest(x) + _log_rest(y) - x - y - log
        return np.asarray(x + y + np.log1p(-np.exp(np.minimum(lost, 0))))

    def dual_logs(u: Floats, v: Floats) -> Floats:
        return np.minimum(_sum_with_rest(u, v, share * np.exp(u)), 0)

    return Norm(exact, logs, dual_logs)


def _frank(parameter: float) -> Norm:
    ends: dict[float, Norm] = {0: _MINIMUM, 1: _PRODUCT}
    if parameter in ends:
        return ends[parameter]
    if parameter == math.inf:
        return _sugeno_weber(0)
    logs = frank(_log(parameter))

    def exact(x: Any, y: Any) -> Any:
        """The value is irrational: it is rounded, and converted to a fraction for exact weights."""
        with np.errstate(divide="ignore"):
            values = np.exp(logs(_logs(x), _logs(y)))
        is_exact = object in (np.asarray(x).dtype, np.asarray(y).dtype)
        return np.minimum(
            np.minimum(x, y), np.asarray(_to_fraction(values)) if is_exact else values
        )

    def dual_logs(u: Floats, v: Floats) -> Floats:
        """Frank's equation, S(u, v) = u + v - T(u, v) = M + m (1 - T / m)."""
        top, low = np.maximum(u, v), np.minimum(u, v)
        value = np.minimum(logs(u, v), low)
        return np.minimum(_sum_with_rest(top, low, np.exp(value - low)), 0)

    return _Frank(exact, logs, dual_logs)


def _log(value: Scalar) -> float:
    """ln of a positive number, even of a fraction beyond the range of floats."""
    if isinstance(value, Rational):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def _logs(values: Numbers) -> Floats:
    array = np.asarray(values)
    if array.dtype != object:
        return np.asarray(np.log(array.astype(np.float64)))
    flat = [_log(value) if value else -math.inf for value in array.ravel()]
    return np.array(flat, dtype=np.float64).reshape(array.shape)


def _log_rest(x: Floats) -> Floats:
    """ln(1 - e^x)."""
    return np.asarray(np.log(-np.expm1(x)))


def _like(value: float, weights: Numbers) -> Any:
    """The parameter as a fraction if the weights are exact."""
    exact = np.asarray(weights).dtype == object and math.isfinite(value)
    return Fraction(value) if exact else value


_to_fraction = np.frompyfunc(Fraction, 1, 1)

# Sugeno-Weber's lower end, the drastic product, is excluded: it is discontinuous, so the rounding
# of a weight of 1 would decide everything.
_FAMILIES: dict[str, tuple[Callable[[float], Norm], Callable[[float], bool], str]] = {
    "frank": (_frank, lambda s: s >= 0, "at least 0"),
    "sugeno_weber": (_sugeno_weber, lambda a: a > -1, "above -1"),
    "dubois_prade": (_dubois_prade, lambda gamma: 0 <= gamma <= 1, "from 0 to 1"),
}
