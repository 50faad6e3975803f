"""Probabilities of both classes from log-odds, without loss of digits.

The complement of a probability near 1 has few digits left, or is exactly 0; computed from the
log-odds it has all of them.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["sides"]

Floats = NDArray[np.float64]


def sides(log_odds: Floats) -> tuple[Floats, Floats]:
    """Probabilities of both classes; the smaller one keeps its digits, the sum is exactly 1.

    Parameters
    ----------
    log_odds : array
        Of the positive class.

    Returns
    -------
    positive, negative : arrays of the same shape

    Examples
    --------
    >>> sides(np.array([0.0, 100.0]))[1]
    array([5.00000000e-01, 3.72007598e-44])
    """
    smaller = expit(-np.abs(log_odds))
    likely = log_odds > 0
    return np.where(likely, 1 - smaller, smaller), np.where(likely, smaller, 1 - smaller)
