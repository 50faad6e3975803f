from decimal import Decimal
from fractions import Fraction

import numpy as np
import sympy

from dstheory.kernels import predicates
from tests.support.each import each

x = sympy.Symbol("x")


@each(
    ("value", "atol", "wanted"),
    [
        (0.0, 0, True),
        (-0.0, 0, True),
        (1e-300, 0, False),
        (-1e-9, 1e-9, True),
        (2e-9, 1e-9, False),
        (Fraction(0), 0, True),
        (Fraction(1, 10**12), 0, False),
        (Fraction(-1, 10**12), 1e-9, True),
        (Decimal("1e-12"), 1e-9, True),
        (x, 0, False),
        (x, 1, False),
        (x - x, 0, True),
        ((1 + x) ** 2 - 1 - 2 * x - x**2, 0, True),
        ((1 + x) ** 2 - 1 - 2 * x - x**2, 1e-9, True),
        (sympy.Rational(1, 10**12), 1e-9, True),
        (sympy.sqrt(2) - 1, 0.5, True),
    ],
    ids=repr,
)
def test_small(value, atol, wanted):
    assert predicates.small(value, atol).tolist() is wanted
    assert predicates.small(np.array([value, value]), atol).tolist() == [wanted, wanted]


def test_a_zero_mass_is_no_focal_set():
    focal, masses = np.array([1, 2, 3]), np.array([[1, 0.5, 0], [0, 0.5, 0], [0, 0, 1.0]])
    assert predicates.is_categorical(focal, masses).tolist() == [True, False, True]
    assert predicates.is_bayesian(focal, masses).tolist() == [True, True, False]
    assert predicates.is_consonant(focal, masses).tolist() == [True, False, True]
    assert predicates.is_vacuous(focal, masses, 3).tolist() == [False, False, True]
    assert predicates.is_simple(focal, masses, 3).tolist() == [True, False, True]
