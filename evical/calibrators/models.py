"""The evidential models that calibrators share: their names, their checks, and their masses.

Masses follow from counts, or from log-odds and their standard error alone.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), section 4.3 and equations 10, 26-28.
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import expit, ndtri

from dstheory.checks.arguments import check_count
from dstheory.inference import binomial_masses
from dstheory.inference.counts.checks import BinomialModel
from evical._typing import Floats
from evical.scores.scale import sides

# Trials of less weight say nothing; every model has reached its limit long before.
_LEAST = 1e-12
_ROUNDING = 1e-15


def count_masses(
    positive: Floats, total: Floats, model: BinomialModel, confidence: float
) -> Floats:
    """Masses (2, q) of the positive and the negative class from k of n, both real.

    Without trials the mass function is vacuous, or 1/2 for both classes if the model gives only
    probabilities.
    """
    masses = np.full((2, len(total)), 0.5 if model in ("bayesian", "laplace") else 0.0)
    some = np.flatnonzero(total > _LEAST)
    if len(some):
        n = total[some]
        # Shares of fractions are rounded; k must stay within [0, n].
        k = np.clip(positive[some], 0.0, n)
        found = np.stack(binomial_masses(k, n, model, confidence=confidence))
        # Next to the mass of the frame these would be rounded away, but not in comparisons.
        masses[:, some] = np.where(found < _ROUNDING, 0.0, found)
    return masses


LogOddsModel: TypeAlias = Literal["likelihood", "confidence", "inverse_pignistic", "bayesian"]


def masses_from_log_odds(
    model: str, log_odds: Floats, deviation: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """m({positive}) and m({negative}) by a model other than "likelihood".

    Parameters
    ----------
    model : {"confidence", "inverse_pignistic", "bayesian"}
    log_odds, deviation : (n,) arrays
        Of the positive class, and their standard error.
    confidence : float
        Level of the normal interval of the log-odds (delta method).

    Returns
    -------
    two (n,) arrays

    Examples
    --------
    >>> zero = np.zeros(1)
    >>> masses_from_log_odds("confidence", zero, zero, 0.9)
    (array([0.45]), array([0.45]))
    """
    if model == "confidence":
        half = ndtri(0.5 + 0.5 * confidence) * deviation
        return confidence * expit(log_odds - half), confidence * expit(-log_odds - half)
    positive, negative = sides(log_odds)
    if model == "inverse_pignistic":
        return np.maximum(positive - negative, 0), np.maximum(negative - positive, 0)
    return positive, negative


_MOST = 2**24  # things in one array: 128 MB of numbers


def check_size(name: str, value: object, least: int = 1) -> None:
    """Raise unless a parameter is a whole number that an array can have as its size."""
    check_count(name, value, least, _MOST)
