"""Reduce a weighted sample of scores to a few nodes that see the same log-likelihoods.

A logistic log-likelihood is a sum of ``log(1 + exp(a + b * x))`` over the sample, which is an
integral of an analytic function against a discrete measure. The axis is cut into panels that are
short in the metric of the nearest complex singularities (``a + b * x = +-i pi``), and each panel
is replaced by the Gauss rule of its own part of the sample.

Source: G. H. Golub & G. Meurant, "Matrices, Moments and Quadrature" (2010), chapters 3 and 6 (the
Lanczos process gives the Gauss rule of a discrete measure); L. N. Trefethen, "Approximation Theory
and Approximation Practice" (2013), theorem 19.3 (error of Gauss rules of analytic functions).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from evical._typing import Floats

# A panel of this length in asinh(eta / pi) keeps the singularities outside of the Bernstein ellipse
# of parameter 4.08; ten Gauss nodes then err by about 4.08**-20 = 6e-13 of the panel's weight.
PANEL_LENGTH = 1.0
NODES_PER_PANEL = 10
KEPT = 64  # samples with at most that many distinct scores are kept as they are


def gauss_rule(x: Floats, weight: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of a discrete measure, by the Lanczos process.

    Parameters
    ----------
    x : ndarray of shape (m,)
        Support of the measure.
    weight : ndarray of shape (m,)
        Positive weights.
    size : int
        Number of nodes wanted.

    Returns
    -------
    nodes, weights : ndarray of shape (k,), k <= min(size, m)
        The rule, exact for polynomials of degree below ``2 * size``; the measure itself when it
        has no more than `size` points.

    Examples
    --------
    >>> nodes, weights = gauss_rule(np.array([-1.0, 0.0, 1.0]), np.ones(3), 2)
    >>> weights.round(6).tolist(), (nodes**2).round(6).tolist()
    ([1.5, 1.5], [0.666667, 0.666667])
    """
    if x.size <= size:
        return x, weight
    middle, half = 0.5 * (x[0] + x[-1]), 0.5 * (x[-1] - x[0])
    if half == 0.0:  # scores beside a far outlier are one
        return x[:1], weight.sum(keepdims=True)
    t = (x - middle) / half
    total = weight.sum()
    current, previous = np.sqrt(weight / total), np.zeros_like(t)
    diagonal: list[float] = []
    off_diagonal: list[float] = [0.0]
    for _ in range(size):
        following = t * current
        diagonal.append(_dot(current, following))
        following -= diagonal[-1] * current + off_diagonal[-1] * previous
        norm = float(np.sqrt(_dot(following, following)))
        off_diagonal.append(norm)
        if norm < 1e-13:  # the measure has, numerically, no more points than that
            break
        current, previous = following / norm, current
    values, vectors = eigh_tridiagonal(np.array(diagonal), np.array(off_diagonal[1:-1]))
    return middle + half * values, total * vectors[0] ** 2


def panel_edges(x: Floats, lines: Floats, length: float = PANEL_LENGTH) -> Floats:
    """Return where to cut the axis so that every line of log-odds is resolved.

    Parameters
    ----------
    x : ndarray of shape (m,)
        Sorted scores.
    lines : ndarray of shape (p, 2)
        Intercepts and slopes ``(a, b)`` of the log-odds ``a + b * x`` that must be integrated.
    length : float
        Longest panel, in the metric ``asinh((a + b * x) / pi)``.

    Returns
    -------
    ndarray of shape (k,)
        Ascending interior edges; none when one panel is enough.
    """
    lines = lines[lines[:, 1] != 0.0]
    edges: list[float] = []
    edge, last = float(x[0]), float(x[-1])
    while lines.size:
        reach = edge + float(_advance(edge, lines, length).min())
        if reach >= last:
            break
        edge = float(x[np.searchsorted(x, reach)])  # panels begin at a score: gaps cost nothing
        edges.append(edge)
    return np.array(edges)


