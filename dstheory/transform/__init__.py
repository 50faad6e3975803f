"""What a mass function says in other terms: tables of all sets, and probabilities."""

from dstheory.transform._inverse_pignistic import inverse_pignistic
from dstheory.transform._probability import betp, plausibility_transform
from dstheory.transform._tables import b_table, bel_table, mass_table, pl_table, q_table

__all__ = [
    "b_table",
    "bel_table",
    "betp",
    "inverse_pignistic",
    "mass_table",
    "pl_table",
    "plausibility_transform",
    "q_table",
]
