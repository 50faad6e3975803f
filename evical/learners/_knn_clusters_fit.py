"""EK-NNclus: samples move to the cluster for which their neighbors give most evidence.

Two samples at distance d are evidence of mass alpha exp(-gamma d^b) that they belong together. The
combined evidence makes a partition the more plausible, the less weight it cuts; moving one sample
at a time ends where no single move makes it more plausible. Source: Denoeux, Kanjanatarakul &
Sriboonchitta (2015), EK-NNclus: A clustering procedure based on the evidential K-nearest neighbor
rule, Knowledge-Based Systems 88, 57-69.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dstheory import Frame, MassFunction
from dstheory.kernels.jit import compiled
from evical._typing import Floats, Ints

__all__ = ["Weigher", "cut_weight", "linked", "mass_of_votes", "move", "votes"]


_LEAST = 1e-6
"""Least mass of a neighbor, so that those far from all others still join the nearest cluster."""


class Weigher:
    """Weight -log(1 - mass) of the evidence of a neighbor at a distance.

    Parameters
    ----------
    gamma : float
    alpha : float
        In (0, 1).
    exponent : float
    """

    def __init__(self, gamma: float, alpha: float, exponent: float) -> None:
        self.gamma, self.alpha, self.exponent = gamma, alpha, exponent

    def __call__(self, distance: Floats) -> Floats:
        with np.errstate(over="ignore"):  # far away
            mass = self.alpha * np.exp(-self.gamma * distance**self.exponent)
        return np.asarray(-np.log1p(-np.maximum(mass, _LEAST)))


def linked(rows: NDArray[np.intp], weights: Floats) -> csr_array:
    """Symmetric weights (n, n): of pairs of which one is a neighbor of the other.

    The paper's network converges if weights are symmetric, which K nearest neighbors are not.

    Parameters
    ----------
    rows : (n, k) array of int
        Neighbors of each sample.
    weights : (n, k) array

    Returns
    -------
    (n, n) sparse array
    """
    n, k = rows.shape
    starts = np.arange(0, n * k + 1, k)
    directed = csr_array((weights.ravel(), rows.ravel(), starts), shape=(n, n))
    both = csr_array(directed.maximum(directed.T))
    both.sort_indices()
    return both


@compiled
def _sweep(
    starts: Ints, rows: Ints, weights: Floats, labels: Ints, order: Ints, margin: float
) -> int:
    """Move each sample once, in this order, to the cluster of greatest weight; count the moves."""
    moves = 0
    for i in order:
        near = slice(starts[i], starts[i + 1])
        support = np.bincount(labels[rows[near]], weights[near], labels[i] + 1)
        best = np.argmax(support)
        # A margin for rounding, so that ties never cycle.
        if support[best] > support[labels[i]] * (1 + margin):
            labels[i] = best
            moves += 1
    return moves


def move(
    links: csr_array, labels: Ints, random: np.random.RandomState, max_iter: int
) -> tuple[Ints, int]:
    """Move samples in random order until none moves.

    Parameters
    ----------
    links : (n, n) sparse array
        Symmetric weights of evidence.
    labels : (n,) array of int
        To start from.
    random : RandomState
    max_iter : int
        Most sweeps over all samples.

    Returns
    -------
    labels : (n,) array of int
        0, 1, ... by first occurrence.
    n_iter : int
    """
    starts, rows = links.indptr.astype(np.int64), links.indices.astype(np.int64)
    labels = labels.astype(np.int64)
    moves, n_iter = -1, 0
    while moves and n_iter < max_iter:
        order = random.permutation(len(labels)).astype(np.int64)
        moves = _sweep(starts, rows, links.data, labels, order, 1e-12)
        labels = _renumbered(labels)
        n_iter += 1
    return labels, n_iter


def _renumbered(labels: Ints) -> Ints:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])


def cut_weight(links: csr_array, labels: Ints) -> float:
    """Weight of evidence that two samples of different clusters belong together.

    The log-plausibility of the partition is its negative.
    """
    edges = links.tocoo()
    row, col = edges.coords
    return float(edges.data[(row < col) & (labels[row] != labels[col])].sum())


def votes(rows: NDArray[Any], weights: Floats, labels: Ints, n_clusters: int) -> Floats:
    """Weight of evidence of the neighbors for each cluster, (m, c).

    Parameters
    ----------
    rows : (m, k) array of int
        Neighbors of each sample.
    weights : (m, k) array
    labels : (n,) array of int
        Clusters of the training samples.
    n_clusters : int

    Returns
    -------
    (m, c) array
    """
    m = len(rows)
    places = np.arange(m)[:, np.newaxis] * n_clusters + labels[rows]
    found = np.bincount(places.ravel(), weights.ravel(), m * n_clusters)
    return np.asarray(found, dtype=np.float64).reshape(m, n_clusters)


def mass_of_votes(support: Floats) -> MassFunction:
    """Dempster's combination of evidence for single clusters.

    Parameters
    ----------
    support : (m, c) array
        Weights of evidence.

    Returns
    -------
    MassFunction
        Batch (m,) with mass on single clusters and on the frame.

    Examples
    --------
    >>> mass_of_votes(np.log([[2.0, 1.0]])).masses.round(2)  # one neighbor with mass 1/2
    array([[0.5, 0. , 0.5]])
    """
    c = support.shape[1]
    frame = Frame(range(c))
    if c == 1:
        return MassFunction(frame, [1], np.ones((len(support), 1)))
    top = support.max(axis=1, keepdims=True)
    rest = np.exp(-top)
    masses = np.column_stack([np.exp(support - top) * -np.expm1(-support), rest])
    masses /= masses.sum(axis=1, keepdims=True)
    return MassFunction(frame, [*(1 << k for k in range(c)), (1 << c) - 1], masses)
