"""Fusions: from the beliefs of several sources to one, with parameters that can be learned."""

from evical.fusion._consensus import Consensus
from evical.fusion._discounted import Discounted
from evical.fusion._mixture import Mixture
from evical.fusion._named import as_rule
from evical.fusion._rule import Rule
from evical.fusion._stacked import Stacked
from evical.fusion._t_norm import TNorm
from evical.fusion._valid import valid_mean, valid_minimum
from evical.fusion.long_votes import sources_from_long

__all__ = [
    "Consensus",
    "Discounted",
    "Mixture",
    "Rule",
    "Stacked",
    "TNorm",
    "as_rule",
    "sources_from_long",
    "valid_mean",
    "valid_minimum",
]


def __dir__() -> list[str]:
    return __all__
