"""Steps that lower the Kullback-Leibler divergence of a code's answers, samples last.

There are three ways to improve class probabilities p: Zadrozny's ratio of observed to expected
sums, which descends for all pairs only; the minorization of Huang, Weng & Lin (2006), which
descends for every code but is slow; and Newton's step on log p, with two safer steps if it fails to
descend.

The last two solve many small symmetric positive definite systems at a time.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from evical.multiclass._inputs import Floats


def solve_many(matrices: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve one system for each sample, by elimination without pivoting.

    Parameters
    ----------
    matrices : (K, K, n) array
        Symmetric and positive definite.
    right : (K, n) array

    Returns
    -------
    (K, n) array

    Notes
    -----
    The loops run over K, the operations over n: measured ten times faster than a call of
    LAPACK for each sample at K = 10.

    Examples
    --------
    >>> solve_many(np.array([[[2.0], [1.0]], [[1.0], [2.0]]]), np.array([[3.0], [3.0]]))
    array([[1.],
           [1.]])
    """
    size = len(right)
    upper, x = matrices.copy(), right.copy()
    for k in range(size - 1):
        factors = upper[k, k + 1 :] / upper[k, k]
        x[k + 1 :] -= factors * x[k]
        for i in range(k + 1, size):  # row i from its diagonal on: the rest is symmetric
            upper[i, i:] -= factors[i - k - 1] * upper[k, i:]
    for k in reversed(range(size)):
        x[k] -= (upper[k, k + 1 :] * x[k + 1 :]).sum(axis=0)
        x[k] /= upper[k, k]
    return x


# A class below this is 0: squares of reciprocals of its columns would overflow.
TINY = 1e-140

# Maximum change of log p in a scoring step: a factor of 150, beyond the quadratic model.
LONGEST = 5.0

# Increase of a sum over columns that counts as rounding.
ROUNDING = 1e-13

# Fractions of a scoring step to try.
SHARES = (1.0, 0.25, 0.06)

# Relative to a diagonal of ones: covers rounding of the information matrix, and directions that a
# code leaves undetermined.
RIDGE = 1e-12


class Columns(NamedTuple):
    """The code as sums over classes."""

    positive: Floats  # (B, K), 1 where the class is on the positive side
    negative: Floats  # (B, K)
    products: csr_array  # (K K, 3 B), pairs of classes: both positive, negative, on two sides
    weights: Floats  # (B, 1)


class Problem(NamedTuple):
    """Answers of some samples, and the code."""

    r: Floats  # (B, n)
    columns: Columns

    def rows(self, keep: NDArray[np.bool_]) -> "Problem":
        """Some of the samples."""
        return self if keep.all() else self._replace(r=self.r[:, keep])


_Sums: TypeAlias = tuple[Floats, Floats, Floats]  # P(I), P(J) and P(I or J), (B, n) each
Step: TypeAlias = Callable[[Problem, Floats], Floats]


def make_columns(code: NDArray[np.int8], weights: Floats) -> Columns:
    """Sums over classes as matrices.

    Parameters
    ----------
    code : (K, B) array of int8
    weights : (B,) array

    Returns
    -------
    Columns
    """
    positive, negative = (np.array((code == sign).T, dtype=np.float64) for sign in (1, -1))
    across = _outer(positive, negative) + _outer(negative, positive)
    products = [_outer(positive, positive), _outer(negative, negative), -across]
    # Sparse: for all pairs 180 of 13,500 entries are not 0 at K = 10.
    return Columns(positive, negative, csr_array(np.hstack(products)), weights[:, np.newaxis])


def _outer(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.einsum("bk,bl->klb", left, right).reshape(-1, len(left)))


def votes(problem: Problem) -> Floats:
    """Sums of the answers that favor each class, divided by their total.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    (K, n) array
    """
    columns = problem.columns
    return _scaled(columns.positive.T @ problem.r + columns.negative.T @ (1 - problem.r))


