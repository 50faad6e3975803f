"""Other representations of a mass function: tables of all sets, weights, probabilities."""

from dstheory.transform._convert import convert_table
from dstheory.transform._entropy import maximum_entropy_probability
from dstheory.transform._probability import (
    betp,
    inverse_pignistic,
    optimal_possibility,
    plausibility_transform,
)
from dstheory.transform._sharing import belief_transform, dsmp
from dstheory.transform._weights import (
    conjunctive_weights,
    disjunctive_weights,
    from_weights,
)
from dstheory.transform.tables import table

__all__ = [
    "belief_transform",
    "betp",
    "conjunctive_weights",
    "convert_table",
    "disjunctive_weights",
    "dsmp",
    "from_weights",
    "inverse_pignistic",
    "maximum_entropy_probability",
    "optimal_possibility",
    "plausibility_transform",
    "table",
]


def __dir__() -> list[str]:
    return __all__
