"""`BootClus`: Gaussian mixtures, bootstrapped, as beliefs that two samples belong together."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import check_choice, check_count, check_level, check_not_negative
from evical._fitting import all_or_nothing, as_random_state, check_jobs
from evical._typing import Floats
from evical.learners._boot_clusters_fit import Pairs, fit_masses, masses_beside, percentiles
from evical.learners._clustering import (
    CredalClustering,
    as_partition,
    check_count_of_clusters,
    check_focal,
    labels_of,
    members_of,
)
from evical.learners._features import read_features, refuse_huge
from evical.learners._mixtures import COVARIANCES, bootstrapped, chosen_mixture, posteriors_of

__all__ = ["BootClus"]


_MOST = 10_000  # clusters
_MOST_CHOSEN = 9


class BootClus(CredalClustering):
    """Model-based clusters with beliefs calibrated by the bootstrap.

    A Gaussian mixture gives each pair of samples a probability to be in the same cluster, and
    mixtures of bootstrap samples give it a percentile interval. Masses are fitted so that belief
    and plausibility of "in the same cluster" come near these intervals.

    Parameters
    ----------
    n_clusters : int, optional
        Components of the mixture. By default, the number from 1 to 9 of the least BIC.
    covariance_type : {"full", "tied", "diag", "spherical"}, optional
        As of `sklearn.mixture.GaussianMixture`. By default, the one of the least BIC.
    confidence : float
        In (0, 1): level of the intervals.
    n_bootstraps : int
    focal : {"pairs", "all", "singletons"}
        Sets of clusters that may have mass, as of `EvidentialCMeans`.
    max_iter : int
        Most sweeps over the samples, to fit masses.
    tol : float
        Ends when the stress falls by less than this share.
    n_jobs : int, optional
        For the bootstrap.
    random_state : int, RandomState or None

    Attributes
    ----------
    n_clusters_ : int
    mixture_ : fitted `sklearn.mixture.GaussianMixture`
        Of the features, centered and divided by `scale_`.
    center_ : (n_features,) array
    scale_ : float
    mixtures_ : list of fitted `sklearn.mixture.GaussianMixture`
        Of the bootstrap samples.
    interval_ : (n, n, 2) array
        Percentile intervals of the probability that two samples are in the same cluster.
    mass_ : MassFunction
        Credal partition of the training samples: a batch (n,) on the frame 0, ..., c - 1, without
        mass on the empty set.
    labels_ : (n,) array of int
        Cluster of maximum pignistic probability.
    stress_ : float
        Mean over pairs of the squared differences of belief and plausibility from the bounds.
    n_iter_ : int
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    EvidentialCMeans : clusters around centers, without a model.

    Notes
    -----
    The intervals are about the probability by the true mixture, if it is of the chosen kind; those
    of belief and plausibility are as near as masses on few sets allow. Cost and memory grow with
    the square of the number of samples.

    References
    ----------
    Denoeux (2020), Calibrated model-based evidential clustering using bootstrapping, Information
    Sciences 528, 17-45.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 30), rng.normal(5, 1, 30)])[:, np.newaxis]
    >>> clusters = BootClus(2, n_bootstraps=50, random_state=0).fit(X)
    >>> between = clusters.predict_mass([[2.4]])
    >>> bool(between.mass((0, 1))[0] > 0.3)  # not known, as the mixture is not
    True
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        covariance_type: str | None = None,
        confidence: float = 0.9,
        n_bootstraps: int = 500,
        focal: str = "pairs",
        max_iter: int = 100,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.confidence = confidence
        self.n_bootstraps = n_bootstraps
        self.focal = focal
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit mixtures, intervals and masses.

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
        refuse_huge(X)
        X = self._standardized(X)
        random = as_random_state(self.random_state)
        kinds = list(COVARIANCES) if self.covariance_type is None else [self.covariance_type]
        self.mixture_ = chosen_mixture(X, self._counts(len(X)), kinds, random)
        self.n_clusters_ = int(self.mixture_.n_components)
        self.mixtures_ = bootstrapped(self.mixture_, X, self.n_bootstraps, self.n_jobs, random)
        self._posteriors = posteriors_of(self.mixtures_, X)
        self._confidence = float(self.confidence)
        self.interval_ = np.stack(
            [percentiles(one, self._posteriors, self._confidence) for one in self._each()]
        )
        self._fit_masses(self.mixture_.predict_proba(X))
        return self

    def _each(self) -> Any:
        return self._posteriors.transpose(1, 0, 2)

    def _standardized(self, X: Floats) -> Floats:
        self.center_ = X.mean(axis=0)
        self.scale_ = float(np.sqrt(X.var(axis=0).mean())) or 1.0
        return np.asarray((X - self.center_) / self.scale_)

    def _counts(self, n: int) -> list[int]:
        """Numbers of clusters to choose from."""
        if n < 2:
            raise ValueError(f"X has only {n} sample (n_samples={n}), expected two or more")
        if self.n_clusters is None:
            return list(range(1, min(_MOST_CHOSEN, n // 2) + 1))
        check_count_of_clusters(self.n_clusters, n)
        return [int(self.n_clusters)]

    def _fit_masses(self, start: Floats) -> None:
        members = members_of(self.n_clusters_, self.focal)
        masses = np.zeros((len(start), len(members)))
        masses[:, members.sum(axis=1) == 1] = start
        self._pairs = Pairs(members)
        tol = float(self.tol)
        masses, stress = fit_masses(self._pairs, self.interval_, masses, tol, self.max_iter)
        self.mass_ = as_partition(members, masses)
        self.labels_ = labels_of(self.mass_)
        self.stress_ = stress[-1] * 2 / (len(start) * (len(start) - 1))
        self.n_iter_ = len(stress) - 1

    def _check_parameters(self) -> None:
        if self.n_clusters is not None:
            check_count("n_clusters", self.n_clusters, 1, _MOST)
        check_focal(self.focal, self.n_clusters)
        check_choice("covariance_type", self.covariance_type, (*COVARIANCES, None))
        check_level("confidence", self.confidence)
        check_count("n_bootstraps", self.n_bootstraps, 1, _MOST)
        check_count("max_iter", self.max_iter, 1)
        check_not_negative(tol=self.tol)
        check_jobs(self.n_jobs)

    def predict_mass(self, X: Any) -> MassFunction:
        """Masses of new samples, from their intervals with the training samples.

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
        X, pairs = (X - self.center_) / self.scale_, self._pairs
        known = np.asarray(self.mass_.masses, dtype=np.float64)
        found = []
        for one in posteriors_of(self.mixtures_, X).transpose(1, 0, 2):
            interval = percentiles(one, self._posteriors, self._confidence)
            found.append(masses_beside(pairs, interval, known))
        return as_partition(pairs.members, np.array(found))
