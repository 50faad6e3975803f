"""Coupling: probabilities of many classes from the answers of binary problems.

Column b of a code says r_b = P(class on the positive side | class on either side). With more
columns than classes, usually no distribution agrees with all of them. Coupling finds the one whose
own answers are nearest in Kullback-Leibler divergence (Hastie & Tibshirani 1998, "Classification by
pairwise coupling"; Zadrozny 2001 for arbitrary codes).

There are three ways to improve class probabilities p: Zadrozny's ratio of observed to expected
sums, which descends for all pairs only; the minorization of Huang, Weng & Lin (2006), which
descends for every code but is slow; and Newton's step on log p, with two safer steps if it fails to
descend. The last two solve many small symmetric positive definite systems at a time. In all
tables, samples come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import rel_entr

from dstheory.checks.arguments import check_atol, check_choice, check_count, check_flag
from dstheory.kernels.batches import blocks
from evical._typing import Floats
from evical.multiclass._inputs import column_weights, probabilities
from evical.multiclass.codes import check_code_matrix


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

    def rows(self, keep: NDArray[np.bool_]) -> Problem:
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
    diagonal = diagonal_of(curvature)
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


def diagonal_of(matrices: Floats) -> Floats:
    """A view."""
    size = len(matrices)
    return matrices.reshape(size * size, -1)[:: size + 1]


def _direction(information: Floats, slope: Floats, p: Floats) -> Floats:
    """Solution with log p of the likeliest class fixed; overwrites the matrix."""
    diagonal = diagonal_of(information)
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


Update: TypeAlias = Literal["scoring", "minorize", "zadrozny"]

# Samples per chunk, whose tables stay in the cache of a core.
CHUNK = 1024


def normalize(r: ArrayLike) -> Floats:
    """Class probabilities from one-vs-rest columns, divided by their sum.

    Parameters
    ----------
    r : (n, K) array
        Probability of each class against all others; a single column is for two classes.

    Returns
    -------
    (n, K) array
        Uniform if all values of a row are 0; (n, 2) for one column.

    Raises
    ------
    ValueError
        If a value is not a probability.

    References
    ----------
    .. [1] B. Zadrozny & C. Elkan (2002), "Transforming classifier scores into accurate
       multiclass probability estimates", sec. 5.2, which recommends it for one-vs-rest.

    Examples
    --------
    >>> normalize([[0.5, 0.5, 1.0]])
    array([[0.25, 0.25, 0.5 ]])
    """
    values = probabilities(r)
    if values.shape[1] == 1:
        return np.hstack([values, 1 - values])
    # Divide by the largest first: a sum of subnormal numbers has no reciprocal.
    largest = values.max(axis=1, keepdims=True)
    shares = np.divide(values, largest, out=np.ones_like(values), where=largest > 0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def hastie_tibshirani(
    r: ArrayLike,
    code: ArrayLike,
    weights: ArrayLike | None = None,
    iterative: bool = True,
    update: Update = "scoring",
    atol: float = 1e-8,
    max_iter: int = 500,
) -> Floats:
    """Class probabilities whose answers to the columns are nearest in Kullback-Leibler divergence.

    Parameters
    ----------
    r : (n, B) array
        Probability of each column's positive side, given that the class is on either side.
    code : (K, B) array of 1, -1 and 0
    weights : (B,) array, optional
        n_b, the sizes of the training samples of the columns; equal by default.
    iterative : bool
        If False, return the sums of the answers that favor each class, divided by their total. For
        all pairs with equal weights they rank classes like the iterative probabilities, but are
        nearly uniform. Weights are ignored.
    update : {"scoring", "minorize", "zadrozny"}
        The iteration: a safeguarded Newton step; a closed-form step that never increases the
        divergence; or the step of [1]_, which can increase it unless the code is all pairs. For all
        pairs, the last two are the algorithm of Hastie and Tibshirani.
    atol : float
        The iteration of a sample ends when no probability moves by more.
    max_iter : int
        Maximum number of iterations.

    Returns
    -------
    (n, K) array

    Raises
    ------
    ValueError
        If `r`, `code` or `weights` is not valid.

    Notes
    -----
    Answers of 0 or 1 are taken literally: a class excluded by all of its columns has probability 0.
    Columns with only such classes are ignored.

    For all pairs, the minimum is unique and the updates agree. For other codes, the divergence need
    not be convex, and at the fixed points of [1]_ the gradient does not vanish: they balance sums
    of n_b (r_b - s_b) over the columns of a class, while the gradient has n_b (r_b - s_b) /
    P(side). On random answers to one-vs-rest columns, the printed update nearly always increases
    the divergence. Consistent answers are a fixed point of all updates.

    References
    ----------
    .. [1] B. Zadrozny (2001), "Reducing multiclass to binary by coupling probability
       estimates", sec. 3.
    .. [2] T.-K. Huang, R. C. Weng & C.-J. Lin (2006), "Generalized Bradley-Terry models and
       multi-class probability estimates".

    Examples
    --------
    For p = (1/2, 1/4, 1/4), the pairs answer 2/3, 2/3 and 1/2:

    >>> code = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    >>> hastie_tibshirani([[2 / 3, 2 / 3, 1 / 2]], code).round(4)
    array([[0.5 , 0.25, 0.25]])
    >>> (18 * hastie_tibshirani([[2 / 3, 2 / 3, 1 / 2]], code, iterative=False)).round(9)
    array([[8., 5., 5.]])
    """
    check_atol(atol)
    check_count("max_iter", max_iter)
    values, columns = answers_of(r, code, weights)
    step = _step(update)
    check_flag("iterative", iterative)
    p = np.empty((len(values), columns.positive.shape[1]))
    for rows in blocks(len(p), CHUNK):
        problem = Problem(np.ascontiguousarray(values[rows].T), columns)
        start = votes(problem)
        p[rows] = (_settle(problem, start, step, atol, max_iter) if iterative else start).T
    return p


def answers_of(r: ArrayLike, code: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Columns]:
    matrix = check_code_matrix(code)
    values = probabilities(r, matrix.shape[1])
    return values, make_columns(matrix, column_weights(weights, matrix.shape[1]))


def _step(update: str) -> Step:
    check_choice("update", update, STEPS)
    return STEPS[update]


def _settle(problem: Problem, p: Floats, step: Step, atol: float, max_iter: int) -> Floats:
    """Iterate; converged samples drop out."""
    moving = np.arange(p.shape[1])
    for _ in range(max_iter):
        before = p[:, moving]
        moved = step(problem, before)
        p[:, moving] = moved
        going = np.abs(moved - before).max(axis=0) > atol
        if not going.any():
            break
        moving, problem = moving[going], problem.rows(going)
    return p


def hastie_tibshirani_steps(
    r: ArrayLike, code: ArrayLike, weights: ArrayLike | None = None, update: Update = "minorize"
) -> Iterator[Floats]:
    """Iterates of the coupling, for pictures of its convergence.

    Parameters
    ----------
    r : (n, B) array
    code : (K, B) array of 1, -1 and 0
    weights : (B,) array, optional
    update : {"scoring", "minorize", "zadrozny"}
        As in `hastie_tibshirani`; for all pairs the default is the algorithm as printed.

    Yields
    ------
    (n, K) array
        The non-iterative estimates first; the sequence is infinite.

    Raises
    ------
    ValueError
        If `r`, `code` or `weights` is not valid.

    Examples
    --------
    >>> code = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    >>> steps = hastie_tibshirani_steps([[2 / 3, 2 / 3, 1 / 2]], code)
    >>> [float(next(steps)[0, 0].round(3)) for _ in range(4)]
    [0.444, 0.479, 0.492, 0.497]
    """
    values, columns = answers_of(r, code, weights)
    return _iterates(Problem(np.ascontiguousarray(values.T), columns), _step(update))


def _iterates(problem: Problem, step: Step) -> Iterator[Floats]:
    p = votes(problem)
    while True:
        yield p.T.copy()
        p = step(problem, p)


def coupling_divergence(
    p: ArrayLike, r: ArrayLike, code: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """Kullback-Leibler divergence between the answers of columns and those of class probabilities.

    Parameters
    ----------
    p : (n, K) array
        Class probabilities.
    r : (n, B) array
        Answers of the columns.
    code : (K, B) array of 1, -1 and 0
    weights : (B,) array, optional
        They are rescaled to a mean of 1.

    Returns
    -------
    (n,) array
        Sum over columns of n_b (r_b log(r_b / s_b) + (1 - r_b) log((1 - r_b) / (1 - s_b)))
        with s_b = P(positive side) / P(either side); 0 from a column whose classes all have
        probability 0.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> code = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    >>> coupling_divergence([[0.5, 0.25, 0.25]], [[1, 1, 0.5]], code) / np.log(3 / 2)
    array([2.])
    """
    answers, columns = answers_of(r, code, weights)
    values = probabilities(p, columns.positive.shape[1], name="p")
    positive, negative = values @ columns.positive.T, values @ columns.negative.T
    either = positive + negative
    # Compared as joint masses: no division, and columns without mass contribute 0.
    terms = rel_entr(answers * either, positive) + rel_entr((1 - answers) * either, negative)
    scaled = np.divide(terms, either, out=np.zeros_like(terms), where=either > 0)
    return np.asarray(scaled @ columns.weights[:, 0])
