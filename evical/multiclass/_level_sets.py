"""Bounds and contours of class probabilities, from the extremes of their log-odds on level sets.

Logits of a sample are known functions of coordinates in which a deviance has Hessian 1. For each
class and both sides, this module finds the extreme log-odds on a few level sets, and beliefs from
them.

Bel of class k is the mean of the smallest probability of k over random level sets of the relative
likelihood, and Pl is the mean of the largest one. These are the integrals of Xu et al. (2016, eq.
22-23) of the contour (eq. 40), written over the level. The deviance of a level set is half the
square of a Rayleigh variable r. The extreme log-odds are a smooth function of r and are
interpolated; their sigmoid can be steep, which the quadrature is made for.

Source: Xu, Davoine & Denoeux, "Evidential multinomial logistic regression for multiclass classifier
calibration", FUSION (2015); Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 33-40.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import dct
from scipy.special import expit, logit, ndtri

from dstheory.checks.arguments import as_floats
from evical._typing import Floats
from evical.multiclass._extremes import Deviance, LogOdds, extremes
from evical.scores.checks import check_label

_REACH = 6.5  # exp(-6.5^2 / 2) = 7e-10 of all level sets are larger
_BISECTIONS = 60
# Double-exponential quadrature on [0, 1], for functions that are steep at an end: distances of the
# points from 0 and from 1, each with full precision.
_T = np.pi / 2 * np.sinh(np.arange(-32, 33) * 0.1)
_FROM_0, _FROM_1 = expit(2 * _T), expit(-2 * _T)
_WEIGHTS = 0.1 * np.pi * np.cosh(np.arange(-32, 33) * 0.1) * _FROM_0 * _FROM_1


def levels(count: int) -> Floats:
    """Chebyshev points of (0, 6.5]; 0 is a further node, where log-odds are known.

    Examples
    --------
    >>> levels(2).round(9)
    array([3.25, 6.5 ])
    """
    return np.asarray(_REACH / 2 * (1 - np.cos(np.pi * np.arange(1, count + 1) / count)))


def coefficients(start: Floats, values: Floats) -> Floats:
    """Chebyshev coefficients on [0, 6.5] of functions known at 0 and at `levels`.

    Parameters
    ----------
    start : (b,) array
    values : (q, b) array

    Returns
    -------
    (q + 1, b) array

    Examples
    --------
    >>> line = coefficients(np.array([1.0]), 1 + 2 * levels(4)[:, np.newaxis])
    >>> (line[:2, 0].round(9) + 0.0).tolist()
    [7.5, 6.5]
    """
    samples = np.concatenate([start[np.newaxis], values])[::-1]
    found = dct(samples, type=1, axis=0) / len(values)
    found[[0, -1]] /= 2
    return np.asarray(found)


def _at(series: Floats, r: Floats) -> Floats:
    """Values (b, m) of the series at r (b, m)."""
    x = 2 / _REACH * r - 1
    return np.asarray(np.polynomial.chebyshev.chebval(x, series[:, :, np.newaxis], tensor=False))


def crossing(series: Floats, level: Floats) -> Floats:
    """Where each increasing function takes a value, in [0, 6.5]; the nearer end if it does not.

    Parameters
    ----------
    series : (q, b) array
    level : (b,) array

    Returns
    -------
    (b,) array

    Examples
    --------
    >>> line = coefficients(np.array([1.0]), 1 + 2 * levels(4)[:, np.newaxis])
    >>> crossing(line, np.array([4.0])).round(9)
    array([1.5])
    """
    low, high = np.zeros(len(level)), np.full(len(level), _REACH)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = _at(series, middle[:, np.newaxis])[:, 0] < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def expected_probability(series: Floats, sign: Floats) -> Floats:
    """Mean of the sigmoid of an increasing function of a Rayleigh variable, times a sign.

    Parameters
    ----------
    series : (q, b) array
        Chebyshev coefficients on [0, 6.5].
    sign : (b,) array of 1 and -1

    Returns
    -------
    (b,) array

    Examples
    --------
    Log-odds that are 0 everywhere:

    >>> expected_probability(np.zeros((2, 1)), np.array([1.0])).round(12)
    array([0.5])
    """
    middle = crossing(series, np.zeros(series.shape[1]))[:, np.newaxis]
    total = np.exp(-(_REACH**2) / 2) * expit(sign * _at(series, np.full_like(middle, _REACH))[:, 0])
    for start, length in ((np.zeros_like(middle), middle), (middle, _REACH - middle)):
        r = start + length * _FROM_0
        density = r * np.exp(-r * r / 2)
        total += (length * _WEIGHTS * density * expit(sign[:, None] * _at(series, r))).sum(axis=1)
    return np.asarray(total)


@dataclass(frozen=True, eq=False)
class LevelSets:
    """Searches for extremes for n samples of K classes, in chunks.

    Parameters
    ----------
    shape : (n, K)
    local : callable
        Maps a slice of samples to their logits (m, K) and the slopes of these (m, K, P).
    deviance : Deviance
    n_levels : int
    chunk : int
        Samples per chunk.
    """

    shape: tuple[int, int]
    local: Callable[[slice], tuple[Floats, Floats]]
    deviance: Deviance
    n_levels: int
    chunk: int

    def problems(self, rows: slice) -> LogOdds:
        """Log-odds to optimize, for each sample, class and side."""
        logits, slopes = self.local(rows)
        n, k = logits.shape
        sample, rest = np.divmod(np.arange(n * k * 2), 2 * k)
        sign = np.where(rest % 2, 1.0, -1.0)
        return LogOdds(logits[sample], slopes[sample], rest // 2, sign)

    def _searched(self) -> Iterator[tuple[slice, LogOdds, Floats]]:
        """Chunks of samples, with problems (sample, class, side) and series of their extremes."""
        n = self.shape[0]
        for start in range(0, n, self.chunk):
            rows = slice(start, min(start + self.chunk, n))
            odds = self.problems(rows)
            values = extremes(odds, self.deviance, levels(self.n_levels))
            yield rows, odds, coefficients(odds.at_origin(), values)

    def bounds(self, p: Floats) -> Floats:
        """Bel and Pl (n, K, 2), given the most likely probabilities (n, K)."""
        found = np.empty((*self.shape, 2))
        for rows, odds, series in self._searched():
            found[rows] = expected_probability(series, odds.sign).reshape(-1, self.shape[1], 2)
        # Bel <= p <= Pl always holds, but interpolation may violate it by its error.
        lower, upper = np.minimum(found[:, :, 0], p), np.maximum(found[:, :, 1], p)
        return np.stack([lower, upper], axis=2)

    def ends(self, level: float) -> Floats:
        """Ends (n, K, 2) of confidence intervals, as level sets by Wilks' theorem."""
        found = np.empty((*self.shape, 2))
        radius = float(ndtri((1 + level) / 2))
        for rows, odds, series in self._searched():
            reached = _at(series, np.full((series.shape[1], 1), radius))[:, 0]
            found[rows] = expit(odds.sign * reached).reshape(-1, self.shape[1], 2)
        return found

    def contour(self, place: int, tau: Floats) -> Floats:
        """Plausibility (n, q) that the class at a place has probabilities tau (q,)."""
        found = np.empty((self.shape[0], len(tau)))
        for rows, odds, series in self._searched():
            for side in (0, 1):
                pick = np.flatnonzero((odds.classes == place) & (odds.sign == 2 * side - 1))
                _fill(found[rows], series[:, pick], odds.at_origin()[pick], side, tau)
        found[:, (tau == 0) | (tau == 1)] = 0.0
        return found


