"""Several variables: product frames, extension, marginals, relations, conditional beliefs."""

from dstheory.product._combine import combine, equivalent, implies, observe
from dstheory.product._conditional import balloon, conditional, probability_table
from dstheory.product._frame import ProductFrame
from dstheory.product._marginal import extend, marginalize, on, project
from dstheory.product._relations import at_least, at_most, equal, exactly, relation
from dstheory.product._variable import Variable

__all__ = [
    "ProductFrame",
    "Variable",
    "at_least",
    "at_most",
    "balloon",
    "combine",
    "conditional",
    "equal",
    "equivalent",
    "exactly",
    "extend",
    "implies",
    "marginalize",
    "observe",
    "on",
    "probability_table",
    "project",
    "relation",
]


def __dir__() -> list[str]:
    return __all__
