"""Averages of the sources, and Dempster's rule on the average.

Mixing chooses one source at random. Murphy combines the plain average with itself, once for each
further source. This converges like Dempster's rule but gives no source a veto. Deng et al. first
weight each source by the support of the others.

Mutual support of sources: sums of 1 minus Jousselme's distance.

d(m1, m2)² = 1/2 (m1 - m2)' D (m1 - m2) with D(A, B) = |A ∩ B| / |A ∪ B| (Jousselme,
Grenier & Bosse 2001). A source close to many others is credible (Deng, Shi, Zhu & Liu 2004).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._masses import batch_of, collect
from dstheory.combine._orthogonal import TotalConflict, combined
from dstheory.combine.sources import any_exact, as_weights, combination_rule
from dstheory.kernels import bits
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import check_cost, check_fold
from dstheory.mass import MassFunction

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


@combination_rule
def mixing(
    m1: MassFunction, m2: MassFunction, *more: MassFunction, weights: ArrayLike | None = None
) -> MassFunction:
    """Average masses, with weights that are the probabilities of each source being right.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    weights : (S,) or (S, *batch) array, optional
        Weight of each source, non-negative, with sum 1; equal if not given.

    Returns
    -------
    MassFunction

    Raises
    ------
    ValueError
        If there is not one weight for each source, or weights are negative or do not sum to 1:
        fractions exactly, floats within 1e-9.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative and idempotent, not associative. The mass of a set never exceeds the largest it has
    in a source: agreement is not reinforced.

    References
    ----------
    Ferson, S., Kreinovich, V., Ginzburg, L., Myers, D. S. & Sentz, K. (2003). Constructing
    probability boxes and Dempster-Shafer structures. Sandia report 2002-4015.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> mixing(m1, m2, weights=[0.5, 0.5])
    MassFunction on {a, b}
      {a}     0.5
      {b}     0.25
      {a, b}  0.25
    """
    sources = (m1, m2, *more)
    return _mixture(sources, as_weights(weights, sources, len(sources), "weights", "sources"))


@combination_rule
def murphy(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    total_conflict: TotalConflict = "error",
) -> MassFunction:
    """Combine the average of S sources with itself S - 1 times (Murphy's rule).

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    total_conflict : {"error", "vacuous", "nan"}
        What to return for rows in which all mass of all sources is on the empty set: an error, the
        vacuous mass function, or masses that are not numbers.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    TotalConflictError
        If all mass of all sources is on the empty set.
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, not associative: combine all sources in one call.

    References
    ----------
    Murphy, C. K. (2000). Combining belief functions when evidence conflicts. Decision
    Support Systems 29(1), 1-9.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1)})
    >>> m2 = MassFunction.from_dict(frame, {"a": Fraction(1, 2), "b": Fraction(1, 2)})
    >>> murphy(m1, m2)  # the average is 3/4, 1/4
    MassFunction on {a, b}
      {a}  9/10
      {b}  1/10
    """
    average = mixing(m1, m2, *more)
    return combined("murphy", (average,) * (2 + len(more)), total_conflict)


@combination_rule
def deng(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    total_conflict: TotalConflict = "error",
) -> MassFunction:
    """Combine sources as Murphy does, with each weighted by the support of the others.

    The support of a source is the sum of 1 - d over the others, where d is Jousselme's distance.
    Weights are proportional to it.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    total_conflict : {"error", "vacuous", "nan"}
        What to return for rows in which all mass of all sources is on the empty set: an error, the
        vacuous mass function, or masses that are not numbers.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    TotalConflictError
        If all mass of all sources is on the empty set.
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. For two sources it is Murphy's
    rule. Sources without any support (all distances 1) count equally. With three or more exact
    sources the weights involve square roots and are rounded; everything else stays exact.

    References
    ----------
    Deng, Y., Shi, W., Zhu, Z. & Liu, Q. (2004). Combining belief functions based on
    distance of evidence. Decision Support Systems 38(3), 489-493.

    Examples
    --------
    The third source contradicts two that agree, and gets no weight:

    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1})
    >>> m2 = MassFunction.from_dict(frame, {"b": 1})
    >>> deng(m1, m1, m2).prune()
    MassFunction on {a, b}
      {a}  1
    """
    sources = (m1, m2, *more)
    frame = m1.frame
    sets = bits.distinct(np.concatenate([m.focal for m in sources]))
    check_fold("deng", [sets] * len(sources), len(frame), exact=any_exact(sources))
    average = _mixture(sources, credibility(sources))
    return combined("deng", (average,) * len(sources), total_conflict)


def _mixture(sources: tuple[MassFunction, ...], weights: NDArray[Any]) -> MassFunction:
    parts = [
        (source.focal, source.store, weight)
        for source, weight in zip(sources, weights, strict=True)
    ]
    return collect(sources[0].frame, *parts)
