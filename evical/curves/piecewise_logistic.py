"""Piecewise logistic regression: log-odds that are linear between four knots.

Obvious negatives, hard cases and obvious positives each have a slope of their own. The outer knots
are the least and the greatest score, the inner ones are sought among pairs of quantiles of the
scores of a class; a change of slope costs a little. All pairs are fitted at once by Newton's
method on a thinned-out sample, and the best one again on all scores.

Source: Zhang & Yang (2004); Gebel (2009), section 4.2.2, eq. 4.5.

Profile likelihood of piecewise linear log-odds with given knots.

Given the knots, log-odds are linear in the parameters (`LinearProfile`). The sample is reduced to a
quadrature first, area by area, so that the cost does not depend on its size.

Source: Gebel (2009), section 4.2.2; Xu, Davoine, Zha & Denoeux (2016), equations 33-40.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.linear_profile import LinearProfile
from evical.curves.newton import Optimum, Sums, logistic_terms, minimize_convex
from evical.curves.platt import soft_counts
from evical.likelihood.polar import Axis
from evical.likelihood.profile_table import MassTable, fit_mass_table, mass_log_odds, tabulated
from evical.likelihood.quadrature import KEPT, compress, panel_edges
from evical.scores.counts import ScoreCounts
from evical.scores.scale import share_of_range

# For ranking pairs of knots: within 1/2000 of the sample the log-odds are as good as constant. The
# best pair is among the likeliest on few groups; the decrement after the last step is about the
# square of that before, 1e-8.
_FEW, _SEARCHED, _LIKELIEST = 400, 2000, 30
_minimize_roughly = partial(minimize_convex, tolerance=1e-4, enough=1e-8)
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
        """Scale scores to [0, 1], with those outside of the training scores at the nearest end."""
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


def inner_knots(counts: ScoreCounts, knots: str = "positives") -> tuple[Floats, Floats]:
    """Candidates for the lower and the upper inner knot, strictly inside.

    A quantile is the first score that this share of a class does not exceed, so that every knot is
    a score that occurs.

    Parameters
    ----------
    counts : ScoreCounts
    knots : {"positives", "both"}
        5% quantiles of the positive scores for either knot; or 10% quantiles of the negative
        scores for the lower one, and of the positive scores for the upper one.

    Returns
    -------
    lower, upper : (k,), (l,) arrays

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0, 1, 2, 3], [0, 1, 1, 0])
    >>> inner_knots(counts)
    (array([1., 2.]), array([1., 2.]))
    >>> inner_knots(counts, "both")
    (array([], dtype=float64), array([1., 2.]))
    """
    if knots == "both":
        return _quantiles(counts, counts.negative, 10), _quantiles(counts, counts.positive, 10)
    found = _quantiles(counts, counts.positive, 20)
    return found, found


def _quantiles(counts: ScoreCounts, weight: Floats, n: int) -> Floats:
    share = np.cumsum(weight) / weight.sum()
    # Rounding of the shares must not move a quantile to the next score.
    at = np.searchsorted(share, np.arange(1, n) / n - 1e-12)
    found = np.unique(counts.scores[at])
    return np.asarray(found[(found > counts.scores[0]) & (found < counts.scores[-1])])


def fit_piecewise_logistic(
    counts: ScoreCounts, penalty: float, smooth: bool, knots: str = "positives"
) -> PiecewiseFit:
    """Search the inner knots and fit the log-odds.

    Parameters
    ----------
    counts : ScoreCounts
        With both classes.
    penalty : float
        Weight of the squared changes of slope (lambda); slopes are those of the raw scores.
    smooth : bool
        Whether Platt's targets replace the labels.
    knots : {"positives", "both"}
        As `inner_knots`.

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
    places = (np.unique(_unit(found, first, last)) for found in inner_knots(counts, knots))
    pairs = _pairs(*(place[(place > 0.0) & (place < 1.0)] for place in places))
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


