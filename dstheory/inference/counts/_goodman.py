"""Simultaneous confidence intervals for the probabilities of K categories.

Each interval solves (n_k / N - p)^2 = q p (1 - p) / N, with q so large that by Bonferroni's
inequality all K intervals hold together at the given level (Goodman 1965). Sums of the
intervals bound the probability of every set of categories (Denoeux 2006).
"""

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.inference.counts._multinomial_counts import as_count_rows
from dstheory.inference.counts.checks import as_tail

# So few observations count as none.
_LEAST = 1e-300


def goodman_intervals(counts: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Simultaneous confidence intervals of multinomial probabilities.

    Parameters
    ----------
    counts : (*batch, K) array_like
        How often each category was seen; sums of sample weights are allowed.
    confidence : float
        Joint level of the K intervals, inside (0, 1).

    Returns
    -------
    lower, upper : (*batch, K) ndarray
        [0, 1] for every category in rows without observations.

    Raises
    ------
    ValueError
        If a count is NaN, infinite or negative, there is no count, or the confidence is
        outside (0, 1).
    TypeError
        If counts or confidence are not real numbers.

    Notes
    -----
    The bounds are coherent probability intervals: a count has the lower limit l(x), convex
    with l(0) = 0, and the upper limit u(x) = 1 - l(N - x), so the bounds of the other categories
    leave p_k its whole interval. For K = 2, both intervals are equivalent, and Bonferroni's
    correction, kept as published, makes them wider than necessary.

    References
    ----------
    .. [1] Goodman, "On simultaneous confidence intervals for multinomial proportions",
       Technometrics 7, 1965, 247-254.
    .. [2] Denoeux, "Constructing belief functions from sample data using multinomial
       confidence regions", International Journal of Approximate Reasoning 42, 2006, 228-252.

    Examples
    --------
    >>> lower, upper = goodman_intervals([48, 17, 19, 11, 6, 9])
    >>> lower.round(3), upper.round(3)
    (array([0.319, 0.085, 0.098, 0.047, 0.02 , 0.035]),
     array([0.561, 0.266, 0.286, 0.201, 0.142, 0.178]))
    """
    rows, batch = as_count_rows(counts, exact=False)
    lower, upper = goodman_limits(rows, as_tail(confidence))
    return lower.reshape(*batch, -1), upper.reshape(*batch, -1)


def goodman_limits(rows: Floats, tail: float) -> tuple[Floats, Floats]:
    """Lower and upper limits (R, K) of valid counts (R, K), for a joint error of 2 `tail`."""
    from scipy.special import ndtri

    q = ndtri(tail / rows.shape[1]) ** 2  # of chi-square with one degree: 1 - 2 tail / K
    total = rows.sum(axis=1, keepdims=True)
    some = total > 0
    # Divided by the total, so that large counts do not overflow; r^2 of tiny totals would.
    r = q / np.maximum(total, _LEAST)
    share = rows / np.where(some, total, 1)
    rest = np.maximum(total - rows, 0) / np.where(some, total, 1)
    root = np.sqrt(r) * np.sqrt(r + 4 * share * rest)
    # The lower root from the product of both: a difference would cancel for rare categories.
    lower = 2 * share * share / (r + 2 * share + root)
    return lower, np.minimum((r + 2 * share + root) / (2 * (1 + r)), 1)
