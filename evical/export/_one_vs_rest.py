"""One-vs-rest columns as graphs: their probabilities over their sum, or Dempster's rule.

The combination is a sum of products over the classes, see `evical.multiclass.products`. A product
over all classes but one is that of a row of a table with 1 on its diagonal.
"""

import numpy as np
from numpy.typing import NDArray

from evical.export._tensor import Tensor, minimum, where
from evical.export._told import Told

__all__ = ["combined_columns", "normalized_columns"]


def normalized_columns(positive: Tensor, n_classes: int) -> Tensor:
    """Probabilities (n, K) over their sum; even ones where all are 0."""
    total = positive.sum(axis=1)
    none = total.equals(0.0)
    return where(none, 1.0 / n_classes, positive / where(none, 1.0, total))


def combined_columns(
    own: Tensor, neither: Tensor, either: Tensor, n_classes: int, total_conflict: str
) -> Told:
    """Dempster's rule of masses (n, K) of each class, of its complement, and of all classes.

    In total conflict beliefs are NaN, or vacuous if `total_conflict` says so.
    """
    against = neither + either
    alone = own * _all_but_one(against, n_classes)
    total = (alone + either * _last_open(neither, against, n_classes)).sum(axis=1)
    lower = alone + either * _all_but_one(neither, n_classes)
    upper = alone + either * _all_but_one(against, n_classes)
    nodes, weights = np.polynomial.legendre.leggauss((n_classes + 1) // 2)
    shares = alone
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        inside = _all_but_one(neither + either * float(node), n_classes)
        shares = shares + either * inside * float(weight)
    dead = total.equals(0.0)
    vacuous = total_conflict == "vacuous"
    instead = (0.0, 1.0, 1.0 / n_classes) if vacuous else (np.nan,) * 3
    found = zip((lower, upper, shares), instead, strict=True)
    return Told(*(where(dead, other, minimum(part / total, 1.0)) for part, other in found))


def _all_but_one(factors: Tensor, k: int) -> Tensor:
    """Products (n, K) of all factors (n, K) but each one."""
    kept = where(_flags(factors, np.eye(k, dtype=bool)), 1.0, factors.reshape(-1, 1, k))
    return kept.prod(axis=2).reshape(-1, k)


def _last_open(before: Tensor, after: Tensor, k: int) -> Tensor:
    """Products (n, K) of factors of classes before each one, and of others of classes after it."""
    first = where(
        _flags(before, np.tri(k, k, -1, dtype=bool)),
        before.reshape(-1, 1, k),
        after.reshape(-1, 1, k),
    )
    own = where(_flags(before, np.eye(k, dtype=bool)), 1.0, first)
    return own.prod(axis=2).reshape(-1, k)


def _flags(like: Tensor, table: NDArray[np.bool_]) -> Tensor:
    return Tensor(like.graph, like.graph.constant(table[np.newaxis]))
