"""Naeini's labeled pairs: spread over the shares of bootstraps, for each edge type.

Source: Naeini (2016), section 6.2.4, step 6. The text can be read in two ways: each type's pairs
are those of all pairs by the share of bootstraps that found that type, or those whose true type it
is. The first needs no truth but that of the pairs drawn, and leaves the meaning of shares as it is.
"""

import numpy as np

from evical._typing import Floats, Ints

__all__ = ["labeled_pairs"]


_EDGES = np.array([0.2, 0.4, 0.6, 0.8])


def labeled_pairs(
    p: Floats, truth: Ints, size: int, rng: np.random.Generator, by_truth: bool = False
) -> Ints:
    """Draw a quarter of the labeled pairs for each edge type.

    Pairs fall into five bins by the share of bootstraps that found the type, [0, 0.2), ..., [0.8,
    1], and each bin gives as many, as far as it has them. A type without a pair in the end gets
    one, since no calibrator of four classes can be fitted without.

    Parameters
    ----------
    p : (m, 4) array
        Shares of bootstraps.
    truth : (m,) array
        Places of the true types.
    size : int
        Number of pairs, a multiple of four.
    rng : numpy.random.Generator
    by_truth : bool
        For each type take only pairs that are of it in truth.

    Returns
    -------
    (size,) array
        Places of pairs.

    Examples
    --------
    >>> truth = np.repeat([0, 1, 2, 3], 10)
    >>> chosen = labeled_pairs(np.full((40, 4), 0.25), truth, 8, np.random.default_rng(0), True)
    >>> truth[chosen].tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    chosen: list[int] = []
    free = np.ones(len(p), dtype=bool)
    for kind in range(p.shape[1]):
        members = np.flatnonzero(free & (truth == kind)) if by_truth else np.flatnonzero(free)
        bins = np.digitize(p[members, kind], _EDGES)
        queues = [members[bins == b] for b in range(len(_EDGES) + 1)]
        counts = _in_turns([len(queue) for queue in queues], size // p.shape[1], rng)
        for queue, n in zip(queues, counts, strict=True):
            taken = rng.choice(queue, n, replace=False)
            free[taken] = False
            chosen += taken.tolist()
    return _with_all_types(np.array(chosen), truth, rng)


def _in_turns(sizes: list[int], total: int, rng: np.random.Generator) -> list[int]:
    """How many to take from each of some queues, as equal as their sizes allow."""
    drawn = [0] * len(sizes)
    while sum(drawn) < min(total, sum(sizes)):
        for b in rng.permutation(len(sizes)).tolist():
            if drawn[b] < sizes[b] and sum(drawn) < total:
                drawn[b] += 1
    return drawn


def _with_all_types(chosen: Ints, truth: Ints, rng: np.random.Generator) -> Ints:
    """Replace pairs of the most frequent type where another one is absent."""
    chosen = chosen.copy()
    for kind in range(4):
        if kind not in truth[chosen]:
            frequent = np.bincount(truth[chosen], minlength=4).argmax()
            place = rng.choice(np.flatnonzero(truth[chosen] == frequent))
            chosen[place] = rng.choice(np.flatnonzero(truth == kind))
    return chosen
