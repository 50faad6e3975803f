"""`EvidentialKNNClustering`: neighbors as evidence for clusters, whose number is found too.

EK-NNclus: samples move to the cluster for which their neighbors give most evidence.

Two samples at distance d are evidence of mass alpha exp(-gamma d^b) that they belong together. The
combined evidence makes a partition the more plausible, the less weight it cuts; moving one sample
at a time ends where no single move makes it more plausible. Source: Denoeux, Kanjanatarakul &
Sriboonchitta (2015), EK-NNclus: A clustering procedure based on the evidential K-nearest neighbor
rule, Knowledge-Based Systems 88, 57-69.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import check_count, check_level
from dstheory.kernels.batches import blocks
from dstheory.kernels.jit import compiled
from evical._fitting import (
    POSITIVE,
    all_or_nothing,
    as_random_state,
    check_declared,
    optional,
    up_to,
)
from evical._typing import Floats, Ints, RandomState, SamplesLike
from evical.learners._clustering import HOW_MANY, CredalClustering
from evical.learners._features import Metric, check_neighbors, read_samples

_LEAST = 1e-6
"""Least mass of a neighbor, so that those far from all others still join the nearest cluster."""


def weight_at(distance: Floats, gamma: float, alpha: float, exponent: float) -> Floats:
    """Weight -log(1 - mass) of the evidence of a neighbor at a distance, for alpha in (0, 1)."""
    with np.errstate(over="ignore"):  # far away
        mass = alpha * np.exp(-gamma * distance**exponent)
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


CHUNK = 2**22
"""Numbers in an array of new samples by clusters."""


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialKNNClustering(CredalClustering):
    """Clustering by evidence of neighbors, with the number of clusters learned (EK-NNclus).

    Each sample starts as a cluster, and moves to that for which its neighbors give most evidence,
    until none moves.

    Parameters
    ----------
    n_neighbors : int, optional
        More neighbors make fewer clusters. Three times the square root of n by default, at most
        n - 1.
    alpha : float
        In (0, 1): the mass that a neighbor at distance 0 commits; at distance d, it is
        alpha exp(-gamma d^exponent).
    quantile : float
        In (0, 1): 1 / gamma is this quantile of d^exponent over all neighbors.
    exponent : float
    n_init : int
        Random orders, of which the most plausible partition counts.
    max_iter : int
        Most sweeps over the samples.
    metric : {"euclidean", "precomputed"}
        "precomputed": X has distances, (n, n) in `fit`, and from new samples to the n training
        samples otherwise.
    n_jobs : int, optional
        For the search of neighbors.
    random_state : int, RandomState or None

    Attributes
    ----------
    n_clusters_ : int
    labels_ : (n,) array of int
    mass_ : MassFunction
        Credal partition of the training samples: a batch (n,) on the frame 0, ..., c - 1, with
        mass on single clusters and on the frame. Outliers have most mass on the frame.
    gamma_ : float
    log_plausibility_ : float
        Of the partition: minus the weight of the evidence that samples of different clusters
        belong together. A single cluster has 0, the maximum; what is found is a local one.
    n_iter_ : int
    neighbors_ : fitted `sklearn.neighbors.NearestNeighbors`
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    EvidentialCMeans : a given number of clusters around centers.
    EvidentialKNeighborsClassifier : neighbors as evidence for classes.

    Notes
    -----
    A sample is evidence for its neighbors, and they are for it, even if they have nearer ones: with
    symmetric weights no move makes the partition less plausible, so it ends. Features should have
    comparable scales. Neighbors add up, so masses are near 0 and 1 where there are many. Clusters
    may have any shape, if gaps between them are wider than the distance of neighbors.

    References
    ----------
    Denoeux, Kanjanatarakul & Sriboonchitta (2015), EK-NNclus: A clustering procedure based on the
    evidential K-nearest neighbor rule, Knowledge-Based Systems 88, 57-69.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> clusters = EvidentialKNNClustering(n_neighbors=2, random_state=0).fit(X)
    >>> clusters.n_clusters_, clusters.labels_
    (2, array([0, 0, 0, 1, 1, 1]))
    >>> clusters.predict_mass([[0.1], [9.0]]).masses.round(2)  # near, and far
    array([[0.97, 0.  , 0.03],
           [0.  , 0.  , 1.  ]])
    """

    _ranges: ClassVar = {
        "n_neighbors": optional(partial(check_count, least=1)),
        "alpha": check_level,
        "quantile": check_level,
        "exponent": up_to(100.0, POSITIVE),
        "n_init": HOW_MANY,
    }

    n_neighbors: int | None = None
    alpha: float = 0.95
    quantile: float = 0.5
    exponent: float = 1.0
    n_init: int = 1
    max_iter: int = 100
    metric: Metric = "euclidean"
    n_jobs: int | None = None
    random_state: RandomState = None

    @all_or_nothing
    def fit(self, X: SamplesLike, y: ArrayLike | None = None) -> Self:
        """Find clusters and masses.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or (n, n) distances
        y : None
            Not used.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If a parameter is of a wrong kind.
        ValueError
            If there are not more samples than neighbors, or a parameter is out of range.
        """
        check_declared(self)
        X = read_samples(self, X, self.metric, reset=True)
        self.neighbors_ = NearestNeighbors(
            n_neighbors=self._count(len(X)), metric=self.metric, n_jobs=self.n_jobs
        ).fit(X)
        distance, rows = self.neighbors_.kneighbors()
        self.gamma_ = self._inverse_scale(distance)
        self._weights = self.gamma_, float(self.alpha), float(self.exponent)
        links = linked(rows, weight_at(distance, *self._weights))
        self.labels_, self.n_iter_, self.log_plausibility_ = self._best(links)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.mass_ = mass_of_votes(_of_links(links, self.labels_, self.n_clusters_))
        return self

    def _count(self, n: int) -> int:
        """Number of neighbors."""
        if n < 2:
            raise ValueError(f"X has only {n} sample (n_samples={n}), expected two or more")
        if self.n_neighbors is None:
            return int(min(n - 1, round(3 * n**0.5)))
        check_neighbors(self.n_neighbors, n)
        return int(self.n_neighbors)

    def _inverse_scale(self, distance: Floats) -> float:
        """Gamma; the unit is taken out first, so that no power overflows."""
        unit = float(distance.max()) or 1.0
        exponent = float(self.exponent)
        shares = (distance / unit) ** exponent
        scale = float(np.quantile(shares, float(self.quantile))) or float(shares.mean()) or 1.0
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            gamma = float(1 / np.float64(scale) / np.float64(unit) ** exponent)
        if not 0 < gamma < np.inf:
            raise ValueError(
                f"distances of neighbors up to {unit:g} to the power {self.exponent!r} are no "
                "floats; take another unit"
            )
        return gamma

    def _best(self, links: Any) -> tuple[Ints, int, float]:
        """Labels, number of sweeps, and log-plausibility of the most plausible partition."""
        random = as_random_state(self.random_state)
        found = []
        for _ in range(self.n_init):
            labels, n_iter = move(links, np.arange(links.shape[0]), random, self.max_iter)
            found.append((labels, n_iter, -cut_weight(links, labels)))
        return max(found, key=lambda each: each[2])

    def predict_mass(self, X: SamplesLike) -> MassFunction:
        """Combined evidence of the nearest training samples, for the clusters that were found.

        Parameters
        ----------
        X : (m, n_features) array or data frame, or (m, n) distances to the training samples

        Returns
        -------
        MassFunction
            Batch (m,) on the frame of clusters; vacuous far from all training samples.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        return mass_of_votes(self._votes(X))

    def _votes(self, X: SamplesLike) -> Floats:
        check_is_fitted(self)
        X = read_samples(self, X, self.neighbors_.metric, reset=False)
        parts = []
        for part in blocks(len(X), CHUNK // max(self.neighbors_.n_neighbors, self.n_clusters_)):
            distance, rows = self.neighbors_.kneighbors(X[part])
            weights = weight_at(distance, *self._weights)
            parts.append(votes(rows, weights, self.labels_, self.n_clusters_))
        return np.concatenate(parts)

    def predict(self, X: SamplesLike) -> Ints:
        """Predict the clusters for which the neighbors of new samples give most evidence.

        Parameters
        ----------
        X : (m, n_features) array or data frame, or (m, n) distances to the training samples

        Returns
        -------
        (m,) array of int
        """
        return np.asarray(self._votes(X).argmax(axis=1), dtype=np.int64)


def _of_links(links: Any, labels: Ints, n_clusters: int) -> Floats:
    """Weight of evidence of all linked samples for each cluster, (n, c)."""
    return np.asarray(links @ np.eye(n_clusters)[labels])
