"""Binnings into bins of equal weight, scored and averaged: what BBQ is made of.

A binning is a list of starts among the sorted distinct scores; BBQ takes those into bins of
equal weight, keeps the good ones and averages them (Naeini 2016, section 3.2.2).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evical._typing import Floats, Indices
from evical.scores.counts import ScoreCounts

# N = 7e7 has fewer numbers of bins; more come from weights only, and differ by less than 1/1000.
_MOST_NUMBERS = 4096
# A table of the limits of all bins is faster than a quotient a score only while it is short.
_FEW_BINS = 16


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


def quantile_binnings(
    counts: ScoreCounts, least: int, greatest: int, remainder: str = "last"
) -> Iterator[Indices]:
    """Starts of the bins of all distinct binnings into equal weights.

    Parameters
    ----------
    counts : ScoreCounts
    least, greatest : int
        Numbers of bins aimed at, both included; ties may leave fewer. Of more than 4096 numbers
        as many are tried, in equal ratios.
    remainder : {"last", "spread"}
        Bins hold floor(N / B) samples and the last one the rest, or all hold N / B as nearly as
        they can. Less than one sample a bin is always spread.

    Yields
    ------
    (n_bins,) int array
        Positions in `counts.scores`. A score is never divided; it goes where the middle of
        its samples lies.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([1, 2, 3, 4, 5], [0, 0, 1, 1, 1])
    >>> [starts.tolist() for starts in quantile_binnings(counts, 2, 3)]
    [[0, 2], [0, 1, 2]]
    >>> [starts.tolist() for starts in quantile_binnings(counts, 2, 3, "spread")]
    [[0, 2], [0, 2, 3]]
    """
    total = counts.total
    weight = float(total.sum())
    middle = np.cumsum(total) - total / 2
    seen = set()
    for n_bins in _numbers(least, greatest):
        whole = weight // n_bins
        scale = (whole, 1.0) if remainder == "last" and whole else (weight, float(n_bins))
        starts = _starts_at(n_bins, scale, middle)
        if (key := starts.tobytes()) not in seen:
            seen.add(key)
            yield starts


def _numbers(least: int, greatest: int) -> list[int]:
    """All numbers of bins, or very many of them in equal ratios."""
    if greatest - least < _MOST_NUMBERS:
        return list(range(least, greatest + 1))
    spaced = np.rint(np.geomspace(least, greatest, _MOST_NUMBERS))
    return [int(number) for number in np.unique(spaced)]


def _starts_at(n_bins: int, scale: tuple[float, float], middle: Floats) -> Indices:
    """First position of each bin that is not empty; bin b begins at ``b * scale[0] / scale[1]``.

    The shorter array is looked up, or a quotient where bins are far more than scores.
    """
    if n_bins > _FEW_BINS * len(middle):
        bins = np.minimum(np.floor(middle / scale[0] * scale[1]), n_bins - 1)
        return np.flatnonzero(np.diff(bins, prepend=-1))
    limits = np.arange(n_bins, dtype=np.float64) * scale[0] / scale[1]
    if n_bins < len(middle):
        found = np.append(np.searchsorted(middle, limits), len(middle))
        return found[:-1][np.diff(found) > 0]
    bins = np.searchsorted(limits, middle, side="right")
    return np.flatnonzero(np.diff(bins, prepend=0))


def select_best(relative: Floats, alpha: float | None) -> Indices:
    """Select the best binnings to average, down to where the scores level off.

    Parameters
    ----------
    relative : (n,) array
        Scores relative to the best, in [0, 1].
    alpha : float or None
        Threshold of k_alpha = min{k : (S_k - S_(k+1)) / var(S) <= alpha}, where S are the
        sorted scores; those that equal the best are counted as one. None keeps all.

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
    if alpha is None:
        return order
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
