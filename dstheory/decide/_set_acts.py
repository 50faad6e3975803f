"""Sets of labels as acts: the answer "ant or bee" if the evidence supports no more.

The utility of a set under a class is an ordered weighted average of the utilities of its members.
The orness says how far imprecise answers are tolerated. With the extended matrix, every criterion
makes partial decisions (Ma & Denoeux 2021, "Partial classification in the belief function
framework", Knowledge-Based Systems 214).

Ordered weighted averages: from the worst through the mean to the best, by degree of optimism.

Within a focal set, the utilities are sorted and averaged with fixed weights. The weights are the
most even ones (of maximal entropy) with a given orness; they form a geometric series (Yager 1988,
"On ordered weighted averaging aggregation operators"; O'Hagan 1988; Yager 1992, "Decision making
under Dempster-Shafer uncertainties").
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb, log
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers, Scalar, Table, Utilities
from dstheory.checks.arguments import as_sequence, check_count, check_degree
from dstheory.decide._acts import Acts, first_best
from dstheory.decide._criteria import default_acts
from dstheory.decide._expectations import mean_over_sets
from dstheory.decide._utilities import as_matrix, named_like, prepared
from dstheory.kernels import bits
from dstheory.mass import MassFunction

_MOST_WEIGHTS = 10**7  # 80 MB


def owa_weights(size: int, orness: Scalar) -> NDArray[np.float64]:
    """Weights of maximal entropy for sorted values, the largest value first.

    Parameters
    ----------
    size : int, at least 1
        Number of values to average.
    orness : float, from 0 to 1
        Degree of optimism: 0 takes the smallest value, 1/2 the mean, 1 the largest.

    Returns
    -------
    (size,) array
        Non-negative, sum 1, with sum over i of (size - i) / (size - 1) w_i = `orness`.

    Raises
    ------
    ValueError
        If `size` is below 1 or `orness` outside [0, 1].

    Notes
    -----
    The weights are a geometric series (Filev & Yager 1995, "Analytic properties of maximum entropy
    OWA operators"). Its ratio is the only root of the orness equation.

    Examples
    --------
    >>> owa_weights(2, 0.8).round(12)
    array([0.8, 0.2])
    >>> owa_weights(4, 0.5), owa_weights(3, 0)
    (array([0.25, 0.25, 0.25, 0.25]), array([0., 0., 1.]))
    """
    check_degree("orness", orness)
    check_count("size", size, 1, _MOST_WEIGHTS)
    if orness > 0.5:
        return owa_weights(size, 1 - orness)[::-1].copy()
    steps = np.arange(size - 1, -1, -1)
    if orness == 0:
        return np.asarray(steps == 0, dtype=np.float64)
    weights = np.exp(_log_ratio(size, float(orness)) * steps)
    return np.asarray(weights / weights.sum())


def _log_ratio(size: int, orness: Scalar) -> float:
    """Logarithm of the ratio of the weights, for 0 < orness <= 1/2."""
    from scipy.optimize import brentq

    if orness == 0.5 or size == 1:
        return 0.0
    mean = orness * (size - 1)  # of the step under the weights

    def excess(log_ratio: float) -> float:
        weights = np.exp(log_ratio * np.arange(size))
        return float(weights @ np.arange(size) / weights.sum() - mean)

    # An infinite geometric series of ratio y has mean y / (1 - y); a truncated one has a smaller
    # mean. Margins of 1 and 0.1 keep the root inside despite rounding.
    low = log(mean / (1 + mean)) - 1
    return float(brentq(excess, low, 0.1, xtol=1e-15))


def owa_expected_utility(
    m: MassFunction, utilities: Utilities = None, orness: Scalar = 0.5
) -> NDArray[Any]:
    """Expected utility of each act with an ordered weighted average in each focal set.

    Parameters
    ----------
    m : MassFunction
        With m(empty) > 0 it is normalized first, by the sum of the non-empty masses.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: the identity.
    orness : float, from 0 to 1
        Degree of optimism: 0 is the lower, 1/2 the pignistic, 1 the upper expectation.

    Returns
    -------
    (*batch, A) array
        Floats, because the weights are computed numerically.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `orness` is outside [0, 1], or `utilities` is not (A, K) or not finite.

    Notes
    -----
    Yager 1992, "Decision making under Dempster-Shafer uncertainties"; the weights are those
    of `owa_weights` for the size of each focal set.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {("ant", "bee"): 1})
    >>> owa_expected_utility(m, [[1, 0], [0.5, 0.5]], orness=0.8).round(12)
    array([0.8, 0.5])
    """
    normal, matrix = prepared(m, utilities)
    values = mean_over_sets(normal, _owa_table(matrix, normal.focal, orness))
    return values.astype(np.float64)


def _owa_table(utilities: NDArray[Any], focal: NDArray[Any], orness: Scalar) -> NDArray[Any]:
    inside = bits.members(focal, utilities.shape[1]).T
    sizes = bits.cardinality(focal)
    weights = {size: owa_weights(size, orness) for size in set(sizes.tolist())}
    columns = [
        np.sort(utilities[:, row], axis=1)[:, ::-1] @ weights[size]
        for row, size in zip(inside, sizes.tolist(), strict=True)
    ]
    return np.stack(columns, axis=1)


def owa(
    m: MassFunction, utilities: Utilities = None, orness: Scalar = 0.5, *, acts: Acts = None
) -> Any:
    """The act with the largest ordered weighted expected utility.

    Parameters
    ----------
    m : MassFunction
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    orness : float, from 0 to 1
        Degree of optimism: 0 is `maximin`, 1/2 maximizes the pignistic expectation,
        1 is `maximax`.
    acts : sequence of A names, optional
        Names of the acts. Default: those of the rows of a pandas frame, unless they are numbers.

    Returns
    -------
    act for one mass function, array of acts of the batch shape for a batch
        A label without `utilities`, else a name where acts have names, else a row index.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `orness` is outside [0, 1], `utilities` is not (A, K) or not finite, or `acts`
        has another length.

    Notes
    -----
    Yager 1992, "Decision making under Dempster-Shafer uncertainties". Ties go to the first act.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {("ant", "bee"): 1})
    >>> [owa(m, [[0.6, 0.6], [0, 1]], orness) for orness in (0.5, 0.8)]
    [0, 1]
    """
    return first_best(owa_expected_utility(m, utilities, orness), default_acts(m, utilities, acts))


# 2^20 rows of ten classes take 80 MiB.
_MAX_SETS = 1 << 20


def _checked_size(n_acts: int, max_size: int | None) -> int:
    largest = n_acts if max_size is None else check_count("max_size", max_size, 1, n_acts)
    n_sets = sum(comb(n_acts, size) for size in range(1, largest + 1))
    if n_sets > _MAX_SETS:
        raise ValueError(f"{n_acts} acts have {n_sets} sets, more than 2**20; give a max_size")
    return largest


@overload
def set_utilities(
    utilities: Table, orness: Scalar = 0.8, *, max_size: int | None = None
) -> Table: ...
@overload
def set_utilities(
    utilities: Numbers, orness: Scalar = 0.8, *, max_size: int | None = None
) -> NDArray[np.float64]: ...
def set_utilities(
    utilities: Numbers | Table, orness: Scalar = 0.8, *, max_size: int | None = None
) -> Any:
    """Utilities of all non-empty sets of acts.

    Parameters
    ----------
    utilities : (A, K) array
        Utility of each act (row) under each class (column); ``np.eye(K)`` for labels.
    orness : float, from 0 to 1
        Tolerance to imprecision. At 1/2 a set is worth the mean of its members, at 1 its best
        member; lower degrees penalize imprecision more.
    max_size : int, optional
        Maximum number of acts in a set. Default: no limit.

    Returns
    -------
    (S, K) array
        Rows are in the order of `set_names`, by size, so single acts come first and ties go to
        the more precise answer. A pandas frame stays one, with its columns.

    Raises
    ------
    ValueError
        If `utilities` is not a matrix or not finite, `orness` is outside [0, 1], `max_size` is not
        a possible size, or there are more than 2^20 sets.

    Notes
    -----
    Ma & Denoeux 2021, with the weights of `owa_weights`. On labels, orness 0.5 is the
    discounted accuracy 1/|A|, and 0.65 and 0.8 are u65 and u80 for sets of two (Zaffalon,
    Corani & Maua 2012, "Evaluating credal classifiers by utility-discounted accuracy").

    Examples
    --------
    >>> set_utilities(np.eye(2), 0.8).round(12)
    array([[1. , 0. ],
           [0. , 1. ],
           [0.8, 0.8]])
    """
    matrix = as_matrix(utilities, "utilities").astype(np.float64)
    blocks = []
    for size in range(1, _checked_size(len(matrix), max_size) + 1):
        sets = np.array(list(combinations(range(len(matrix)), size)))
        falling = -np.sort(-matrix[sets], axis=1)
        blocks.append(np.tensordot(owa_weights(size, orness), falling, axes=(0, 1)))
    return named_like(utilities, np.concatenate(blocks))


def set_names(acts: Iterable[Any], *, max_size: int | None = None) -> list[tuple[Any, ...]]:
    """Tuples of acts that name the rows of `set_utilities`.

    Parameters
    ----------
    acts : sequence of A names
        The frame itself, where the acts are its labels.
    max_size : int, optional
        Largest number of acts in a set. Default: all.

    Returns
    -------
    list of tuples

    Raises
    ------
    ValueError
        If `max_size` is not a possible size, or there are more than 2^20 sets.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> from dstheory.decide import maximize_expected_utility
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> set_names(frame, max_size=2)
    [('ant',), ('bee',), ('cat',), ('ant', 'bee'), ('ant', 'cat'), ('bee', 'cat')]
    >>> m = MassFunction.from_dict(frame, {"ant": 0.3, ("ant", "bee"): 0.6, frame: 0.1})
    >>> maximize_expected_utility(m, set_utilities(np.eye(3)), acts=set_names(frame))
    ('ant', 'bee')
    """
    names = tuple(as_sequence(acts, "acts", "the names of the acts"))
    sizes = range(1, _checked_size(len(names), max_size) + 1)
    return [chosen for size in sizes for chosen in combinations(names, size)]
