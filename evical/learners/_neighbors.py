"""`EvidentialKNeighborsClassifier`: each neighbor is a piece of evidence.

Source: Denoeux (1995), A k-nearest neighbor classification rule based on Dempster-Shafer theory,
IEEE Trans. Systems, Man, and Cybernetics 25(5), 804-813; Zouhal & Denoeux (1998), An evidence-
theoretic k-NN rule with parameter optimization, IEEE Trans. SMC C 28(2), 263-271; Denoeux,
Kanjanatarakul & Sriboonchitta (2019), A new evidential K-nearest neighbor rule based on contextual
discounting with partially supervised learning, Int. J. Approx. Reasoning 113, 287-302.

Evidence that neighbors give about the class of a sample, and how fast it fades with distance.

A neighbor at distance d, of class q, says "q" with the mass s = alpha exp(-gamma_q d^2). Under
contextual discounting it says "not k" of every other class k, with s = alpha exp(-gamma_k d^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import check_count, check_level, check_rows
from dstheory.kernels.batches import blocks
from evical._fitting import all_or_nothing, check_declared
from evical._typing import Floats, SamplesLike
from evical.curves.descent import descend
from evical.learners._evidence import EvidencePredictor, WeightedEvidence, log_loss, squared_loss
from evical.learners._features import check_neighbors, read_features, read_labels

Discounting: TypeAlias = Literal["uniform", "contextual"]


class Neighbors(NamedTuple):
    """The neighbors of n samples.

    Parameters
    ----------
    squared : (n, N) array
        Squared distances.
    doubt : (n, N, K) array
        1 - plausibility of each class for each neighbor: of a hard label, 0 for its class and 1
        for others.
    """

    squared: Floats
    doubt: Floats


_FAR = 1e3  # exp(-_FAR) is 0


def weights_of_neighbors(
    neighbors: Neighbors, gamma: Floats, alpha: float, discounting: str
) -> tuple[Floats, Floats]:
    """Weights of the evidence for each class, or against it.

    Parameters
    ----------
    neighbors : Neighbors
    gamma : (K,) array
    alpha : float
    discounting : {"uniform", "contextual"}

    Returns
    -------
    weights : (n, K) array
        Sums of -log(1 - s) over the neighbors of a class ("uniform", weights for it), or of
        -log(1 - s doubt) over all ("contextual", weights against it).
    slopes : (n, K) array
        Their derivatives with respect to log(gamma).

    Examples
    --------
    >>> near = Neighbors(np.array([[0.0, 1.0]]), np.array([[[0.0, 1.0], [1.0, 0.0]]]))
    >>> weights_of_neighbors(near, np.ones(2), 0.5, "uniform")[0].round(3)
    array([[0.693, 0.203]])
    """
    with np.errstate(over="ignore"):  # of samples too far off to be evidence
        distance = np.minimum(neighbors.squared[:, :, np.newaxis] * gamma, _FAR)
    share = 1 - neighbors.doubt if discounting == "uniform" else neighbors.doubt
    s = alpha * np.exp(-distance) * share
    weights = -np.log1p(-s).sum(axis=1)
    slopes = -(s * distance / (1 - s)).sum(axis=1)
    return np.asarray(weights), np.asarray(slopes)


def fit_gamma(
    neighbors: Neighbors, plausibility: Floats, start: Floats, alpha: float, discounting: str
) -> Floats:
    """The gamma that predicts samples best from neighbors other than themselves.

    Parameters
    ----------
    neighbors : Neighbors
        Of the training samples, without themselves.
    plausibility : (n, K) array
        Of their own labels.
    start : (K,) array
        Gamma to start from.
    alpha, discounting
        As of `weights_of_neighbors`.

    Returns
    -------
    (K,) array
        "uniform": least squared error of pignistic probabilities (Zouhal & Denoeux 1998).
        "contextual": greatest evidential likelihood, the product over samples of the mean
        plausibility of their labels under the relative plausibilities that are predicted (Denoeux,
        Kanjanatarakul & Sriboonchitta 2019).
    """

    def objective(log_gamma: Floats) -> tuple[float, Floats]:
        weights, slopes = weights_of_neighbors(neighbors, np.exp(log_gamma), alpha, discounting)
        value, gradient = error_of(weights, plausibility, discounting)
        return value / len(weights), (gradient * slopes).sum(axis=0) / len(weights)

    # Beyond a factor of e^10, evidence is the same at all distances, or there is none.
    log_start = np.log(start)
    bounds = [(value - 10, value + 10) for value in log_start.tolist()]
    found = descend(objective, log_start, bounds=bounds)
    return np.asarray(np.exp(found.x))


def error_of(weights: Floats, plausibility: Floats, discounting: str) -> tuple[float, Floats]:
    """How badly weights predict labels, as `fit_gamma` says, and its derivatives (n, K)."""
    if discounting == "uniform":
        target = plausibility / plausibility.sum(axis=1, keepdims=True)
        each, slopes = squared_loss(weights.T, target.T, 1 / weights.shape[1])
        return 2 * float(each.sum()), 2 * slopes.T
    each, slopes = log_loss(-weights.T, plausibility.T, None)
    return float(each.sum()), -slopes.T


_HARD = (
    "discounting is 'uniform', which needs hard labels; take 'auto' or 'contextual' for mass "
    "functions"
)


CHUNK = 2**22
"""Numbers in an array of neighbors by classes."""


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialKNeighborsClassifier(EvidencePredictor, BaseEstimator):  # type: ignore[misc] # sklearn
    """K nearest neighbors, each a piece of evidence that fades with distance.

    Parameters
    ----------
    n_neighbors : int
    discounting : {"auto", "uniform", "contextual"}
        "uniform": a neighbor of class q at distance d gives q the mass alpha exp(-gamma_q d^2).
        "contextual": it denies every other class k with the mass alpha exp(-gamma_k d^2). "auto":
        contextual for uncertain labels, else uniform.
    alpha : float
        In (0, 1): the mass that a neighbor at distance 0 commits. The papers take 0.95, which is
        overconfident on noisy data.
    optimize : bool
        Fit `gamma_`, to predictions of each training sample by its neighbors. Otherwise it is the
        inverse of the mean squared distance between samples of a class.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}
        Of `sklearn.neighbors.NearestNeighbors`; distances are Euclidean.
    n_jobs : int, optional
        For the search.

    Attributes
    ----------
    classes_ : (K,) array
    discounting_ : {"uniform", "contextual"}
    gamma_ : (K,) array
        How fast evidence fades, in 1 / (unit of the features)^2.
    neighbors_ : fitted `sklearn.neighbors.NearestNeighbors`
    plausibility_ : (n, K) array
        Of the training labels.
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    EvidentialClassifier : any classifier, calibrated.

    Notes
    -----
    Features should have comparable scales, as for all neighbors; see
    `sklearn.preprocessing.StandardScaler`. Impute missing ones first, as by
    `sklearn.impute.KNNImputer` (``python -m tests.benchmarks.bench_missing``). Far from all
    training samples beliefs are vacuous. They do not show how few the samples are, and are not
    calibrated: `EvidentialEnsemble` does not recalibrate them. Put the classifier into an
    `EvidentialClassifier` to calibrate it.

    The defaults of `discounting` and `alpha` were chosen on fourteen data sets (``python -m
    tests.benchmarks.bench_neighbor_defaults``) and confirmed on twelve others
    (``python -m examples.studies learners``).

    Labels may be uncertain: a batch of mass functions as y. Their contours count, by contextual
    discounting only. The belief is then that of independent evidence against each class, which has
    the contour of the paper, and for hard labels its masses.

    References
    ----------
    Denoeux (1995), IEEE Trans. SMC 25(5), 804-813. Zouhal & Denoeux (1998), IEEE Trans. SMC C
    28(2), 263-271. Denoeux, Kanjanatarakul & Sriboonchitta (2019), Int. J. Approx. Reasoning 113,
    287-302.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialKNeighborsClassifier().fit(X[::2], y[::2])
    >>> round(clf.score(X[1::2], y[1::2]), 2)
    0.99
    >>> clf.predict_interval([[5, 3, 1, 0], [50, 30, 10, 0]])[:, 0].round(2)  # near, and far
    array([[0.99, 1.  ],
           [0.  , 1.  ]])
    """

    _ranges: ClassVar = {"n_neighbors": partial(check_count, least=1), "alpha": check_level}

    n_neighbors: int = 5
    discounting: Literal["auto", Discounting] = "auto"
    alpha: float = 0.7
    optimize: bool = True
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto"
    n_jobs: int | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Keep the samples, and find how fast their evidence fades.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        y : (n,) array or MassFunction
            Labels, or a batch (n,) of mass functions about them.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If a parameter is of a wrong kind.
        ValueError
            If there are not more samples than neighbors, `y` has one class only, a parameter is
            out of range, or labels are uncertain under uniform discounting.
        """
        check_declared(self)
        X = self._read(X, y)
        uniform = self.discounting == "uniform"
        self.classes_, self.plausibility_ = read_labels(y, len(X), _HARD if uniform else None)
        self.discounting_ = _resolved(self.discounting, y)
        check_neighbors(self.n_neighbors, len(X))
        search = NearestNeighbors(
            n_neighbors=self.n_neighbors, algorithm=self.algorithm, n_jobs=self.n_jobs
        )
        self.neighbors_ = search.fit(X)
        self.gamma_ = _inverse_spread(X, self.plausibility_)
        if self.optimize:
            others = self._neighbors(None)
            self.gamma_ = fit_gamma(
                others, self.plausibility_, self.gamma_, self.alpha, self.discounting_
            )
        return self

    def _read(self, X: SamplesLike, y: ArrayLike | MassFunction) -> Floats:
        check_rows(X=X, y=y)
        return read_features(self, X, None if isinstance(y, MassFunction) else y, reset=True)

    def _neighbors(self, X: Any) -> Neighbors:
        """Of new samples, or of the training samples without themselves."""
        distance, rows = self.neighbors_.kneighbors(X)
        return Neighbors(distance**2, 1 - self.plausibility_[rows])

    def evidence(self, X: SamplesLike) -> WeightedEvidence:
        """Weights of the evidence of the neighbors.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        WeightedEvidence
        """
        check_is_fitted(self)
        X = read_features(self, X, reset=False)
        options = self.gamma_, self.alpha, self.discounting_
        parts = blocks(len(X), CHUNK // (self.n_neighbors * len(self.classes_)))
        weights = np.concatenate(
            [weights_of_neighbors(self._neighbors(X[part]), *options)[0] for part in parts]
        )
        none = np.zeros_like(weights)
        both = (weights, none) if self.discounting_ == "uniform" else (none, weights)
        return WeightedEvidence(self.classes_, *both)


def _resolved(discounting: str, y: ArrayLike | MassFunction) -> str:
    if discounting != "auto":
        return discounting
    return "contextual" if isinstance(y, MassFunction) else "uniform"


def _inverse_spread(X: Floats, plausibility: Floats) -> Floats:
    """1 / mean squared distance between two samples of each class (Denoeux 1995)."""
    X = X - X.mean(axis=0)  # the differences below would lose the digits of a common offset
    every = (X**2).sum(axis=1).mean() * 2
    weights = plausibility.T / np.maximum(plausibility.sum(axis=0), 1)[:, np.newaxis]
    spread = 2 * (weights @ (X**2).sum(axis=1) - ((weights @ X) ** 2).sum(axis=1))
    count = plausibility.sum(axis=0)
    spread *= count / np.maximum(count - 1, 1)
    return np.asarray(1 / np.where(spread > 1e-12 * every, spread, every or 1.0))
