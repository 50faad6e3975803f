"""T-norms and their duals on logarithms, against mpmath and fractions."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest

from dstheory.combine._norms import extend_norm, t_norm
from tests.naive import rules as naive_rules
from tests.support.each import each

# ln x of weights from 0 to the last float below 1, and beyond floats.
LOGS = [-800.0, -100.0, -3.0, -0.5, -1e-3, -1e-9, -1e-16, 0.0]
PAIRS = list(product(LOGS, LOGS))
TINY = [5e-324, 1e-20, 0.2, 0.99, 1 - 2**-53]
FRANK = [*TINY, 1 + 2**-52, 1.5, 1e6, 1e20, 1.7e308, 10**400]
SUGENO = [-1 + 2**-53, -0.5, 0, 5e-324, 1e-17, 0.5, 1e20, 1e308, 10**400]
DUBOIS = [0, 5e-324, 1e-17, 0.5, 0.75, 1 - 2**-53, 1]
CASES = (
    [("frank", s) for s in [*FRANK, Fraction(1, 10**400)]]
    + [("sugeno_weber", a) for a in SUGENO]
    + [("dubois_prade", g) for g in DUBOIS]
)


def number(value):
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


@cache
def log_of(s):
    """As precise as the test is; the same few parameters recur."""
    return mpmath.log(s)


def frank(x, y, s):
    size = log_of(s)
    r = mpmath.expm1(x * size) * mpmath.expm1(y * size) / mpmath.expm1(size)
    return mpmath.log1p(r) / size


DEFINITIONS = {
    "frank": frank,
    "sugeno_weber": lambda x, y, a: max((x + y - 1 + a * x * y) / (1 + a), mpmath.mpf(0)),
    "dubois_prade": lambda x, y, g: x * y / max(x, y, g),
}


@cache
def combined(family, parameter, x, y):
    """By definition: weights at most 1 by T, both above 1 by 1 / S(1/x, 1/y)."""
    norm = DEFINITIONS[family]
    x, y = mpmath.exp(x), mpmath.exp(y)
    if max(x, y) <= 1:
        return norm(x, y, parameter)
    return 1 / (1 - norm(1 - 1 / x, 1 - 1 / y, parameter))


@each(("family", "parameter", "sign"), [(*case, (-1) ** i) for i, case in enumerate(CASES)])
def test_norms_are_right_over_the_whole_range(family, parameter, sign):
    """In the logarithm, to 1e-12 of it or of what rounding ln x and ln y by 1e-15 changes."""
    x, y = (sign * np.array(side) for side in zip(*PAIRS, strict=True))
    found = extend_norm(t_norm(family, parameter))(x, y)
    with mpmath.workdps(900):  # s^x of 10^-400, 1 - e^-800
        for a, b, value in zip(x.tolist(), y.tolist(), found, strict=True):
            wanted = combined(family, number(parameter), *sorted([mpmath.mpf(a), mpmath.mpf(b)]))
            if not wanted > 0:
                assert value < -30 or math.exp(value) < 1e-14
                continue
            log = float(mpmath.log(wanted))
            near = math.isclose(value, log, rel_tol=1e-12, abs_tol=1e-14)
            assert near or abs(math.exp(value) - math.exp(log)) < 1e-15, (a, b, value, log)


@pytest.mark.parametrize("family", ["frank", "sugeno_weber", "dubois_prade"])
def test_three_weights_of_which_one_is_zero_after_two(family):
    norm = extend_norm(t_norm(family, {"frank": math.inf}.get(family, 0)))
    x = np.log(np.array([0.25, 0.25, 0.25]))
    twice = norm(x, x)
    third = norm(twice, np.array([0.0, -1.0, 1.0]))
    assert not np.isnan(third).any()
    assert (np.exp(third) <= np.exp(np.minimum(twice, [0.0, -1.0, 1.0]))).all()


@each(("family", "parameter"), [c for c in CASES if abs(c[1]) < 1e300])
def test_exact_weights_agree_with_logarithms(family, parameter):
    values = [Fraction(n, 7) for n in (1, 3, 7, 20)] + [Fraction(1, 10**9), Fraction(10**9)]
    x, y = (np.array(side, dtype=object) for side in zip(*product(values, values), strict=True))
    norm = extend_norm(t_norm(family, parameter))
    found = norm(x, y)
    assert all(isinstance(value, Fraction | int) for value in found)
    with np.errstate(divide="ignore"):
        logs = norm(np.log(x.astype(float)), np.log(y.astype(float)))
    np.testing.assert_allclose(found.astype(float), np.exp(logs), rtol=1e-9, atol=1e-14)
    if family != "frank":
        exact = {"sugeno_weber": naive_sugeno, "dubois_prade": naive_dubois}[family]
        definition = [
            naive_rules.extended(exact(Fraction(parameter)), *xy) for xy in zip(x, y, strict=True)
        ]
        assert found.tolist() == definition


def naive_sugeno(a):
    return lambda x, y: max((x + y - 1 + a * x * y) / (1 + a), Fraction(0))


def naive_dubois(g):
    return lambda x, y: x * y / max(x, y, g) if max(x, y, g) else Fraction(0)


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="family is 'franc'"):
        t_norm("franc", 0.5)
