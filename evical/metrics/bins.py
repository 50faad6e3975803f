"""Bins of predictions: sums from which every binned calibration error follows.

Equal width: a prediction p is in bin floor(p n_bins), and p = 1 is in the last; bins contain their
left edge. Equal frequency: the middle of the ranks of equal predictions decides their bin, so ties
stay together and the order of samples does not matter.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from dstheory.checks.arguments import check_choice, check_count
from evical._typing import Floats
from evical.metrics.inputs import BLOCK, MOST_REPEATS, BinarySample

Numbering = Callable[[Floats], NDArray[np.intp]]

# Up to this many bins, comparing with each edge is faster than a search: 1.3 ms against 18 ms for 9
# edges and 10^6 predictions. Numbers fit into 8 bits.
_FEW = 100


# From this many bins on, a product can round below an edge equal to p: 1 / 49 * 49 < 1.
_INEXACT = 49


@dataclass(frozen=True, eq=False)
class Bins:
    """Sums over the samples of each non-empty bin.

    Parameters
    ----------
    number : (b,) array
        Index of the bin among all bins.
    size : (b,) array
        Number of samples, or the effective number if they have weights: the squared sum of the
        weights divided by the sum of their squares.
    weight : (b,) array
        Sum of the weights.
    prob, true : (b,) arrays
        Weighted means of predictions and outcomes.
    """

    number: NDArray[np.intp]
    size: Floats
    weight: Floats
    prob: Floats
    true: Floats


def check_bins(n_bins: int, strategy: object) -> None:
    """Raise unless the binning is valid."""
    check_count("n_bins", n_bins, 1, MOST_REPEATS)
    check_choice("strategy", strategy, ("uniform", "quantile"))


def bin_numbers(p: Floats, weight: Floats | None, n_bins: int, strategy: str) -> NDArray[np.intp]:
    """Number of the bin of each prediction."""
    return numbering(p, weight, n_bins, strategy)(p)


def numbering(p: Floats, weight: Floats | None, n_bins: int, strategy: str) -> Numbering:
    """Function that maps any of these predictions to the number of its bin."""
    if strategy == "uniform":
        return lambda part: _of_equal_width(part, n_bins)
    edges = _quantile_edges(p, weight, n_bins)
    return lambda part: _between(part, edges)


def _of_equal_width(p: Floats, n_bins: int) -> NDArray[np.intp]:
    number = (p * n_bins).astype(np.intp)
    if n_bins >= _INEXACT:
        number += p >= (number + 1) / n_bins
    return np.minimum(number, n_bins - 1)


def _between(p: Floats, edges: Floats) -> NDArray[np.intp]:
    if len(edges) >= _FEW:
        return np.searchsorted(edges, p, side="right")
    number = np.zeros(len(p), dtype=np.int8)
    for edge in edges:
        number += p >= edge
    return number.astype(np.intp)


def _quantile_edges(p: Floats, weight: Floats | None, n_bins: int) -> Floats:
    """Smallest prediction of each bin but the first."""
    if weight is None:
        values, ranks = np.sort(p), None
        wanted = len(p) * np.arange(1, n_bins) / n_bins
        at = wanted.astype(np.intp)
    else:
        order = np.argsort(p)
        values, ranks = p[order], np.concatenate([[0.0], np.cumsum(weight[order])])
        wanted = ranks[-1] * np.arange(1, n_bins) / n_bins
        at = np.minimum(np.searchsorted(ranks, wanted, side="right") - 1, len(values) - 1)
    # The group around each desired rank belongs above the edge if the middle of its ranks does.
    first = np.searchsorted(values, values[at], side="left")
    end = np.searchsorted(values, values[at], side="right")
    limits = (first, end) if ranks is None else (ranks[first], ranks[end])
    above = (limits[0] + limits[1]) / 2 >= wanted
    following = np.where(end < len(values), values[np.minimum(end, len(values) - 1)], np.inf)
    return np.asarray(np.where(above, values[at], following))


def bin_gaps(sample: BinarySample, n_bins: int, strategy: str) -> Floats:
    """Sum of prediction minus outcome over the samples of each bin."""
    check_bins(n_bins, strategy)
    number = numbering(sample.p, sample.weight, n_bins, strategy)
    sums = np.zeros(n_bins)
    for part in sample.blocks(max(BLOCK, n_bins)):
        sums += np.bincount(number(part.p), part.weighted(part.p - part.y), n_bins)
    return sums


def filled_bins(sample: BinarySample, n_bins: int, strategy: str) -> Bins:
    """Sizes and means of the non-empty bins."""
    check_bins(n_bins, strategy)
    number = numbering(sample.p, sample.weight, n_bins, strategy)
    blocks = sample.blocks(max(BLOCK, n_bins))
    return added_bins(((part, number(part.p)) for part in blocks), n_bins)


def summed_bins(sample: BinarySample, number: NDArray[np.intp], n_bins: int) -> Bins:
    """Sizes and means, for bins of any kind."""
    return added_bins([(sample, number)], n_bins)


def isotonic(shares: Floats, weight: NDArray[Any]) -> Floats:
    """Isotonic regression of the shares of positives of ascending bins."""
    fitted = isotonic_regression(shares, weights=weight).x
    return np.asarray(np.clip(fitted, 0, 1))  # rounding


def added_bins(parts: Iterable[tuple[BinarySample, NDArray[np.intp]]], n_bins: int) -> Bins:
    """Sizes and means from pieces of the samples, each with the numbers of its bins."""
    sums = np.zeros((4, n_bins))
    for part, number in parts:
        sums += _sums(part, number, n_bins)
    some = np.flatnonzero(sums[0] > 0)
    weight, squares, prob, true = sums[:, some]
    size = np.divide(weight**2, squares, out=np.zeros_like(weight), where=squares > 0)
    # Rounding of sums must not push means out of [0, 1].
    return Bins(some, size, weight, np.minimum(prob / weight, 1.0), np.minimum(true / weight, 1.0))


def _sums(sample: BinarySample, number: NDArray[np.intp], n_bins: int) -> list[Floats]:
    """Sums (n_bins,) of weights, of their squares, of predictions, and of outcomes."""
    p, y, w = sample.p, sample.y, sample.weight
    if w is None:
        weight: Floats = np.bincount(number, minlength=n_bins).astype(np.float64)
        return [weight, weight, *(_sum(number, values, n_bins) for values in (p, y))]
    return [_sum(number, values, n_bins) for values in (w, w * w, p * w, y * w)]


def _sum(number: NDArray[np.intp], values: Floats, n_bins: int) -> Floats:
    return np.asarray(np.bincount(number, values, n_bins), dtype=np.float64)
