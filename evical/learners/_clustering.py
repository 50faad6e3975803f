"""What clusterings share: sets of clusters that may have mass, credal partitions, and labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import check_count
from dstheory.kernels import bits
from dstheory.transform import betp
from evical._fitting import (
    NOT_NEGATIVE,
    POSITIVE,
    Check,
    as_random_state,
    check_declared,
    optional,
    up_to,
)
from evical._typing import Floats, Ints, RandomState, SamplesLike

Focal: TypeAlias = Literal["pairs", "all", "singletons"]

HOW_MANY: Check = partial(check_count, least=1, most=10_000)
"""Clusters, starts, or samples of a bootstrap."""
_GREATEST = 1e100  # costs of sets, and delta: products with squares are floats
_MOST_LISTED = 12  # clusters of which all sets may have mass
_MOST_PAIRED = 200  # clusters of which all pairs may: 20,101 sets


class CredalClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """A clustering that gives each sample a mass function on the set of clusters."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = getattr(self, "metric", None) == "precomputed"
        tags.input_tags.pairwise = tags.input_tags.positive_only = precomputed
        return tags

    @abstractmethod
    def predict_mass(self, X: SamplesLike) -> MassFunction:
        """Masses of new samples, a batch (m,) on the frame of clusters."""

    def predict(self, X: SamplesLike) -> Ints:
        """Clusters of new samples, as `labels_`.

        Parameters
        ----------
        X : (m, n_features) array or data frame
            Or what else `predict_mass` takes.

        Returns
        -------
        (m,) array of int
        """
        return labels_of(self.predict_mass(X))

    def predict_proba(self, X: SamplesLike) -> Floats:
        """Pignistic probabilities: a fuzzy partition.

        They are equal for a sample with all mass on the empty set.

        Parameters
        ----------
        X : (m, n_features) array or data frame
            Or what else `predict_mass` takes.

        Returns
        -------
        (m, c) array
        """
        return _pignistic(self.predict_mass(X))


def check_focal(focal: Any, n_clusters: int | None) -> None:
    """Raise unless it names sets of clusters, and not too many of them."""
    if focal == "all" and n_clusters is not None and n_clusters > _MOST_LISTED:
        raise ValueError(
            f"focal is 'all', and {n_clusters} clusters have 2^{n_clusters} sets; take 'pairs'"
        )
    if focal == "pairs" and n_clusters is not None and n_clusters > _MOST_PAIRED:
        raise ValueError(
            f"focal is 'pairs', and {n_clusters} clusters are more than {_MOST_PAIRED}; take "
            "'singletons'"
        )


def check_count_of_clusters(n_clusters: int, n: int) -> None:
    """Raise if there are fewer samples than clusters."""
    if n < n_clusters:
        raise ValueError(
            f"n_clusters is {n_clusters}, but there are only {n} samples (n_samples={n})"
        )


@dataclass(kw_only=True, eq=False, repr=False)
class CenteredClustering(CredalClustering):
    """A clustering around centers, which sets of clusters share."""

    _ranges: ClassVar[dict[str, Check]] = {
        "n_clusters": HOW_MANY,
        "alpha": NOT_NEGATIVE,
        "delta": optional(up_to(_GREATEST, POSITIVE)),
        "n_init": HOW_MANY,
        "tol": NOT_NEGATIVE,
    }

    n_clusters: int = 3
    focal: Focal = "pairs"
    alpha: float = 1.0
    delta: float | None = None
    n_init: int = 1
    max_iter: int = 500
    tol: float = 1e-6
    random_state: RandomState = None

    def _check_parameters(self) -> None:
        check_declared(self)
        check_focal(self.focal, self.n_clusters)
        with np.errstate(over="ignore"):
            if np.float64(self.n_clusters) ** float(self.alpha) > _GREATEST:
                raise ValueError(f"alpha is {self.alpha!r}: the cost of large sets is infinite")

    def _best(self, run: Callable[[int], Any]) -> Any:
        """The least costly of fits from several seeds."""
        random = as_random_state(self.random_state)
        seeds = [int(random.randint(2**31 - 1)) for _ in range(self.n_init)]
        return min(map(run, seeds), key=lambda found: found.costs[-1])

    def _keep(self, members: Floats, masses: Floats, costs: list[float]) -> Self:
        """Set the attributes that follow from masses and costs."""
        self.mass_ = as_partition(members, masses)
        self.labels_ = labels_of(self.mass_)
        self.cost_, self.n_iter_ = costs[-1], len(costs) - 1
        return self


def members_of(n_clusters: int, focal: str, *, empty: bool = False) -> Floats:
    """Which sets contain which clusters, (F, c), by ascending mask.

    Parameters
    ----------
    n_clusters : int
    focal : {"pairs", "all", "singletons"}
    empty : bool
        Whether the empty set is one of them, as the last.

    Returns
    -------
    (F, c) array of 0 and 1

    Examples
    --------
    >>> members_of(2, "pairs", empty=True).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    """
    single = [1 << k for k in range(n_clusters)]
    masks = set(single)
    if focal == "all":
        masks = set(range(1, sum(single) + 1))
    elif focal == "pairs":
        masks |= {a | b for a in single for b in single} | {sum(single)}
    listed = bits.mask_array([*sorted(masks), *([0] if empty else [])], n_clusters)
    return np.array(bits.members(listed, n_clusters).T, dtype=np.float64, order="C")


def as_partition(members: Floats, masses: Floats) -> MassFunction:
    """Credal partition: mass functions on the frame 0, ..., c - 1.

    Parameters
    ----------
    members : (F, c) array
        As of `members_of`.
    masses : (n, F) array

    Returns
    -------
    MassFunction
        Batch (n,).
    """
    n_clusters = members.shape[1]
    focal = [bits.mask_of(np.flatnonzero(row).tolist()) for row in members]
    return MassFunction(Frame(range(n_clusters)), focal, masses)


def labels_of(mass: MassFunction) -> Ints:
    """Cluster of maximum pignistic probability, and -1 for outliers."""
    best = np.argmax(_pignistic(mass), axis=1)
    if mass.focal.tolist()[0] != 0:
        return np.asarray(best, dtype=np.int64)
    outlier = mass.masses.argmax(axis=1) == 0
    return np.asarray(np.where(outlier, -1, best), dtype=np.int64)


def _pignistic(mass: MassFunction) -> Floats:
    """Pignistic probabilities (n, c); an empty set that has all mass counts as the frame."""
    some = mass.pl(mass.frame) > 0
    found = np.full((len(mass), len(mass.frame)), 1 / len(mass.frame))
    if some.any():
        found[some] = betp(mass[some])
    return found
