"""Evidence that neighbors give about the class of a sample, and how fast it fades with distance.

A neighbor at distance d, of class q, says "q" with the mass s = alpha exp(-gamma_q d^2). Under
contextual discounting it says "not k" of every other class k, with s = alpha exp(-gamma_k d^2).
"""

from typing import NamedTuple

import numpy as np

from evical._typing import Floats
from evical.scores.descent import descend

__all__ = ["DISCOUNTINGS", "Neighbors", "fit_gamma", "weights_of_neighbors"]


DISCOUNTINGS = ("uniform", "contextual")


class Neighbors(NamedTuple):
    """The neighbors of n samples.

    Parameters
    ----------
    squared : (n, N) array
        Squared distances.
    doubt : (n, N, K) array
        1 - plausibility of each class for each neighbor: of a hard label, 0 for its class and 1
        for others.
    """

    squared: Floats
    doubt: Floats


def weights_of_neighbors(
    neighbors: Neighbors, gamma: Floats, alpha: float, discounting: str
) -> tuple[Floats, Floats]:
    """Weights of the evidence for each class, or against it.

    Parameters
    ----------
    neighbors : Neighbors
    gamma : (K,) array
    alpha : float
    discounting : {"uniform", "contextual"}

    Returns
    -------
    weights : (n, K) array
        Sums of -log(1 - s) over the neighbors of a class ("uniform", weights for it), or of
        -log(1 - s doubt) over all ("contextual", weights against it).
    slopes : (n, K) array
        Their derivatives with respect to log(gamma).

    Examples
    --------
    >>> near = Neighbors(np.array([[0.0, 1.0]]), np.array([[[0.0, 1.0], [1.0, 0.0]]]))
    >>> weights_of_neighbors(near, np.ones(2), 0.5, "uniform")[0].round(3)
    array([[0.693, 0.203]])
    """
    distance = neighbors.squared[:, :, np.newaxis] * gamma
    share = 1 - neighbors.doubt if discounting == "uniform" else neighbors.doubt
    s = alpha * np.exp(-distance) * share
    weights = -np.log1p(-s).sum(axis=1)
    slopes = -(s * distance / (1 - s)).sum(axis=1)
    return np.asarray(weights), np.asarray(slopes)


def fit_gamma(
    neighbors: Neighbors, plausibility: Floats, start: Floats, alpha: float, discounting: str
) -> Floats:
    """The gamma that predicts samples best from neighbors other than themselves.

    Parameters
    ----------
    neighbors : Neighbors
        Of the training samples, without themselves.
    plausibility : (n, K) array
        Of their own labels.
    start : (K,) array
        Gamma to start from.
    alpha, discounting
        As of `weights_of_neighbors`.

    Returns
    -------
    (K,) array
        "uniform": least squared error of pignistic probabilities (Zouhal & Denoeux 1998).
        "contextual": greatest evidential likelihood, the product over samples of the mean
        plausibility of their labels under the relative plausibilities that are predicted (Denoeux,
        Kanjanatarakul & Sriboonchitta 2019).
    """
    error = _squared_error if discounting == "uniform" else _negative_likelihood

    def objective(log_gamma: Floats) -> tuple[float, Floats]:
        weights, slopes = weights_of_neighbors(neighbors, np.exp(log_gamma), alpha, discounting)
        value, gradient = error(weights, plausibility)
        return value / len(weights), (gradient * slopes).sum(axis=0) / len(weights)

    # Beyond a factor of e^10, evidence is the same at all distances, or there is none.
    log_start = np.log(start)
    bounds = [(value - 10, value + 10) for value in log_start.tolist()]
    found = descend(objective, log_start, bounds=bounds)
    return np.asarray(np.exp(found.x))


def _squared_error(weights: Floats, plausibility: Floats) -> tuple[float, Floats]:
    """Sum of squared differences of BetP and labels, and its derivatives (n, K)."""
    top = weights.max(axis=1, keepdims=True)
    whole = np.exp(weights - top)
    rest = np.exp(-top)
    betp = whole - rest + rest / weights.shape[1]
    total = betp.sum(axis=1, keepdims=True)
    betp /= total
    gap = betp - plausibility / plausibility.sum(axis=1, keepdims=True)
    gradient = 2 * whole / total * (gap - (gap * betp).sum(axis=1, keepdims=True))
    return float((gap**2).sum()), gradient


def _negative_likelihood(weights: Floats, plausibility: Floats) -> tuple[float, Floats]:
    """Minus the evidential log-likelihood, and its derivatives (n, K)."""
    p = np.exp(weights.min(axis=1, keepdims=True) - weights)
    p /= p.sum(axis=1, keepdims=True)
    joint = p * plausibility
    total = np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return -float(np.log(total).sum()), joint / total - p
