"""Symbolic and exact work: formulas, sensitivity, bounds (needs sympy).

All rules accept mass functions with sympy expressions as masses; this package adds tools for them.
"""

from dstheory.exact._binomial_formulas import (
    at_least_probability,
    confidence_formula,
    dempster_formula,
    incomplete_beta,
    likelihood_formula,
)
from dstheory.exact._bounds import belief_bounds, discount_bounds
from dstheory.exact._imprecise import ImpreciseMass
from dstheory.exact._lambdify import as_function
from dstheory.exact._latex import derivatives, formula_table, simplified
from dstheory.exact._positivity import is_nonnegative
from dstheory.exact._sensitivity import Sensitivity, mass_gradients, sensitivity
from dstheory.exact._symbols import share, symbolic, symbols_of

__all__ = [
    "ImpreciseMass",
    "Sensitivity",
    "as_function",
    "at_least_probability",
    "belief_bounds",
    "confidence_formula",
    "dempster_formula",
    "derivatives",
    "discount_bounds",
    "formula_table",
    "incomplete_beta",
    "is_nonnegative",
    "likelihood_formula",
    "mass_gradients",
    "sensitivity",
    "share",
    "simplified",
    "symbolic",
    "symbols_of",
]
