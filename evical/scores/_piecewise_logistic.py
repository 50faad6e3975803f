"""Piecewise logistic regression: log-odds that are linear between four knots.

Obvious negatives, hard cases and obvious positives each have a slope of their own. The outer knots
are the least and the greatest score, the inner ones are sought among the pairs of 5% quantiles of
the positive scores; a change of slope costs a little. All pairs are fitted at once by Newton's
method on a thinned-out sample, and the best one again on all scores.

Source: Zhang & Yang (2004); Gebel (2009), section 4.2.2, eq. 4.5.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical.scores._counts import ScoreCounts
from evical.scores._platt import platt_targets

__all__ = ["PiecewiseFit", "features", "fit_piecewise_logistic", "inner_knots"]

Floats = NDArray[np.float64]

# For ranking pairs of knots: within 1/2000 of the sample the log-odds are as good as constant.
_SEARCHED = 2000
_SHARES = np.arange(1, 20) / 20
_MAX_STEPS = 100
_HALVINGS = 40
_CONVERGED = 1e-16  # squared Newton decrement, relative to the weight of the sample


@dataclass(frozen=True, eq=False)
class PiecewiseFit:
    """Fitted piecewise linear log-odds.

    Parameters
    ----------
    first, span : float
        Scores are standardized as ``(score - first) / span``, to [0, 1].
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
    span: float
    inner: Floats
    parameters: Floats
    strength: float
    objective: float

    def standardize(self, scores: Floats) -> Floats:
        """Scores in [0, 1]; those outside of the training scores take the nearest end."""
        with np.errstate(over="ignore"):  # clipped at once
            return np.clip((scores - self.first) / self.span, 0.0, 1.0)

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
    first, span = float(counts.scores[0]), float(counts.scores[-1] - counts.scores[0])
    span = span or 1.0
    # Clipped where it is as good as 0 or infinite; its square root may overflow with tiny spans.
    strength = float(np.clip(np.sqrt(penalty) / span, 1e-6, 1e6)) ** 2
    candidates = (inner_knots(counts) - first) / span
    pairs = _pairs(candidates)
    if len(pairs) == 1:
        inner, start = pairs[0], None
    else:
        thin = counts.compress(_SEARCHED)
        values, found = _fit(thin, (thin.scores - first) / span, pairs, strength, smooth)
        best = int(np.argmin(values))
        inner, start = pairs[best], found[best : best + 1]
    x = (counts.scores - first) / span
    objective, parameters = _fit(counts, x, inner[None], strength, smooth, start)
    return PiecewiseFit(first, span, inner, parameters[0], strength, float(objective[0]))


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
) -> tuple[Floats, Floats]:
    """Objective (p,) and parameters (p, d) for all knots (p, k) at once."""
    low, high = platt_targets(counts.n_negative, counts.n_positive) if smooth else (0.0, 1.0)
    target = low * counts.negative + high * counts.positive
    weight = counts.total
    design = features(x, inner)
    if x[0] == x[-1]:  # no slope to find
        design = design[..., :1]
    ridge = np.where(np.arange(design.shape[-1]) < 2, 0.0, strength)
    if start is None:
        share = target.sum() / weight.sum()
        start = np.zeros((len(inner), design.shape[-1]))
        start[:, 0] = np.log(share) - np.log1p(-share)
    return _newton(design, weight, target @ design, ridge, start)


def _newton(
    design: Floats, weight: Floats, sums: Floats, ridge: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """Minimize convex objectives, one a row, by Newton steps that are halved until they gain."""
    theta = start
    value = _value(design, weight, sums, ridge, theta)
    for _ in range(_MAX_STEPS):
        step, decrement = _direction(design, weight, sums, ridge, theta)
        if (decrement <= _CONVERGED * weight.sum()).all():
            break
        noise = 1e-14 * (1.0 + np.abs(value))
        for _ in range(_HALVINGS):
            trial = _value(design, weight, sums, ridge, theta + step)
            worse = trial > value - 1e-4 * decrement + noise
            if not worse.any():
                break
            scale = np.where(worse, 0.5, 1.0)
            step, decrement = step * scale[:, None], decrement * scale
        theta, value = theta + step, trial
    return value, theta


def _value(design: Floats, weight: Floats, sums: Floats, ridge: Floats, theta: Floats) -> Floats:
    eta = (design @ theta[:, :, None])[..., 0]
    loss = np.logaddexp(0.0, eta) @ weight
    return np.asarray(loss - (sums * theta).sum(axis=1) + theta**2 @ ridge)


def _direction(
    design: Floats, weight: Floats, sums: Floats, ridge: Floats, theta: Floats
) -> tuple[Floats, Floats]:
    """Newton step (p, d) and squared decrement (p,)."""
    eta = (design @ theta[:, :, None])[..., 0]
    small = np.exp(-np.abs(eta))
    upper = 1.0 / (1.0 + small)
    p = np.where(eta >= 0.0, upper, small * upper)
    curvature = weight * (small * upper * upper)
    gradient = sums - ((weight * p)[:, None, :] @ design)[:, 0] - 2.0 * ridge * theta
    hessian = np.swapaxes(design * curvature[..., None], 1, 2) @ design
    size = np.arange(len(ridge))
    hessian[:, size, size] += 2.0 * ridge
    # Scaled to a unit diagonal, which is lifted where saturation leaves nothing.
    scale = np.sqrt(np.maximum(hessian[:, size, size], 1e-200))
    hessian /= scale[:, :, None] * scale[:, None, :]
    hessian[:, size, size] += 1e-13
    step = np.linalg.solve(hessian, (gradient / scale)[..., None])[..., 0] / scale
    return step, (step * gradient).sum(axis=1)
