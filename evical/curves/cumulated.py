"""Cumulative counts of sorted scores: the bins of any binning are their differences.

A binning is a list of starts among the sorted distinct scores; however many binnings are
looked at, the samples are summed once.
"""

from dataclasses import dataclass

import numpy as np

from evical._typing import Floats, Indices
from evical.scores.counts import ScoreCounts, midpoints

__all__ = ["Bins", "Cumulated", "cell_edges", "cumulate"]

_FAR = 1e290  # scores whose sums, with weights up to 2^53, are finite; all means are cut to [0, 1]


def cell_edges(scores: Floats) -> Floats:
    """Edges (m + 1,) of the cells around sorted distinct scores.

    Parameters
    ----------
    scores : (m,) array

    Returns
    -------
    (m + 1,) array
        Neighboring scores share the edge midway between them; the ends are 0 and 1, or the
        first and the last score where these lie outside.

    Examples
    --------
    >>> cell_edges(np.array([0.25, 0.75]))
    array([0. , 0.5, 1. ])
    """
    low, high = min(scores[0], 0.0), max(scores[-1], 1.0)
    return np.concatenate([[low], midpoints(scores[:-1], scores[1:]), [high]])


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of one binning.

    Parameters
    ----------
    starts : (n_bins,) int array
        Position of the first distinct score of each bin.
    positive, negative : (n_bins,) arrays
        Weight of the samples of each bin.
    positive_scores : (n_bins,) array
        Sum of the scores of the positive samples.
    edges : (n_bins + 1,) array
    """

    starts: Indices
    positive: Floats
    negative: Floats
    positive_scores: Floats
    edges: Floats


@dataclass(frozen=True, eq=False)
class Cumulated:
    """Sums over all samples below each edge of the cells; columns as in `Bins`, all (m + 1,)."""

    positive: Floats
    negative: Floats
    positive_scores: Floats
    edges: Floats

    def bins(self, starts: Indices) -> Bins:
        """The bins that begin at these distinct scores."""
        ends = np.append(starts, len(self.positive) - 1)
        return Bins(
            starts,
            np.diff(self.positive[ends]),
            np.diff(self.negative[ends]),
            np.diff(self.positive_scores[ends]),
            self.edges[ends],
        )


def cumulate(counts: ScoreCounts) -> Cumulated:
    """Cumulated counts, ready to be cut into bins.

    Parameters
    ----------
    counts : ScoreCounts

    Returns
    -------
    Cumulated

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.1, 0.2, 0.8], [0, 1, 1])
    >>> bins = cumulate(counts).bins(np.array([0, 2]))
    >>> bins.positive, bins.negative, bins.edges
    (array([1., 1.]), array([1., 0.]), array([0. , 0.5, 1. ]))
    """
    return Cumulated(
        _sums_below(counts.positive),
        _sums_below(counts.negative),
        _sums_below(counts.positive * np.clip(counts.scores, -_FAR, _FAR)),
        cell_edges(counts.scores),
    )


def _sums_below(column: Floats) -> Floats:
    return np.append(0.0, np.cumsum(column))
