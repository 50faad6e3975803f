"""Many classes from two, and back: reductions of multiclass problems to binary ones."""

from evical.multiclass._codes import check_code_matrix, code_matrix, row_distances
from evical.multiclass._base import BaseMulticlassCalibrator
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
    "check_code_matrix",
    "code_matrix",
    "column_evidence",
    "one_vs_rest_betp",
    "one_vs_rest_interval",
    "one_vs_rest_mass",
    "row_distances",
    "without_total_conflict",
]
