"""`EvidentialCMeans`: clusters, sets of clusters that cannot be told apart, and outliers.

Centers of clusters and masses of samples on sets of clusters are improved in turn. Source: Masson &
Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern Recognition
41(4), 1384-1397.

Of samples known by their distances, centers of clusters are weighted means. The squared distance of
a sample to a weighted mean follows from its squared distances to the samples in it. Distances that
are not Euclidean become so by a constant, added to the squares. Sources: Masson & Denoeux (2009),
RECM: Relational evidential c-means algorithm, Pattern Recognition Letters 30(11), 1015-1026;
Lingoes (1971), Some boundary conditions for a monotone analysis of symmetric matrices,
Psychometrika 36(2), 195-203.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from evical._fitting import POSITIVE, all_or_nothing
from evical._typing import Floats, SamplesLike
from evical.learners._clustering import (
    CenteredClustering,
    as_partition,
    check_count_of_clusters,
    members_of,
)
from evical.learners._features import Metric, read_samples, squared_distances


class Located(Protocol):
    """Samples that have distances to centers, however these are described."""

    def squared(self, centers: Floats, share: Floats) -> Floats:
        """Squared distances (n, F) to means of centers with shares (F, c)."""


class TrainingSamples(Located, Protocol):
    """Samples that have centers."""

    def start(self, n_clusters: int, seed: int) -> Floats:
        """Centers of k-means, (c, ...)."""

    def centers(self, system: Floats, weights: Floats) -> Floats:
        """Centers that solve a linear system (c, c), with weighted sums (c, n) of samples."""


@dataclass(frozen=True, eq=False)
class Features:
    """Samples by their features; so are centers.

    Parameters
    ----------
    X : (n, p) array
        Best centered, as distances are differences.
    """

    X: Floats

    def start(self, n_clusters: int, seed: int) -> Floats:
        """Centers of k-means, (c, p)."""
        found = KMeans(n_clusters, n_init=1, random_state=seed).fit(self.X)
        return np.asarray(found.cluster_centers_)

    def squared(self, centers: Floats, share: Floats) -> Floats:
        """Squared distances (n, F) to means of centers."""
        return squared_distances(self.X, share @ centers)

    def centers(self, system: Floats, weights: Floats) -> Floats:
        """Centers (c, p) that solve a linear system."""
        return np.asarray(np.linalg.lstsq(system, weights @ self.X, rcond=None)[0])


@dataclass(frozen=True, eq=False)
class Cost:
    """What is minimized: sum of |A|^alpha m(A)^beta d(A)^2, and of delta^2 m(empty set)^beta.

    Parameters
    ----------
    members : (F, c) array
        1 where a focal set contains a cluster; the last set is empty, if there is a `delta`.
    alpha, beta : float
    delta : float or None
        Distance of the empty set; None without it.
    """

    members: Floats
    alpha: float
    beta: float
    delta: float | None

    def of_sets(self, samples: Located, centers: Floats) -> Floats:
        """|A|^alpha times the squared distance to the mean center of each set, (n, F)."""
        share = self.members / self.size[:, np.newaxis]
        each = samples.squared(centers, share) * self.size**self.alpha
        if self.delta is not None:
            each[:, -1] = self.delta**2
        return np.asarray(each)

    @property
    def size(self) -> Floats:
        """Number of clusters of each set, (F,), and 1 of the empty set, which has no center."""
        return np.asarray(np.maximum(self.members.sum(axis=1), 1))


@dataclass(frozen=True, eq=False)
class Partition:
    """Centers (c, ...), masses (n, F) of sets, and costs of all steps.

    The cost of a step is that of its masses and of the centers which they came from.
    """

    centers: Floats
    masses: Floats
    costs: list[float]


def masses_of(cost: Cost, samples: Located, centers: Floats) -> tuple[Floats, float]:
    """Best masses for given centers, and their cost.

    Parameters
    ----------
    cost : Cost
    samples : Located
    centers : (c, ...) array

    Returns
    -------
    masses : (n, F) array
    value : float
    """
    each = cost.of_sets(samples, centers)
    masses = best_masses(each, cost.beta)
    return masses, float((masses**cost.beta * each).sum())


def best_masses(costs: Floats, beta: float = 2.0) -> Floats:
    """Masses (n, F) that minimize the sum over sets of costs times masses to the power beta."""
    least = costs.min(axis=1, keepdims=True)
    # 1 for a sample on a center, 0 / 0.
    share = np.divide(least, costs, out=np.ones_like(costs), where=costs > 0) ** (1 / (beta - 1))
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def centers_of(cost: Cost, samples: TrainingSamples, masses: Floats) -> Floats:
    """Best centers for given masses: a linear system."""
    size, weight = cost.size, masses**cost.beta
    system = (cost.members.T * (weight.sum(axis=0) * size ** (cost.alpha - 2))) @ cost.members
    return samples.centers(system, (cost.members.T * size ** (cost.alpha - 1)) @ weight.T)


def alternate(
    cost: Cost, samples: TrainingSamples, centers: Floats, tol: float, max_iter: int
) -> Partition:
    """Masses and centers in turn, until the cost falls by less than a share of it.

    Parameters
    ----------
    cost : Cost
    samples : Samples
    centers : (c, ...) array
        To start from.
    tol : float
    max_iter : int

    Returns
    -------
    Partition
    """
    masses, value = masses_of(cost, samples, centers)
    found = Partition(centers, masses, [value])
    while len(found.costs) <= max_iter:
        centers = centers_of(cost, samples, found.masses)
        masses, value = masses_of(cost, samples, centers)
        before = found.costs[-1]
        if value <= before:  # it can rise by rounding
            found = Partition(centers, masses, [*found.costs, value])
        if before - value <= tol * before:
            break
    return found


_COORDINATES = 10
"""Principal coordinates for k-means, or as many as clusters: the start only."""

_ROUNDING = 1e-6
"""Share of the greatest eigenvalue up to which eigenvalues are known, and 0 if they are smaller."""


@dataclass(frozen=True, eq=False)
class Distances:
    """Samples by their distances; centers are weights (c, n) of samples, which sum to 1.

    Parameters
    ----------
    squared_distances : (n, n) array
    """

    squared_distances: Floats

    def start(self, n_clusters: int, seed: int) -> Floats:
        """Centers of k-means on the principal coordinates, (c, n)."""
        coordinates = self._coordinates(max(n_clusters, _COORDINATES), seed)
        samples = Features(coordinates)
        squared = samples.squared(samples.start(n_clusters, seed), np.eye(n_clusters))
        near = squared.argmin(axis=1)
        member = (near == np.arange(n_clusters)[:, np.newaxis]).astype(np.float64)
        # Of centers in one place, the first has all samples.
        empty = ~member.any(axis=1)
        member[empty, squared.argmin(axis=0)[empty]] = 1
        return np.asarray(member / member.sum(axis=1, keepdims=True))

    def _coordinates(self, count: int, seed: int) -> Floats:
        """Principal coordinates (n, k) of positive variance (Torgerson's scaling)."""
        values, vectors = _greatest(_products(self.squared_distances), count, seed)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))

    def squared(self, centers: Floats, share: Floats) -> Floats:
        """Squared distances (n, F) to means of centers."""
        return NewDistances(self.squared_distances, spread_of(self, centers)).squared(
            centers, share
        )

    def centers(self, system: Floats, weights: Floats) -> Floats:
        """Centers (c, n) that solve a linear system."""
        found = np.linalg.lstsq(system, weights, rcond=None)[0]
        # Where the system does not tell, the mean of all samples.
        lost = 1 - found.sum(axis=1, keepdims=True)
        return np.asarray(found + lost / found.shape[1])


