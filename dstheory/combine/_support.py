"""How much the sources support each other: one minus Jousselme's distance, summed.

d(m1, m2)² = 1/2 (m1 - m2)' D (m1 - m2) with D(A, B) = |A ∩ B| / |A ∪ B| (Jousselme,
Grenier & Bosse 2001). A source that is near to many others is credible; Deng, Shi,
Zhu & Liu 2004.
"""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.combine._sources import any_exact, batch_of, collected, stretched
from dstheory.kernels import bits
from dstheory.mass import MassFunction

__all__ = ["credibility"]


def credibility(sources: tuple[MassFunction, ...]) -> NDArray[Any]:
    """Weights (S, *batch) of the sources, each proportional to its support."""
    n_sources, batch = len(sources), batch_of(*sources)
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
    parts = (one.focal, stretched(one, batch)), (two.focal, -stretched(two, batch))
    difference = collected(one.frame, *parts)
    focal, store = difference.focal, difference.store
    product = np.tensordot(_overlap(focal, store.dtype == object), store, axes=1)
    square = (store * product).sum(axis=0) / 2
    if store.dtype == object:
        return _exact_root(square)
    return np.sqrt(np.clip(square, 0, 1))  # rounding may leave -1e-17, or 1 + 1e-16


def _overlap(focal: NDArray[Any], exact: bool) -> NDArray[Any]:
    common = bits.cardinality(np.bitwise_and.outer(focal, focal).ravel())
    either = bits.cardinality(np.bitwise_or.outer(focal, focal).ravel())
    # Two empty sets are equal: their overlap is 1.
    both_empty = either == 0
    common, either = common + both_empty, either + both_empty
    if exact:
        ratios = [Fraction(int(c), int(e)) for c, e in zip(common, either, strict=True)]
        return np.array(ratios, dtype=object).reshape(len(focal), -1)
    return np.asarray(common / either).reshape(len(focal), -1)


def _root(square: Any) -> Any:
    root = square ** Fraction(1, 2)
    # The root of a fraction is a float: back to a fraction, so that sums stay exact.
    return Fraction(root) if isinstance(root, float) else root


_exact_root = np.frompyfunc(_root, 1, 1)
