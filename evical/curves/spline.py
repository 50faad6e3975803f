"""A smoothing spline on the log-odds, whose smoothness is chosen by cross-validation.

The log-odds are the natural cubic spline f that minimizes the deviance of Platt's targets plus
``lambda * integral f''^2`` (Green & Silverman 1994, sections 2.1 and 5.2); for a large lambda it
is Platt's line. Each penalty of a path is judged by how well it predicts samples that are left
out one at a time; the smoothest fit is taken that is no worse than the best by more than half a
standard error. Leaving one out is one Newton step from the full fit, which a rank-one update
gives in closed form (Rad & Maleki 2020), so that nothing is drawn at random and a weight of 2
is two samples.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.special import expit

from evical.curves.newton import Sums, logistic_terms, minimize_convex, unit_diagonal
from evical.curves.platt import platt_of_counts, platt_targets, soft_counts
from evical.scores.counts import ScoreCounts
from evical.scores.scale import share_of_range

__all__ = ["LogisticSpline", "fit_logistic_spline", "spline_coordinates"]

Floats = NDArray[np.float64]

_N_PENALTIES = 25
# Ten groups of scores to a knot. 9000 numbers in the basis stay below the 9216 from which OpenBLAS
# starts threads: the path takes 0.1 s, not 0.3 to 3 s, on two cores that are busy.
_MAX_GROUPS = 300
# Of the fits within this many standard errors of the best the smoothest is taken. Of simulated
# scores of three kinds, 20 draws each, a half brings the mean excess log loss of 200 samples from
# 0.022 to 0.017 and moves that of 1,000 and more by at most 0.001; a whole one is too smooth.
_SLACK = 0.5
# Knots closer than this, relative to the range, say the same to 4 digits and cost 8 to rounding.
_MIN_GAP = 1e-4
_LEAST_UNIT = 1e-100  # of a penalty, where the data see no curvature
_CLOSE = 1e-10  # squared Newton decrement on the path; the chosen fit goes on from there


@dataclass(frozen=True, eq=False)
class LogisticSpline:
    """A natural cubic spline of the log-odds, constant outside of its knots.

    Parameters
    ----------
    knots : (k,) array
        Ascending scores.
    values : (k,) array
        Log-odds of the positive class there.
    penalty : float
        The chosen lambda, for scores whose range is the unit; infinite for a line.
    degrees : float
        Effective degrees of freedom, from 2 (a line) to k.
    """

    knots: Floats
    values: Floats
    penalty: float
    degrees: float

    def logit(self, scores: Floats) -> Floats:
        """Log-odds of the positive class."""
        if len(self.knots) == 1:
            return np.full(np.shape(scores), self.values[0])
        spline = CubicSpline(_unit(self.knots, self.knots), self.values, bc_type="natural")
        return np.asarray(spline(_unit(scores, self.knots)))


class _Problem(NamedTuple):
    """Penalized logistic regression on f at both ends, and f'' at the knots between.

    These coordinates keep the penalty away from lines, whatever its size: as a form in the values
    at the knots it would cancel all digits there.
    """

    basis: Floats  # (m, k) values of f at the scores
    values: Floats  # (k, k) values of f at the knots
    roughness: Floats  # (k, k) integral of f''^2 as a quadratic form
    negative: Floats
    positive: Floats
    soft: tuple[Floats, Floats]  # weights of Platt's targets of both classes
    targets: tuple[float, float]


class _Fit(NamedTuple):
    parameters: Floats
    hessian: Floats  # of the penalized deviance / 2


def fit_logistic_spline(counts: ScoreCounts, n_knots: int = 30) -> LogisticSpline:
    """Fit a smoothing spline of the log-odds.

    Parameters
    ----------
    counts : ScoreCounts
    n_knots : int, at least 2
        At most that many knots, at the lowest and the highest score and between at quantiles.

    Returns
    -------
    LogisticSpline

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1])
    >>> spline = fit_logistic_spline(counts, n_knots=4)
    >>> spline.knots
    array([1., 2., 5., 6.])
    """
    line = platt_of_counts(counts)
    knots = _knots(counts, n_knots)
    start = line.logit(knots)
    if len(knots) < 3:
        return LogisticSpline(knots, start, np.inf, float(len(knots)))
    problem = _problem(counts.compress(_MAX_GROUPS), counts, knots)
    line_parameters = np.append(start[[0, -1]], np.zeros(len(knots) - 2))
    penalties = _penalties(problem, line_parameters)
    fits: list[_Fit] = []
    losses: list[Floats] = []
    for penalty in penalties:
        fits.append(
            _newton(problem, fits[-1].parameters if fits else line_parameters, penalty, _CLOSE)
        )
        losses.append(_left_out_losses(problem, fits[-1]))
    chosen = _smoothest(problem, losses)
    penalty = penalties[chosen]
    fit = _newton(problem, fits[chosen].parameters, penalty)
    degrees = len(knots) - penalty * np.trace(_solve(fit.hessian, problem.roughness))
    values = problem.values @ fit.parameters
    return LogisticSpline(knots, values, float(penalty), float(degrees))


def _unit(scores: Floats, knots: Floats) -> Floats:
    """Scores on the scale on which the knots reach from 0 to 1."""
    inside = np.clip(scores, knots[0], knots[-1])
    return share_of_range(inside, float(knots[0]), float(knots[-1]))


def _knots(counts: ScoreCounts, n_knots: int) -> Floats:
    first, last = counts.scores[0], counts.scores[-1]
    if first == last:
        return counts.scores[:1]
    between = counts.compress(max(n_knots - 2, 1)).scores if n_knots > 2 else np.empty(0)
    kept, reached = [first], 0.0
    for score, share in zip(between, share_of_range(between, first, last), strict=True):
        if min(share - reached, 1.0 - share) >= _MIN_GAP:
            kept.append(score)
            reached = share
    return np.array([*kept, last])


def _problem(groups: ScoreCounts, counts: ScoreCounts, knots: Floats) -> _Problem:
    x, nodes = _unit(groups.scores, knots), _unit(knots, knots)
    values, roughness = spline_coordinates(nodes)
    basis = CubicSpline(nodes, values, bc_type="natural")(x)
    targets = platt_targets(counts.n_negative, counts.n_positive)
    weights = groups.negative, groups.positive, soft_counts(groups)
    return _Problem(basis, values, roughness, *weights, targets)


def spline_coordinates(nodes: Floats) -> tuple[Floats, Floats]:
    """Values at the knots and the integral of f''^2, from f at both ends and f'' between.

    f'' is linear between the knots and 0 at the ends (Green & Silverman 1994, section 2.1.2).

    Parameters
    ----------
    nodes : (k,) array
        Ascending knots from 0 to 1; on another scale the lines are not those through the ends.

    Returns
    -------
    values, roughness : (k, k) arrays
        The values at the knots are ``values @ x``, and the integral is ``x @ roughness @ x``.

    Examples
    --------
    >>> values, roughness = spline_coordinates(np.array([0.0, 0.5, 1.0]))
    >>> values @ [1.0, 1.0, 0.0], roughness[2, 2].round(3)
    (array([1., 1., 1.]), np.float64(0.333))
    """
    k, gaps = len(nodes), np.diff(nodes)
    gram = np.diag((gaps[:-1] + gaps[1:]) / 3)
    gram += np.diag(gaps[1:-1] / 6, 1) + np.diag(gaps[1:-1] / 6, -1)
    slopes = np.diag(-1 / gaps[:-1] - 1 / gaps[1:])
    slopes += np.diag(1 / gaps[1:-1], 1) + np.diag(1 / gaps[1:-1], -1)
    values, roughness = np.zeros((k, k)), np.zeros((k, k))
    values[:, 0], values[:, 1] = 1.0 - nodes, nodes
    values[1:-1, 2:] = np.linalg.solve(slopes, gram)
    roughness[2:, 2:] = gram
    return values, roughness


def _penalties(problem: _Problem, start: Floats) -> Floats:
    """From nearly a line to nearly no penalty, by the curvature that the data can see."""
    curvature = logistic_terms(problem.basis @ start, *problem.soft)[2]
    information = (problem.basis.T * curvature) @ problem.basis
    bent = np.diag(information)[2:].sum()
    unit = max(bent / np.trace(problem.roughness), _LEAST_UNIT)
    rough = problem.roughness * unit
    # Shares of the penalty in each direction: 0 for lines, 1 where there are no data.
    total, scale = unit_diagonal(information + rough)
    shares = eigh(rough / np.outer(scale, scale), total, eigvals_only=True)
    seen = shares[(shares > 1e-10) & (shares < 1 - 1e-10)]
    if not len(seen):
        return np.array([unit])
    odds = seen / (1 - seen)
    path = np.geomspace(100 / odds.min(), 0.1 / odds.max(), _N_PENALTIES) * unit
    return np.asarray(path)


def _newton(problem: _Problem, start: Floats, penalty: float, enough: float = 0.0) -> _Fit:
    rough = penalty * problem.roughness

    def derivatives(parameters: Floats) -> Sums:
        bent = rough @ parameters[0]
        loss, slope, curvature = logistic_terms(problem.basis @ parameters[0], *problem.soft)
        return (
            np.array([loss.sum() + parameters[0] @ bent / 2]),
            (slope @ problem.basis + bent)[None],
            ((problem.basis.T * curvature) @ problem.basis + rough)[None],
        )

    found = minimize_convex(derivatives, start[None], enough=enough)
    return _Fit(found.parameters[0], found.hessian[0])


def _solve(hessian: Floats, right: Floats) -> Floats:
    """Solve a positive definite system that may be singular but for rounding."""
    scaled, scale = unit_diagonal(hessian)
    return np.asarray(cho_solve(cho_factor(scaled), right / scale[:, None]) / scale[:, None])


def _left_out_losses(problem: _Problem, fit: _Fit) -> Floats:
    """Log loss (2, m) of a negative and of a positive sample under the fit without it."""
    eta = problem.basis @ fit.parameters
    p = expit(eta)
    leverage = (problem.basis * _solve(fit.hessian, problem.basis.T).T).sum(axis=1)
    left_out = np.minimum(problem.negative + problem.positive, 1.0)
    rest = np.maximum(1 - left_out * p * (1 - p) * leverage, 1e-6)
    move = left_out * leverage / rest
    low, high = problem.targets
    return np.stack(
        [np.logaddexp(0, eta - move * (low - p)), np.logaddexp(0, move * (high - p) - eta)]
    )


def _smoothest(problem: _Problem, losses: list[Floats]) -> int:
    """First of the path whose loss is within the slack of the least, sample by sample."""
    weights = np.stack([problem.negative, problem.positive])
    best = losses[int(np.argmin([(weights * loss).sum() for loss in losses]))]
    for number, loss in enumerate(losses):
        excess = loss - best
        total = (weights * excess).sum()
        variance = (weights * excess**2).sum() - total**2 / weights.sum()
        if total <= _SLACK * np.sqrt(max(variance, 0.0)):
            return number
    return len(losses) - 1
