"""Revision of a single belief: conditioning, reliability, Bayes' theorem, change of frame."""

from dstheory.revise._bayes import (
    disjunctive_rule_of_combination,
    generalized_bayes,
)
from dstheory.revise._condition import condition, decondition
from dstheory.revise._contextual import (
    contextual_discount,
    contextual_negate,
    contextual_reinforce,
    discount,
    negate,
)
from dstheory.revise._jeffrey import jeffrey
from dstheory.revise._learning import learn_contextual_rates
from dstheory.revise._reframing import coarsen, refine, rename

__all__ = [
    "coarsen",
    "condition",
    "contextual_discount",
    "contextual_negate",
    "contextual_reinforce",
    "decondition",
    "discount",
    "disjunctive_rule_of_combination",
    "generalized_bayes",
    "jeffrey",
    "learn_contextual_rates",
    "negate",
    "refine",
    "rename",
]


def __dir__() -> list[str]:
    return __all__
