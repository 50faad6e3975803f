"""All binnings of a sample: the best of them, and the average over them.

A binning of m sorted scores is one of 2^(m-1) ways to cut them. Its score is a product over
bins of prior and marginal likelihood (Naeini 2016, eq. 3.9), so that whatever follows a cut
does not depend on what precedes it: one pass backward finds the best binning, or the sum
over all; one pass forward then gives the weight of each bin. O(m^2) time and O(m) memory; up to
some hundred scores, both passes are systems of linear equations, whose matrix has all bins.

Cumulative counts of sorted scores: the bins of any binning are their differences.

A binning is a list of starts among the sorted distinct scores; however many binnings are
looked at, the samples are summed once.

The Bayesian score of a bin: how well k positives and n negatives fit one unknown share.

The share of positives in a bin has a Beta prior, so that the probability of the labels in
the bin, the share integrated out, is a ratio of beta functions (Naeini 2016, eq. 3.5, 3.6
and section 3.2.2). K2 is the uniform prior; BDeu centers it on the middle of the bin.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import betaln

from evical._typing import Floats, Indices
from evical.scores.counts import ScoreCounts, midpoints


@dataclass(frozen=True)
class BinPrior:
    """Beta prior of the share of positives in a bin.

    Parameters
    ----------
    criterion : {"k2", "bdeu"}
        "k2" is Beta(1, 1); "bdeu" is Beta(strength p, strength (1 - p)), p the middle of the
        bin.
    strength : float
        Equivalent number of samples in a bin, N'/B of the thesis.
    clip : float
        p is kept inside [clip, 1 - clip].

    Examples
    --------
    >>> BinPrior("bdeu")(0.25, np.array([0.75, 1.0]))
    (array([1.  , 1.25]), array([1.  , 0.75]))
    """

    criterion: str = "k2"
    strength: float = 2.0
    clip: float = 0.005

    def __call__(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Parameters alpha and beta for bins between these edges; scalars where all agree."""
        if self.criterion == "k2":
            return 1.0, 1.0
        middle = np.clip(left / 2 + right / 2, self.clip, 1 - self.clip)
        return self.strength * middle, self.strength * (1 - middle)


def log_marginal(positive: Floats, negative: Floats, alpha: Floats | float, beta: Any) -> Floats:
    """Log probability of the labels in each bin (Naeini 2016, eq. 3.6 for K2).

    Parameters
    ----------
    positive, negative : (n,) arrays
        Weight of the positive and of the negative samples.
    alpha, beta : (n,) arrays or floats
        Parameters of the Beta prior.

    Returns
    -------
    (n,) array

    Examples
    --------
    One positive and two negatives with the uniform prior: 1! 2! / 4! = 1/12.

    >>> np.exp(log_marginal(np.array([1.0]), np.array([2.0]), 1.0, 1.0)) * 12
    array([1.])
    """
    return np.asarray(betaln(positive + alpha, negative + beta) - betaln(alpha, beta))


def posterior_mean(positive: Floats, negative: Floats, alpha: float, beta: Any) -> Floats:
    """Smoothed share of positives in each bin, the posterior mean (Naeini 2016, footnote 3).

    Parameters
    ----------
    positive, negative, alpha, beta
        As for `log_marginal`.

    Returns
    -------
    (n,) array

    Examples
    --------
    >>> posterior_mean(np.array([1.0]), np.array([2.0]), 1.0, 1.0)
    array([0.4])
    """
    return np.asarray((positive + alpha) / (positive + negative + alpha + beta))


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


