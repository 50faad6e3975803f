"""Mutual support of sources: sums of 1 minus Jousselme's distance.

d(m1, m2)² = 1/2 (m1 - m2)' D (m1 - m2) with D(A, B) = |A ∩ B| / |A ∪ B| (Jousselme,
Grenier & Bosse 2001). A source close to many others is credible (Deng, Shi, Zhu & Liu 2004).
"""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, collect
from dstheory.combine.sources import any_exact
from dstheory.kernels import bits
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction

__all__ = ["credibility"]

# The matrix of overlaps of 2^26 pairs takes half a gigabyte.
_MAX_PAIRS = 1 << 26


def credibility(sources: tuple[MassFunction, ...]) -> NDArray[Any]:
    """Weights (S, *batch) of the sources, each proportional to its support."""
    n_sources, batch = len(sources), batch_of(*sources)
    counts = sorted(len(m.focal) for m in sources)
    task, advice = "a distance of two sources", "approximate the sources (dstheory.approximate)"
    check_cost(sum(counts[-2:]) ** 2, _MAX_PAIRS, task, "pairs of focal sets", advice)
    one: Any = Fraction(1) if any_exact(sources) else 1.0
    support = np.full((n_sources, *batch), 0 * one)
    for i, j in combinations(range(n_sources), 2):
        similarity = 1 - _distance(sources[i], sources[j], batch)
        support[i] += similarity
        support[j] += similarity
    alone = np.asarray(support.sum(axis=0) == 0, dtype=bool)
    support = np.where(alone, one, support)
    return np.asarray(support / support.sum(axis=0))


def _distance(one: MassFunction, two: MassFunction, batch: tuple[int, ...]) -> Any:
    """Jousselme's distance, an array of shape `batch`."""
    parts = (one.focal, stretch(one.store, batch)), (two.focal, -stretch(two.store, batch))
    difference = collect(one.frame, *parts)
    focal, store = difference.focal, difference.store
    product = np.tensordot(bits.overlap(focal, exact=store.dtype == object), store, axes=1)
    square = (store * product).sum(axis=0) / 2
    if store.dtype == object:
        return _exact_root(square)
    return np.sqrt(np.clip(square, 0, 1))  # rounding may leave -1e-17, or 1 + 1e-16


def _root(square: Any) -> Any:
    root = square ** Fraction(1, 2)
    # The root of a fraction is a float; converted back to a fraction, so that sums stay exact.
    return Fraction(root) if isinstance(root, float) else root


_exact_root = np.frompyfunc(_root, 1, 1)
