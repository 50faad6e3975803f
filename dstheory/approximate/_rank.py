"""Focal sets up to a given size: larger sets share out their mass or give it to the frame.

Sharing the mass of a large set among its subsets of the allowed size keeps the pignistic
probability. Size 1 gives the pignistic probability itself.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np

from dstheory._masses import check_mass
from dstheory.approximate._rows import unflatten
from dstheory.checks.arguments import check_choice, check_count
from dstheory.errors import DSTheoryError
from dstheory.kernels import bits
from dstheory.mass import MassFunction

# 2^24 masks are 128 MiB a row.
_MAX_SETS = 1 << 24


def rank_level(
    m: MassFunction, rank: int, *, kind: Literal["inner", "outer"] = "inner"
) -> MassFunction:
    """Keep focal sets of at most `rank` labels: a `rank`-additive belief function.

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
    if sum(counts) > _MAX_SETS:
        raise DSTheoryError(
            f"sharing makes {sum(counts):.3g} sets of {level} labels, more than 2^24; "
            "use a lower rank, or kind='outer'"
        )
    divisors = np.array(counts, dtype=store.dtype)[:, np.newaxis]
    shares = np.repeat(store[large] / divisors, counts, axis=0)
    parts = [part for mask in m.focal[large] for part in _subsets(int(mask), level)]
    sets = np.concatenate([m.focal[~large], bits.mask_array(parts, len(m.frame))])
    return unflatten(m, sets, np.concatenate([store[~large], shares]))


def _subsets(mask: int, size: int) -> Iterator[int]:
    """Subsets of `size` elements."""
    singles: list[Any] = [1 << i for i in range(mask.bit_length()) if mask >> i & 1]
    return (sum(chosen) for chosen in combinations(singles, size))
