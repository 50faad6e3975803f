"""Evidential c-means: centers of clusters, and masses of samples on sets of clusters.

Source: Masson & Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
Recognition 41(4), 1384-1397.

Samples known by their distances: centers of clusters are weighted means of samples.

The squared distance of a sample to a weighted mean follows from its squared distances to the
samples in it. Distances that are not Euclidean become so by a constant, added to the squares.
Sources: Masson & Denoeux (2009), RECM: Relational evidential c-means algorithm, Pattern Recognition
Letters 30(11), 1015-1026; Lingoes (1971), Some boundary conditions for a monotone analysis of
symmetric matrices, Psychometrika 36(2), 195-203.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans

from evical._typing import Floats
from evical.learners._features import squared_distances


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
        1 where a focal set contains a cluster; no set is empty.
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
        size = self.members.sum(axis=1)
        squared = samples.squared(centers, self.members / size[:, np.newaxis])
        return np.asarray(squared * size**self.alpha)


@dataclass(frozen=True, eq=False)
class Partition:
    """Centers (c, ...), masses (n, F) of sets and (n,) of the empty set, and costs of all steps.

    The cost of a step is that of its masses and of the centers which they came from.
    """

    centers: Floats
    masses: Floats
    empty: Floats
    costs: list[float]


def masses_of(cost: Cost, samples: Located, centers: Floats) -> tuple[Floats, Floats, float]:
    """Best masses for given centers, and their cost.

    Parameters
    ----------
    cost : Cost
    samples : Located
    centers : (c, ...) array

    Returns
    -------
    masses : (n, F) array
    empty : (n,) array
    value : float
    """
    each = cost.of_sets(samples, centers)
    if cost.delta is not None:
        each = np.column_stack([each, np.full(len(each), cost.delta**2)])
    least = each.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (least / each) ** (1 / (cost.beta - 1))
    share[np.isnan(share)] = 1  # a sample on a center: 0 / 0
    share /= share.sum(axis=1, keepdims=True)
    value = float((share**cost.beta * each).sum())
    if cost.delta is None:
        return share, np.zeros(len(each)), value
    return share[:, :-1], share[:, -1], value


def centers_of(cost: Cost, samples: TrainingSamples, masses: Floats) -> Floats:
    """Best centers for given masses: a linear system."""
    size = cost.members.sum(axis=1)
    weight = masses**cost.beta
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
    masses, empty, value = masses_of(cost, samples, centers)
    found = Partition(centers, masses, empty, [value])
    while len(found.costs) <= max_iter:
        centers = centers_of(cost, samples, found.masses)
        masses, empty, value = masses_of(cost, samples, centers)
        before = found.costs[-1]
        if value <= before:  # it can rise by rounding
            found = Partition(centers, masses, empty, [*found.costs, value])
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
