"""The Bayesian score of a bin: how well k positives and n negatives fit one unknown share.

The share of positives in a bin has a Beta prior, so that the probability of the labels in
the bin, the share integrated out, is a ratio of beta functions (Naeini 2016, eq. 3.5, 3.6
and section 3.2.2). K2 is the uniform prior; BDeu centers it on the middle of the bin.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln

from evical._typing import Floats

__all__ = ["CRITERIA", "BinPrior", "log_marginal", "posterior_mean"]


CRITERIA = ("k2", "bdeu")


@dataclass(frozen=True)
class BinPrior:
    """Beta prior of the share of positives in a bin.

    Parameters
    ----------
    criterion : {"k2", "bdeu"}
        "k2" is Beta(1, 1); "bdeu" is Beta(strength p, strength (1 - p)), p the middle of the
        bin.
    strength : float
        Equivalent number of samples in a bin, N'/B of the thesis.
    clip : float
        p is kept inside [clip, 1 - clip].

    Examples
    --------
    >>> BinPrior("bdeu")(0.25, np.array([0.75, 1.0]))
    (array([1.  , 1.25]), array([1.  , 0.75]))
    """

    criterion: str = "k2"
    strength: float = 2.0
    clip: float = 0.005

    def __call__(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Parameters alpha and beta for bins between these edges; scalars where all agree."""
        if self.criterion == "k2":
            return 1.0, 1.0
        middle = np.clip(left / 2 + right / 2, self.clip, 1 - self.clip)
        return self.strength * middle, self.strength * (1 - middle)


def log_marginal(positive: Floats, negative: Floats, alpha: Any, beta: Any) -> Floats:
    """Log probability of the labels in each bin (Naeini 2016, eq. 3.6 for K2).

    Parameters
    ----------
    positive, negative : (n,) arrays
        Weight of the positive and of the negative samples.
    alpha, beta : (n,) arrays or floats
        Parameters of the Beta prior.

    Returns
    -------
    (n,) array

    Examples
    --------
    One positive and two negatives with the uniform prior: 1! 2! / 4! = 1/12.

    >>> np.exp(log_marginal(np.array([1.0]), np.array([2.0]), 1.0, 1.0)) * 12
    array([1.])
    """
    return np.asarray(betaln(positive + alpha, negative + beta) - betaln(alpha, beta))


def posterior_mean(positive: Floats, negative: Floats, alpha: Any, beta: Any) -> Floats:
    """Smoothed share of positives in each bin, the posterior mean (Naeini 2016, footnote 3).

    Parameters
    ----------
    positive, negative, alpha, beta
        As for `log_marginal`.

    Returns
    -------
    (n,) array

    Examples
    --------
    >>> posterior_mean(np.array([1.0]), np.array([2.0]), 1.0, 1.0)
    array([0.4])
    """
    return np.asarray((positive + alpha) / (positive + negative + alpha + beta))
