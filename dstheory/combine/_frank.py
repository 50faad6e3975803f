"""Frank's t-norm on logarithms, for any finite parameter and weights far below 1e-308.

T(x, y) = log_s(1 + (s^x - 1)(s^y - 1) / (s - 1)). The quotient is computed as a logarithm. Where it
approaches -1, near the minimum norm, its distance from -1 is a sum of positive terms. Frank 1979,
On the simultaneous associativity of F(x, y) and x + y - F(x, y), Aequationes Mathematicae 19,
194-226.
"""

import math
from collections.abc import Callable

import numpy as np

from dstheory._typing import Floats

__all__ = ["frank"]


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
        whole = _log_rest(np.zeros(1), log_size)[0]
        of_x, of_y = _log_rest(x, log_size), _log_rest(y, log_size)
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


def _log_rest(x: Floats, log_size: float) -> Floats:
    """ln(1 - e^-t) with t = size e^x."""
    log = x + log_size
    return np.where(log < _TINY, log, np.log(-np.expm1(-np.exp(log))))


def _log_log1p(r: Floats) -> Floats:
    """ln(ln(1 + e^r))."""
    small = np.log(np.log1p(np.exp(np.clip(r, _TINY, 0))))
    large = np.log(np.maximum(r, 0) + np.log1p(np.exp(-np.maximum(r, 0))))
    return np.where(r < _TINY, r, np.where(r < 0, small, large))
