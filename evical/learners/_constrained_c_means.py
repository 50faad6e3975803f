"""`ConstrainedEvidentialCMeans`: clusters, with pairs known to be together or apart."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_choice, check_level
from evical._fitting import all_or_nothing, as_random_state
from evical._typing import Floats, Ints
from evical.learners._clustering import (
    CredalClustering,
    as_partition,
    check_centers,
    check_count_of_clusters,
    labels_of,
    members_of,
)
from evical.learners._constrained_c_means_fit import (
    Links,
    Objective,
    State,
    distances_of,
    improve,
    masses_without,
)
from evical.learners._features import read_features, refuse_huge

__all__ = ["ConstrainedEvidentialCMeans"]


METRICS = ("euclidean", "mahalanobis")


class ConstrainedEvidentialCMeans(CredalClustering):
    """Constrained evidential c-means (CECM): some pairs must or cannot be in the same cluster.

    Parameters
    ----------
    n_clusters : int
    focal : {"pairs", "all", "singletons"}
        Sets of clusters that may have mass, as of `EvidentialCMeans`.
    alpha : float
        0 or more: how much larger sets cost.
    delta : float or None
        Distance beyond which samples are outliers, with mass on the empty set, in the unit of the
        features. None: there are no outliers.
    trade_off : float
        In (0, 1): weight of the constraints; that of the distances is the rest.
    metric : {"euclidean", "mahalanobis"}
        "mahalanobis": each cluster has a metric of its own, of determinant 1, so clusters may be
        ellipses.
    n_init : int
        Starts from k-means with different seeds, of which the least cost counts.
    max_iter : int
    tol : float
        Ends when the cost falls by less than this share.
    random_state : int, RandomState or None

    Attributes
    ----------
    cluster_centers_ : (c, n_features) array
    metrics_ : (c, n_features, n_features) array
        Metric of each cluster.
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
    EvidentialCMeans : without constraints, with other exponents, and of distances.

    Notes
    -----
    The cost is (1 - trade_off) / (n F) times that of `EvidentialCMeans` with beta = 2 and F sets,
    in units of the mean variance of the features, plus trade_off times the mean over constraints
    of the plausibility that they are broken. A constraint that contradicts the distances may be
    broken: the greater trade_off, the fewer are. The cost never rises; the end is a local minimum.

    References
    ----------
    Antoine, Quost, Masson & Denoeux (2012), CECM: Constrained evidential C-means algorithm,
    Computational Statistics & Data Analysis 56(4), 894-914.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [0.9], [1.8], [2.0]])
    >>> cecm = ConstrainedEvidentialCMeans(2, random_state=0)
    >>> free = cecm.fit(X).labels_
    >>> tied = cecm.fit(X, must_link=[(2, 4)], cannot_link=[(2, 0)]).labels_
    >>> free[2] == free[0], tied[2] == tied[0]
    (np.True_, np.False_)
    """

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        focal: str = "pairs",
        alpha: float = 1.0,
        delta: float | None = None,
        trade_off: float = 0.5,
        metric: str = "euclidean",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.focal = focal
        self.alpha = alpha
        self.delta = delta
        self.trade_off = trade_off
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Find centers, metrics and masses.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        y : None
            Not used.
        must_link, cannot_link : (q, 2) arrays of int, optional
            Pairs of rows of X in the same cluster, and in different ones.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If a parameter is of a wrong kind, or constraints are no pairs of rows.
        ValueError
            If there are fewer samples than clusters, a parameter is out of range, a pair is of no
            two rows, or must and cannot be linked.
        """
        self._check_parameters()
        X = read_features(self, X, reset=True)
        check_count_of_clusters(self.n_clusters, len(X))
        refuse_huge(X)
        middle = X.mean(axis=0)
        links = _links(len(X), must_link, cannot_link)
        objective = self._minimized(float(X.var(axis=0).mean()), links)
        best = self._best(objective, X - middle)
        self._objective = replace(objective, unit=1.0, links=_links(1, None, None))
        self.cluster_centers_, self.metrics_ = best.centers + middle, best.metrics
        self.mass_ = as_partition(objective.members, best.masses)
        self.labels_ = labels_of(self.mass_)
        self.cost_, self.n_iter_ = best.costs[-1], len(best.costs) - 1
        return self

    def _best(self, objective: Objective, X: Floats) -> State:
        random, tol = as_random_state(self.random_state), float(self.tol)
        found = []
        for _ in range(self.n_init):
            seed = int(random.randint(2**31 - 1))
            start = KMeans(int(self.n_clusters), n_init=1, random_state=seed).fit(X)
            found.append(improve(objective, X, start.cluster_centers_, tol, self.max_iter))
        return min(found, key=lambda state: state.costs[-1])

    def _minimized(self, unit: float, links: Links) -> Objective:
        members = members_of(self.n_clusters, self.focal, empty=self.delta is not None)
        adaptive = self.metric == "mahalanobis"
        delta = None if self.delta is None else float(self.delta)
        alpha, trade_off = float(self.alpha), float(self.trade_off)
        return Objective(members, alpha, delta, trade_off, unit or 1.0, links, adaptive)

    def _check_parameters(self) -> None:
        check_centers(self)
        check_choice("metric", self.metric, METRICS)
        check_level("trade_off", self.trade_off)

    def predict_mass(self, X: Any) -> MassFunction:
        """Masses of new samples without constraints, for the centers and metrics that were found.

        Parameters
        ----------
        X : (m, n_features) array or data frame

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
        X = read_features(self, X, reset=False)
        refuse_huge(X)
        middle = self.cluster_centers_.mean(axis=0)
        objective = self._objective  # parameters may have changed since
        squared = distances_of(objective, X - middle, self.cluster_centers_ - middle, self.metrics_)
        return as_partition(objective.members, masses_without(objective.per_set(squared)))


def _links(n: int, must_link: Any, cannot_link: Any) -> Links:
    must, cannot = _pairs(n, must_link, "must_link"), _pairs(n, cannot_link, "cannot_link")
    both = set(map(tuple, must.tolist())) & set(map(tuple, cannot.tolist()))
    if both:
        raise ValueError(f"the pair {min(both)} must and cannot be linked; take one of them out")
    return Links.of(n, must, cannot)


def _pairs(n: int, values: Any, name: str) -> Ints:
    """Distinct pairs (q, 2) of rows, the lower one first."""
    if values is None:
        return np.empty((0, 2), dtype=np.int64)
    pairs = as_array(values, name)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.dtype.kind not in "iu":
        raise TypeError(f"{name} has entries {pairs.dtype}, expected rows of X: whole numbers")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"{name} has the shape {pairs.shape}, expected (q, 2): pairs of rows")
    wrong = ((pairs < 0) | (pairs >= n)).any(axis=1) | (pairs[:, 0] == pairs[:, 1])
    if wrong.any():
        q = int(np.argmax(wrong))
        raise ValueError(
            f"{name}[{q}] is {pairs[q].tolist()}, expected two different rows from 0 to {n - 1}"
        )
    return np.unique(np.sort(pairs.astype(np.int64), axis=1), axis=0)
