"""Decisions: expected utilities, the best act by a criterion, or the set of acts not ruled out."""

from dstheory.decide._acts import best_act, chosen_acts
from dstheory.decide._credal import e_admissibility
from dstheory.decide._credal_set import CredalSet
from dstheory.decide._criteria import (
    hurwicz,
    maximax,
    maximin,
    maximize_expected_utility,
    maximum_betp,
    minimax_regret,
)
from dstheory.decide._dominance import (
    interval_dominance,
    maximality,
    strong_dominance,
    weak_dominance,
)
from dstheory.decide._expectations import (
    Expectations,
    expected_utility,
    lower_expected_utility,
    sugeno_expectation,
    upper_expected_utility,
)
from dstheory.decide._nearest import appriou, nearest_set
from dstheory.decide._set_acts import owa, set_names, set_utilities
from dstheory.decide._utilities import utilities_from_costs, utilities_from_threshold, with_reject

__all__ = [
    "CredalSet",
    "Expectations",
    "appriou",
    "best_act",
    "chosen_acts",
    "e_admissibility",
    "expected_utility",
    "hurwicz",
    "interval_dominance",
    "lower_expected_utility",
    "maximality",
    "maximax",
    "maximin",
    "maximize_expected_utility",
    "maximum_betp",
    "minimax_regret",
    "nearest_set",
    "owa",
    "set_names",
    "set_utilities",
    "strong_dominance",
    "sugeno_expectation",
    "upper_expected_utility",
    "utilities_from_costs",
    "utilities_from_threshold",
    "weak_dominance",
    "with_reject",
]


def __dir__() -> list[str]:
    return __all__
