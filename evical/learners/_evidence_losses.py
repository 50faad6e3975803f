"""How well weights of evidence for classes fit labels, with gradients.

Arrays are (K, n) for K classes and n samples.
"""

import numpy as np

from evical._typing import Floats

__all__ = ["log_loss", "squared_loss"]


def _numerators(weights: Floats, part: float) -> tuple[Floats, Floats, Floats]:
    """m({k}) + part m(frame), e^weight, and the sum of masses, all over e^(greatest weight)."""
    top = np.maximum(weights.max(axis=0), 0)
    whole, frame = np.exp(weights - top), np.exp(-top)
    single = -whole * np.expm1(-weights)
    return single + part * frame, whole, single.sum(axis=0) + frame


def squared_loss(weights: Floats, target: Floats, part: float) -> tuple[Floats, Floats]:
    """Half the squared difference of m({k}) + part m(frame) from the targets, over classes.

    Parameters
    ----------
    weights : (K, n) array
        Of the evidence for classes, 0 or more.
    target : (K, n) array
    part : float
        1/K for pignistic probabilities, 0 for belief, 1 for plausibility.

    Returns
    -------
    (n,) array, and its derivatives (K, n)
    """
    output, whole, total = _numerators(weights, part)
    output /= total
    gap = output - target
    slope = whole / total * (gap - (gap * output).sum(axis=0))
    return (gap**2).sum(axis=0) / 2, slope


def log_loss(weights: Floats, target: Floats, part: float | None) -> tuple[Floats, Floats]:
    """Minus the log of the mean plausibility of labels under predicted probabilities.

    Parameters
    ----------
    weights : (K, n) array
    target : (K, n) array
        Plausibilities of classes: 1 for a hard label and 0 for others.
    part : float or None
        Probabilities are in proportion to m({k}) + part m(frame): 1/K for pignistic ones. None:
        relative plausibilities, the softmax of the weights, which may be negative.

    Returns
    -------
    (n,) array, and its derivatives (K, n)
    """
    if part is None:
        whole = np.exp(weights - weights.max(axis=0))
        output = whole
    else:
        output, whole, _ = _numerators(weights, part)
    total = output.sum(axis=0)
    joint = target * output
    fit = np.maximum(joint.sum(axis=0), np.finfo(np.float64).tiny)
    return np.log(total / fit), whole / total - target * whole / fit
