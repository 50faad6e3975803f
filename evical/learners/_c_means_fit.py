"""Evidential c-means: centers of clusters, and masses of samples on sets of clusters.

Source: Masson & Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
Recognition 41(4), 1384-1397.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

__all__ = ["Cost", "Partition", "alternate", "masses_of", "start_of"]

Floats = NDArray[np.float64]


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

    def of_sets(self, X: Floats, centers: Floats) -> Floats:
        """|A|^alpha times the squared distance to the mean center of each set, (n, F)."""
        size = self.members.sum(axis=1)
        means = self.members @ centers / size[:, np.newaxis]
        squared = (X**2).sum(axis=1)[:, np.newaxis] - 2 * X @ means.T + (means**2).sum(axis=1)
        return np.asarray(np.maximum(squared, 0) * size**self.alpha)


@dataclass(frozen=True, eq=False)
class Partition:
    """Centers (c, p), masses (n, F) of sets and (n,) of the empty set, and the costs of all steps.

    The cost of a step is that of its masses and of the centers which they came from.
    """

    centers: Floats
    masses: Floats
    empty: Floats
    costs: list[float]


def masses_of(cost: Cost, X: Floats, centers: Floats) -> tuple[Floats, Floats, float]:
    """Best masses for given centers, and their cost.

    Parameters
    ----------
    cost : Cost
    X : (n, p) array
    centers : (c, p) array

    Returns
    -------
    masses : (n, F) array
    empty : (n,) array
    value : float
    """
    each = cost.of_sets(X, centers)
    if cost.delta is not None:
        each = np.column_stack([each, np.full(len(X), cost.delta**2)])
    least = each.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (least / each) ** (1 / (cost.beta - 1))
    share[np.isnan(share)] = 1  # a sample on a center: 0 / 0
    share /= share.sum(axis=1, keepdims=True)
    value = float((share**cost.beta * each).sum())
    if cost.delta is None:
        return share, np.zeros(len(X)), value
    return share[:, :-1], share[:, -1], value


def centers_of(cost: Cost, X: Floats, masses: Floats) -> Floats:
    """Best centers for given masses: a linear system."""
    size = cost.members.sum(axis=1)
    weight = masses**cost.beta
    system = (cost.members.T * (weight.sum(axis=0) * size ** (cost.alpha - 2))) @ cost.members
    right = (cost.members.T * size ** (cost.alpha - 1)) @ (weight.T @ X)
    return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0])


def alternate(cost: Cost, X: Floats, centers: Floats, tol: float, max_iter: int) -> Partition:
    """Masses and centers in turn, until the cost falls by less than a share of it.

    Parameters
    ----------
    cost : Cost
    X : (n, p) array
        Best centered, as distances are differences.
    centers : (c, p) array
        To start from.
    tol : float
    max_iter : int

    Returns
    -------
    Partition
    """
    costs: list[float] = []
    while True:
        masses, empty, value = masses_of(cost, X, centers)
        costs.append(value)
        if len(costs) > max_iter or (len(costs) > 1 and costs[-2] - value <= tol * costs[-2]):
            return Partition(centers, masses, empty, costs)
        centers = centers_of(cost, X, masses)


def start_of(X: Floats, n_clusters: int, seed: int) -> Floats:
    """Centers of k-means.

    Parameters
    ----------
    X : (n, p) array
    n_clusters : int
    seed : int

    Returns
    -------
    (c, p) array
    """
    return np.asarray(KMeans(n_clusters, n_init=1, random_state=seed).fit(X).cluster_centers_)
