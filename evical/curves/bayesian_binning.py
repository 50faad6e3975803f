"""All binnings of a sample: the best of them, and the average over them.

A binning of m sorted scores is one of 2^(m-1) ways to cut them. Its score is a product over
bins of prior and marginal likelihood (Naeini 2016, eq. 3.9), so that whatever follows a cut
does not depend on what precedes it: one pass backward finds the best binning, or the sum
over all; one pass forward then gives the weight of each bin. O(m^2) time and O(m) memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.binning_score import BinPrior, log_marginal
from evical.curves.cumulated import Cumulated, cumulate
from evical.scores.counts import ScoreCounts

__all__ = ["BinScores", "average_over_binnings", "best_binning", "bin_scores", "cut_shares"]

_TABLE = 512  # scores for which all bins, 1 MB of numbers, are looked at together
_TOGETHER = 1 << 13  # bins of which a property is asked for together
Prior = BinPrior | Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class BinScores:
    """Scores of all bins of neighboring scores; made by `bin_scores`.

    Parameters
    ----------
    cumulated : Cumulated
    log_cut : (m,) array
        Log of the prior probability of a cut after each score (eq. 3.7); 0 after the last.
    distance : (m,) array
        lambda times the share of the range of the scores that lies below each.
    prior : callable
        From the edges of bins to the parameters alpha and beta of their prior.
    """

    cumulated: Cumulated
    log_cut: Floats
    distance: Floats
    prior: Prior

    def __len__(self) -> int:
        return len(self.distance)

    def bins(self, first: Any, end: Any) -> tuple[Floats, Floats, Any, Any]:
        """Counts and prior parameters of the bins of the scores from the first to before the end.

        Both are positions, arrays or a slice of them.
        """
        sums = self.cumulated
        return (
            sums.positive[end] - sums.positive[first],
            sums.negative[end] - sums.negative[first],
            *self.prior(sums.edges[first], sums.edges[end]),
        )

    def log_scores(self, first: int) -> Floats:
        """Logs of the factors of eq. 3.9 for the bins [first, u], u = first, ..., m - 1."""
        if len(self) <= _TABLE:
            return self._table[self._begins[first] : self._begins[first + 1]]
        uncut = self.distance[first:] - self.distance[first]
        marginal = log_marginal(*self.bins(first, slice(first + 1, None)))
        return np.asarray(self.log_cut[first:] - uncut + marginal)

    @cached_property
    def log_sums(self) -> Floats:
        """Logs (m + 1,) of the sums of the scores of all binnings of what follows each edge."""
        sums = np.zeros(len(self) + 1)
        for first in range(len(self) - 1, -1, -1):
            totals = self.log_scores(first) + sums[first + 1 :]
            top = totals.max()
            sums[first] = top + np.log(np.exp(totals - top).sum())
        return sums

    @cached_property
    def _begins(self) -> NDArray[np.intp]:
        return np.append(0, np.cumsum(np.arange(len(self), 0, -1)))

    @cached_property
    def _table(self) -> Floats:
        """The scores of all bins, one first after the other."""
        first, last = np.triu_indices(len(self))
        marginal = log_marginal(*self.bins(first, last + 1))
        uncut = self.distance[last] - self.distance[first]
        return np.asarray(self.log_cut[last] - uncut + marginal)


def bin_scores(counts: ScoreCounts, lam: float, prior: Prior) -> BinScores:
    """Scores of all bins of a sample.

    Parameters
    ----------
    counts : ScoreCounts
    lam : float
        Mean number of cuts a priori, lambda of eq. 3.7.
    prior : callable, such as `BinPrior`

    Returns
    -------
    BinScores

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.0, 0.5, 1.0], [0, 1, 1])
    >>> scores = bin_scores(counts, 1.0, BinPrior())
    >>> bool(np.isclose(np.exp(scores.log_scores(0)[2]), np.exp(-1) * 2 / 24))
    True
    """
    # Halves, because the range of the scores may exceed the greatest float.
    halves = counts.scores / 2
    span = max(halves[-1] - halves[0], np.finfo(np.float64).tiny)
    # The logarithm of 0 where a distance underflows: no cut there.
    with np.errstate(divide="ignore"):
        log_cut = np.log(-np.expm1(-lam * (np.diff(halves) / span)))
    return BinScores(
        cumulate(counts),
        np.append(log_cut, 0.0),
        lam * ((halves - halves[0]) / span),
        prior,
    )


def best_binning(scores: BinScores) -> tuple[NDArray[np.intp], float]:
    """The binning of highest score (Naeini 2016, algorithm 1, run backward).

    Parameters
    ----------
    scores : BinScores

    Returns
    -------
    starts : (n_bins,) int array
        Position of the first score of each bin.
    log_score : float
        Logarithm of eq. 3.9.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples(np.arange(8), [0, 0, 0, 0, 1, 1, 1, 1])
    >>> best_binning(bin_scores(counts, 1.0, BinPrior()))[0]
    array([0, 4])
    """
    m = len(scores)
    best, end = np.zeros(m + 1), np.zeros(m, dtype=np.intp)
    for first in range(m - 1, -1, -1):
        totals = scores.log_scores(first) + best[first + 1 :]
        last = int(np.argmax(totals))
        best[first], end[first] = totals[last], first + last + 1
    starts = [0]
    while end[starts[-1]] < m:
        starts.append(int(end[starts[-1]]))
    return np.array(starts), float(best[0])


def average_over_binnings(scores: BinScores, value: Callable[..., Floats]) -> Floats:
    """Average, over all binnings, of a property of the bin that covers each score (eq. 3.11).

    Given the sums over all binnings of what follows, cuts are a Markov chain: the next cut
    after a cut at l falls behind u with probability proportional to the score of [l, u] and
    the sum behind u. Each bin adds its weight times its value to the cells it covers, as a
    step up at its first cell and a step down behind its last one.

    Parameters
    ----------
    scores : BinScores
    value : callable
        From `positive, negative, alpha, beta` of n bins to r numbers a bin, (r, n).

    Returns
    -------
    (r, m) array

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.0, 1.0], [0, 1])
    >>> scores = bin_scores(counts, np.log(2), BinPrior())

    Half of the prior is on one bin, of likelihood 1/6; half is on two, of likelihood 1/4.

    >>> average_over_binnings(scores, lambda k, n, a, b: np.stack([k + 1, n + 1]) / (k + n + 2))
    array([[0.4, 0.6],
           [0.6, 0.4]])
    """
    m = len(scores)
    # Bins left out weigh less than the rounding error together.
    negligible = np.finfo(np.float64).eps / m**2
    steps, waiting, size = np.zeros((0, m + 1)), [], 0
    for first, weights in enumerate(_bin_weights(scores)):
        used = np.flatnonzero(weights > negligible)
        waiting.append((np.full(len(used), first), first + 1 + used, weights[used]))
        size += len(used)
        if size >= _TOGETHER or first == m - 1:
            firsts, ends, shares = (np.concatenate(part) for part in zip(*waiting, strict=True))
            weighted = shares * value(*scores.bins(firsts, ends))
            if not len(steps):  # the first bins always count
                steps = np.zeros((len(weighted), m + 1))
            for step, row in zip(steps, weighted, strict=True):
                step += np.bincount(firsts, row, m + 1) - np.bincount(ends, row, m + 1)
            waiting, size = [], 0
    return np.cumsum(steps[:, :-1], axis=1)


def cut_shares(scores: BinScores) -> Floats:
    """Share of all binnings, by their scores, that have a bin beginning at each score.

    Parameters
    ----------
    scores : BinScores

    Returns
    -------
    (m,) array
        The first is 1.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.0, 1.0], [0, 1])
    >>> cut_shares(bin_scores(counts, np.log(2), BinPrior()))
    array([1. , 0.6])
    """
    shares = np.append(1.0, np.zeros(len(scores)))
    for first, weights in enumerate(_bin_weights(scores)):
        shares[first + 1 :] += weights
    return shares[:-1]


def _bin_weights(scores: BinScores) -> Iterator[Floats]:
    """Share of all binnings that have the bins [first, u], u >= first, for each first."""
    m, sums = len(scores), scores.log_sums
    begins = np.append(1.0, np.zeros(m))
    for first in range(m):
        following = np.exp(scores.log_scores(first) + sums[first + 1 :] - sums[first])
        weights = begins[first] * following
        begins[first + 1 :] += weights
        yield weights
