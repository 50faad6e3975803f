"""Evidential c-means: centers of clusters, and masses of samples on sets of clusters.

Source: Masson & Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
Recognition 41(4), 1384-1397.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sklearn.cluster import KMeans

from evical._typing import Floats
from evical.learners._distances import squared_distances


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
