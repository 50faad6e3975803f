"""Many classes from two, and back: reductions of multiclass problems to binary ones."""

from evical.multiclass._reduction import (
    MAX_CLASSES,
    column_evidence,
    one_vs_rest_betp,
    one_vs_rest_interval,
    one_vs_rest_mass,
    without_total_conflict,
)

__all__ = [
    "MAX_CLASSES",
    "column_evidence",
    "one_vs_rest_betp",
    "one_vs_rest_interval",
    "one_vs_rest_mass",
    "without_total_conflict",
]
