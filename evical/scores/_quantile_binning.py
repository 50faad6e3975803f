"""Binnings into bins of equal weight, scored and averaged: what BBQ is made of.

A binning is a list of starts among the sorted distinct scores; BBQ takes those into bins of
equal weight, keeps the good ones and averages them (Naeini 2016, section 3.2.2).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.scores._counts import ScoreCounts

__all__ = ["bin_range", "layered_average", "quantile_binnings", "select_best"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def bin_range(total: float) -> tuple[int, int]:
    """Least and greatest number of bins that BBQ tries.

    Parameters
    ----------
    total : float
        Weight N of all samples.

    Returns
    -------
    int, int
        max(1, floor(N^(1/3) / 10)) and min(ceil(N / 5), ceil(10 N^(1/3))).

    Examples
    --------
    >>> bin_range(1000), bin_range(1e6)
    ((1, 100), (10, 1000))
    """
    # A root that is whole stays whole, unlike N ** (1 / 3).
    root = float(np.cbrt(total))
    return max(1, int(root / 10)), int(min(np.ceil(total / 5), np.ceil(10 * root)))


def quantile_binnings(counts: ScoreCounts, least: int, greatest: int) -> Iterator[Indices]:
    """Starts of the bins of all distinct binnings into equal weights.

    Parameters
    ----------
    counts : ScoreCounts
    least, greatest : int
        Numbers of bins aimed at, both included; ties may leave fewer.

    Yields
    ------
    (n_bins,) int array
        Positions in `counts.scores`, as `ScoreCounts.group_starts` has them.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([1, 2, 3, 3, 3], [0, 0, 1, 1, 1])
    >>> [starts.tolist() for starts in quantile_binnings(counts, 1, 4)]
    [[0], [0, 2], [0, 1, 2]]
    """
    total = counts.total
    weight = float(total.sum())
    middle = np.cumsum(total) - total / 2
    gap = np.diff(middle).min(initial=weight)
    # With so many bins every score has its own, and so in all further binnings.
    enough = int(np.ceil(weight / gap)) if gap > weight / greatest else greatest
    seen = set()
    for n_bins in range(least, max(least, enough) + 1):
        if n_bins < len(counts):
            targets = np.arange(n_bins) * weight / n_bins
            found = np.append(np.searchsorted(middle, targets), len(counts))
            starts = found[:-1][np.diff(found) > 0]
        else:
            starts = counts.group_starts(n_bins)
        if (key := starts.tobytes()) not in seen:
            seen.add(key)
            yield starts


def select_best(relative: Floats, alpha: float) -> Indices:
    """Binnings to be averaged: the best ones, down to where the scores level off.

    Parameters
    ----------
    relative : (n,) array
        Scores relative to the best, in [0, 1].
    alpha : float
        Threshold of k_alpha = min{k : (S_k - S_(k+1)) / var(S) <= alpha}, where S are the
        sorted scores; those that equal the best are counted as one.

    Returns
    -------
    (k_alpha,) int array
        Positions, best first.

    Examples
    --------
    >>> select_best(np.array([0.2, 1.0, 0.6, 0.2]), 0.001)
    array([1, 2, 0])
    """
    order = np.argsort(-relative, kind="stable")
    ranked = relative[order]
    # Equal up to rounding, as of binnings that mirror each other.
    equal = int(np.sum(ranked >= 1 - 1e-9))
    level = -np.diff(ranked[equal - 1 :]) <= alpha * np.var(relative)
    return order[: equal + (int(np.argmax(level)) if level.any() else len(level))]


def layered_average(
    starts: list[Indices], weights: Floats, values: list[Floats]
) -> tuple[Indices, Floats]:
    """Weighted average of step functions, as one step function.

    Parameters
    ----------
    starts : list of (n_bins,) int arrays
        Where the steps of each function begin; the first at 0.
    weights : (n,) array
    values : list of (rows, n_bins) arrays

    Returns
    -------
    starts : (n_steps,) int array
        All starts, sorted and distinct.
    values : (rows, n_steps) array

    Examples
    --------
    >>> first, second = np.array([0, 2]), np.array([0, 5])
    >>> rows = [np.array([[0.0, 1.0]]), np.array([[0.5, 1.0]])]
    >>> layered_average([first, second], np.array([0.5, 0.5]), rows)
    (array([0, 2, 5]), array([[0.25, 0.75, 1.  ]]))
    """
    merged = np.unique(np.concatenate(starts))
    steps: Any = np.zeros((len(values[0]), len(merged)))
    for begins, weight, value in zip(starts, weights, values, strict=True):
        steps[:, np.searchsorted(merged, begins)] += weight * np.diff(value, axis=1, prepend=0)
    return merged, np.cumsum(steps, axis=1)
