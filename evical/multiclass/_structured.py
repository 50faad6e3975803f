"""Structured scaling: a temperature, then a matrix that a ridge shrinks towards the identity.

A few samples determine a common temperature; more samples determine a slope and an intercept per
class; very many determine the weights between classes. So the temperature is fitted first. A
penalty keeps slopes, intercepts and off-diagonal weights close to that fit, the more so the fewer
samples there are. The second step is a convex problem with one optimum.

Source: Berta, Holzmueller, Jordan & Bach, "Structured matrix scaling for multi-class calibration",
arXiv 2511.03685 (2025).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from evical._typing import Floats
from evical.multiclass._level_sets import whitening
from evical.multiclass._softmax import Problem, minimize_softmax, moment

__all__ = ["Ridge", "Structured", "fit_structured", "step_slopes", "unit_steps"]


_GREATEST = float(np.finfo(np.float64).max)
_END = 16.0  # bound on the logarithm of the inverse temperature


class Ridge(NamedTuple):
    """Weights of the squares of intercepts, of slopes minus 1, and of slopes between classes.

    The last is None if there are no such slopes.
    """

    intercept: float
    diagonal: float
    off_diagonal: float | None


@dataclass(frozen=True, eq=False)
class Structured:
    """Fitted logits: a linear function of the logarithms of tempered probabilities.

    Parameters
    ----------
    unit : float
        Scores are divided by it.
    inverse : float
        Inverse temperature of scores in that unit.
    share : float
        Share of the uniform distribution that is mixed into tempered probabilities.
    weights : (K, K) array
    intercepts : (K,) array
    """

    unit: float
    inverse: float
    share: float
    weights: Floats
    intercepts: Floats

    def tempered(self, scores: Floats) -> Floats:
        """Log-probabilities (n, K) from the temperature alone."""
        p = softmax(self.inverse * below_best(scores, self.unit), axis=1)
        return np.asarray(np.log((1.0 - self.share) * p + self.share / p.shape[1]))

    def logits(self, scores: Floats) -> Floats:
        """Logits (n, K)."""
        return np.asarray(self.tempered(scores) @ self.weights.T + self.intercepts)

    def slopes(self, scores: Floats) -> Floats:
        """Derivatives (n, K) of the logits in the logarithm of the inverse temperature."""
        z = self.inverse * below_best(scores, self.unit)
        p = softmax(z, axis=1)
        pulled = np.where(p > 0.0, p * np.maximum(z, -_GREATEST), 0.0)
        gain = pulled - p * pulled.sum(axis=1, keepdims=True)
        change = (1.0 - self.share) * gain / np.exp(self.tempered(scores))
        return np.asarray(change @ self.weights.T)


def below_best(scores: Floats, unit: float = 1.0) -> Floats:
    """Scores (n, K) minus the largest of their row, in units; at least the lowest float."""
    with np.errstate(over="ignore"):
        moved = np.maximum(scores - scores.max(axis=1, keepdims=True), -_GREATEST)
        return np.asarray(np.maximum(moved / unit, -_GREATEST))


def fit_structured(
    scores: Floats, targets: Floats, weight: Floats, ridge: Ridge, unit: float
) -> Structured:
    """Fit both steps.

    Parameters
    ----------
    scores : (n, K) array
        Logarithms of probabilities, or margins.
    targets : (n, K) array
        Labels or soft targets; rows sum to 1.
    weight : (n,) array
    ridge : Ridge
        Penalties on the mean loss.
    unit : float
        Unit of the scores.

    Returns
    -------
    Structured

    Examples
    --------
    Probabilities that equal the targets are kept, except for the share of the uniform distribution:

    >>> scores = np.log([[0.75, 0.25], [0.25, 0.75]])
    >>> targets = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> fit = fit_structured(scores, targets, np.ones(2), Ridge(1.0, 1e6, 1e6), 1.0)
    >>> round(fit.inverse, 9), abs(fit.weights).round(3).tolist()
    (1.0, [[1.0, 0.0], [0.0, 1.0]])
    """
    k, total = scores.shape[1], float(weight.sum())
    inverse = _inverse_temperature(below_best(scores, unit), targets, weight / total)
    first = Structured(unit, inverse, 1.0 / (total + 1.0), np.eye(k), np.zeros(k))
    x = first.tempered(scores)
    features = _features(x, ridge)
    start, penalty = _identity(k, ridge)
    problem = Problem.toward(features, targets, weight)
    # The ridge is centered at the start: half the sum of penalty (w - start)^2.
    w = minimize_softmax(
        problem._replace(penalty=penalty, target=problem.target + penalty * start), start=start
    )
    slopes = w[:, :-1] if ridge.off_diagonal is not None else np.diag(w[:, 0])
    return Structured(unit, inverse, first.share, slopes, w[:, -1])


def _features(x: Floats, ridge: Ridge) -> Floats:
    """Features of the logits: (n, K + 1), shared by the classes, or (n, K, 2), separate."""
    if ridge.off_diagonal is None:
        return np.stack([x, np.ones_like(x)], axis=2)
    return np.hstack([x, np.ones((len(x), 1))])


def _identity(k: int, ridge: Ridge) -> tuple[Floats, Floats]:
    """Coefficients (K, M) of the identity, and the penalties on distances from them."""
    if ridge.off_diagonal is None:
        start = np.tile([1.0, 0.0], (k, 1))
        squares = np.tile([ridge.diagonal, ridge.intercept], (k, 1))
    else:
        start = np.eye(k, k + 1)
        squares = np.full((k, k + 1), ridge.off_diagonal)
        squares[range(k), range(k)], squares[:, -1] = ridge.diagonal, ridge.intercept
    return start, 2.0 * squares


def unit_steps(fit: Structured, scores: Floats, weight: Floats, ridge: Ridge) -> Floats:
    """Parameters (P, P) of unit steps in coordinates in which the information is 1.

    Rows are the coefficients, class by class with the intercept last, then the logarithm of the
    inverse temperature. The information is that of the sample plus that of the ridge.
    """
    k, total = scores.shape[1], weight.sum()
    features = _features(fit.tempered(scores), ridge)
    p, v = softmax(fit.logits(scores), axis=1), fit.slopes(scores)
    problem = Problem.toward(features, p, weight)._replace(penalty=_identity(k, ridge)[1])
    spread = (p * v - p * np.einsum("nk,nk->n", p, v)[:, None]) * problem.weight[:, None]
    cross = moment(features, spread).reshape(-1, 1)
    last = np.einsum("nk,nk->", v, spread).reshape(1, 1)
    return whitening(np.block([[problem.curvature(p), cross], [cross.T, last]]) * total)


def step_slopes(fit: Structured, scores: Floats, steps: Floats, ridge: Ridge) -> Floats:
    """Changes (n, K, P) of the logits by unit steps."""
    features, k = _features(fit.tempered(scores), ridge), scores.shape[1]
    basis = steps[:-1].reshape(k, -1, steps.shape[1])
    form = "nm,kmp->nkp" if features.ndim == 2 else "nkm,kmp->nkp"
    linear = np.einsum(form, features, basis)
    return np.asarray(linear + fit.slopes(scores)[:, :, None] * steps[-1])


def _inverse_temperature(z: Floats, targets: Floats, share: Floats) -> float:
    """Minimizer of the mean loss of ``softmax(inverse * z)``, or the nearer end of the range.

    The loss is convex, so its derivative changes sign once.
    """
    wanted = float(share @ np.einsum("nk,nk->n", targets, z))

    def slope(log_inverse: float) -> float:
        p = softmax(np.exp(log_inverse) * z, axis=1)
        return float(share @ np.einsum("nk,nk->n", p, z)) - wanted

    if slope(-_END) >= 0.0:
        return float(np.exp(-_END))
    if slope(_END) <= 0.0:
        return float(np.exp(_END))
    return float(np.exp(brentq(slope, -_END, _END, xtol=1e-13, rtol=1e-14)))
