"""Coupling by least squares: a convex quadratic program on the simplex for each sample.

A column with answer r_b demands P(I) = r_b P(I or J), a linear equation. The distribution that
minimizes the sum of squared violations solves a small quadratic program; block pivoting solves a
batch of them at a time. For all pairs, no probability can become negative, so one linear system
suffices (Kong & Dietterich 1997 as in Zadrozny & Elkan 2002, sec. 4; Wu, Lin & Weng 2004,
"Probability estimates for multi-class classification by pairwise coupling").
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.kernels.batches import blocks
from evical._typing import Floats
from evical.multiclass._inputs import probabilities
from evical.multiclass.codes import code_matrix
from evical.multiclass.coupling import Columns, answers_of, diagonal_of, make_columns, solve_many

# Samples per chunk, whose tables stay in the cache of a core.
CHUNK = 1024

# Ridge, relative to the trace. Among equally good distributions it prefers the most even one. If
# the columns determine the probabilities, it moves them by about this much.
RIDGE = 1e-14

# Number of block exchanges that may fail to reduce the violations. After that, pivots are exchanged
# one at a time, which surely terminates (Judice & Pires 1994).
PATIENCE = 3

# Four or five exchanges are usual. Rounding could make them cycle; the result is then clipped to
# the simplex.
MAX_PIVOTS = 1000


def least_squares(r: ArrayLike, code: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Class probabilities that minimize the sum of squared violations of the columns.

    Parameters
    ----------
    r : (n, B) array
        Probability of each column's positive side, given that the class is on either side.
    code : (K, B) array of 1, -1 and 0
    weights : (B,) array, optional
        Weights of the squares; equal by default.

    Returns
    -------
    (n, K) array
        The minimum over the simplex of the sum of w_b (r_b P(I or J) - P(I))^2, where I and J are
        the sides of column b. If it is not unique, the most even one.

    Raises
    ------
    ValueError
        If `r`, `code` or `weights` is not valid.

    Notes
    -----
    The sum is p'Qp. Its minimizer on the simplex is proportional to the x >= 0 with Qx - 1 >= 0 and
    x'(Qx - 1) = 0, a linear complementarity problem.

    References
    ----------
    .. [1] B. Zadrozny & C. Elkan (2002), "Transforming classifier scores into accurate
       multiclass probability estimates", sec. 4.

    Examples
    --------
    >>> one_vs_rest = [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    >>> least_squares([[0.5, 0.25, 0.25], [0.9, 0.5, 0.0]], one_vs_rest).round(9)
    array([[0.5 , 0.25, 0.25],
           [0.7 , 0.3 , 0.  ]])
    """
    return _in_chunks(_pivot, *answers_of(r, code, weights))


def wu_lin_weng(r: ArrayLike) -> Floats:
    """Class probabilities from all pairs, by the second method of Wu, Lin and Weng.

    Parameters
    ----------
    r : (n, K (K - 1) / 2) array
        Probability of the first class of each pair, given that it is one of the two; pairs
        in the order (0, 1), (0, 2), ..., (1, 2), ...

    Returns
    -------
    (n, K) array
        The minimum of the sum over pairs of (r_ji p_i - r_ij p_j)^2.

    Raises
    ------
    ValueError
        If the number of columns is not K (K - 1) / 2, or a value is not a probability.

    Notes
    -----
    The minimum is that of `least_squares` with the code of all pairs and equal weights. The signs
    of the system make its solution non-negative, so no constraint is needed. libsvm and
    scikit-learn's SVC solve the same problem to an accuracy of 0.005 / K.

    References
    ----------
    .. [1] T.-F. Wu, C.-J. Lin & R. C. Weng (2004), "Probability estimates for multi-class
       classification by pairwise coupling", J. Mach. Learn. Res. 5, eq. 18-21.

    Examples
    --------
    With p = (1/2, 1/4, 1/4) the pairs answer 2/3, 2/3 and 1/2:

    >>> wu_lin_weng([[2 / 3, 2 / 3, 1 / 2]]).round(9)
    array([[0.5 , 0.25, 0.25]])
    """
    values = probabilities(r)
    n_classes = (1 + isqrt(1 + 8 * values.shape[1])) // 2
    if n_classes < 2 or n_classes * (n_classes - 1) // 2 != values.shape[1]:
        raise ValueError(
            f"r has {values.shape[1]} columns, which is not K (K - 1) / 2 for any number of classes"
        )
    code = code_matrix("all_pairs", n_classes)
    return _in_chunks(_direction, values, make_columns(code, np.ones(code.shape[1])))