def _pairs(lower: Floats, upper: Floats) -> Floats:
    """All ascending pairs (p, 2); without one, each candidate (p, 1) alone, or no knot (1, 0)."""
    i, j = np.nonzero(lower[:, None] < upper)
    if len(i):
        return np.stack([lower[i], upper[j]], axis=1)
    alone = np.union1d(lower, upper)
    return alone[:, None] if len(alone) else np.empty((1, 0))


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


_LENGTH = 0.5  # of panels, in the metric of `panel_edges`: half of what one line needs
_LEVEL = 6.0  # standard errors by which the log-odds at the knots may be elsewhere


@dataclass(frozen=True, eq=False)
class PiecewiseProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    fit : PiecewiseFit
    nodes, weights : (m,) arrays
        The sample or a quadrature of it, in standardized scores.
    """

    fit: PiecewiseFit
    nodes: Floats
    weights: Floats

    @cached_property
    def linear(self) -> LinearProfile:
        """The profile in the coefficients of the features."""
        parameters, edges = self.fit.parameters, np.array([0.0, *self.fit.inner, 1.0])
        ridge = np.where(np.arange(len(parameters)) < 2, 0.0, self.fit.strength)
        axis = Axis(edges, _same, _same)
        sample = self.nodes, self.weights
        return LinearProfile(self.features, axis, *sample, parameters, edges, ridge)

    def features(self, x: Floats) -> Floats:
        """Coefficients (k, d) of the parameters in the log-odds at standardized scores."""
        return features(x, self.fit.inner)[:, : len(self.fit.parameters)]

    def table(self) -> MassTable:
        """Masses over the standardized score."""
        profile = tabulated(self.linear)
        return fit_mass_table(lambda x: mass_log_odds(profile, x), self.linear.axis.edges)

    def level_set(self, x: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return self.linear.level_set(x, level)

    def at(self, x: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at standardized scores (k,)."""
        return self.linear.at(x, log_odds)


def _same(x: Floats) -> Floats:
    return x


def piecewise_profile(counts: ScoreCounts, fit: PiecewiseFit) -> PiecewiseProfile:
    """Profile likelihood of a fit, with large samples reduced to a quadrature.

    Parameters
    ----------
    counts : ScoreCounts
        The sample that was fitted.
    fit : PiecewiseFit

    Returns
    -------
    PiecewiseProfile

    Examples
    --------
    >>> from evical.curves.piecewise_logistic import fit_piecewise_logistic
    >>> counts = ScoreCounts.from_samples([0.0, 1, 2, 3], [0, 1, 0, 1])
    >>> profile = piecewise_profile(counts, fit_piecewise_logistic(counts, 0.001, True))
    >>> mle = profile.fit.log_odds(np.array([1.5]))
    >>> profile.at(np.array([0.5]), mle[:, None]).round(12).tolist()
    [[0.0]]
    """
    x, weights = fit.standardize(counts.scores), counts.total
    exact = PiecewiseProfile(fit, x, weights)
    if len(x) <= KEPT:
        return exact
    rules = [
        _reduced(x[i:j], weights[i:j], exact)
        for i, j in pairwise([0, *np.searchsorted(x, fit.inner), len(x)])
        if j > i
    ]
    return PiecewiseProfile(fit, *(np.concatenate(part) for part in zip(*rules, strict=True)))


def _reduced(x: Floats, weights: Floats, exact: PiecewiseProfile) -> tuple[Floats, Floats]:
    """Quadrature of one area, for lines of some standard errors about the optimum."""
    if len(x) <= KEPT:
        return x, weights
    ends = exact.features(x[[0, -1]])
    error = _LEVEL * np.sqrt(((ends @ exact.linear.covariance) * ends).sum(axis=1))
    values = ends @ exact.fit.parameters + np.array([[0, 0], [1, -1], [-1, 1], [1, 1]]) * error
    slope = (values[:, 1] - values[:, 0]) / (x[-1] - x[0])
    lines = np.stack([values[:, 0] - slope * x[0], slope], axis=1)
    return compress(x, weights, panel_edges(x, lines, _LENGTH))
