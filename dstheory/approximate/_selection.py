"""Keep some of the focal sets: the heaviest, or those up to a given size.

k-l-x drops all but the heaviest sets, summarization unites the others (Tessem 1993; Lowrance,
Garvey & Strat 1986). Beyond a size, sets share out their mass or give it to the frame. Sharing it
among the subsets of the allowed size keeps the pignistic probability; size 1 gives that
probability itself.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np

from dstheory._masses import check_mass
from dstheory._typing import Scalar
from dstheory.approximate._rows import mass_ranks, unflatten
from dstheory.checks.arguments import check_choice, check_count, check_degree
from dstheory.kernels import bits
from dstheory.kernels.limits import check_cost
from dstheory.kernels.rounding import ROUNDING
from dstheory.mass import MassFunction


def k_l_x(m: MassFunction, n_min: int, n_max: int, loss: Scalar = 0) -> MassFunction:
    """Keep the heaviest focal sets and rescale their masses to sum to 1 (k-l-x).

    Sets are taken by decreasing mass until at least `n_min` are kept, and either `n_max` are kept
    or at most `loss` is lost.

    Parameters
    ----------
    m : MassFunction
        One or a batch; each row keeps its own sets.
    n_min : int
        Minimum number of focal sets to keep (k).
    n_max : int
        Maximum number of focal sets to keep (l), at least `n_min`.
    loss : number
        Mass that may be lost (x), between 0 and 1.

    Returns
    -------
    MassFunction
        Neither an inner nor an outer approximation. Ties in mass go to the set with the lower mask.
        The empty set is treated like any other.

    Raises
    ------
    TypeError
        If `m` is not a mass function, or a count is not an int.
    ValueError
        If `n_min` is below 1, `n_max` is below `n_min`, or `loss` is not in [0, 1].

    See Also
    --------
    dstheory.measure.distance : how far the result is from `m`.

    References
    ----------
    Tessem (1993), Approximations for efficient computation in the theory of evidence,
    Artificial Intelligence 61, 315-329.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2, 3], [0.6, 0.1, 0.3])
    >>> k_l_x(m, 1, 2, loss=0.25).masses.round(6)
    array([0.666667, 0.333333])
    >>> k_l_x(m, 1, 2, loss=0.5).to_dict()
    {('ant',): 1.0}
    """
    least = check_count("n_min", n_min, 1)
    most = check_count("n_max", n_max, least, bound="n_min")
    check_degree("loss", loss)
    store = check_mass(m).store.reshape(len(m.focal), -1)
    falling = np.take_along_axis(store, np.argsort(-store, axis=0, kind="stable"), axis=0)
    is_exact = store.dtype == object and not isinstance(loss, float)
    enough = 1 - loss - (0 if is_exact else ROUNDING)
    lacking = np.asarray(np.cumsum(falling, axis=0) < enough, dtype=bool)
    n_kept = np.clip(lacking.sum(axis=0) + 1, least, most)
    kept = np.where(mass_ranks(store) < n_kept, store, 0 * store)
    return unflatten(m, m.focal, np.asarray(kept / kept.sum(axis=0)))


def summarize(m: MassFunction, n_sets: int) -> MassFunction:
    """Keep the heaviest focal sets and unite all others into one (summarization).

    Parameters
    ----------
    m : MassFunction
        One or a batch; each row keeps its own sets.
    n_sets : int
        Maximum number of focal sets per row of the result: the heaviest ``n_sets - 1`` are kept.

    Returns
    -------
    MassFunction
        An outer approximation: its implicabilities are not higher, its plausibilities not lower.
        Beliefs are not higher, either, if `m` is normalized; otherwise the empty set may be united
        with others, to which its mass goes. Ties in mass go to the set with the lower mask.

    Raises
    ------
    TypeError
        If `m` is not a mass function, or `n_sets` not an int.
    ValueError
        If `n_sets` is below 1.

    See Also
    --------
    cluster : unites sets in several groups and loses less.

    References
    ----------
    Lowrance, Garvey & Strat (1986), A framework for evidential-reasoning systems, AAAI 5.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee", "cat"]), [1, 2, 4], [0.5, 0.25, 0.25])
    >>> summarize(m, 2).to_dict()
    {('ant',): 0.5, ('bee', 'cat'): 0.5}
    """
    count = check_count("n_sets", n_sets, 1)
    store = check_mass(m).store.reshape(len(m.focal), -1)
    kept = mass_ranks(store) < count - 1
    rest = np.where(kept, 0 * store, store)
    members = np.asarray(rest != 0, dtype=bool)
    unions = np.bitwise_or.reduce(np.where(members, m.focal[:, np.newaxis], 0), axis=0)
    sets, row_set = np.unique(bits.mask_array(unions, len(m.frame)), return_inverse=True)
    joined = np.zeros((len(sets), store.shape[1]), dtype=store.dtype)
    joined[row_set.reshape(-1), np.arange(store.shape[1])] = rest.sum(axis=0)
    both = np.concatenate([np.where(kept, store, 0 * store), joined])
    return unflatten(m, np.concatenate([m.focal, sets]), both)


# 2^24 masks are 128 MiB a row.
_MAX_SETS = 1 << 24


def rank_level(
    m: MassFunction, rank: int, *, kind: Literal["inner", "outer"] = "inner"
) -> MassFunction:
    """Keep focal sets of at most `rank` labels, for a `rank`-additive belief function.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    rank : int
        Largest number of labels of a focal set.
    kind : {"inner", "outer"}
        Inner shares the mass of a larger set equally among its subsets of `rank` labels: more
        committed, with the same pignistic probability. Outer gives it to the frame: less committed;
        the frame is then the only larger set.

    Returns
    -------
    MassFunction

    Raises
    ------
    DSTheoryError
        If sharing would make more than 2^24 sets.
    TypeError
        If `m` is not a mass function, or `rank` is not an int.
    ValueError
        If `rank` is below 1, or `kind` is unknown.

    References
    ----------
    Grabisch (1997), k-order additive discrete fuzzy measures and their representation, Fuzzy
    Sets and Systems 92; Burger & Cuzzolin (2010), The barycenters of the k-additive
    dominating belief functions and the pignistic k-additive belief functions, Workshop on
    the Theory of Belief Functions (the inner kind).

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.25, frame: 0.75})
    >>> rank_level(m, 2).to_dict()
    {('ant',): 0.25, ('ant', 'bee'): 0.25, ('ant', 'cat'): 0.25, ('bee', 'cat'): 0.25}
    >>> rank_level(m, 1).contour()
    array([0.5 , 0.25, 0.25])
    """
    level = check_count("rank", rank, 1)
    check_choice("kind", kind, ("inner", "outer"))
    large = bits.cardinality(check_mass(m).focal) > level
    store = m.store.reshape(len(m.focal), -1)
    if kind == "outer":
        sets = m.focal.copy()
        sets[large] = m.frame.full
        return unflatten(m, sets, store)
    counts = [comb(int(mask).bit_count(), level) for mask in m.focal[large]]
    advice = "use a lower rank, or kind='outer'"
    check_cost(sum(counts), _MAX_SETS, "sharing", f"sets of {level} labels", advice)
    divisors = np.array(counts, dtype=store.dtype)[:, np.newaxis]
    shares = np.repeat(store[large] / divisors, counts, axis=0)
    parts = [part for mask in m.focal[large] for part in _subsets(int(mask), level)]
    sets = np.concatenate([m.focal[~large], bits.mask_array(parts, len(m.frame))])
    return unflatten(m, sets, np.concatenate([store[~large], shares]))


def _subsets(mask: int, size: int) -> Iterator[int]:
    """Subsets of `size` elements."""
    singles: list[Any] = [1 << i for i in range(mask.bit_length()) if mask >> i & 1]
    return (sum(chosen) for chosen in combinations(singles, size))
