"""Sets of labels as acts: the answer "ant or bee" if the evidence supports no more.

The utility of a set under a class is an ordered weighted average of the utilities of its members.
The orness says how far imprecise answers are tolerated. With the extended matrix, every criterion
makes partial decisions (Ma & Denoeux 2021, "Partial classification in the belief function
framework", Knowledge-Based Systems 214).
"""

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_sequence, check_count
from dstheory.decide._ordered import owa_weights
from dstheory.decide._utilities import as_matrix

__all__ = ["set_names", "set_utilities"]

# 2^20 rows of ten classes take 80 MiB.
_MAX_SETS = 1 << 20


def _checked_size(n_acts: int, max_size: int | None) -> int:
    largest = n_acts if max_size is None else check_count("max_size", max_size)
    if not 1 <= largest <= n_acts:
        raise ValueError(f"max_size is {max_size}, expected 1 to {n_acts}, the number of acts")
    n_sets = sum(comb(n_acts, size) for size in range(1, largest + 1))
    if n_sets > _MAX_SETS:
        raise ValueError(f"{n_acts} acts have {n_sets} sets, more than 2**20; give a max_size")
    return largest


def set_utilities(
    utilities: Any, orness: Any = 0.8, *, max_size: int | None = None
) -> NDArray[np.float64]:
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
        the more precise answer.

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
    return np.concatenate(blocks)


def set_names(acts: Iterable[Any], *, max_size: int | None = None) -> list[tuple[Any, ...]]:
    """Names of the rows of `set_utilities`: tuples of acts.

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
