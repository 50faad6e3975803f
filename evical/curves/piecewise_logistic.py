"""Piecewise logistic regression: log-odds that are linear between four knots.

Obvious negatives, hard cases and obvious positives each have a slope of their own. The outer knots
are the least and the greatest score, the inner ones are sought among the pairs of 5% quantiles of
the positive scores; a change of slope costs a little. All pairs are fitted at once by Newton's
method on a thinned-out sample, and the best one again on all scores.

Source: Zhang & Yang (2004); Gebel (2009), section 4.2.2, eq. 4.5.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.newton import Optimum, Sums, logistic_terms, minimize_convex
from evical.curves.platt import soft_counts
from evical.scores.counts import ScoreCounts
from evical.scores.scale import share_of_range

__all__ = ["PiecewiseFit", "features", "fit_piecewise_logistic", "inner_knots"]


# For ranking pairs of knots: within 1/2000 of the sample the log-odds are as good as constant. The
# best pair is among the likeliest on few groups; the decrement after the last step is about the
# square of that before, 1e-8.
_FEW, _SEARCHED, _LIKELIEST = 400, 2000, 30
_minimize_roughly = partial(minimize_convex, tolerance=1e-4, enough=1e-8)
_SHARES = np.arange(1, 20) / 20
_LEAST_SPAN = 1e-300  # by which a square root can be divided


@dataclass(frozen=True, eq=False)
class PiecewiseFit:
    """Fitted piecewise linear log-odds.

    Parameters
    ----------
    first, last : float
        Scores are standardized to [0, 1], the way from the first to the last.
    inner : (k,) array
        Standardized inner knots, ascending; two, or fewer if the scores allow no more.
    parameters : (d,) array
        Coefficients of `features`.
    strength : float
        Weight of a squared change of slope, in standardized units.
    objective : float
        Regularized negative log-likelihood.
    """

    first: float
    last: float
    inner: Floats
    parameters: Floats
    strength: float
    objective: float

    def standardize(self, scores: Floats) -> Floats:
        """Scores in [0, 1]; those outside of the training scores take the nearest end."""
        return _unit(scores, self.first, self.last)

    def log_odds(self, scores: Floats) -> Floats:
        """Log-odds of the positive class."""
        knots, values = self.knots()
        return np.asarray(np.interp(self.standardize(scores), knots, values))

    def knots(self) -> tuple[Floats, Floats]:
        """All knots, standardized, and the log-odds there."""
        knots = np.array([0.0, *self.inner, 1.0])
        return knots, features(knots, self.inner)[:, : len(self.parameters)] @ self.parameters


def features(x: Floats, inner: Floats) -> Floats:
    """Columns 1, x and max(x - knot, 0) of standardized scores.

    Parameters
    ----------
    x : (m,) array
    inner : (..., k) array

    Returns
    -------
    (..., m, 2 + k) array

    Examples
    --------
    >>> features(np.array([0.0, 0.75]), np.array([0.5])).tolist()
    [[1.0, 0.0, 0.0], [1.0, 0.75, 0.25]]
    """
    kinks = np.maximum(x[:, None] - inner[..., None, :], 0.0)
    line = np.broadcast_to(np.stack([np.ones_like(x), x], axis=1), (*kinks.shape[:-1], 2))
    return np.concatenate([line, kinks], axis=-1)


def inner_knots(counts: ScoreCounts) -> Floats:
    """Candidates for inner knots: 5% quantiles of the positive scores, strictly inside.

    A quantile is the first score that this share of the positives does not exceed, so that
    every knot is a score that occurs.

    Examples
    --------
    >>> inner_knots(ScoreCounts.from_samples([0, 1, 2, 3], [0, 1, 1, 0]))
    array([1., 2.])
    """
    share = np.cumsum(counts.positive) / counts.positive.sum()
    # Rounding of the shares must not move a quantile to the next score.
    at = np.searchsorted(share, _SHARES - 1e-12)
    found = np.unique(counts.scores[at])
    return np.asarray(found[(found > counts.scores[0]) & (found < counts.scores[-1])])


def fit_piecewise_logistic(counts: ScoreCounts, penalty: float, smooth: bool) -> PiecewiseFit:
    """Search the inner knots and fit the log-odds.

    Parameters
    ----------
    counts : ScoreCounts
        With both classes.
    penalty : float
        Weight of the squared changes of slope (lambda); slopes are those of the raw scores.
    smooth : bool
        Whether Platt's targets replace the labels.

    Returns
    -------
    PiecewiseFit

    Examples
    --------
    Four scores, each with as many samples of either class as the share 0, 1/4, 3/4 or 1 says:

    >>> counts = ScoreCounts(np.arange(4.0), np.array([4.0, 3, 1, 0]), np.array([0.0, 1, 3, 4]))
    >>> fit = fit_piecewise_logistic(counts, penalty=0.001, smooth=True)
    >>> bool(abs(fit.log_odds(np.array([1.5]))[0]) < 1e-9)
    True
    """
    first, last = float(counts.scores[0]), float(counts.scores[-1])
    half = max(last / 2 - first / 2, _LEAST_SPAN) if last > first else 0.5
    # Clipped where it is as good as 0 or infinite; its square root may overflow with tiny spans.
    strength = float(np.clip(np.sqrt(penalty) / 2 / half, 1e-6, 1e6)) ** 2
    candidates = np.unique(_unit(inner_knots(counts), first, last))
    candidates = candidates[(candidates > 0.0) & (candidates < 1.0)]
    pairs = _pairs(candidates)
    if len(pairs) == 1:
        inner, start = pairs[0], None
    else:
        found = None
        for size, kept in ((_FEW, _LIKELIEST), (_SEARCHED, 1)):
            thin = counts.compress(size)
            x = _unit(thin.scores, first, last)
            values, found = _fit(thin, x, pairs, strength, smooth, found, _minimize_roughly)
            best = np.argsort(values, kind="stable")[:kept]
            pairs, found = pairs[best], found[best]
        inner, start = pairs[0], found
    x = _unit(counts.scores, first, last)
    objective, parameters = _fit(counts, x, inner[None], strength, smooth, start)
    return PiecewiseFit(first, last, inner, parameters[0], strength, float(objective[0]))


def _unit(scores: Floats, first: float, last: float) -> Floats:
    """Scores in [0, 1]; those outside take the nearest end, and all are 0 where both are one."""
    if first == last:
        return (scores > first).astype(np.float64)
    return np.clip(share_of_range(scores, first, last), 0.0, 1.0)


def _pairs(candidates: Floats) -> Floats:
    """All pairs (p, 2) of candidates; all candidates (1, k) where there are less than two."""
    if len(candidates) < 2:
        return candidates[None]
    i, j = np.triu_indices(len(candidates), 1)
    return np.stack([candidates[i], candidates[j]], axis=1)


def _fit(
    counts: ScoreCounts,
    x: Floats,
    inner: Floats,
    strength: float,
    smooth: bool,
    start: Floats | None = None,
    minimize: Callable[..., Optimum] = minimize_convex,
) -> tuple[Floats, Floats]:
    """Objective (p,) and parameters (p, d) for all knots (p, k) at once."""
    against, favor = soft_counts(counts, smooth)
    design = features(x, inner)
    if x[0] == x[-1]:  # no slope to find
        design = design[..., :1]
    ridge = np.where(np.arange(design.shape[-1]) < 2, 0.0, strength)
    if start is None:
        start = np.zeros((len(inner), design.shape[-1]))
        start[:, 0] = np.log(favor.sum()) - np.log(against.sum())

    def part(which: NDArray[np.intp]) -> Callable[[Floats], Sums]:
        return partial(_penalized_sums, design[which], ridge, against, favor)

    everything = part(np.arange(len(inner)))
    found = minimize(everything, start, part=part)
    return found.value, found.parameters


def _penalized_sums(
    design: Floats, ridge: Floats, against: Floats, favor: Floats, theta: Floats
) -> Sums:
    eta = (design @ theta[:, :, None])[..., 0]
    loss, slope, curvature = logistic_terms(eta, against, favor)
    hessian = np.swapaxes(design * curvature[..., None], 1, 2) @ design
    hessian[:, range(len(ridge)), range(len(ridge))] += 2.0 * ridge
    gradient = (slope[:, None, :] @ design)[:, 0] + 2.0 * ridge * theta
    return loss.sum(axis=1) + theta**2 @ ridge, gradient, hessian
