"""`BootClus`: Gaussian mixtures, bootstrapped, as beliefs that two samples belong together.

Credal partitions from intervals of the probability that two samples are in the same cluster.

Mixtures are fitted to bootstrap samples; percentiles of the probability of each pair over them are
its interval. The masses are those whose beliefs and plausibilities of "same cluster" have the least
squared differences from these intervals: one sample after another takes its best masses, which is a
least-squares problem on a simplex. Sources: Denoeux (2020), Calibrated model-based evidential
clustering using bootstrapping, Information Sciences 528, 17-45; ter Braak, Kourmpetis, Kiers & Bink
(2009), Approximating a similarity matrix by a latent class model: A reappraisal of additive fuzzy
clustering, Computational Statistics & Data Analysis 53(8), 3183-3193.

Gaussian mixtures: one chosen by its BIC, and those of bootstrap samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from evical._fitting import NOT_NEGATIVE, all_or_nothing, as_random_state, check_declared, optional
from evical._typing import Floats, RandomState, SamplesLike
from evical.curves.newton import least_squares_on_simplex
from evical.learners._clustering import (
    HOW_MANY,
    CredalClustering,
    Focal,
    as_partition,
    check_count_of_clusters,
    check_focal,
    labels_of,
    members_of,
)
from evical.learners._features import read_samples

Covariance: TypeAlias = Literal["full", "tied", "diag", "spherical"]
_TOL = 1e-6
"""Of the mean log-likelihood: at scikit-learn's 1e-3, EM stops near its start, as mixtures of
bootstrap samples would, and intervals would be too narrow (tests/benchmarks/bench_boot_clusters).
"""

_MAX_ITER = 10_000

_N_INIT = 5
"""Starts of the mixture that is chosen; those of bootstrap samples start from it."""


def chosen_mixture(
    X: Floats, counts: list[int], kinds: list[str], random: np.random.RandomState
) -> GaussianMixture:
    """The mixture of least BIC.

    Parameters
    ----------
    X : (n, p) array
    counts : list of int
        Numbers of components to choose from.
    kinds : list of str
        Kinds of covariance matrices to choose from.
    random : RandomState

    Returns
    -------
    fitted GaussianMixture
    """
    seed = int(random.randint(2**31 - 1))
    fits = [
        GaussianMixture(
            count,
            covariance_type=kind,
            tol=_TOL,
            n_init=_N_INIT,
            max_iter=_MAX_ITER,
            random_state=seed,
        ).fit(X)
        for count in counts
        for kind in kinds
    ]
    return min(fits, key=lambda fit: float(fit.bic(X))) if len(fits) > 1 else fits[0]


def bootstrapped(
    mixture: GaussianMixture,
    X: Floats,
    n_bootstraps: int,
    n_jobs: int | None,
    random: np.random.RandomState,
) -> list[GaussianMixture]:
    """Mixtures of samples drawn with replacement.

    Parameters
    ----------
    mixture : fitted GaussianMixture
        To start from.
    X : (n, p) array
    n_bootstraps : int
    n_jobs : int or None
    random : RandomState

    Returns
    -------
    list of fitted GaussianMixture
    """
    seeds = random.randint(2**31 - 1, size=n_bootstraps).tolist()
    return list(Parallel(n_jobs=n_jobs)(delayed(_refitted)(mixture, X, seed) for seed in seeds))


def _refitted(mixture: GaussianMixture, X: Floats, seed: int) -> GaussianMixture:
    rows = np.random.RandomState(seed).randint(0, len(X), len(X))
    again = GaussianMixture(
        mixture.n_components,
        covariance_type=mixture.covariance_type,
        weights_init=mixture.weights_ / mixture.weights_.sum(),
        means_init=mixture.means_,
        precisions_init=mixture.precisions_,
        init_params="random",  # what is given counts; k-means would be run for nothing
        tol=_TOL,
        max_iter=_MAX_ITER,
        random_state=seed,
    )
    return again.fit(X[rows])


def posteriors_of(mixtures: list[Any], X: Floats) -> Floats:
    """Posterior probabilities of components, (c, n, B)."""
    return np.ascontiguousarray(
        np.stack([mixture.predict_proba(X) for mixture in mixtures], axis=-1).transpose(1, 0, 2)
    )


def percentiles(one: Floats, posteriors: Floats, confidence: float) -> Floats:
    """Percentile intervals (n, 2) of the probability to be in the cluster of each sample.

    Parameters
    ----------
    one : (c, B) array
        Posterior probabilities of one sample, by B mixtures.
    posteriors : (c, n, B) array
        Of the others.
    confidence : float

    Returns
    -------
    (n, 2) array
    """
    together = one[0] * posteriors[0]
    for mine, theirs in zip(one[1:], posteriors[1:], strict=True):
        together += mine * theirs
    tail = (1 - confidence) / 2
    bounds = np.quantile(together, [tail, 1 - tail], axis=-1)
    return np.asarray(np.clip(bounds, 0, 1).T)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which pairs of sets are "same", which are "different", for sure.

    Parameters
    ----------
    members : (F, c) array
        1 where a focal set contains a cluster; no set is empty.
    """

    members: Floats

    @cached_property
    def same(self) -> Floats:
        """1 for a single cluster and itself, (F, F)."""
        return np.diag((self.members.sum(axis=1) == 1).astype(np.float64))

    @cached_property
    def different(self) -> Floats:
        """1 for sets that do not meet, (F, F)."""
        return np.asarray(self.members @ self.members.T == 0, dtype=np.float64)

    def interval(self, masses: Floats) -> Floats:
        """[Bel, Pl] (n, n, 2) of "same cluster"."""
        bel = masses @ self.same @ masses.T
        return np.stack([bel, 1 - masses @ self.different @ masses.T], axis=-1)