def checked_contour(
    label: Hashable, probability: ArrayLike, classes: NDArray[Any]
) -> tuple[int, Floats]:
    """Index of a class, and probabilities (q,), from user input.

    Raises
    ------
    ValueError
        If the label is unknown, or a probability is not in [0, 1].
    """
    tau = np.atleast_1d(as_floats(probability, "probability"))
    if tau.ndim > 1:
        raise ValueError(f"probability has shape {tau.shape}, expected (g,)")
    wrong = ~((tau >= 0) & (tau <= 1))
    if wrong.any():
        raise ValueError(f"probability is {tau[wrong][0]}, expected numbers in [0, 1]")
    check_label("label", label)
    known = classes.tolist()
    if label not in known:
        raise ValueError(f"label is {label!r}, but the classes are {known}")
    return known.index(label), tau


def contrasts(k: int, m: int) -> Floats:
    """Coefficients (K M, (K - 1) M) whose sum over classes is 0, an orthonormal basis."""
    helmert = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, :-1]]))[0][:, 1:]
    return np.asarray(np.kron(helmert, np.eye(m)))


def minimal(slopes: Floats) -> Floats:
    """Slopes (n, K, K - 1) with the same inner products as slopes (n, K, P)."""
    helmert = contrasts(slopes.shape[1], 1)
    inner = helmert.T @ slopes
    lower = np.linalg.cholesky(inner @ inner.transpose(0, 2, 1))
    return np.asarray(helmert @ lower)


def _fill(result: Floats, series: Floats, origin: Floats, side: int, tau: Floats) -> None:
    """Contour on one side of the most likely log-odds."""
    with np.errstate(divide="ignore"):  # probabilities 0 and 1 are handled later
        level = logit(tau) * (2 * side - 1)
    for j, value in enumerate(level):
        r = crossing(series, np.full(len(origin), value))
        reached = value <= series.sum(axis=0)
        here = value >= origin
        result[here, j] = np.where(reached, np.exp(-r * r / 2), 0.0)[here]