def _scaled(p: Floats) -> Floats:
    p = p / p.sum(axis=0)
    return np.where(p < TINY, 0, p)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Ratio that is 0 if the denominator is, for columns whose classes all have probability 0."""
    safe = np.where(denominator > 0, denominator, np.inf)
    return np.asarray(numerator / safe)


def _sides(columns: Columns, p: Floats) -> _Sums:
    positive, negative = columns.positive @ p, columns.negative @ p
    return positive, negative, positive + negative


def minorize(problem: Problem, p: Floats) -> Floats:
    """Maximum of a lower bound of the likelihood that touches it at p.

    Parameters
    ----------
    problem : Problem
    p : (K, n) array

    Returns
    -------
    (K, n) array

    Notes
    -----
    log P(I) is concave in log p within I, and log P(I or J) lies below its tangent in p. So the
    bound has a closed-form maximum, and the likelihood cannot decrease. For all pairs it is the
    iteration of Hastie & Tibshirani (1998).
    """
    r, columns = problem
    positive, negative, either = _sides(columns, p)
    gain = columns.positive.T @ (columns.weights * _ratio(r, positive))
    gain += columns.negative.T @ (columns.weights * _ratio(1 - r, negative))
    cost = (columns.positive + columns.negative).T @ _ratio(columns.weights, either)
    return _scaled(p * _ratio(gain, cost))


def zadrozny(problem: Problem, p: Floats) -> Floats:
    """Observed over expected sums of the answers that favor a class (2001, sec. 3).

    Parameters
    ----------
    problem : Problem
    p : (K, n) array

    Returns
    -------
    (K, n) array
    """
    r, columns = problem
    positive, negative, either = _sides(columns, p)
    weights = columns.weights
    observed = columns.positive.T @ (weights * r) + columns.negative.T @ (weights * (1 - r))
    expected = columns.positive.T @ (weights * _ratio(positive, either))
    expected += columns.negative.T @ (weights * _ratio(negative, either))
    return _scaled(p * _ratio(observed, expected))


def scoring(problem: Problem, p: Floats) -> Floats:
    """Newton's step on log p or, if it does not descend, Fisher's scoring or a minorizing step.

    Parameters
    ----------
    problem : Problem
    p : (K, n) array

    Returns
    -------
    (K, n) array

    Notes
    -----
    With shares u of P(I), v of P(J) and t of P(I or J) the slope by log p is the sum over columns
    of n_b (t - r u - (1 - r) v), and the second derivatives are the slope on the diagonal and the
    sum of n_b (r uu' + (1 - r) vv' - tt'). Scoring replaces r by s, the answer of p, and has no
    diagonal term. For all pairs, both matrices are equal and positive definite.
    """
    here = cross_entropy(problem, p) + ROUNDING
    sums = _sides(problem.columns, p)
    slope = _slope(problem, p, sums)
    curvature = _curvature(problem.columns, p, problem.r, sums)
    diagonal = _diagonal(curvature)
    diagonal += slope
    upward = ((diagonal > 0) | (p == 0)).all(axis=0)
    moved = _moved(p, _direction(curvature, slope, p))
    left = ~(upward & (cross_entropy(problem, moved) <= here))
    if left.any():
        sums = sums[0][:, left], sums[1][:, left], sums[2][:, left]
        moved[:, left] = _score(problem.rows(left), p[:, left], here[left], slope[:, left], sums)
    return moved


def _score(problem: Problem, p: Floats, here: Floats, slope: Floats, sums: _Sums) -> Floats:
    """The longest of a few fractions of Fisher's step that descends, or a minorizing step."""
    columns = problem.columns
    change = _direction(_curvature(columns, p, _ratio(sums[0], sums[2]), sums), slope, p)
    moved = p.copy()
    left = np.ones(len(here), dtype=bool)
    for share in SHARES:
        moved[:, left] = _moved(p[:, left], share * change[:, left])
        left[left] = ~(cross_entropy(problem.rows(left), moved[:, left]) <= here[left])
        if not left.any():
            return moved
    moved[:, left] = minorize(problem.rows(left), p[:, left])
    return moved


def _moved(p: Floats, change: Floats) -> Floats:
    return _scaled(p * np.exp(-np.clip(change, -LONGEST, LONGEST)))


def _slope(problem: Problem, p: Floats, sums: _Sums) -> Floats:
    r, columns = problem
    positive, negative, either = sums
    surplus = columns.weights * (_ratio(positive, either) - r)
    slope = columns.positive.T @ _ratio(surplus, positive)
    return np.asarray(p * (slope - columns.negative.T @ _ratio(surplus, negative)))


def _curvature(columns: Columns, p: Floats, r: Floats, sums: _Sums) -> Floats:
    """(K, K, n): sum of n_b (r uu' + (1 - r) vv' - tt'), by pairs of classes."""
    positive, negative, either = sums
    weights, size = columns.weights, len(p)
    across = _ratio(_ratio(weights, either), either)
    inside = _ratio(_ratio(weights * r, positive), positive) - across
    outside = _ratio(_ratio(weights * (1 - r), negative), negative) - across
    pairs = columns.products @ np.concatenate([inside, outside, across])
    return np.asarray(pairs.reshape(size, size, -1) * p * p[:, np.newaxis])


def _diagonal(matrices: Floats) -> Floats:
    """A view."""
    size = len(matrices)
    return matrices.reshape(size * size, -1)[:: size + 1]


def _direction(information: Floats, slope: Floats, p: Floats) -> Floats:
    """Solution with log p of the likeliest class fixed; overwrites the matrix."""
    diagonal = _diagonal(information)
    pinned = p.argmax(axis=0)
    free = diagonal > 0
    free[pinned, np.arange(len(pinned))] = False
    scale = np.where(free, 1 / np.sqrt(np.where(free, diagonal, 1)), 0)
    information *= scale
    information *= scale[:, np.newaxis]
    diagonal[...] = 1 + RIDGE
    return np.asarray(scale * solve_many(information, scale * slope))


def cross_entropy(problem: Problem, p: Floats) -> Floats:
    """The divergence up to a constant.

    Parameters
    ----------
    problem : Problem
    p : (K, n) array

    Returns
    -------
    (n,) array
    """
    r, columns = problem
    positive, negative, either = _sides(columns, p)
    terms = r * _log_ratio(positive, either) + (1 - r) * _log_ratio(negative, either)
    return np.asarray(-(columns.weights * terms).sum(axis=0))


def _log_ratio(part: Floats, whole: Floats) -> Floats:
    """Finite logarithm: TINY^2 replaces 0, which matters only if the answer is not 0."""
    share = np.where(whole > 0, _ratio(part, whole), 1)
    return np.log(np.maximum(share, TINY**2))


STEPS: dict[str, Step] = {"scoring": scoring, "minorize": minorize, "zadrozny": zadrozny}
