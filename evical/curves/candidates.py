"""Candidates of a calibration curve, and their average by what they say about samples left out.

A candidate has a posterior distribution of the log-odds at each score. Its predictive probability
is the posterior mean. What it would predict for a sample without that sample needs no other fit: a
normal posterior moves by one Newton step (Rad & Maleki), and an average over step functions is the
harmonic mean of the likelihood, 1 / E[1 / p(y)] (Gelfand, Dey & Chang). So nothing is drawn at
random, and a weight of 2 is two samples. Candidates count by the likelihood of left-out samples,
and less the more degrees of freedom they take (pseudo-BMA, Yao et al., section 3.4); in an
interval they count more. Where they disagree, the variance of the average says so.

The log-odds of a smooth candidate are linear, or bend, on some scale: a natural cubic spline with a
normal prior of its line, and of its bends, which penalizes the integral of f''^2 (Wahba 1978). One
fit has several priors at once, from nearly no bend to nearly free ones, and the posterior is normal
around its mode (Laplace).

Sources: Gelfand, Dey & Chang, "Model determination using predictive distributions", Bayesian
Statistics 4 (1992); Rad & Maleki, "A scalable estimate of the out-of-sample prediction error via
approximate leave-one-out cross-validation", J. R. Stat. Soc. B 82 (2020), 965-996; Yao, Vehtari,
Simpson & Gelman, "Using stacking to average Bayesian predictive distributions", Bayesian Analysis
13 (2018), 917-1007; G. Wahba, "Improper priors, spline smoothing and the problem of guarding
against model errors in regression", J. R. Stat. Soc. B 40 (1978), 364-372; Green & Silverman,
Nonparametric regression and generalized linear models (1994), chapters 2 and 5.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import expit, softmax

from evical._typing import Floats, Indices
from evical.curves.newton import (
    LogisticSums,
    Sums,
    minimize_convex,
    newton_step,
    unit_diagonal,
)
from evical.errors import ConvergenceError
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale, standardized

# Log of the weight that a degree of freedom costs beyond what leaving out a sample tells, for the
# chance that a flexible curve only looks best. Chosen on ten simulated maps, checked on ten others.
_PRICE = 0.4
# Log of the weight that a degree of freedom gains in an interval. Of prices from -0.5 to 0.4 this
# one keeps the interval of a sigmoid within 1.5 times that of logistic calibration, and covers most
# of the twenty-six maps of two studies.
_GAIN = 0.3
_LEAST_REST = 1e-6  # of the curvature, when a sample is left out
_TINY = 1e-300
_MOST = 100.0  # log-odds, far beyond the flat ends of the sigmoid
_NODES, _SHARES = np.polynomial.hermite_e.hermegauss(9)
_SHARES = _SHARES / _SHARES.sum()
_SATURATED = 700.0  # log-odds whose exponential is still a float
# Prior standard deviations: of the log-odds at the mean score around those of the classes; of their
# change over a standard deviation of the scores; of bends, on the same scale.
_LEVEL, _SLOPE, _BEND = 2.0, 4.0, 1.0
BENDS = {f"bends {deviation:.2g}": deviation for deviation in np.geomspace(0.1, 60.0, 8)}
_PRIORS = {"line": 0.5, "parabola": 0.25, "beta": 0.25, "temperature": 1.0}
_PRIORS |= dict.fromkeys(BENDS, 1.5 / len(BENDS))  # 1.5 for all together
SHAPES = tuple(_PRIORS)
_HELD = 1e6  # precision of a parameter that a candidate lacks
_CLOSE = 1e-9  # squared Newton decrement: 3e-5 standard errors, far above rounding
_NEAR = 3e-6  # the next one is about its square
_FAR = 1e6  # standardized scores are cut off there
_GAP = 1e-3  # between knots, in standard deviations
_UNSEEN = 1e-9  # share of what the data say about a bend, below which it is left out
_MOST_KNOTS = 45  # from 100,000 samples on; more gain nothing on waves of a million


class Candidate(NamedTuple):
    """One way to see the calibration curve, with its uncertainty.

    Parameters
    ----------
    name : str
    prior : float
        Weight among the candidates before samples are seen.
    probability, log_odds, variance : (t,) arrays
        Posterior mean of the probability, and mean and variance of the log-odds, at the table's
        scores.
    left_out : float
        Log-likelihood of the samples, each under the posterior without it.
    degrees : float
        Effective number of parameters.
    caution : float
        How many times the prior weight is in an interval.
    """

    name: str
    prior: float
    probability: Floats
    log_odds: Floats
    variance: Floats
    left_out: float
    degrees: float
    caution: float = 1.0


@dataclass(frozen=True, eq=False)
class AveragedCurve:
    """A calibration curve at the scores of a table.

    Parameters
    ----------
    scores : (t,) array
        Ascending.
    probability : (t,) array
        Posterior mean.
    log_odds, error : (t,) arrays
        Mean and standard deviation of the log-odds, for intervals.
    names : tuple of str
    weights : (c,) array
        Of the candidates in the probability, in the order of `names`.
    """

    scores: Floats
    probability: Floats
    log_odds: Floats
    error: Floats
    names: tuple[str, ...]
    weights: Floats


def mean_probability(log_odds: Floats, variance: Floats) -> Floats:
    """Expectation of the probability for normally distributed log-odds, by quadrature.

    Parameters
    ----------
    log_odds, variance : arrays of one shape

    Returns
    -------
    array of that shape

    Examples
    --------
    >>> mean_probability(np.array([0.0, 2.0]), np.array([1.0, 1.0])).round(4)
    array([0.5   , 0.8445])
    """
    distance, deviation = np.abs(log_odds), np.sqrt(variance)
    small = np.exp(-distance)
    square = small * small
    below = log_odds < 0.0
    twice = np.where(below, 2.0 * square, 2.0)
    total = np.where(below, small, 1.0) * (_SHARES[4] / (1.0 + small))
    # Of two opposite nodes: with s and t the exponentials of the negative log-odds there,
    # 1 / (1 + s) + 1 / (1 + t) = (2 + s + t) / (1 + s + t + st).
    for node, share in zip(_NODES[5:], _SHARES[5:], strict=True):
        move = node * deviation
        both = np.exp(np.minimum(move - distance, _SATURATED)) + np.exp(-move - distance)
        total += share * ((twice + both) / (1.0 + square + both))
    return np.asarray(total)


def left_out_likelihoods(mean: Floats, variance: Floats, counts: ScoreCounts) -> Floats:
    """Log-likelihoods (c,) of samples, each under the posteriors without it.

    Parameters
    ----------
    mean, variance : (c, m) arrays
        Of normally distributed log-odds at the scores of `counts`.
    counts : ScoreCounts

    Returns
    -------
    (c,) array
        Without a sample the posterior is one Newton step away, and as normal (Rad & Maleki 2020).

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.0, 1.0], [0, 1])
    >>> found = left_out_likelihoods(np.array([[-1.0, 1.0]]), np.zeros((1, 2)), counts)
    >>> found.round(4), round(float(2 * np.log(expit(1.0))), 4)
    (array([-0.6265]), -0.6265)
    """
    left_out = np.zeros(len(mean))
    for column, sign in ((counts.positive, 1.0), (counts.negative, -1.0)):
        rows = column > 0
        weight, odds, spread = column[rows], sign * mean[:, rows], variance[:, rows]
        one, p = np.minimum(weight, 1.0), expit(odds)  # what weighs less is left out as a whole
        wider = spread / np.maximum(1.0 - one * p * (1.0 - p) * spread, _LEAST_REST)
        likely = mean_probability(odds - one * wider * (1.0 - p), wider)
        left_out += np.log(np.maximum(likely, _TINY)) @ weight
    return left_out


def average(scores: Floats, candidates: list[Candidate]) -> AveragedCurve:
    """The average of candidates, for predictions and for intervals.

    Parameters
    ----------
    scores : (t,) array
        The table's scores.
    candidates : list of Candidate

    Returns
    -------
    AveragedCurve
        Weights are proportional to prior exp(left_out - 0.4 degrees), and give the probability.
        The log-odds and their error are those of weights proportional to caution prior
        exp(left_out + 0.3 degrees): an interval around the smoothest curve that predicts well
        misses what that curve smooths away; one around a rougher curve is wider, and misses less
        (Hall 1992).

    References
    ----------
    Hall (1992), Effect of bias estimation on coverage accuracy of bootstrap confidence intervals
    for a probability density, Annals of Statistics 20, 675-694.

    Examples
    --------
    >>> flat = Candidate("flat", 1.0, np.full(1, 0.5), np.zeros(1), np.ones(1), -1.0, 2.0)
    >>> rough = flat._replace(name="rough", log_odds=np.full(1, 2.0), degrees=12.0)
    >>> curve = average(np.zeros(1), [flat, rough])
    >>> curve.weights.round(2), curve.log_odds.round(2), curve.error.round(2)
    (array([0.98, 0.02]), array([1.91]), array([1.09]))
    """
    standings = [(c.prior, c.left_out, c.degrees, c.caution) for c in candidates]
    prior, left_out, degrees, caution = np.array(standings).T
    weights = softmax(np.log(prior) + left_out - _PRICE * degrees)
    rough = softmax(np.log(caution * prior) + left_out + _GAIN * degrees)
    # Within what floats can square.
    log_odds = np.clip([c.log_odds for c in candidates], -_MOST, _MOST)
    variance = np.minimum([c.variance for c in candidates], _MOST**2)
    center = rough @ log_odds
    return AveragedCurve(
        scores,
        np.clip(weights @ np.stack([c.probability for c in candidates]), 0.0, 1.0),
        center,
        np.sqrt(rough @ (variance + (log_odds - center) ** 2)),
        tuple(c.name for c in candidates),
        np.minimum(weights, 1.0),
    )


class LaplaceFit(NamedTuple):
    """Normal approximations of p posteriors of d parameters.

    Parameters
    ----------
    parameters : (p, d) array
    covariance : (p, d, d) array
    degrees : (p,) array
        Effective numbers of parameters.
    """

    parameters: Floats
    covariance: Floats
    degrees: Floats

    def at(self, design: Floats) -> tuple[Floats, Floats]:
        """Means and variances (p, m) of log-odds ``design @ parameters``, for a design (m, d)."""
        variance = np.einsum("pmd,md->pm", design @ self.covariance, design)
        return self.parameters @ design.T, np.maximum(variance, 0.0)


def laplace_fit(
    design: Floats,
    precision: Floats,
    center: Floats,
    counts: ScoreCounts,
    near: Floats | float = 0.0,
) -> LaplaceFit:
    """Logistic regressions with normal priors, all at once.

    Parameters
    ----------
    design : (m, d) array
        A row for each score of `counts`.
    precision : (p, d, d) array
        Inverses of the prior covariances.
    center : (p, d) array
        Prior means.
    counts : ScoreCounts
    near : (m,) array or float
        Log-odds from which Newton's method starts, of whatever curve.

    Returns
    -------
    LaplaceFit

    Raises
    ------
    ConvergenceError
        If no optimum can be proven.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([-1.0, 1.0], [0, 1])
    >>> fit = laplace_fit(np.array([[-1.0], [1.0]]), np.array([[[0.25]]]), np.zeros((1, 1)), counts)
    >>> fit.parameters.round(3)
    array([[1.482]])
    """

    def part(which: NDArray[np.intp]) -> Callable[[Floats], Sums]:
        return partial(_penalized_sums, sums, precision[which], center[which])

    z, every = np.ascontiguousarray(design.T), np.arange(len(center))
    sums = LogisticSums(z, counts.negative, counts.positive)
    # The step from a curve of any form is a weighted regression, and ends at one of this form.
    p = expit(near)
    weight = counts.total * p * (1.0 - p)
    fitted = design.T @ (weight * near + counts.positive - counts.total * p)
    wanted = fitted + (precision @ center[..., None])[..., 0]
    squares = (weight * z) @ z.T
    start = newton_step(-wanted, squares + precision)[0]
    found = minimize_convex(part(every), start, tolerance=_NEAR, enough=_CLOSE, part=part)
    unit, scale = unit_diagonal(found.hessian)
    covariance = np.linalg.inv(unit) / (scale[:, :, None] * scale[:, None, :])
    kept = (covariance * precision).sum(axis=(1, 2))
    return LaplaceFit(found.parameters, covariance, design.shape[1] - kept)


def _penalized_sums(
    sums: LogisticSums, precision: Floats, center: Floats, parameters: Floats
) -> Sums:
    move = parameters - center
    pull = (precision @ move[..., None])[..., 0]
    value, gradient, hessian = sums(parameters)
    return value + (move * pull).sum(axis=1) / 2, gradient + pull, hessian + precision


def smooth_candidates(
    scale: str,
    prior: float,
    table: Floats,
    places: Indices,
    counts: ScoreCounts,
    kind: str = "",
    near: Floats | float = 0.0,
) -> list[Candidate]:
    """Log-odds that are a line, a parabola or a smoothing spline on a scale.

    Parameters
    ----------
    scale : str
        Its name.
    prior : float
        Weight of all together.
    table : (t,) array
        Ascending scores on that scale at which the candidates are wanted.
    places : (m,) array
        Where those of `counts` stand among them.
    counts : ScoreCounts
    kind : {"", "margin", "log-odds", "spline"}
        Margins and log-odds also have the line through zero, which is temperature scaling, and
        log-odds beta calibration; "spline" has smoothing splines only.
    near : (m,) array or float
        Log-odds of a curve that is near, from which the fits start.

    Returns
    -------
    list of Candidate
        Empty if all scores are equal on the scale, no optimum can be proven, or no spline bends.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([-1.0, 0.0, 1.0], [0, 1, 1])
    >>> found = smooth_candidates("given", 1.0, counts.scores, np.arange(3), counts, "margin")
    >>> [c.name for c in found][:3]
    ['given: line', 'given: parabola', 'given: bends 0.1']
    """
    sample = table[places]
    if sample[0] == sample[-1]:
        return []
    center, unit = location_scale(sample, counts.total)
    z, beta = np.clip(standardized(table, center, unit), -_FAR, _FAR), kind == "log-odds"
    roughness, bends = _bends(z, places, counts.total)
    zero = float(standardized(np.zeros(1), center, unit)[0])
    priors = _priors(roughness, beta, zero if kind and abs(zero) < _FAR else None)
    names = [name for name in priors if kind != "spline" or name in BENDS]
    if not names:
        return []
    design = _design(z, table, bends, beta, z[places[[0, -1]]])
    means = np.zeros((len(names), len(design[0])))
    odds = (counts.n_positive + 1.0) / (counts.n_negative + 1.0)
    means[[name != "temperature" for name in names], 0] = np.log(odds)
    try:
        fit = laplace_fit(design[places], np.stack([priors[n] for n in names]), means, counts, near)
    except ConvergenceError:
        return []  # what cannot be proven does not take part; steps always do
    mean, variance = fit.at(design)
    columns = (
        [f"{scale}: {name}" for name in names],
        [prior * _PRIORS[name] for name in names],
        *(mean_probability(mean, variance), mean, variance),
        left_out_likelihoods(mean[:, places], variance[:, places], counts).tolist(),
        fit.degrees.tolist(),
    )
    return [Candidate(*values) for values in zip(*columns, strict=True)]


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


def _spline_basis(nodes: Floats, values: Floats, z: Floats) -> Floats:
    """Values (t, k) at z of the splines with one of the coordinates 1 and the others 0.

    Between knots f is the line between its values, less what f'' bends it (Green & Silverman 1994,
    section 2.4.1); beyond them it goes on as a line.
    """
    bends = np.zeros_like(values)
    bends[1:-1] = np.eye(len(nodes))[2:]
    place = np.clip(np.searchsorted(nodes, z, side="right") - 1, 0, len(nodes) - 2)
    gap = nodes[place + 1] - nodes[place]
    right = (z - nodes[place]) / gap
    left = 1.0 - right
    inside = np.clip(right, 0.0, 1.0)
    # Beyond the first and the last knot, where f'' is 0 on the one side, the tangent.
    out = right - inside
    rest = 1.0 - inside
    before = rest * (rest * rest - 1.0) - out * (3.0 * rest * rest - 1.0)
    after = inside * (inside * inside - 1.0) + out * (3.0 * inside * inside - 1.0)
    found = left[:, None] * values[place] + right[:, None] * values[place + 1]
    found += (before * gap**2 / 6)[:, None] * bends[place]
    found += (after * gap**2 / 6)[:, None] * bends[place + 1]
    return np.asarray(found)


def _bends(z: Floats, places: Indices, weight: Floats) -> tuple[Floats, Floats]:
    """Directions in which a natural spline bends, uncorrelated and of mean square 1.

    Of d of them, integrals (d,) of f''^2, and values (t, d) at z; the weights (m,) are those of the
    places.
    """
    nodes = _knots(z[places], weight)
    if len(nodes) < 3:
        return np.empty(0), np.empty((len(z), 0))
    values, roughness = spline_coordinates(nodes)
    basis = _spline_basis(nodes, values, z)
    gram = (basis[places].T * (weight / weight.sum())) @ basis[places]
    unit = np.trace(roughness) / max(np.trace(gram), _TINY)
    # Shares of squares between 0 and 1: well posed, whatever the samples do not see.
    total = gram + roughness / unit
    scale = np.sqrt(np.maximum(np.diagonal(total), _TINY))
    share, found = eigh(gram / np.outer(scale, scale), total / np.outer(scale, scale))
    seen = share > _UNSEEN
    seen[-2:] = False  # the lines
    share = share[seen]
    found = found[:, seen] / (scale[:, None] * np.sqrt(share))
    return (1.0 / share - 1.0) * unit, basis @ found


def _design(z: Floats, x: Floats, bends: Floats, beta: bool, ends: Floats) -> Floats:
    """Columns: a level, a slope, a parabola, the other half of beta calibration, and bends."""
    inside = np.clip(z, *ends)
    parabola = inside**2 + 2 * inside * (z - inside) - 1.0  # goes on along its tangents
    columns = [np.ones_like(z), z, parabola]
    if beta:
        columns.append(-np.logaddexp(0, x) - np.logaddexp(0, -x))  # log p + log(1 - p)
    return np.hstack([np.stack(columns, axis=1), bends])


def _priors(roughness: Floats, beta: bool, offset: float | None) -> dict[str, Floats]:
    """Inverse prior covariances (d, d) of the candidates, by name.

    Parameters that a candidate lacks are held at 0 by a great precision.
    """
    first = 4 if beta else 3
    held = np.full(first + len(roughness), _HELD)
    held[:2] = _LEVEL**-2, _SLOPE**-2

    def free(position: int | slice, precision: float | Floats) -> Floats:
        diagonal = held.copy()
        diagonal[position] = precision
        return np.diag(diagonal)

    priors = {"line": np.diag(held), "parabola": free(2, _BEND**-2)}
    if beta:
        priors["beta"] = free(3, _BEND**-2)
    for name, deviation in BENDS.items() if len(roughness) else ():
        priors[name] = free(slice(first, None), roughness / deviation**2)
    if offset is not None:
        along, across = np.array([-offset, 1.0]), np.array([1.0, offset])
        along, across = along / np.linalg.norm(along), across / np.linalg.norm(across)
        temperature = np.diag(held)
        temperature[:2, :2] = _HELD * np.outer(across, across)
        temperature[:2, :2] += (_SLOPE**-2 / (1 + offset**2)) * np.outer(along, along)
        priors["temperature"] = temperature
    return priors


def _knots(z: Floats, weight: Floats) -> Floats:
    """The ends, and quantiles between them that are not too near to each other."""
    n = int(np.clip(8 * weight.sum() ** 0.15, 4, _MOST_KNOTS))
    middle = np.cumsum(weight) - weight / 2
    shares = (np.arange(1, n - 1) + 0.5) / n * weight.sum()
    kept = [z[0]]
    for value in [*np.interp(shares, middle, z), z[-1]]:
        if value - kept[-1] > _GAP:
            kept.append(value)
    return np.array(kept)
