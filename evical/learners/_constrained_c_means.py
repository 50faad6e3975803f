"""`ConstrainedEvidentialCMeans`: clusters, with pairs known to be together or apart.

Evidential c-means with pairs of samples that must be, or cannot be, in the same cluster.

The cost adds the plausibility that constraints are broken. For fixed centers and fixed masses of
all other samples, the best masses of a sample are those of a separable quadratic program on the
simplex, which a sort solves; so one sample after another takes its best masses, then centers and
metrics theirs, and the cost never rises. In the first rounds constraints gain weight by degrees,
which leads to better minima.

Source: Antoine, Quost, Masson & Denoeux (2012), CECM: Constrained evidential C-means algorithm,
Computational Statistics & Data Analysis 56(4), 894-914.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_level
from dstheory.kernels.jit import compiled
from evical._fitting import all_or_nothing
from evical._typing import Floats, Ints, SamplesLike
from evical.learners._c_means import Features, best_masses
from evical.learners._clustering import (
    CenteredClustering,
    as_partition,
    check_count_of_clusters,
    members_of,
)
from evical.learners._features import read_samples
from evical.scores.checks import refuse

_LEAST = 1e-12
"""Share of the cost of the farthest cluster that each cost has at least, in a quadratic program; on
a center it would be 0. Larger sets, and the empty set, may cost any multiple of it."""

_GREATEST = 1e290
"""Cost of a set: sums of it are floats."""

_MOST_CONDITION = 1e12

WARM_UP = tuple(np.repeat(np.geomspace(0.01, 1, 10)[:-1], 3).tolist())
"""Shares of the penalty in the first rounds. On 96 problems costs are then 0.6 % above the least
known, else 4.7 % (``python -m tests.benchmarks.bench_links``)."""


@dataclass(frozen=True, eq=False)
class Links:
    """Constraints of each sample, by row.

    Parameters
    ----------
    starts : (n + 1,) array of int
        Where the constraints of a sample begin.
    partners : (2 q,) array of int
        The other sample.
    must : (2 q,) array of int
        1 for pairs that must be together, 0 for those that cannot.
    """

    starts: Ints
    partners: Ints
    must: Ints

    @classmethod
    def of(cls, n: int, must: Ints, cannot: Ints) -> Links:
        """From pairs (q, 2) of rows."""
        pairs = np.concatenate([must, cannot])
        kind = np.repeat([1, 0], [len(must), len(cannot)])
        rows = np.concatenate([pairs[:, 0], pairs[:, 1]])
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        partners = np.concatenate([pairs[:, 1], pairs[:, 0]])[order]
        return cls(starts.astype(np.int64), partners, np.tile(kind, 2)[order].astype(np.int64))

    def __len__(self) -> int:
        return len(self.partners) // 2


@dataclass(frozen=True, eq=False)
class Objective:
    """What is minimized.

    Parameters
    ----------
    members : (F, c) array
        1 where a focal set contains a cluster; the empty set is the last row, if it is one.
    alpha : float
    delta : float or None
    trade_off : float
        Weight of the constraints.
    unit : float
        Squared distance that counts as 1.
    links : Links
    adaptive : bool
        Whether each cluster has a metric.
    """

    members: Floats
    alpha: float
    delta: float | None
    trade_off: float
    unit: float
    links: Links
    adaptive: bool

    @property
    def size(self) -> Floats:
        """Of each set, (F,)."""
        return np.asarray(self.members.sum(axis=1))

    def broken(self) -> tuple[Floats, Floats]:
        """1 for pairs of sets (F, F) that make a broken must-link, or cannot-link, plausible."""
        some = (self.size > 0).astype(np.float64)
        same = np.diag((self.size == 1).astype(np.float64))
        meet = (self.members @ self.members.T > 0).astype(np.float64)
        return np.outer(some, some) - same, meet

    def per_set(self, squared: Floats) -> Floats:
        """Cost of the square of each mass, (n, F)."""
        n, n_sets = squared.shape
        with np.errstate(over="ignore"):
            cost = squared * np.maximum(self.size, 1) ** self.alpha / self.unit
        return np.asarray(np.minimum(cost, _GREATEST) * (1 - self.trade_off) / (n * n_sets))

    def penalty(self) -> float:
        """Of a constraint that is broken for sure."""
        return self.trade_off / max(len(self.links), 1)

    def value(self, squared: Floats, masses: Floats) -> float:
        """The cost."""
        total = float((self.per_set(squared) * masses**2).sum())
        links = self.links
        rows = np.repeat(np.arange(len(masses)), np.diff(links.starts))
        for kind, broken in zip((1, 0), self.broken(), strict=True):
            chosen = links.must == kind
            one, other = masses[rows[chosen]], masses[links.partners[chosen]]
            total += self.penalty() * float(((one @ broken) * other).sum()) / 2
        return total


@dataclass(frozen=True, eq=False)
class State:
    """Centers (c, p), metrics (c, p, p), masses (n, F), and the costs of all steps."""

    centers: Floats
    metrics: Floats
    masses: Floats
    costs: list[float]


def distances_of(objective: Objective, X: Floats, centers: Floats, metrics: Floats) -> Floats:
    """Squared distances (n, F) to the mean center of each set, by its mean metric."""
    share = objective.members / np.maximum(objective.size, 1)[:, np.newaxis]
    gaps = X[:, np.newaxis] - share @ centers
    metric = np.tensordot(share, metrics, 1)
    squared = np.einsum("nfp,fpq,nfq->nf", gaps, metric, gaps, optimize=True)
    if objective.delta is not None:
        squared[:, -1] = objective.delta**2
    return np.asarray(np.maximum(squared, 0))


@compiled
def _best_row(cost: Floats, slope: Floats) -> Floats:
    """Masses on the simplex that minimize sum of cost m^2 + slope m."""
    slope = slope - slope.min()  # else small costs are lost beside it
    order = np.argsort(slope)
    ease = 0.5 / cost[order]
    sorted_slope = slope[order]
    level = (1 + np.cumsum(ease * sorted_slope)) / np.cumsum(ease)
    last = np.max(np.nonzero(level > sorted_slope)[0])
    masses = np.maximum(level[last] - slope, 0) * (0.5 / cost)
    best: Floats = masses / masses.sum()
    return best


@compiled
def _sweep(
    cost: Floats,
    penalty: float,
    broken: Floats,
    starts: Ints,
    partners: Ints,
    must: Ints,
    masses: Floats,
) -> None:
    """Give each sample with constraints its best masses, in place."""
    for i in range(len(starts) - 1):
        if starts[i] < starts[i + 1]:
            slope = np.zeros(masses.shape[1])
            for e in range(starts[i], starts[i + 1]):
                slope += np.dot(broken[must[e]], masses[partners[e]])
            masses[i] = _best_row(cost[i], penalty * slope)


def best_metrics(objective: Objective, X: Floats, centers: Floats, masses: Floats) -> Floats:
    """Metric (c, p, p) of each cluster of least cost, with determinant 1."""
    p = X.shape[1]
    if not objective.adaptive:
        return np.tile(np.eye(p), (len(centers), 1, 1))
    size = np.maximum(objective.size, 1)
    gaps = X[:, np.newaxis] - (objective.members / size[:, np.newaxis]) @ centers
    weight = masses**2 * size ** (objective.alpha - 1)
    scatter = np.einsum("nf,nfp,nfq->fpq", weight, gaps, gaps, optimize=True)
    found = np.tensordot(objective.members.T, scatter, 1)
    values, vectors = np.linalg.eigh(found)
    if (values[:, 0] * _MOST_CONDITION <= values[:, -1]).any():
        k = int(np.argmax(values[:, 0] * _MOST_CONDITION <= values[:, -1]))
        raise ValueError(
            f"samples of cluster {k} have no spread in some direction, so it has no metric; take "
            "metric 'euclidean', fewer features, or fewer clusters"
        )
    volume = np.exp(np.log(values).mean(axis=1, keepdims=True))
    scaled = vectors * (volume / values)[:, np.newaxis]
    return np.asarray(scaled @ vectors.transpose(0, 2, 1))


def _centers(objective: Objective, X: Floats, metrics: Floats, masses: Floats) -> Floats:
    """Best centers (c, p): a linear system."""
    c, p = len(metrics), X.shape[1]
    members, size = objective.members, np.maximum(objective.size, 1)
    metric = np.tensordot(members / size[:, np.newaxis], metrics, 1)
    weight = masses**2
    pairs = (
        members.T[:, np.newaxis] * members.T * (weight.sum(axis=0) * size ** (objective.alpha - 2))
    )
    system = np.tensordot(pairs, metric, 1).transpose(0, 2, 1, 3).reshape(c * p, c * p)
    pulled = np.einsum("fpq,fq->fp", metric, weight.T @ X)
    right = (members.T * size ** (objective.alpha - 1)) @ pulled
    return np.asarray(np.linalg.lstsq(system, right.ravel(), rcond=None)[0].reshape(c, p))


def improve(
    objective: Objective,
    X: Floats,
    centers: Floats,
    tol: float,
    max_iter: int,
    warm_up: Sequence[float] = WARM_UP,
) -> State:
    """Masses, metrics and centers in turn, until the cost falls by less than a share of it.

    Parameters
    ----------
    objective : Objective
    X : (n, p) array
        Best centered, as distances are differences.
    centers : (c, p) array
        To start from.
    tol : float
    max_iter : int
    warm_up : sequence of float
        Shares of the penalty in first rounds, which do not count.

    Returns
    -------
    State
    """
    metrics = np.tile(np.eye(X.shape[1]), (len(centers), 1, 1))
    masses = best_masses(objective.per_set(distances_of(objective, X, centers, metrics)))
    state = centers, metrics, masses
    for share in warm_up if len(objective.links) else ():
        state = _round(objective, X, *state, share)
    found = State(*state, [_value(objective, X, *state)])
    while len(found.costs) <= max_iter:
        state = _round(objective, X, *state, 1.0)
        value, before = _value(objective, X, *state), found.costs[-1]
        if value <= before:  # it can rise by rounding
            found = State(*state, [*found.costs, value])
        if before - value <= tol * before:
            break
    return found


def _round(
    objective: Objective, X: Floats, centers: Floats, metrics: Floats, masses: Floats, share: float
) -> tuple[Floats, Floats, Floats]:
    """Better centers, metrics and masses, for a share of the penalty."""
    links = objective.links
    cost = objective.per_set(distances_of(objective, X, centers, metrics))
    free = np.diff(links.starts) == 0
    masses = masses.copy()
    masses[free] = best_masses(cost[free])
    farthest = cost[:, objective.size == 1].max(axis=1, keepdims=True)
    cost = np.maximum(cost, _LEAST * np.maximum(farthest, _LEAST))
    penalty, broken = share * objective.penalty(), np.stack(objective.broken()[::-1])
    _sweep(cost, penalty, broken, links.starts, links.partners, links.must, masses)
    if share == 1:  # before, the few constraints may leave a cluster no spread
        metrics = best_metrics(objective, X, centers, masses)
    return _centers(objective, X, metrics, masses), metrics, masses


def _value(
    objective: Objective, X: Floats, centers: Floats, metrics: Floats, masses: Floats
) -> float:
    return objective.value(distances_of(objective, X, centers, metrics), masses)


@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedEvidentialCMeans(CenteredClustering):
    """Evidential c-means where some pairs must or cannot share a cluster (CECM).

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
    n_init : int
        Starts from k-means with different seeds, of which the least cost counts.
    max_iter : int
    tol : float
        Ends when the cost falls by less than this share.
    random_state : int, RandomState or None
    trade_off : float
        In (0, 1): weight of the constraints; that of the distances is the rest.
    metric : {"euclidean", "mahalanobis"}
        "mahalanobis": each cluster has a metric of its own, of determinant 1, so clusters may be
        ellipses.

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
    >>> cecm = ConstrainedEvidentialCMeans(n_clusters=2, random_state=0)
    >>> free = cecm.fit(X).labels_
    >>> tied = cecm.fit(X, must_link=[(2, 4)], cannot_link=[(2, 0)]).labels_
    >>> free[2] == free[0], tied[2] == tied[0]
    (np.True_, np.False_)
    """

    _ranges: ClassVar = {**CenteredClustering._ranges, "trade_off": check_level}

    trade_off: float = 0.5
    metric: Literal["euclidean", "mahalanobis"] = "euclidean"

    @all_or_nothing
    def fit(
        self,
        X: SamplesLike,
        y: ArrayLike | None = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
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
            If a parameter is of a wrong kind, or constraints are not pairs of rows.
        ValueError
            If there are fewer samples than clusters, a parameter is out of range, a pair is of no
            two rows, or must and cannot be linked.
        """
        self._check_parameters()
        X = read_samples(self, X, reset=True)
        check_count_of_clusters(self.n_clusters, len(X))
        middle = X.mean(axis=0)
        links = _links(len(X), must_link, cannot_link)
        objective = self._minimized(float(X.var(axis=0).mean()), links)
        moved, count = Features(X - middle), int(self.n_clusters)
        options = float(self.tol), self.max_iter
        best: State = self._best(
            lambda seed: improve(objective, moved.X, moved.start(count, seed), *options)
        )
        self._objective = replace(objective, unit=1.0, links=_links(1, None, None))
        self.cluster_centers_, self.metrics_ = best.centers + middle, best.metrics
        return self._keep(objective.members, best.masses, best.costs)

    def _minimized(self, unit: float, links: Links) -> Objective:
        members = members_of(self.n_clusters, self.focal, empty=self.delta is not None)
        adaptive = self.metric == "mahalanobis"
        delta = None if self.delta is None else float(self.delta)
        alpha, trade_off = float(self.alpha), float(self.trade_off)
        return Objective(members, alpha, delta, trade_off, unit or 1.0, links, adaptive)

    def predict_mass(self, X: SamplesLike) -> MassFunction:
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
        X = read_samples(self, X, reset=False)
        middle = self.cluster_centers_.mean(axis=0)
        objective = self._objective  # parameters may have changed since
        squared = distances_of(objective, X - middle, self.cluster_centers_ - middle, self.metrics_)
        return as_partition(objective.members, best_masses(objective.per_set(squared)))


def _links(n: int, must_link: Any, cannot_link: Any) -> Links:
    must, cannot = _pairs(n, must_link, "must_link"), _pairs(n, cannot_link, "cannot_link")
    both = set(map(tuple, must.tolist())) & set(map(tuple, cannot.tolist()))
    if both:
        raise ValueError(f"the pair {min(both)} must and cannot be linked; take one of them out")
    return Links.of(n, must, cannot)


def _pairs(n: int, values: ArrayLike | None, name: str) -> Ints:
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
    refuse(pairs, wrong, name, f"two different rows from 0 to {n - 1}")
    return np.unique(np.sort(pairs.astype(np.int64), axis=1), axis=0)
