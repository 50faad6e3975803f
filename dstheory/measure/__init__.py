"""Measures of uncertainty, conflict, distance and commitment."""

from dstheory.measure._blame import blame_discount, conflict_blame
from dstheory.measure._conflict import (
    auto_conflict,
    conflict,
    disagreement,
    inconsistency,
)
from dstheory.measure._distance import distance
from dstheory.measure._entropy import (
    entropy,
    information,
    information_volume,
    internal_conflict,
    nonspecificity,
    pic,
)
from dstheory.measure._orders import is_included

__all__ = [
    "auto_conflict",
    "blame_discount",
    "conflict",
    "conflict_blame",
    "disagreement",
    "distance",
    "entropy",
    "inconsistency",
    "information",
    "information_volume",
    "internal_conflict",
    "is_included",
    "nonspecificity",
    "pic",
]


def __dir__() -> list[str]:
    return __all__