def panels_resolve(x: Floats, edges: Floats, lines: Floats, length: float = PANEL_LENGTH) -> bool:
    """Whether the scores of each panel are close enough for every line (see `panel_edges`)."""
    cuts = _cuts(x, edges)
    occupied = np.diff(cuts) > NODES_PER_PANEL  # smaller panels are kept as they are
    first, last = x[cuts[:-1][occupied]], x[cuts[1:][occupied] - 1]
    a, b = lines[:, :1], lines[:, 1:]
    extent = np.arcsinh((a + b * last) / np.pi) - np.arcsinh((a + b * first) / np.pi)
    return bool((np.abs(extent) <= length * (1.0 + 1e-9)).all())


def compress(x: Floats, weight: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Replace each panel of a sample by its Gauss rule.

    Parameters
    ----------
    x, weight : ndarray of shape (m,)
        Sorted scores and their weights.
    edges : ndarray of shape (k,)
        Ascending interior edges of the panels.

    Returns
    -------
    nodes, weights : ndarray
        At most ten nodes a panel, inside the panel, with positive weights.
    """
    cuts = _cuts(x, edges)
    rules = [gauss_rule(x[i:j], weight[i:j], NODES_PER_PANEL) for i, j in pairwise(cuts) if j > i]
    return np.concatenate([r[0] for r in rules]), np.concatenate([r[1] for r in rules])


def halved(
    x: Floats, weight: Floats, is_rough: Callable[[Floats, Floats], NDArray[np.bool_]]
) -> tuple[Floats, Floats]:
    """Replace panels of a sample by Gauss rules, halved while a criterion finds them rough.

    Parameters
    ----------
    x, weight : ndarray of shape (m,)
        Sorted scores and their weights.
    is_rough : callable
        From the ends (p,) of panels to those on which some log-likelihood is not resolved.

    Returns
    -------
    nodes, weights : ndarray
        The sample itself, if it has 64 scores or fewer.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 1000)
    >>> nodes, weights = halved(x, np.ones(1000), lambda left, right: right - left > 0.3)
    >>> len(nodes), round(float(weights @ nodes**3) - float((x**3).sum()), 9)
    (40, 0.0)
    """
    if x.size <= KEPT:
        return x, weight
    edges = x[[0, -1]]
    while True:
        left, right = edges[:-1], edges[1:]
        middle = 0.5 * (left + right)
        filled = np.diff(_cuts(x, edges[1:-1])) > NODES_PER_PANEL  # others are kept as they are
        cut = is_rough(left, right) & filled & (middle > left) & (middle < right)
        if not cut.any():
            return compress(x, weight, edges[1:-1])
        edges = np.union1d(edges, middle[cut])


def around(best: Floats, covariance: Floats, level: float) -> Floats:
    """Return coefficients (2 d + 1, d): the best, and some standard errors off along the axes.

    Examples
    --------
    >>> around(np.array([1.0]), np.array([[4.0]]), 3.0).ravel().tolist()
    [7.0, -5.0, 1.0]
    """
    values, vectors = np.linalg.eigh(covariance)
    moves = level * (vectors * np.sqrt(np.maximum(values, 0.0))).T
    return np.concatenate([best + moves, best - moves, [best]])


def _dot(u: Floats, v: Floats) -> float:
    # Not BLAS, whose threads wait for each other where the cores are busy.
    return float(np.einsum("i,i", u, v))


def _advance(edge: float, lines: Floats, length: float) -> Floats:
    """Return how far each line's panel that begins at `edge` may reach."""
    slope = np.abs(lines[:, 1])
    eta = np.sign(lines[:, 1]) * (lines[:, 0] + lines[:, 1] * edge)
    reach = np.pi * np.sinh(np.minimum(np.arcsinh(eta / np.pi) + length, 700.0))
    return np.asarray((reach - eta) / slope)


def _cuts(x: Floats, edges: Floats) -> NDArray[np.intp]:
    """Return the index of the first score of each panel, and the number of scores."""
    return np.concatenate([[0], np.searchsorted(x, edges), [x.size]])
