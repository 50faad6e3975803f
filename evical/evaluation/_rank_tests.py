"""Did p-values keep P(p <= alpha) <= alpha on new samples, given that they share calibration?

All p-values of new samples come from the same n calibration scores, so they are not independent:
if these happen to be small, all new samples miss more often. What exchangeable samples give is
known all the same, because ranks among n + m scores are uniform: tests of two samples are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom, ks_1samp, ks_2samp, uniform

from dstheory.notebook import ShownFields
from evical._typing import Floats

# Of a rank, in ranks: far more than rounding, far less than the step from one to the next.
_ROUNDING = 1e-6
# Samples up to which the distribution of the distance is counted; beyond, it is approximated.
_MOST_COUNTED = 1000


@dataclass(frozen=True)
class LevelCoverage(ShownFields):
    """What the sets at one level did, beside their promise.

    Parameters
    ----------
    alpha : float
        The promised share of sets that miss the class, at most.
    n_missed : int
        Sets that missed it.
    missed, low, high : float
        Their share, with exact confidence limits for this classifier and calibration sample.
    mean_size : float
        Classes in a set.
    pvalue : float
        Probability of as many p-values at or below alpha, or more, if the promise holds.
    adjusted : float
        The same by Holm's procedure for all levels and the test of small p-values.
    """

    alpha: float
    n_missed: int
    missed: float
    low: float
    high: float
    mean_size: float
    pvalue: float
    adjusted: float


def promise_tests(
    p: Floats,
    groups: NDArray[np.intp],
    n_calibration: Sequence[int | None],
    alphas: Sequence[float],
) -> Floats:
    """P-values of the promise at each level, then of `small_pvalue`.

    Parameters
    ----------
    p : (m,) array
        P-values of the true classes.
    groups : (m,) array of int
    n_calibration : sequence of int or None
        Of each group.
    alphas : sequence of L floats

    Returns
    -------
    (L + 1,) array
        The smallest of all groups times their number (Bonferroni): a promise for each group is
        broken if it is broken for one.

    Examples
    --------
    >>> promise_tests(np.array([0.5, 1.0]), np.array([0, 0]), [1], [0.5]).round(3)
    array([0.667, 0.667])
    """
    parts = [(p[groups == g], n) for g, n in enumerate(n_calibration) if (groups == g).any()]
    found = [
        *(min(misses_pvalue(part, n, alpha) for part, n in parts) for alpha in alphas),
        min(small_pvalue(part, n) for part, n in parts),
    ]
    return np.asarray(np.minimum(np.array(found) * len(parts), 1))


def misses_pvalue(p: Floats, n: int | None, alpha: float) -> float:
    """Whether more p-values are at most alpha than exchangeable samples give.

    Parameters
    ----------
    p : (m,) array
        P-values of the true classes.
    n : int or None
        Number of calibration samples; None takes p-values for independent, as of very many.
    alpha : float

    Returns
    -------
    float
        Probability of as many or more: k of m new scores beyond the l-th of n old ones mean that
        the first k + l - 1 of all have l - 1 old ones or fewer, which is hypergeometric.

    Examples
    --------
    One calibration score, one new: it is the stranger one half of the time.

    >>> misses_pvalue(np.array([0.5]), 1, 0.5)
    0.5
    """
    m = len(p)
    if n is None:
        return float(binom.sf(np.count_nonzero(p <= alpha) - 1, m, alpha))
    least = int(np.floor(alpha * (n + 1) + _ROUNDING))
    # Below the first rank are smoothed p-values only, at most as many as have this rank.
    k = int(np.count_nonzero(_ranks(p, n) <= least if least else p <= alpha))
    least = max(least, 1)
    return float(hypergeom.cdf(least - 1, n + m, n, k + least - 1)) if k else 1.0


def small_pvalue(p: Floats, n: int | None) -> float:
    """Whether small p-values are more frequent than promised, at whatever level.

    Parameters
    ----------
    p : (m,) array
    n : int or None
        As for `misses_pvalue`.

    Returns
    -------
    float
        P-value of the one-sided test of Kolmogorov & Smirnov of new ranks against old ones; of one
        sample if n is None.

    Examples
    --------
    >>> round(small_pvalue(np.full(5, 0.01), None), 6)
    0.0
    """
    if n is None:
        return float(ks_1samp(p, uniform.cdf, alternative="greater").pvalue)
    if n == 0:
        return 1.0
    # A new score of rank r has r - 1 old ones before it.
    new, old = _ranks(p, n) - 0.5, np.arange(1.0, n + 1)
    counted = n + len(p) <= _MOST_COUNTED
    found = ks_2samp(new, old, alternative="greater", method="exact" if counted else "asymp")
    return float(found.pvalue)


def _ranks(p: Floats, n: int) -> Floats:
    """Rank of each score among those of calibration, 1 for the strangest; ties count as worse."""
    return np.asarray(np.ceil(p * (n + 1) - _ROUNDING), dtype=np.float64)
