"""Symbolic and exact work: formulas, sensitivity, bounds (needs sympy).

All rules accept mass functions with sympy expressions as masses; this package adds tools for them.
"""

from dstheory.exact._bounds import belief_bounds, discount_bounds
from dstheory.exact._imprecise import ImpreciseMass
from dstheory.exact._lambdify import as_function
from dstheory.exact._latex import derivatives, formula_table, simplified
from dstheory.exact._positivity import is_nonnegative
from dstheory.exact._sensitivity import mass_gradients, sensitivity
from dstheory.exact._symbols import share, symbolic

__all__ = [
    "ImpreciseMass",
    "as_function",
    "belief_bounds",
    "derivatives",
    "discount_bounds",
    "formula_table",
    "is_nonnegative",
    "mass_gradients",
    "sensitivity",
    "share",
    "simplified",
    "symbolic",
]


def __dir__() -> list[str]:
    return __all__