@dataclass(frozen=True, eq=False)
class NewDistances:
    """Samples by their distances to the training samples.

    Parameters
    ----------
    squared_distances : (m, n) array
    spread : (c, c) array
        Of the centers.
    """

    squared_distances: Floats
    spread: Floats

    def squared(self, centers: Floats, share: Floats) -> Floats:
        """Squared distances (m, F) to means of centers; negative ones, by rounding, are 0."""
        each = self.squared_distances @ centers.T @ share.T
        within = ((share @ self.spread) * share).sum(axis=1) / 2
        return np.asarray(np.maximum(each - within, 0))


def spread_of(samples: Distances, centers: Floats) -> Floats:
    """Mean squared distance (c, c) of a sample of one center and one of another."""
    return np.asarray(centers @ samples.squared_distances @ centers.T)


def shift_of(squared_distances: Floats) -> float:
    """Least number whose addition to all squared distances of two samples makes them Euclidean.

    Parameters
    ----------
    squared_distances : (n, n) array

    Returns
    -------
    float
        0 if they are Euclidean.

    Examples
    --------
    >>> line = np.array([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]])  # squared: three points on a line
    >>> shift_of(line), round(shift_of(line**2), 6)
    (0.0, 4.0)
    """
    products = _products(squared_distances)
    top = float(_greatest(products, 1, 0)[0][0])
    turned = top * np.eye(len(products)) - products
    least = top - float(_greatest(turned, 1, 0)[0][0])
    if least >= -_ROUNDING * top:
        return 0.0
    return -2 * least * float(squared_distances.max())


