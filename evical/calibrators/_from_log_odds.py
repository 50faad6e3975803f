"""Masses that follow from log-odds and their standard error alone.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), section 4.3 and equations 10, 26-28.
"""

import numpy as np
from scipy.special import expit, ndtri

from evical._typing import Floats
from evical.scores.scale import sides

__all__ = ["LOG_ODDS_MODELS", "masses_from_log_odds"]

LOG_ODDS_MODELS = ("likelihood", "confidence", "inverse_pignistic", "bayesian")


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
