"""Multinomial logistic regression with soft targets: a convex objective and Newton's method.

Logits are linear in the parameters. Each class uses all scores ("matrix", with shared features) or
only its own score ("vector", and "temperature" with one slope for all). Soft targets replace the
labels, which keeps the optimum finite even if classes are separable; they enter through a single
sum. Platt's targets for K classes allow a sample of each other class in every class, which shrinks
a whole matrix as few samples need it. Where few parameters have to learn from all samples, it is
far too much: there one wrong sample in all is allowed.

Source: J. C. Platt, "Probabilistic outputs for support vector machines" (1999); Guo, Pleiss,
Sun & Weinberger, "On calibration of modern neural networks" (2017), section 4.2.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.newton import Sums, minimize_convex
from evical.errors import ConvergenceError
from evical.scores.scale import largest_of_rows, row_blocks, with_log_sums

_ROWS = 1 << 11  # rows per block, so that temporaries of a few dozen columns stay in the cache
# Size of a matrix product from which OpenBLAS starts threads, which wait for each other. With
# larger products, the Hessian of 5,000 rows and ten classes takes 230 ms instead of 7 on two cores
# of which one is busy. (The eigenvalues cannot be split.)
_SERIAL = 1 << 18
_STEPS = 200
# Squared Newton decrement of the mean loss at which the next step is the last one: its error is
# about the square of this.
CONVERGED = 1e-11
_FLAT = 1e-6  # accepted gain or slope of the mean loss if rounding or slow progress ends it
_SINGULAR = 1e-13  # eigenvalues below this share of the largest belong to redundant directions
_NEWTON_SIZE = 700  # parameters; a larger Hessian costs more than it gains
_PRODUCTS = 500  # with the Hessian, in a step
_ROUGH = 0.1  # squared relative error of a step far from the optimum
_ARMIJO, _SHORTEST = 1e-4, 1e-8  # of the gain that the slope promises; of a step


def platt_target_matrix(totals: Floats) -> Floats:
    """Platt's targets for K classes, which replace the labels.

    Parameters
    ----------
    totals : (K,) array
        Total weight n_k of each class.

    Returns
    -------
    (K, K) array
        Row k has (n_k + 1) / (n_k + K) for class k and 1 / (n_k + K) for each other class. For K =
        2 these are Platt's targets (Xu et al. 2016, eq. 4).

    Examples
    --------
    >>> platt_target_matrix(np.array([8.0, 2.0]))
    array([[0.9 , 0.1 ],
           [0.25, 0.75]])
    """
    k = len(totals)
    return np.asarray((1 + np.diag(totals)) / (totals + k)[:, np.newaxis])


def total_target_matrix(totals: Floats) -> Floats:
    """Targets for K classes as if one sample of all, n + 2, was wrong.

    Parameters
    ----------
    totals : (K,) array
        Total weight of each class; they sum to n.

    Returns
    -------
    (K, K) array
        (n + 1) / (n + 2) on the diagonal, the rest in equal parts elsewhere.

    Examples
    --------
    >>> total_target_matrix(np.array([5.0, 2.0, 1.0])).round(2)
    array([[0.9 , 0.05, 0.05],
           [0.05, 0.9 , 0.05],
           [0.05, 0.05, 0.9 ]])
    """
    k, wrong = len(totals), 1 / (float(totals.sum()) + 2)
    own = np.eye(k)
    return np.asarray((1 - wrong) * own + wrong / (k - 1) * (1 - own))


def log_losses(logits: Floats, codes: NDArray[np.intp]) -> Floats:
    """Minus the log-probability (n,) of the labels, of which no digit is lost.

    Parameters
    ----------
    logits : (n, K) array
    codes : (n,) array

    Examples
    --------
    >>> log_losses(np.array([[0.0, -50.0]]), np.array([0])) * np.exp(50)
    array([1.])
    """
    n, k = logits.shape
    found, one = np.empty(n), np.ones(k)
    for rows in row_blocks(n, k):
        own = np.arange(len(logits[rows])), codes[rows]
        others = logits[rows] - logits[rows][own][:, np.newaxis]
        others[own] = -np.inf
        top = np.maximum(largest_of_rows(others), 0.0)
        rest = np.exp(others - top[:, np.newaxis]) @ one
        found[rows] = top + np.log1p(np.expm1(-top) + rest)
    return found


class Problem(NamedTuple):
    """Mean loss of softmax models, and a quadratic penalty.

    Parameters
    ----------
    features : (n, M) or (n, K, M) array
        Shared by all classes, or separate for each class.
    weight : (n,) array
        Weights that sum to 1.
    target : (K, M) array
        Weighted sum of targets times features; labels enter only here.
    penalty : (K, M, M) or (K, M) array
        The penalty is half the sum of w_k' penalty_k w_k; with (K, M) penalty_k is diagonal.
    tied : bool
        Whether all classes have the same coefficients.
    """

    features: Floats
    weight: Floats
    target: Floats
    penalty: Floats
    tied: bool = False

    @classmethod
    def of(
        cls, features: Floats, codes: NDArray[np.intp], weight: Floats, tied: bool = False
    ) -> "Problem":
        """Problem without penalty, with Platt's targets for classes (n,)."""
        totals = np.bincount(codes, weight).astype(np.float64)
        return cls.toward(features, platt_target_matrix(totals)[codes], weight, tied)

    @classmethod
    def toward(
        cls, features: Floats, targets: Floats, weight: Floats, tied: bool = False
    ) -> "Problem":
        """Problem without penalty, with targets (n, K)."""
        share = weight / weight.sum()
        target = moment(features, targets * share[:, np.newaxis])
        return cls(features, share, target, np.zeros_like(target), tied)

    def logits(self, w: Floats) -> Floats:
        """Logits (n, K) at coefficients (K, M)."""
        return linear_logits(self.features, w)

    def hessian(self, w: Floats) -> Floats:
        """Second derivative (K M, K M), the covariance of the features of the predicted class."""
        return self.curvature(self.at(w)[2])

    def at(self, w: Floats) -> tuple[float, Floats, Floats]:
        """Mean cross-entropy with penalty, its gradient (K, M), and the probabilities (n, K)."""
        bent = self.bent(w)
        value, gradient = float((bent * w / 2 - self.target * w).sum()), bent - self.target
        p = self._like_logits()
        for rows in row_blocks(*p.shape):
            x, share = self.features[rows], self.weight[rows]
            part, sums = with_log_sums(linear_logits(x, w), out=p[rows])
            value += float(share @ sums)
            gradient += moment(x, part * share[:, np.newaxis])
        return value, gradient, p

    def _like_logits(self) -> Floats:
        """An empty array (n, K) of the layout of logits."""
        if self.features.ndim == 3:
            return np.empty_like(self.features[:, :, 0])
        return np.empty((len(self.features), len(self.target)))

    def _spread(self, p: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Features and weight p (1 - p) of each class, in blocks that stay in the cache."""
        for rows in row_blocks(*p.shape):
            share = p[rows] * (1.0 - p[rows])
            share *= self.weight[rows, np.newaxis]
            yield self.features[rows], share

    def bent(self, w: Floats) -> Floats:
        """Penalty times coefficients (K, M)."""
        if self.penalty.ndim == 2:
            return self.penalty * w
        return np.asarray(np.einsum("kml,kl->km", self.penalty, w))

    def diagonal(self, p: Floats) -> Floats:
        """The diagonal (K, M) of the Hessian at these probabilities."""
        own = self.penalty
        if own.ndim == 3:
            own = np.diagonal(own, axis1=1, axis2=2)
        return own + sum(moment(x**2, share) for x, share in self._spread(p))

    def conditioner(self, p: Floats) -> Callable[[Floats], Floats]:
        """Product with about the inverse of the Hessian at these probabilities.

        Of separate features, the coefficients of a class are taken together.
        """
        if self.features.ndim == 2:
            diagonal = self.diagonal(p)
            inverse = 1.0 / np.maximum(diagonal, _SINGULAR * diagonal.max())
            return lambda slope: inverse * slope
        each = self.penalty
        blocks = each if each.ndim == 3 else each[:, :, np.newaxis] * np.eye(each.shape[1])
        for x, share in self._spread(p):
            weighted = (share * x[:, :, m] for m in range(x.shape[2]))
            blocks = blocks + np.stack([moment(x, one) for one in weighted], axis=1)
        least = _SINGULAR * np.diagonal(blocks, axis1=1, axis2=2).max()
        inverses = np.linalg.inv(blocks + least * np.eye(blocks.shape[1]))
        return lambda slope: np.asarray(np.einsum("kij,kj->ki", inverses, slope))

    def curvature_along(self, p: Floats, w: Floats) -> Floats:
        """The Hessian at these probabilities times coefficients (K, M)."""
        found = self.bent(w)
        for rows in row_blocks(*p.shape):
            x, part = self.features[rows], p[rows]
            eta = linear_logits(x, w)
            eta -= np.einsum("nk,nk->n", part, eta)[:, np.newaxis]
            eta *= part
            eta *= self.weight[rows, np.newaxis]
            found = found + moment(x, eta)
        return found

    def curvature(self, p: Floats) -> Floats:
        """The Hessian at these probabilities."""
        (k, m), n = self.target.shape, len(self.weight)
        total = np.zeros((k * m, k * m))
        for start in range(0, n, _ROWS):
            rows = slice(start, start + _ROWS)
            total += _covariance(self.features[rows], p[rows], self.weight[rows])
        if self.penalty.ndim == 2:
            total[np.diag_indices(k * m)] += self.penalty.ravel()
        else:
            total.reshape(k, m, k, m)[np.arange(k), :, np.arange(k), :] += self.penalty
        return total


def linear_logits(features: Floats, w: Floats) -> Floats:
    """Logits (n, K) of shared or separate features at coefficients (K, M)."""
    if features.ndim == 2:
        return np.asarray(features @ w.T)
    logits = features[:, :, 0] * w[:, 0]
    for m in range(1, w.shape[1]):
        logits += features[:, :, m] * w[:, m]
    return np.asarray(logits)


def moment(features: Floats, y: Floats) -> Floats:
    """Sum over samples of y_ik times the features of class k, (K, M)."""
    if features.ndim == 2:
        return np.asarray(y.T @ features)
    each = (np.einsum("nk,nk->k", y, features[:, :, m]) for m in range(features.shape[2]))
    return np.stack(list(each), axis=1)


def _covariance(features: Floats, p: Floats, weight: Floats) -> Floats:
    """Sum over samples of diag(p) - p p', times products of features."""
    if features.ndim == 2:
        return _shared_covariance(features, p, weight)
    n, k = p.shape
    y = p[:, :, np.newaxis] * features
    weighted = weight[:, np.newaxis, np.newaxis] * y
    m = y.shape[2]
    total = -weighted.reshape(n, k * m).T @ y.reshape(n, k * m)
    blocks = total.reshape(k, m, k, m)
    for i in range(k):
        blocks[i, :, i, :] += weighted[:, i].T @ features[:, i]
    return np.asarray(total)


def _shared_covariance(features: Floats, p: Floats, weight: Floats) -> Floats:
    """The same for shared features, with each pair of classes and of features computed once."""
    (n, k), m = p.shape, features.shape[1]
    first, second = np.triu_indices(m)
    total = np.zeros((k, k, len(first)))
    size = max(1, _SERIAL // (k * len(first)))
    for start in range(0, n, size):
        rows = slice(start, start + size)
        products = features[rows][:, first] * features[rows][:, second]
        weighted = p[rows] * weight[rows, np.newaxis]
        for i in range(k):
            total[i, i:] -= (weighted[:, i : i + 1] * p[rows, i:]).T @ products
        total[np.arange(k), np.arange(k)] += weighted.T @ products
    for i in range(k):
        total[i:, i] = total[i, i:]
    place = np.empty((m, m), dtype=np.intp)
    place[first, second] = place[second, first] = np.arange(len(first))
    return np.asarray(total[:, :, place].transpose(0, 2, 1, 3).reshape(k * m, k * m))


def minimize_softmax(
    problem: Problem,
    newton: bool | None = None,
    start: Floats | None = None,
    enough: float = CONVERGED,
) -> Floats:
    """Coefficients (K, M) that minimize the loss.

    Parameters
    ----------
    problem : Problem
    newton : bool, optional
        Whether to list the Hessian or to find Newton's steps by conjugate gradients, which is
        faster under a strong penalty; by default, it is listed for up to 700 parameters.
    start : (K, M) array, optional
        Initial coefficients, by default 0; not for tied ones.
    enough : float
        Squared Newton decrement of the mean loss at which the next step is the last one.

    Returns
    -------
    (K, M) array
        If the minimizer is not unique (logits can be shifted together), the one that Newton's
        method reaches from the start without moving along flat directions.

    Examples
    --------
    With one constant feature, the logits are those of the mean target.

    >>> codes = np.array([0, 1, 1])
    >>> w = minimize_softmax(Problem.of(np.ones((3, 1)), codes, np.ones(3)))
    >>> (1 / (1 + np.exp(w[0] - w[1]))).round(9)  # (3/4 + 3/4 + 1/3) / 3
    array([0.61111111])
    """
    if newton is None:
        newton = problem.tied or problem.target.size <= _NEWTON_SIZE
    if start is None:
        start = np.zeros(problem.target.shape)
    return (_newton if newton else _truncated_newton)(problem, start, enough)


def _truncated_newton(problem: Problem, start: Floats, enough: float) -> Floats:
    """Newton's method without a Hessian: each step by conjugate gradients, as exact as it pays."""
    w = start
    value, slope, p = problem.at(w)
    for _ in range(_STEPS):
        step = _conjugate_step(problem, p, slope)
        gain = -float((slope * step).sum())  # the squared decrement
        length = 1.0
        tried, next_slope, next_p = problem.at(w + step)
        while not tried <= value - _ARMIJO * length * gain and length > _SHORTEST:
            length /= 2.0
            tried, next_slope, next_p = problem.at(w + length * step)
        if tried <= value:
            w, value, slope, p = w + length * step, tried, next_slope, next_p
        if gain <= enough or length <= _SHORTEST:
            break
    if gain > enough:
        _check_optimum(gain)
    moved = w - start
    if problem.features.ndim == 2 and not problem.penalty.any():
        moved = moved - moved.mean(axis=0)  # the same for all classes changes nothing
    return start + moved


def _conjugate_step(problem: Problem, p: Floats, slope: Floats) -> Floats:
    """Newton's step (K, M) at probabilities p, to a tolerance that shrinks with the slope."""
    condition = problem.conditioner(p)
    step, left = np.zeros_like(slope), -slope
    along = condition(left)
    size = first = float((left * along).sum())
    most = first * min(_ROUGH, first)
    for _ in range(_PRODUCTS):
        if size <= most or size <= 0.0:
            break
        image = problem.curvature_along(p, along)
        bent = float((along * image).sum())
        if bent <= 0.0:  # flat, to rounding
            break
        step = step + size / bent * along
        left = left - size / bent * image
        moved = condition(left)
        size, before = float((left * moved).sum()), size
        along = moved + size / before * along
    return step


def _check_optimum(left: float) -> None:
    """Raise unless the remaining gain, or the slope, of the mean loss is negligible."""
    if not left <= _FLAT:
        raise ConvergenceError(
            f"the optimum is not proven: the mean loss may still fall by {left:.2g}; scores differ "
            "by too many powers of ten: leave out the extreme ones, or standardize"
        )


def _newton(problem: Problem, start: Floats, enough: float) -> Floats:
    """Newton's method; a tied problem has one coefficient for each feature."""
    k, m = problem.target.shape
    tie = np.tile(np.eye(m), (k, 1))

    def derivatives(x: Floats) -> Sums:
        value, slope, p = problem.at(np.broadcast_to(x.reshape(-1, m), (k, m)))
        gradient, hessian = slope.ravel(), problem.curvature(p)
        if problem.tied:
            gradient, hessian = tie.T @ gradient, tie.T @ hessian @ tie
        return np.array([value]), gradient[np.newaxis], hessian[np.newaxis]

    first = np.zeros((1, m)) if problem.tied else start.reshape(1, -1)
    found = minimize_convex(derivatives, first, enough, trial_steps=_STEPS, step_from=_step)
    if not found.proven:
        _check_optimum(float(_step(*derivatives(found.parameters)[1:])[1][0]))
    return np.array(np.broadcast_to(found.parameters.reshape(-1, m), (k, m)))


def _step(gradient: Floats, hessian: Floats) -> tuple[Floats, Floats]:
    """Newton's step and its squared decrement, without directions in which the loss is flat."""
    eigenvalues, vectors = np.linalg.eigh(hessian[0])
    curved = eigenvalues > _SINGULAR * max(float(eigenvalues[-1]), 1e-300)
    along = vectors[:, curved].T @ gradient[0]
    scaled = along / eigenvalues[curved]
    return -(vectors[:, curved] @ scaled)[np.newaxis], np.array([along @ scaled])


def whitening(hessian: Floats) -> Floats:
    """Parameters (P, P) of unit steps in coordinates in which the Hessian is 1."""
    values, vectors = np.linalg.eigh(hessian)
    # The symmetric root, so that similar Hessians give similar whitenings.
    root = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1])) @ vectors.T
    return np.asarray(root)
