"""Decisions: expected utilities, one act by a criterion, or the set of acts not ruled out."""

from dstheory.decide._acts import best_act, chosen_acts
from dstheory.decide._criteria import (
    hurwicz,
    maximax,
    maximin,
    maximize_expected_utility,
    maximum_belief,
    maximum_betp,
    maximum_mass,
    maximum_plausibility,
)
from dstheory.decide._expectations import (
    expected_utility,
    lower_expected_utility,
    upper_expected_utility,
)
from dstheory.decide._interval import interval_dominance
from dstheory.decide._utilities import utilities_from_costs, with_reject

__all__ = [
    "best_act",
    "chosen_acts",
    "expected_utility",
    "hurwicz",
    "interval_dominance",
    "lower_expected_utility",
    "maximax",
    "maximin",
    "maximize_expected_utility",
    "maximum_belief",
    "maximum_betp",
    "maximum_mass",
    "maximum_plausibility",
    "upper_expected_utility",
    "utilities_from_costs",
    "with_reject",
]
