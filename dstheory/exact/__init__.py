"""Symbolic work: formulas derived from their definitions (needs sympy).

Mass functions with sympy expressions as masses need nothing from here: all rules take them.
"""

from dstheory.exact._binomial_formulas import (
    at_least_probability,
    confidence_formula,
    dempster_formula,
    incomplete_beta,
    likelihood_formula,
)

__all__ = [
    "at_least_probability",
    "confidence_formula",
    "dempster_formula",
    "incomplete_beta",
    "likelihood_formula",
]
