"""Significance tests of differences between methods.

One data set: `mcnemar`. One data set, repeated splits: `corrected_t`. Two methods on several data
sets: `wilcoxon`, and how much one gains: `relative_gain`. Several methods on several data sets:
`friedman`, then `holm` against one method or `nemenyi` among all (Demsar 2006).
"""

from evical.significance._friedman import FriedmanResult, friedman
from evical.significance._gain import GainResult, relative_gain
from evical.significance._pairs import TestResult, corrected_t, mcnemar, wilcoxon
from evical.significance._posthoc import HolmResult, NemenyiResult, holm, holm_adjusted, nemenyi
from evical.significance._results import Results

__all__ = [
    "FriedmanResult",
    "GainResult",
    "HolmResult",
    "NemenyiResult",
    "Results",
    "TestResult",
    "corrected_t",
    "friedman",
    "holm",
    "holm_adjusted",
    "mcnemar",
    "nemenyi",
    "relative_gain",
    "wilcoxon",
]
