"""Beliefs with a guarantee: conformal p-values are plausibilities, for any classifier and size.

Source: Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World; Cella & Martin
(2022), Validity, consonant plausibility measures, and conformal prediction, Int. J. Approx.
Reasoning 141, 110-130.
"""

from evical.conformal._classifier import ConformalClassifier
from evical.conformal._contour import coverage_bound, prediction_sets, to_contour
from evical.conformal._martingale import ExchangeabilityTest, online_p_values
from evical.conformal._nonconformity import aps_scores, lac_scores, margin_scores, raps_scores
from evical.conformal._p_values import class_p_values, group_p_values, p_values
from evical.conformal._scores import ConformalScores

__all__ = [
    "ConformalClassifier",
    "ConformalScores",
    "ExchangeabilityTest",
    "aps_scores",
    "class_p_values",
    "coverage_bound",
    "group_p_values",
    "lac_scores",
    "margin_scores",
    "online_p_values",
    "p_values",
    "prediction_sets",
    "raps_scores",
    "to_contour",
]
