"""Beliefs from log-odds with a standard error, as graphs; see `evical.beliefs.bounded`.

Of the model "likelihood" Bel and Pl are as far below as above the probability, so that single
classes need no sets. The mean over level sets is the same quadrature as in Python.
"""

from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtri

from evical._typing import Floats
from evical.export._tensor import Tensor, Told, maximum, minimum, sigmoid
from evical.likelihood.normal import RADII, SHARES

__all__ = ["normal_told"]


def normal_told(
    probability: Tensor, log_odds: Tensor, error: Tensor, fitted: Any, n_classes: int
) -> Told:
    """Beliefs of the model of `fitted`, which has a `confidence` too.

    Tensors are (n, 1), of the positive one of two classes, or (n, K). Raises ValueError for the
    model "confidence" of more than two classes, whose pignistic probabilities need sets.
    """
    if fitted.model == "bayesian":
        return Told(probability, probability, probability)
    if fitted.model == "confidence":
        if n_classes > 2:
            raise ValueError(
                f"{type(fitted).__name__} has the model 'confidence', whose beliefs about "
                f"{n_classes} classes have no closed form; an export takes 'likelihood' or "
                "'bayesian'"
            )
        return _interval(probability, log_odds, error, fitted.confidence)
    half = _half_widths(probability, log_odds, error, n_classes)
    if n_classes > 2:
        half = _balanced(half, probability, n_classes)
    return Told(probability - half, probability + half, probability)


def _interval(probability: Tensor, log_odds: Tensor, error: Tensor, confidence: float) -> Told:
    """The central interval of that level, whose mass is the level; two classes have the rest."""
    reach = error * float(ndtri((1.0 + confidence) / 2))
    lower = minimum(sigmoid(log_odds - reach), probability)
    upper = maximum(sigmoid(log_odds + reach), probability)
    bel, pl = lower * confidence, upper * confidence + (1.0 - confidence)
    return Told(bel, pl, (bel + pl) * 0.5)


def _half_widths(probability: Tensor, log_odds: Tensor, error: Tensor, n_classes: int) -> Tensor:
    """Half of Pl - Bel, cut so that the interval stays in [0, 1]."""
    k = 1 if n_classes == 2 else n_classes
    reach = error @ _radii(k)
    center = log_odds @ _repeated(k)
    width = (sigmoid(center + reach) - sigmoid(center - reach)) @ _means(k)
    return minimum(minimum(width, probability), 1.0 - probability)


# Products with matrices are much faster than sums of tensors of different shapes.
@cache
def _radii(k: int) -> Floats:
    """From errors (n, k) to reaches (n, k r)."""
    return np.asarray(np.kron(np.eye(k), RADII[np.newaxis]), dtype=np.float64)


@cache
def _repeated(k: int) -> Floats:
    """From numbers (n, k) to as many copies (n, k r)."""
    return np.asarray(np.kron(np.eye(k), np.ones((1, len(RADII)))), dtype=np.float64)


@cache
def _means(k: int) -> Floats:
    """From widths (n, k r) to half of their means (n, k)."""
    return np.asarray(np.kron(np.eye(k), SHARES[:, np.newaxis] / 2), dtype=np.float64)


def _balanced(half: Tensor, probability: Tensor, k: int) -> Tensor:
    """Half widths of which none is greater than the others together."""
    greatest = half.max(axis=1)
    lack = maximum(greatest * 2.0 - half.sum(axis=1), 0.0)
    room = probability - half
    others = room * (1.0 - _first_greatest(half, k))
    share = minimum(lack / maximum(others.sum(axis=1), 1e-300), 1.0)
    return half + others * share


def _first_greatest(values: Tensor, k: int) -> Tensor:
    """1 for the first greatest number of each row (n, k), 0 for others."""
    return values.node("ArgMax", axis=1, keepdims=1).equals(np.arange(k)[np.newaxis]).numbers()
