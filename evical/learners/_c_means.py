"""`EvidentialCMeans`: clusters, sets of clusters that cannot be told apart, and outliers."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame, MassFunction
from dstheory.kernels.arguments import check_choice, check_count
from dstheory.transform import betp
from evical.learners._c_means_fit import Cost, Partition, alternate, masses_of, start_of
from evical.learners._features import read_features
from evical.scores.parameters import as_random_state, check_above_zero, check_not_negative
from evical.scores.refused import all_or_nothing

__all__ = ["EvidentialCMeans"]

Floats = NDArray[np.float64]

_MOST = 10_000  # clusters, and starts
_GREATEST_DELTA = 1e150  # its square is a float

FOCAL = ("pairs", "all", "singletons")


class EvidentialCMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Evidential c-means: samples between clusters get mass on sets of clusters.

    Parameters
    ----------
    n_clusters : int
    focal : {"pairs", "all", "singletons"}
        Sets of clusters that may have mass: single ones, pairs and the frame; all 2^c - 1; or
        single ones only, which is fuzzy c-means.
    alpha : float
        0 or more: how much larger sets cost.
    beta : float
        Above 1: how soft the masses are.
    delta : float or None
        Distance beyond which samples are outliers, with mass on the empty set, in the unit of the
        features. None: there are no outliers.
    n_init : int
        Starts from k-means with different seeds, of which the least cost counts.
    max_iter : int
    tol : float
        Ends when the cost falls by less than this share.
    random_state : int, RandomState or None

    Attributes
    ----------
    cluster_centers_ : (c, n_features) array
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

    References
    ----------
    Masson & Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
    Recognition 41(4), 1384-1397.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [1.0], [1.8], [2.0]])
    >>> ecm = EvidentialCMeans(2, random_state=0).fit(X)
    >>> ecm.mass_.mass((0, 1)).round(2)  # the third is half way between two clusters
    array([0.  , 0.01, 1.  , 0.01, 0.  ])
    """

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        focal: str = "pairs",
        alpha: float = 1.0,
        beta: float = 2.0,
        delta: float | None = None,
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.focal = focal
        self.alpha = alpha
        self.beta = beta
        self.delta = delta
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find centers and masses.

        Parameters
        ----------
        X : (n, n_features) array or data frame
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
            If there are fewer samples than clusters, or a parameter is out of range.
        """
        self._check_parameters()
        X = read_features(self, X, reset=True)
        if len(X) < self.n_clusters:
            raise ValueError(
                f"n_clusters is {self.n_clusters}, but there are only {len(X)} samples "
                f"(n_samples={len(X)})"
            )
        middle = X.mean(axis=0)
        best = self._best(X - middle)
        self.cluster_centers_ = best.centers + middle
        self.mass_ = self._as_mass(best.masses, best.empty)
        self.labels_ = _labels(self.mass_)
        self.cost_, self.n_iter_ = best.costs[-1], len(best.costs) - 1
        return self

    def _best(self, X: Floats) -> Partition:
        random = as_random_state(self.random_state)
        found = []
        for _ in range(self.n_init):
            start = start_of(X, self.n_clusters, int(random.randint(2**31 - 1)))
            found.append(alternate(self._cost(), X, start, self.tol, self.max_iter))
        return min(found, key=lambda partition: partition.costs[-1])

    def _cost(self) -> Cost:
        return Cost(_members(self.n_clusters, self.focal), self.alpha, self.beta, self.delta)

    def _as_mass(self, masses: Floats, empty: Floats) -> MassFunction:
        members = _members(self.n_clusters, self.focal).astype(int)
        focal = (members << np.arange(self.n_clusters)).sum(axis=1).tolist()
        frame = Frame(range(self.n_clusters))
        if self.delta is None:
            return MassFunction(frame, focal, masses)
        return MassFunction(frame, [0, *focal], np.column_stack([empty, masses]))

    def _check_parameters(self) -> None:
        check_count("n_clusters", self.n_clusters, 1, _MOST)
        check_choice("focal", self.focal, FOCAL)
        if self.focal == "all" and self.n_clusters > 12:
            raise ValueError(
                f"focal is 'all', and {self.n_clusters} clusters have 2^{self.n_clusters} sets; "
                "take 'pairs'"
            )
        check_count("n_init", self.n_init, 1, _MOST)
        check_count("max_iter", self.max_iter, 1)
        check_not_negative(alpha=self.alpha, tol=self.tol)
        check_above_zero(beta=self.beta)
        if self.beta <= 1:
            raise ValueError(f"beta is {self.beta!r}, expected more than 1")
        with np.errstate(over="ignore"):
            if not np.isfinite(np.float64(self.n_clusters) ** self.alpha):
                raise ValueError(f"alpha is {self.alpha!r}: the cost of large sets is infinite")
        if self.delta is not None:
            check_above_zero(delta=self.delta)
            if self.delta > _GREATEST_DELTA:
                raise ValueError(f"delta is {self.delta!r}, expected at most {_GREATEST_DELTA}")

    def predict_mass(self, X: Any) -> MassFunction:
        """Masses of new samples, for the centers that were found.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        MassFunction
            Batch (n,) on the frame of clusters.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        check_is_fitted(self)
        X = read_features(self, X, reset=False)
        middle = self.cluster_centers_.mean(axis=0)
        masses, empty, _ = masses_of(self._cost(), X - middle, self.cluster_centers_ - middle)
        return self._as_mass(masses, empty)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Clusters of new samples, as `labels_`.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n,) array of int
        """
        return _labels(self.predict_mass(X))

    def predict_proba(self, X: Any) -> Floats:
        """Pignistic probabilities: a fuzzy partition.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, c) array
        """
        return np.asarray(betp(self.predict_mass(X)))


def _labels(mass: MassFunction) -> NDArray[np.int64]:
    """Cluster of maximum pignistic probability, and -1 for outliers."""
    best = np.argmax(betp(mass), axis=1)
    if mass.focal.tolist()[0] != 0:
        return np.asarray(best, dtype=np.int64)
    outlier = mass.masses.argmax(axis=1) == 0
    return np.asarray(np.where(outlier, -1, best), dtype=np.int64)


def _members(n_clusters: int, focal: str) -> Floats:
    """Which sets contain which clusters, (F, c), by ascending mask."""
    single = [1 << k for k in range(n_clusters)]
    masks = set(single)
    if focal == "all":
        masks = set(range(1, 1 << n_clusters))
    elif focal == "pairs":
        masks |= {a | b for a in single for b in single} | {(1 << n_clusters) - 1}
    return np.array(
        [[mask >> k & 1 for k in range(n_clusters)] for mask in sorted(masks)], dtype=np.float64
    )