def best_row(gram: Floats, pull: Floats, total: float) -> Floats:
    """Masses m >= 0 of sum 1 with the least m'Gm - 2 p'm, for G and p of a least-squares problem.

    On the simplex, |Am - b|^2 = |(A - b1')m|^2.

    Parameters
    ----------
    gram : (F, F) array
        A'A.
    pull : (F,) array
        A'b.
    total : float
        b'b.

    Returns
    -------
    (F,) array

    Examples
    --------
    >>> best_row(np.eye(3), np.array([0.9, 0.3, -0.5]), 1.15).round(9)
    array([0.8, 0.2, 0. ])
    """
    shifted = gram - pull - pull[:, np.newaxis] + total
    values, vectors = np.linalg.eigh(shifted)
    root = np.sqrt(np.maximum(values, 0))[:, np.newaxis] * vectors.T
    scale = root.max() or 1.0
    return least_squares_on_simplex(root / scale)


def fit_masses(
    pairs: Pairs, interval: Floats, masses: Floats, tol: float, max_iter: int
) -> tuple[Floats, list[float]]:
    """Masses whose [Bel, Pl] of pairs are nearest to intervals.

    Parameters
    ----------
    pairs : Pairs
    interval : (n, n, 2) array
        Symmetric; a sample and itself do not count.
    masses : (n, F) array
        To start from.
    tol : float
        Ends when the stress falls by less than this share.
    max_iter : int

    Returns
    -------
    masses : (n, F) array
    stress : list of float
        Sum of squared differences over pairs, after each sweep.
    """
    masses = masses.copy()
    same, apart = interval[:, :, 0].copy(), 1 - interval[:, :, 1]
    np.fill_diagonal(same, 0)
    np.fill_diagonal(apart, 0)
    stress = [_stress(pairs, same, apart, masses)]
    while len(stress) <= max_iter:
        whole = masses.T @ masses
        for i in range(len(masses)):
            whole -= np.outer(masses[i], masses[i])
            gram, pull, total = _row(pairs, whole, masses, same[i], apart[i])
            found = best_row(gram, pull, total)
            if _gain(gram, pull, masses[i], found) > 0:
                masses[i] = found
            whole += np.outer(masses[i], masses[i])
        stress.append(_stress(pairs, same, apart, masses))
        if stress[-2] - stress[-1] <= tol * stress[-2]:
            break
    return masses, stress


def _row(
    pairs: Pairs, whole: Floats, masses: Floats, same: Floats, apart: Floats
) -> tuple[Floats, Floats, float]:
    """The least-squares problem of a sample: A'A, A'b and b'b; targets of itself are 0."""
    one, other = pairs.same, pairs.different
    gram = one @ whole @ one + other @ whole @ other
    pull = one @ (same @ masses) + other @ (apart @ masses)
    return gram, pull, float(same @ same + apart @ apart)


def _gain(gram: Floats, pull: Floats, before: Floats, after: Floats) -> float:
    gap = before - after
    return float(gap @ (gram @ (before + after) - 2 * pull))


def _stress(pairs: Pairs, same: Floats, apart: Floats, masses: Floats) -> float:
    off = ~np.eye(len(masses), dtype=bool)
    one = (masses @ pairs.same @ masses.T - same)[off]
    other = (masses @ pairs.different @ masses.T - apart)[off]
    return float(one @ one + other @ other) / 2


def masses_beside(pairs: Pairs, interval: Floats, masses: Floats) -> Floats:
    """Masses (F,) of a new sample, from its intervals (n, 2) with samples of given masses."""
    same, apart = interval[:, 0], 1 - interval[:, 1]
    return best_row(*_row(pairs, masses.T @ masses, masses, same, apart))


_MOST_CHOSEN = 9


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> clusters = BootClus(n_clusters=2, n_bootstraps=50, random_state=0).fit(X)
    >>> between = clusters.predict_mass([[2.4]])
    >>> bool(between.mass((0, 1))[0] > 0.3)  # not known, as the mixture is not
    True
    """

    _ranges: ClassVar = {
        "n_clusters": optional(HOW_MANY),
        "n_bootstraps": HOW_MANY,
        "tol": NOT_NEGATIVE,
    }

    n_clusters: int | None = None
    covariance_type: Covariance | None = None
    confidence: float = 0.9
    n_bootstraps: int = 500
    focal: Focal = "pairs"
    max_iter: int = 100
    tol: float = 1e-4
    n_jobs: int | None = None
    random_state: RandomState = None

    @all_or_nothing
    def fit(self, X: SamplesLike, y: ArrayLike | None = None) -> Self:
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
        check_declared(self)
        check_focal(self.focal, self.n_clusters)
        X = read_samples(self, X, reset=True)
        X = self._standardized(X)
        random = as_random_state(self.random_state)
        kinds = [self.covariance_type] if self.covariance_type else list(get_args(Covariance))
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
        X = read_samples(self, X, reset=False)
        X, pairs = (X - self.center_) / self.scale_, self._pairs
        known = np.asarray(self.mass_.masses, dtype=np.float64)
        found = []
        for one in posteriors_of(self.mixtures_, X).transpose(1, 0, 2):
            interval = percentiles(one, self._posteriors, self._confidence)
            found.append(masses_beside(pairs, interval, known))
        return as_partition(pairs.members, np.array(found))
