"""`EvidentialCMeans`: clusters, sets of clusters that cannot be told apart, and outliers."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from evical._fitting import POSITIVE, all_or_nothing, as_random_state
from evical._typing import Floats, SamplesLike
from evical.learners._c_means_fit import (
    Cost,
    Distances,
    Features,
    Located,
    NewDistances,
    Partition,
    TrainingSamples,
    alternate,
    masses_of,
    shift_of,
    shifted,
    spread_of,
)
from evical.learners._clustering import (
    CenteredClustering,
    as_partition,
    check_count_of_clusters,
    labels_of,
    members_of,
)
from evical.learners._relational import Metric, read_samples


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialCMeans(CenteredClustering):
    """Evidential c-means: samples between clusters get mass on sets of clusters.

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
    squared distances, as they are: give their square root.

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
        self.mass_ = _as_mass(cost, best.masses, best.empty)
        self.labels_ = labels_of(self.mass_)
        self.cost_, self.n_iter_ = best.costs[-1], len(best.costs) - 1
        return self

    def _of_features(self, X: Floats, cost: Cost) -> Partition:
        middle = X.mean(axis=0)
        best = self._best(Features(X - middle), cost)
        self._forget("shift_", "center_weights_", "center_spread_")
        self.cluster_centers_ = best.centers + middle
        return best

    def _of_distances(self, X: Floats, cost: Cost) -> Partition:
        self._forget("cluster_centers_")
        self.shift_ = shift_of(X**2)
        samples = Distances(shifted(X**2, self.shift_))
        best = self._best(samples, cost)
        self.center_weights_ = best.centers
        self.center_spread_ = spread_of(samples, best.centers)
        return best

    def _forget(self, *names: str) -> None:
        """Drop what an earlier fit with the other metric left."""
        for name in names:
            if hasattr(self, name):
                delattr(self, name)

    def _best(self, samples: TrainingSamples, cost: Cost) -> Partition:
        random, tol = as_random_state(self.random_state), float(self.tol)
        found = []
        for _ in range(self.n_init):
            start = samples.start(int(self.n_clusters), int(random.randint(2**31 - 1)))
            found.append(alternate(cost, samples, start, tol, self.max_iter))
        return min(found, key=lambda partition: partition.costs[-1])

    def _cost(self) -> Cost:
        members = members_of(self.n_clusters, self.focal)
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
        masses, empty, _ = masses_of(cost, *self._located(X, metric))
        return _as_mass(cost, masses, empty)

    def _located(self, X: Floats, metric: str) -> tuple[Located, Floats]:
        if metric == "precomputed":
            near = NewDistances(shifted(X**2, self.shift_), self.center_spread_)
            return near, self.center_weights_
        middle = self.cluster_centers_.mean(axis=0)
        return Features(X - middle), self.cluster_centers_ - middle


def _as_mass(cost: Cost, masses: Floats, empty: Floats) -> MassFunction:
    if cost.delta is None:
        return as_partition(cost.members, masses)
    members = np.vstack([cost.members, np.zeros(cost.members.shape[1])])
    return as_partition(members, np.column_stack([masses, empty]))
