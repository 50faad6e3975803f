"""Coupling: probabilities of many classes from the answers of binary problems.

Column b of a code says r_b = P(class on the positive side | class on either side). With more
columns than classes, usually no distribution agrees with all of them. Coupling finds the one whose
own answers are nearest in Kullback-Leibler divergence (Hastie & Tibshirani 1998, "Classification by
pairwise coupling"; Zadrozny 2001 for arbitrary codes).
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from dstheory.checks.arguments import check_atol, check_choice, check_count, check_flag
from evical.multiclass._divergence import STEPS, Columns, Problem, Step, make_columns, votes
from evical.multiclass._inputs import Floats, column_weights, probabilities
from evical.multiclass.codes import check_code_matrix

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
    values, columns = _problem(r, code, weights)
    step = _step(update)
    check_flag("iterative", iterative)
    p = np.empty((len(values), columns.positive.shape[1]))
    for first in range(0, len(p), CHUNK):
        rows = slice(first, first + CHUNK)
        problem = Problem(np.ascontiguousarray(values[rows].T), columns)
        start = votes(problem)
        p[rows] = (_settle(problem, start, step, atol, max_iter) if iterative else start).T
    return p


def _problem(r: ArrayLike, code: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Columns]:
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
    values, columns = _problem(r, code, weights)
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
    answers, columns = _problem(r, code, weights)
    values = probabilities(p, columns.positive.shape[1], name="p")
    positive, negative = values @ columns.positive.T, values @ columns.negative.T
    either = positive + negative
    # Compared as joint masses: no division, and columns without mass contribute 0.
    terms = rel_entr(answers * either, positive) + rel_entr((1 - answers) * either, negative)
    scaled = np.divide(terms, either, out=np.zeros_like(terms), where=either > 0)
    return np.asarray(scaled @ columns.weights[:, 0])
