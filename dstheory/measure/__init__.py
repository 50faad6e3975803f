"""Measures of uncertainty, conflict, distance and commitment."""

from dstheory.measure._blame import blame_discount, conflict_blame
from dstheory.measure._conflict import (
    auto_conflict,
    conflict,
    contour_conflict,
    disagreement,
    inconsistency,
    weight_of_conflict,
)
from dstheory.measure._distance import (
    bhattacharyya,
    hausdorff,
    jensen_shannon,
    jousselme,
    table_distance,
    tessem,
)
from dstheory.measure._entropy import (
    aggregated_uncertainty,
    deng_entropy,
    discord,
    dissonance,
    jirousek_shenoy_entropy,
    maeda_ichihashi_entropy,
    nonspecificity,
    pal_conflict,
    pal_entropy,
    pignistic_entropy,
    strife,
)
from dstheory.measure._fractal import fractal_entropy, information_volume
from dstheory.measure._orders import is_pl_included, is_q_included, is_specialization
from dstheory.measure._probability import information, pic

__all__ = [
    "aggregated_uncertainty",
    "auto_conflict",
    "bhattacharyya",
    "blame_discount",
    "conflict",
    "conflict_blame",
    "contour_conflict",
    "deng_entropy",
    "disagreement",
    "discord",
    "dissonance",
    "fractal_entropy",
    "hausdorff",
    "inconsistency",
    "information",
    "information_volume",
    "is_pl_included",
    "is_q_included",
    "is_specialization",
    "jensen_shannon",
    "jirousek_shenoy_entropy",
    "jousselme",
    "maeda_ichihashi_entropy",
    "nonspecificity",
    "pal_conflict",
    "pal_entropy",
    "pic",
    "pignistic_entropy",
    "strife",
    "table_distance",
    "tessem",
    "weight_of_conflict",
]