_TABLE = 640  # scores for which all bins, 1.6 MB of numbers, are looked at together
_TOGETHER = 1 << 13  # bins of which a property is asked for together
_COARSE = 32  # edges of the binnings to which the sums over all are relative, at least
_FAR_OFF = 1e100  # beyond, terms that count might vanish
_LEAST_LOG = -700.0  # of a factor: nothing beside others, and exp takes far longer to underflow
_UNIT: dict[str, Any] = {"unit_diagonal": True, "check_finite": False}
Prior = BinPrior | Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class BinScores:
    """Scores of all bins of neighboring scores, made by `bin_scores`.

    Parameters
    ----------
    cumulated : Cumulated
    log_cut : (m,) array
        Log of the prior probability of a cut after each score (eq. 3.7); 0 after the last.
    distance : (m,) array
        lambda times the share of the range of the scores that lies below each.
    prior : callable
        From the edges of bins to the parameters alpha and beta of their prior.
    coarser : BinScores, optional
        Of the same samples, with the same prior for all bins, in fewer groups.
    places : (c,) array
        Places among the scores at which these groups begin.
    """

    cumulated: Cumulated
    log_cut: Floats
    distance: Floats
    prior: Prior
    coarser: "BinScores | None" = None
    places: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))

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
        uncut = self.distance[first:] - self.distance[first]
        if len(self) <= _TABLE:
            marginal = self._marginals[first, first:]
        else:
            marginal = log_marginal(*self.bins(first, slice(first + 1, None)))
        return np.asarray(self.log_cut[first:] - uncut + marginal)

    def weights(self) -> Iterator[tuple[Indices, Indices, Floats]]:
        """First score, end and share of all binnings of each bin, in parts that stay in the cache.

        Bins left out weigh less than the rounding error together.
        """
        m, negligible = len(self), np.finfo(np.float64).eps / len(self) ** 2
        if m <= _TABLE:
            _, sums, steps = self._solved
            shares = (self.begins / -sums)[:-1, np.newaxis] * steps[:-1, 1:]
            shares *= sums[1:]
            firsts, lasts = np.nonzero(shares > negligible)
            for start in range(0, len(firsts), _TOGETHER):
                first, last = (part[start : start + _TOGETHER] for part in (firsts, lasts))
                yield first, last + 1, shares[first, last]
            return
        waiting, size, begins = [], 0, self.begins
        for at in range(m):
            weights = begins[at] * self._after(at)
            used = np.flatnonzero(weights > negligible)
            waiting.append((np.full(len(used), at), at + 1 + used, weights[used]))
            size += len(used)
            if size >= _TOGETHER or at == m - 1:
                firsts, ends, found = (np.concatenate(part) for part in zip(*waiting, strict=True))
                yield firsts, ends, found
                waiting, size = [], 0

    def _after(self, first: int) -> Floats:
        """Shares (m - first,) of the binnings of what follows an edge, by the end of its bin."""
        sums = self.log_sums
        return np.asarray(np.exp(self.log_scores(first) + sums[first + 1 :] - sums[first]))

    @cached_property
    def log_sums(self) -> Floats:
        """Logs (m + 1,) of the sums of the scores of all binnings of what follows each edge."""
        return self._solved[0] if len(self) <= _TABLE else _backward(self.log_scores, len(self))

    @cached_property
    def begins(self) -> Floats:
        """Share (m + 1,) of all binnings, by their scores, that have a bin beginning at an edge."""
        begins = np.append(1.0, np.zeros(len(self)))
        if len(self) <= _TABLE:
            _, sums, steps = self._solved
            found = solve_triangular(steps, begins / sums[0], trans=1, **_UNIT)
            return np.asarray(sums * found)
        for first in range(len(self)):
            begins[first + 1 :] += begins[first] * self._after(first)
        return begins

    @cached_property
    def _solved(self) -> tuple[Floats, Floats, Floats]:
        """Logs of the sums of what follows each edge; the sums relative to near ones; `_steps`.

        The sums s solve ``s[first] = sum_u exp(score of [first, u]) s[u + 1]``. No term is
        negative, so no digit is lost, but they exceed all floats. So they are taken relative to
        others that are near: those of binnings with a cut at a few edges only.
        """
        m = len(self)
        if self.coarser is not None:
            edges, near = np.append(self.places, m), self.coarser.log_sums
        else:
            edges = np.unique(np.append(np.arange(0, m, max(1, m // _COARSE)), m))
            first, last = edges[:-1], edges[1:] - 1
            coarse = self._marginals[np.ix_(first, last)] + (self.log_cut - self.distance)[last]
            coarse += self.distance[first, np.newaxis]
            near = _backward(lambda at: coarse[at, at:], len(coarse))
        below = self.cumulated.positive + self.cumulated.negative
        near = np.interp(below, below[edges], near)
        with np.errstate(over="ignore", invalid="ignore"):  # then they are not near
            steps = self._steps(near)
            sums = solve_triangular(steps, np.append(np.zeros(m), 1.0), **_UNIT)
            if ((sums > 1 / _FAR_OFF) & (sums < _FAR_OFF)).all():
                return near + np.log(sums), sums, steps
        exact = _backward(self.log_scores, m)
        return exact, np.ones(m + 1), self._steps(exact)

    def _steps(self, near: Floats) -> Floats:
        """Minus the factors (m + 1, m + 1) of the bins from each edge to those behind it.

        They are relative to sums with these logs. Below the diagonal there is nothing of interest.
        """
        m = len(self)
        matrix = np.zeros((m + 1, m + 1))
        factors = matrix[:-1, 1:]
        np.add(self._marginals, self.log_cut - self.distance + near[1:], out=factors)
        factors += (self.distance - near[:-1])[:, np.newaxis]
        np.maximum(factors, _LEAST_LOG, out=factors)
        np.exp(factors, out=factors)
        np.negative(factors, out=factors)
        return matrix

    @cached_property
    def _marginals(self) -> Floats:
        """Log marginal likelihoods (m, m) of the bins [first, u], some of them known."""
        m = len(self)
        table = np.full((m, m), -np.inf)
        if self.coarser is not None:
            ends = np.append(self.places[1:], m)
            table[np.ix_(self.places, ends - 1)] = self.coarser._marginals
        new = np.isneginf(table) & ~np.tri(m, k=-1, dtype=bool)
        first = np.repeat(np.arange(m), np.count_nonzero(new, axis=1))
        end = np.flatnonzero(new) - m * first + 1
        table[new] = log_marginal(*self.bins(first, end))
        return table


def _backward(log_scores: Callable[[int], Floats], m: int) -> Floats:
    """Logs (m + 1,) of the sums over the binnings of what follows each edge, one by one."""
    sums = np.zeros(m + 1)
    for first in range(m - 1, -1, -1):
        totals = log_scores(first) + sums[first + 1 :]
        top = totals.max()
        sums[first] = top + np.log(np.exp(totals - top).sum())
    return sums


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
    steps = np.zeros((0, m + 1))
    for firsts, ends, shares in scores.weights():
        weighted = shares * value(*scores.bins(firsts, ends))
        if not len(steps):  # the first bins always count
            steps = np.zeros((len(weighted), m + 1))
        for step, row in zip(steps, weighted, strict=True):
            step += np.bincount(firsts, row, m + 1) - np.bincount(ends, row, m + 1)
    return np.cumsum(steps[:, :-1], axis=1)
