"""Significance tests of differences between methods.

One data set: `mcnemar`. One data set, repeated splits: `corrected_t`. Two methods on several data
sets: `wilcoxon`, and how much one gains: `relative_gain`. Several methods on several data sets:
`friedman`, then `holm` against one method or `nemenyi` among all (Demsar 2006).
"""

from evical.significance._pairs import corrected_t, mcnemar, relative_gain, wilcoxon
from evical.significance.ranks import Results, friedman, holm, holm_adjusted, nemenyi

__all__ = [
    "Results",
    "corrected_t",
    "friedman",
    "holm",
    "holm_adjusted",
    "mcnemar",
    "nemenyi",
    "relative_gain",
    "wilcoxon",
]


def __dir__() -> list[str]:
    return __all__
