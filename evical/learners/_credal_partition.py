"""What a credal partition says: lower and upper clusters, a summary, and how much two agree.

A credal partition has a mass function on the set of clusters for each sample. Source: Masson &
Denoeux (2008), Pattern Recognition 41(4); Denoeux, Li & Sriboonchitta (2018),
Evaluating and comparing soft partitions: an approach based on Dempster-Shafer theory, IEEE Trans.
Fuzzy Systems 26(3), 1231-1244.
"""

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import check_choice, check_instance
from dstheory.kernels import bits
from dstheory.kernels.batches import blocks
from dstheory.measure import distance
from dstheory.notebook import ShownFields
from evical._typing import ClusterRule, Floats

_ABOUT_PAIRS = Frame(["same", "different"])

_ROUNDING = 1e-12

CHUNK = 2**22
"""Numbers in an array of pairs of samples."""


def rough_clusters(
    partition: MassFunction, rule: ClusterRule = "maximum_mass"
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Samples that surely belong to each cluster, and those that possibly do.

    Parameters
    ----------
    partition : MassFunction
        Batch (n,) on the frame of c clusters.
    rule : {"maximum_mass", "interval_dominance"}
        Which clusters are possible for a sample: those in the set of its greatest mass, or those
        that are at least as plausible as each other one is believed.

    Returns
    -------
    lower, upper : (n, c) arrays of bool
        k is the only possible cluster of a sample; it is possible. A sample whose empty set has
        the greatest mass is an outlier, in neither.

    References
    ----------
    Masson & Denoeux (2008), Pattern Recognition 41(4), 1384-1397. Denoeux & Kanjanatarakul (2016),
    Beyond fuzzy, possibilistic and rough: An investigation of belief functions in clustering, Soft
    Methods for Data Science, Springer, 157-164.

    Examples
    --------
    >>> from dstheory import Frame
    >>> partition = MassFunction(Frame([0, 1]), [1, 3], [[0.8, 0.2], [0.3, 0.7]])
    >>> lower, upper = rough_clusters(partition)
    >>> lower.tolist(), upper.tolist()
    ([[True, False], [False, False]], [[True, False], [True, True]])
    """
    _check(partition, "partition")
    check_choice("rule", rule, get_args(ClusterRule))
    members = _members(partition)
    likely = members[np.argmax(partition.masses, axis=-1)]
    if rule == "interval_dominance":
        outlier = ~likely.any(axis=1, keepdims=True)
        masses = np.asarray(partition.masses, dtype=np.float64)
        single = np.where(members.sum(axis=1) == 1, masses, 0) @ members
        # Plausibility and belief are sums of the same masses, in another order.
        likely = (masses @ members >= single.max(axis=1, keepdims=True) - _ROUNDING) & ~outlier
    alone = likely.sum(axis=1, keepdims=True) == 1
    return likely & alone, likely


@dataclass(frozen=True)
class ClusterSummary(ShownFields):
    """What a credal partition says in a few numbers, by `summarize_clusters`.

    Parameters
    ----------
    n_samples, n_clusters : int
    surely : tuple of int
        Number of samples that surely belong to each cluster.
    possibly : tuple of int
        Number of samples that possibly do.
    n_outliers : int
    nonspecificity : float
        In [0, 1]: mean size of the sets with mass, log2 |A| / log2 c; the empty set counts as the
        frame. 0 for hard and fuzzy partitions, 1 for vacuous ones.
    """

    n_samples: int
    n_clusters: int
    surely: tuple[int, ...]
    possibly: tuple[int, ...]
    n_outliers: int
    nonspecificity: float


def summarize_clusters(
    partition: MassFunction, rule: ClusterRule = "maximum_mass"
) -> ClusterSummary:
    """Sizes of clusters, number of outliers, and how imprecise a credal partition is.

    Parameters
    ----------
    partition : MassFunction
        Batch (n,) on the frame of c clusters.
    rule : {"maximum_mass", "interval_dominance"}
        As of `rough_clusters`.

    Returns
    -------
    ClusterSummary

    References
    ----------
    Masson & Denoeux (2008), Pattern Recognition 41(4), 1384-1397, choose the number of clusters by
    the least nonspecificity.

    Examples
    --------
    >>> from dstheory import Frame
    >>> partition = MassFunction(Frame([0, 1]), [1, 3], [[0.75, 0.25], [0.25, 0.75]])
    >>> summarize_clusters(partition)
    ClusterSummary(n_samples=2, n_clusters=2, surely=(1, 0), possibly=(2, 1), n_outliers=0, \
nonspecificity=0.5)
    """
    lower, upper = rough_clusters(partition, rule)
    n, c = lower.shape
    imprecise = float(_imprecision(partition).mean()) if n else 0.0
    return ClusterSummary(
        n,
        c,
        tuple(lower.sum(axis=0).tolist()),
        tuple(upper.sum(axis=0).tolist()),
        int((~upper.any(axis=1)).sum()),
        imprecise,
    )


def _imprecision(partition: MassFunction) -> Floats:
    """Mean log2 |A| / log2 c of each sample, (n,); |A| of the empty set is c."""
    members = _members(partition)
    size, c = members.sum(axis=1), members.shape[1]
    doubt = (size == 0).astype(np.float64)
    if c > 1:
        doubt[size > 0] = np.log2(size[size > 0]) / np.log2(c)
    return np.asarray(partition.masses @ doubt, dtype=np.float64)


def credal_rand_index(one: MassFunction, other: MassFunction) -> float:
    """Agreement of two credal partitions about pairs of samples, 1 if they are equal.

    Parameters
    ----------
    one, other : MassFunction
        Batches (n,) of the same n samples, on frames of clusters.

    Returns
    -------
    float
        In [0, 1]: 1 minus the mean over pairs of the Jousselme distance of the two beliefs about
        "in the same cluster". Of hard partitions it is the Rand index.

    Raises
    ------
    ValueError
        If the batches have other than the same n >= 2 samples.

    Notes
    -----
    Two samples are in the same cluster for sure if both sets are the same single cluster, in
    different ones if the sets do not meet, and either else; what is on the empty set stays there.

    References
    ----------
    Denoeux, Li & Sriboonchitta (2018), IEEE Trans. Fuzzy Systems 26(3), 1231-1244.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.construct import categorical
    >>> hard = MassFunction(Frame([0, 1]), [1, 2], [[1.0, 0], [1, 0], [0, 1]])
    >>> vacuous = MassFunction(Frame([0, 1]), [3], [[1.0]] * 3)
    >>> credal_rand_index(hard, hard), round(credal_rand_index(hard, vacuous), 4)
    (1.0, 0.2929)
    """
    _check(one, "one")
    _check(other, "other")
    n = one.batch_shape[0]
    if other.batch_shape != (n,) or n < 2:
        raise ValueError(
            f"partitions have {n} and {other.batch_shape[0]} samples, expected the same two or more"
        )
    total = 0.0
    first, second = _Pairs(one), _Pairs(other)
    for rows in blocks(n, CHUNK // n):
        places = np.arange(n)
        later = places[rows.start :] > places[rows, np.newaxis]
        total += float(distance(first.rows(rows), second.rows(rows))[later].sum())
    return 1 - 2 * total / (n * (n - 1))


class _Pairs:
    """Beliefs about pairs: masses of the empty set, of "same", "different", and either."""

    def __init__(self, partition: MassFunction) -> None:
        members = _members(partition).astype(np.float64)
        size = members.sum(axis=1)
        masses = np.asarray(partition.masses, dtype=np.float64)
        self._empty = masses[:, size == 0].sum(axis=1)
        self._all = masses
        self._single = np.where(size == 1, masses, 0) @ members
        meets = (members @ members.T > 0).astype(np.float64)
        meets[size == 0] = 1  # not a disagreement: the empty set is counted by itself
        meets[:, size == 0] = 1
        self._apart = masses @ (1 - meets)

    def rows(self, rows: slice) -> MassFunction:
        """Mass functions (r, m) of pairs of some samples, and these and all after them."""
        after = slice(rows.start, None)
        empty = 1 - np.multiply.outer(1 - self._empty[rows], 1 - self._empty[after])
        same = self._single[rows] @ self._single[after].T
        apart = self._apart[rows] @ self._all[after].T
        either = np.maximum(1 - empty - same - apart, 0)
        store = np.stack([empty, same, apart, either])
        return MassFunction.from_store(_ABOUT_PAIRS, np.arange(4), store)


def _members(partition: MassFunction) -> NDArray[np.bool_]:
    """Which focal sets contain which clusters, (F, c)."""
    return bits.members(partition.focal, len(partition.frame)).T


def _check(partition: Any, name: str) -> None:
    check_instance(name, partition, MassFunction, "a batch of mass functions")
    if len(partition.batch_shape) != 1:
        raise ValueError(f"{name} has the batch shape {partition.batch_shape}, expected (n,)")
