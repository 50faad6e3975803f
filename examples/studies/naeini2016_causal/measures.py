"""Naeini's measures of predicted edge types: precision, recall and calibration by type.

Source: Naeini (2016), section 6.2.4, table 32.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats, Ints

__all__ = ["TYPES", "discrimination", "gap_of_groups", "largest_gap_of_bins", "measured"]


TYPES: Mapping[str, tuple[int, ...]] = {"directed": (1, 2), "undirected": (3,), "none": (0,)}
"""Edge types of the tables, by the places of those of `EDGE_TYPES` that they hold."""

BIN = 100
"""Instances of a bin."""

MANY = 10_000_000
"""Instances from which on only those that are true are put in random order."""


def discrimination(found: Ints, truth: Ints, kinds: tuple[int, ...]) -> tuple[float, float, float]:
    """Precision, recall and F1 of an edge type (table 32).

    A directed edge that is found the wrong way round counts as a false positive only, as printed.

    Parameters
    ----------
    found, truth : (m,) arrays
        Places of edge types.
    kinds : tuple of int
        Those that belong to the type.

    Returns
    -------
    precision, recall, f1 : float
        0 where nothing is found.

    Examples
    --------
    >>> found, truth = np.array([1, 1, 2, 0, 0]), np.array([1, 2, 0, 1, 0])
    >>> discrimination(found, truth, (1, 2))  # 1 right, 2 wrong, 1 missed
    (0.3333333333333333, 0.5, 0.4)
    """
    said, is_true = np.isin(found, kinds), np.isin(truth, kinds)
    right = int((said & (found == truth)).sum())
    wrong = int(said.sum()) - right
    missed = int((is_true & ~said).sum())
    if not right:
        return 0.0, 0.0, 0.0
    precision, recall = right / (right + wrong), right / (right + missed)
    return precision, recall, 2 * precision * recall / (precision + recall)


def largest_gap_of_bins(p: Floats, is_true: NDArray[np.bool_], rng: np.random.Generator) -> float:
    """MCE with bins of a hundred instances each, in the order of their predictions.

    Equal predictions are in random order; the last bin takes what is left over.

    Parameters
    ----------
    p : (m,) array
    is_true : (m,) array of bool
    rng : numpy.random.Generator

    Returns
    -------
    float

    Examples
    --------
    >>> p, is_true = np.repeat([0.0, 0.5], 100), np.arange(200) >= 180
    >>> largest_gap_of_bins(p, is_true, np.random.default_rng(0))
    0.3
    """
    if len(p) >= MANY:
        return gap_of_groups(p, is_true, rng)
    order = np.lexsort((rng.random(len(p)), p))
    starts = np.arange(max(1, len(p) // BIN)) * BIN
    size = np.diff([*starts, len(p)])
    gap = np.add.reduceat(p[order], starts) - np.add.reduceat(is_true[order], starts, dtype=int)
    return float(np.abs(gap / size).max())


def gap_of_groups(p: Floats, is_true: NDArray[np.bool_], rng: np.random.Generator) -> float:
    """`largest_gap_of_bins` with other random numbers, fast where few predictions are distinct.

    Equal predictions are a stretch of places, of which the true instances take some at random.

    Parameters
    ----------
    p, is_true, rng
        As there.

    Returns
    -------
    float

    Examples
    --------
    >>> p, is_true = np.repeat([0.0, 0.5], 100), np.arange(200) >= 180
    >>> gap_of_groups(p, is_true, np.random.default_rng(0))
    0.3
    """
    values, sizes = np.unique(p, return_counts=True)
    edges = np.append(0, np.cumsum(sizes))
    found = np.bincount(np.searchsorted(values, p[is_true]), minlength=len(values))
    taken = [
        edges[group] + rng.choice(sizes[group], found[group], replace=False)
        for group in np.flatnonzero(found)
    ]
    n_bins = max(1, len(p) // BIN)
    bins = np.append(np.arange(n_bins) * BIN, len(p))
    places = np.minimum(np.concatenate([np.zeros(0, dtype=int), *taken]) // BIN, n_bins - 1)
    expected = np.diff(np.interp(bins, edges, np.append(0, np.cumsum(values * sizes))))
    gap = expected - np.bincount(places, minlength=n_bins)
    return float((np.abs(gap) / np.diff(bins)).max())


def measured(p: Floats, truth: Ints, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """Measures of each edge type, and of all together.

    Parameters
    ----------
    p : (m, 4) array
        Probabilities of `EDGE_TYPES`.
    truth : (m,) array
        Places of the true ones.
    rng : numpy.random.Generator
        For the order of equal predictions.

    Returns
    -------
    dict
        Type to precision, recall, F1, MCE and log loss; of "all", MCE and log loss only.
    """
    found, right = p.argmax(axis=1), truth[:, np.newaxis] == np.arange(p.shape[1])
    result: dict[str, tuple[float, ...]] = {}
    for name, kinds in TYPES.items():
        columns = list(kinds)
        gap = largest_gap_of_bins(p[:, columns].T.ravel(), right[:, columns].T.ravel(), rng)
        result[name] = (*discrimination(found, truth, kinds), gap, _log_loss(p, right, columns))
    gap = largest_gap_of_bins(p.T.ravel(), right.T.ravel(), rng)
    nothing = np.nan, np.nan, np.nan
    result["all"] = (*nothing, gap, _log_loss(p, right, list(range(p.shape[1]))))
    return result


def _log_loss(p: Floats, right: NDArray[np.bool_], columns: list[int]) -> float:
    """Mean of -log p of the true type, over pairs whose type is one of some."""
    chosen = p[:, columns][right[:, columns]]
    return float(-np.log(np.maximum(chosen, _LEAST)).mean()) if len(chosen) else np.nan


_LEAST = 1e-3
"""Lower limit of probabilities before the logarithm: shares of bootstraps are often 0."""
