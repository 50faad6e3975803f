"""Belief and plausibility from log-odds with a normal posterior.

The relative likelihood of normal log-odds is ``exp(-(x - mean)**2 / (2 error**2))``. Its level sets
reach as many standard errors to both sides as a Rayleigh variable says, so Bel and Pl are means
over that variable (Xu et al. 2016, eq. 22-23).
"""

import numpy as np
from scipy.special import expit, ndtri

from evical._typing import Floats

RADII, SHARES = np.polynomial.legendre.leggauss(24)
RADII = 4.5 * (RADII + 1.0)
SHARES = SHARES * RADII * np.exp(-(RADII**2) / 2)
SHARES = SHARES / SHARES.sum()
_ROWS = 1 << 13  # at a time


def half_widths(probability: Floats, log_odds: Floats, error: Floats) -> Floats:
    """Half of Pl - Bel, cut so that the interval around the probability stays in [0, 1].

    Parameters
    ----------
    probability : array
        Center of the interval, such as the posterior mean.
    log_odds, error : arrays of the same shape
        Posterior mean and standard deviation of the log-odds.

    Returns
    -------
    array of that shape

    Examples
    --------
    >>> half_widths(np.array([0.5, 0.001]), np.array([0.0, -7.0]), np.array([0.4, 5.0])).round(3)
    array([0.121, 0.001])
    """
    odds, errors, width = log_odds.ravel(), error.ravel(), np.zeros(log_odds.size)
    for start in range(0, len(odds), _ROWS):  # temporaries stay in cache
        rows = slice(start, start + _ROWS)
        for radius, share in zip(RADII, SHARES, strict=True):
            reach = radius * errors[rows]
            width[rows] += share * (expit(odds[rows] + reach) - expit(odds[rows] - reach))
    half = width.reshape(log_odds.shape) / 2
    return np.asarray(np.minimum(np.minimum(half, probability), 1.0 - probability))


def normal_bounds(log_odds: Floats, error: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Least and greatest probability of the central interval of that level.

    Parameters
    ----------
    log_odds, error : arrays of one shape
    confidence : float

    Returns
    -------
    lower, upper : arrays of that shape

    Examples
    --------
    >>> lower, upper = normal_bounds(np.array([0.0]), np.array([1.0]), 0.95)
    >>> lower.round(3), upper.round(3)
    (array([0.123]), array([0.877]))
    """
    reach = ndtri((1.0 + confidence) / 2) * error
    return np.asarray(expit(log_odds - reach)), np.asarray(expit(log_odds + reach))