def _in_chunks(minimum: Callable[[Floats], Floats], r: Floats, columns: Columns) -> Floats:
    p = np.empty((len(r), columns.positive.shape[1]))
    for rows in blocks(len(p), CHUNK):
        p[rows] = minimum(_quadratic(np.ascontiguousarray(r[rows].T), columns)).T
    return p


def _quadratic(r: Floats, columns: Columns) -> Floats:
    """(K, K, n) matrices Q with p'Qp = sum of w (r P(J) - (1 - r) P(I))^2, and the ridge."""
    size = columns.positive.shape[1]
    weights = columns.weights
    squares = np.concatenate([weights * (1 - r) ** 2, weights * r**2, weights * r * (1 - r)])
    quadratic = np.asarray(columns.products @ squares).reshape(size, size, -1)
    diagonal = diagonal_of(quadratic)
    diagonal += RIDGE * diagonal.sum(axis=0)
    return quadratic


def _direction(quadratic: Floats) -> Floats:
    """Solution of Qx = 1, scaled to sum 1."""
    x = np.maximum(solve_many(quadratic, np.ones(quadratic.shape[1:])), 0)  # rounding
    return np.asarray(x / x.sum(axis=0))


def _pivot(quadratic: Floats) -> Floats:
    """Linear complementarity Qx - 1 >= 0, x >= 0 by block principal pivoting.

    A class is inside or outside the solution. Classes inside with x < 0 and classes outside with
    (Qx - 1) < 0 are exchanged: all of them or, if that does not help, only the last one.
    """
    size, samples = quadratic.shape[1:]
    inside = np.ones((size, samples), dtype=bool)
    p = np.zeros((size, samples))
    fewest = np.full(samples, size + 1)
    patience = np.full(samples, PATIENCE)
    left = np.arange(samples)
    for _ in range(MAX_PIVOTS):
        if not len(left):
            return p
        x = _restricted(quadratic[:, :, left], inside[:, left])
        wrong = _violations(quadratic[:, :, left], x, inside[:, left])
        count = wrong.sum(axis=0)
        better = count < fewest[left]
        fewest[left] = np.minimum(count, fewest[left])
        patience[left] = np.where(better, PATIENCE, patience[left] - 1)
        single = patience[left] < 0
        last = size - 1 - np.argmax(wrong[::-1], axis=0)
        wrong[:, single] &= np.arange(size)[:, np.newaxis] == last[single]
        done = count == 0
        solved = np.maximum(x[:, done], 0)
        p[:, left[done]] = solved / solved.sum(axis=0)
        inside[:, left] ^= wrong
        left = left[~done]
    x = np.maximum(_restricted(quadratic[:, :, left], inside[:, left]), 0)
    p[:, left] = x / x.sum(axis=0)
    return p


def _restricted(quadratic: Floats, inside: NDArray[np.bool_]) -> Floats:
    """x with (Qx)_k = 1 for the classes inside, and 0 for the others."""
    if inside.all():
        return solve_many(quadratic, np.ones(inside.shape))
    masked = quadratic * inside * inside[:, np.newaxis]
    diagonal = diagonal_of(masked)
    diagonal += ~inside
    return solve_many(masked, inside.astype(np.float64))


def _violations(quadratic: Floats, x: Floats, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Violations beyond rounding, which would exchange a class with multiplier 0 forever."""
    multipliers = np.einsum("kln,ln->kn", quadratic, x) - 1
    largest = np.abs(x).max(axis=0)
    # Rounding of the sum of products grows with their size.
    rounding = 1e-12 + 1e-15 * len(x) * np.abs(quadratic).max(axis=(0, 1)) * largest
    return np.asarray(np.where(inside, x < -1e-14 * largest, multipliers < -rounding))
