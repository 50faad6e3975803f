"""Combination rules: one belief from several sources, `rule(m1, m2, *more)`."""

from dstheory.combine._axis import combine_axis
from dstheory.combine._boolean import conjunctive, disjunctive, exclusive_or
from dstheory.combine._dempster import dempster

__all__ = [
    "combine_axis",
    "conjunctive",
    "dempster",
    "disjunctive",
    "exclusive_or",
]