def shifted(squared_distances: Floats, shift: float) -> Floats:
    """Squared distances of different samples, made greater."""
    return squared_distances + shift * (squared_distances > 0)


def _products(squared_distances: Floats) -> Floats:
    """Inner products of centered samples, by the greatest squared distance."""
    squared = squared_distances / (squared_distances.max() or 1)
    rows = squared.mean(axis=0)
    return np.asarray(-(squared - rows - rows[:, np.newaxis] + rows.mean()) / 2)


def _greatest(matrix: Floats, count: int, seed: int) -> tuple[Floats, Floats]:
    """Greatest eigenvalues, in descending order, and their vectors."""
    if len(matrix) <= max(2 * count, 20) or not matrix.any():  # ARPACK refuses zeros
        values, vectors = np.linalg.eigh(matrix)
    else:
        first = np.random.RandomState(seed).normal(size=len(matrix))
        values, vectors = eigsh(matrix, count, which="LA", v0=first, tol=_ROUNDING)
    best = np.argsort(-values)[:count]
    return values[best], vectors[:, best]


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialCMeans(CenteredClustering):
    """Evidential c-means, where samples between clusters get mass on sets of clusters.

    Parameters
    ----------
    n_clusters : int
    focal : {"pairs", "all", "singletons"}
        Sets of clusters that may have mass: single ones, pairs and the frame; all 2^c - 1; or
        single ones only, which is fuzzy c-means.
    alpha : float
        0 or more: how much larger sets cost.
    delta : float or None
        Distance beyond which samples are outliers, with mass on the empty set, in the unit of the
        features. None: there are no outliers.
    n_init : int
        Starts from k-means with different seeds, of which the least cost counts.
    max_iter : int
    tol : float
        Ends when the cost falls by less than this share.
    random_state : int, RandomState or None
    beta : float
        Above 1: how soft the masses are.
    metric : {"euclidean", "precomputed"}
        "precomputed": X has distances, (n, n) in `fit`, and from new samples to the n training
        samples otherwise. This is relational evidential c-means (RECM).

    Attributes
    ----------
    cluster_centers_ : (c, n_features) array
        For features.
    center_weights_ : (c, n) array
        For distances: centers are weighted means of the training samples.
    center_spread_ : (c, c) array
        For distances: mean squared distance of a sample of one center and one of another, by these
        weights.
    shift_ : float
        For distances: what is added to squared distances of different samples, so that they are
        Euclidean; 0 if they are.
    mass_ : MassFunction
        Credal partition of the training samples: a batch (n,) on the frame 0, ..., c - 1.
    labels_ : (n,) array of int
        Cluster of maximum pignistic probability; -1 for samples whose empty set has the greatest
        mass.
    cost_ : float
    n_iter_ : int
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    rough_clusters : samples that surely and possibly belong to clusters.
    credal_rand_index : agreement of two credal partitions.

    Notes
    -----
    Distances are Euclidean, so features should have comparable scales. The algorithm ends in a
    local minimum.

    From the same start, Euclidean distances between samples give the same masses as their features.
    Other distances are made Euclidean by the least constant that does it, added to the squared
    distances of different samples; masses are the vaguer, the larger it is. R's ``recm`` takes
    unchanged squared distances: give their square root.

    References
    ----------
    Masson & Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
    Recognition 41(4), 1384-1397; (2009), RECM: Relational evidential c-means algorithm, Pattern
    Recognition Letters 30(11), 1015-1026. Lingoes (1971), Some boundary conditions for a monotone
    analysis of symmetric matrices, Psychometrika 36(2), 195-203.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [1.0], [1.8], [2.0]])
    >>> ecm = EvidentialCMeans(n_clusters=2, random_state=0).fit(X)
    >>> ecm.mass_.mass((0, 1)).round(2)  # the third is half way between two clusters
    array([0.  , 0.01, 1.  , 0.01, 0.  ])
    >>> distances = np.abs(X - X.T)
    >>> recm = EvidentialCMeans(n_clusters=2, metric="precomputed", random_state=0).fit(distances)
    >>> recm.mass_.mass((0, 1)).round(2)
    array([0.  , 0.01, 1.  , 0.01, 0.  ])
    """

    _ranges: ClassVar = {**CenteredClustering._ranges, "beta": POSITIVE}

    beta: float = 2.0
    metric: Metric = "euclidean"

    @all_or_nothing
    def fit(self, X: SamplesLike, y: ArrayLike | None = None) -> Self:
        """Find centers and masses.

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
            If there are fewer samples than clusters, X has no distances where it should, or a
            parameter is out of range.
        """
        self._check_parameters()
        X = read_samples(self, X, self.metric, reset=True)
        check_count_of_clusters(self.n_clusters, len(X))
        cost = self._cost()
        best = (self._of_distances if self.metric == "precomputed" else self._of_features)(X, cost)
        self._fitted = cost, self.metric
        return self._keep(cost.members, best.masses, best.costs)

    def _of_features(self, X: Floats, cost: Cost) -> Partition:
        middle = X.mean(axis=0)
        best = self._alternated(Features(X - middle), cost)
        self._forget("shift_", "center_weights_", "center_spread_")
        self.cluster_centers_ = best.centers + middle
        return best

    def _of_distances(self, X: Floats, cost: Cost) -> Partition:
        self._forget("cluster_centers_")
        self.shift_ = shift_of(X**2)
        samples = Distances(shifted(X**2, self.shift_))
        best = self._alternated(samples, cost)
        self.center_weights_ = best.centers
        self.center_spread_ = spread_of(samples, best.centers)
        return best

    def _forget(self, *names: str) -> None:
        """Drop what an earlier fit with the other metric left."""
        for name in names:
            if hasattr(self, name):
                delattr(self, name)

    def _alternated(self, samples: TrainingSamples, cost: Cost) -> Partition:
        count, options = int(self.n_clusters), (float(self.tol), self.max_iter)
        best: Partition = self._best(
            lambda seed: alternate(cost, samples, samples.start(count, seed), *options)
        )
        return best

    def _cost(self) -> Cost:
        members = members_of(self.n_clusters, self.focal, empty=self.delta is not None)
        delta = None if self.delta is None else float(self.delta)
        return Cost(members, float(self.alpha), float(self.beta), delta)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.beta <= 1:
            raise ValueError(f"beta is {self.beta!r}, expected more than 1")

    def predict_mass(self, X: SamplesLike) -> MassFunction:
        """Masses of new samples, for the centers that were found.

        Parameters
        ----------
        X : (m, n_features) array or data frame, or (m, n) distances to the training samples

        Returns
        -------
        MassFunction
            Batch (m,) on the frame of clusters.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        check_is_fitted(self)
        cost, metric = self._fitted  # parameters may have changed since
        X = read_samples(self, X, metric, reset=False)
        return as_partition(cost.members, masses_of(cost, *self._located(X, metric))[0])

    def _located(self, X: Floats, metric: str) -> tuple[Located, Floats]:
        if metric == "precomputed":
            near = NewDistances(shifted(X**2, self.shift_), self.center_spread_)
            return near, self.center_weights_
        middle = self.cluster_centers_.mean(axis=0)
        return Features(X - middle), self.cluster_centers_ - middle
