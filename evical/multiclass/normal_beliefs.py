"""Beliefs about many classes, from probabilities with a standard error of each class's log-odds.

It needs no search and lists no subsets, so a thousand classes are feasible.
"""

import numpy as np

from evical._typing import Floats
from evical.likelihood.normal import half_widths, normal_bounds
from evical.multiclass._beliefs import Beliefs
from evical.multiclass._softmax_profile import joint_sets

__all__ = ["Beliefs", "normal_beliefs"]


def normal_beliefs(
    probability: Floats, log_odds: Floats, error: Floats, model: str, confidence: float
) -> Beliefs:
    """Masses of single classes and of sets of classes.

    Parameters
    ----------
    probability : (n, K) array
        Of sum 1 in each row.
    log_odds, error : (n, K) arrays
        Mean and standard deviation of the log-odds of each class against the others.
    model : {"likelihood", "confidence", "bayesian"}
        "likelihood": Bel and Pl are as far below and above the probability, so doubt goes to pairs
        of classes, and the pignistic probability is `probability` itself. "confidence": the
        intervals of that level have its mass, and the frame has the rest. "bayesian": no doubt.
    confidence : float

    Returns
    -------
    Beliefs

    Examples
    --------
    >>> p = np.array([[0.5, 0.3, 0.2]])
    >>> odds = np.log(p / (1 - p))
    >>> beliefs = normal_beliefs(p, odds, np.full((1, 3), 0.3), "likelihood", 0.95)
    >>> beliefs.interval().round(2)
    array([[[0.41, 0.59],
            [0.22, 0.38],
            [0.14, 0.26]]])
    >>> beliefs.betp().round(12)
    array([[0.5, 0.3, 0.2]])
    """
    if model == "bayesian":
        return Beliefs.bayesian(probability)
    if model == "confidence":
        lower, upper = normal_bounds(log_odds, error, confidence)
        # The posterior mean is no nearer to 0 or 1 than the interval reaches.
        lower, upper = np.minimum(lower, probability), np.maximum(upper, probability)
        return _weakened(Beliefs(*joint_sets(lower, upper)), confidence)
    half = _balanced(half_widths(probability, log_odds, error), probability)
    return Beliefs(*joint_sets(probability - half, probability + half))


def _balanced(half: Floats, probability: Floats) -> Floats:
    """Half widths of which none is greater than the others together, as all pairs need.

    What one class may gain or lose, the others lose or gain: if their widths say less, they are
    raised, each by the same share of what is possible.
    """
    greatest = half.argmax(axis=1)[:, np.newaxis]
    lack = 2 * np.take_along_axis(half, greatest, axis=1) - half.sum(axis=1, keepdims=True)
    room = probability - half
    np.put_along_axis(room, greatest, 0.0, axis=1)
    share = np.maximum(lack, 0) / np.maximum(room.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(half + np.minimum(share, 1.0) * room)


def _weakened(beliefs: Beliefs, confidence: float) -> Beliefs:
    """With that much of all masses; the frame gets the rest."""
    n, _, k = beliefs.sets.shape
    sets = np.concatenate([beliefs.sets, np.ones((n, 1, k), dtype=bool)], axis=1)
    rest = np.full((n, 1), 1.0 - confidence)
    masses = np.concatenate([confidence * beliefs.masses, rest], axis=1)
    return Beliefs(confidence * beliefs.single, sets, masses)
