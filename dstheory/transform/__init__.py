"""Other representations of a mass function: tables of all sets, weights, probabilities."""

from dstheory.transform._convert import convert_table
from dstheory.transform._entropy import maximum_entropy_probability
from dstheory.transform._probability import (
    betp,
    inverse_pignistic,
    least_committed_isopignistic,
    plausibility_transform,
)
from dstheory.transform._sharing import belief_transform, dsmp
from dstheory.transform._tables import b_table, bel_table, mass_table, pl_table, q_table
from dstheory.transform._weights import (
    conjunctive_weights,
    disjunctive_weights,
    from_conjunctive_weights,
    from_disjunctive_weights,
)

__all__ = [
    "b_table",
    "bel_table",
    "belief_transform",
    "betp",
    "conjunctive_weights",
    "convert_table",
    "disjunctive_weights",
    "dsmp",
    "from_conjunctive_weights",
    "from_disjunctive_weights",
    "inverse_pignistic",
    "least_committed_isopignistic",
    "mass_table",
    "maximum_entropy_probability",
    "pl_table",
    "plausibility_transform",
    "q_table",
]
