"""Inner and outer approximation by clustering focal sets.

Each step merges two sets into their union (outer: less committed) or their intersection (inner:
more committed). It picks the pair that changes the expected size of the focal set least (Denoeux
2001).
"""

from collections.abc import Callable
from functools import partial
from operator import and_, or_
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.approximate._rows import DIGITS, by_row
from dstheory.checks.arguments import check_choice, check_count
from dstheory.kernels import bits
from dstheory.mass import MassFunction

Sets = dict[int, Any]


def cluster(
    m: MassFunction, n_sets: int, *, kind: Literal["inner", "outer"] = "outer"
) -> MassFunction:
    """Few focal sets, by merging the most similar ones pair by pair.

    Uniting A and B costs (m(A) + m(B)) |A or B| - m(A) |A| - m(B) |B|, and intersecting them
    m(A) |A| + m(B) |B| - (m(A) + m(B)) |A and B|; the cheapest pair is merged until `n_sets` focal
    sets are left.

    Parameters
    ----------
    m : MassFunction
        One or a batch; each row is clustered by itself.
    n_sets : int
        Largest number of focal sets of a row afterwards.
    kind : {"inner", "outer"}
        Outer unites sets: less committed. Inner intersects them: more committed.

    Returns
    -------
    MassFunction
        Outer: a generalization of `m`, whose implicabilities are not higher, plausibilities and
        commonalities not lower. Beliefs are not higher, either, if `m` is normalized; otherwise the
        empty set may be united with others, to which its mass goes. Inner: a specialization, whose
        plausibilities and commonalities are not higher. Disjoint sets intersect in the empty set,
        so the result may be subnormal. Ties in cost go to the pair with the lower masks.

    Raises
    ------
    TypeError
        If `m` is not a mass function, or `n_sets` not an int.
    ValueError
        If `n_sets` is below 1, or `kind` is unknown.

    Notes
    -----
    Time and memory of a row grow with the square of its number of focal sets.

    References
    ----------
    Denoeux (2001), Inner and outer approximation of belief structures using a hierarchical
    clustering approach, International Journal of Uncertainty, Fuzziness and Knowledge-Based
    Systems 9, 437-460.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction(frame, [1, 3, 4], [0.25, 0.25, 0.5])
    >>> cluster(m, 2).to_dict()
    {('ant', 'bee'): 0.5, ('cat',): 0.5}
    >>> cluster(m, 2, kind="inner").to_dict()
    {('ant',): 0.5, ('cat',): 0.5}
    """
    count = check_count("n_sets", n_sets, 1)
    check_choice("kind", kind, ("inner", "outer"))
    size = len(check_mass(m).frame)
    merge = or_ if kind == "outer" else and_
    return by_row(m, partial(_cluster_row, n_sets=count, merge=merge, size=size))


def _cluster_row(row: Sets, n_sets: int, merge: Callable[[Any, Any], Any], size: int) -> Sets:
    """Merge the sets of one row; a place whose mass is None has been merged away."""
    sets = bits.mask_array(row, size)
    masses = np.array(list(row.values()))
    costs = np.full((len(sets), len(sets)), np.inf, dtype=np.result_type(masses, np.float64))
    for i in range(len(sets) - 1):
        costs[i, i + 1 :] = _costs(sets, masses, i, slice(i + 1, None), merge)
    alive, rows = np.ones(len(sets), dtype=bool), np.arange(len(sets))
    nearest = costs.argmin(axis=1)  # of each row, so that a step need not search all pairs
    while alive.sum() > n_sets:
        i = int(costs[rows, nearest].argmin())
        j = int(nearest[i])
        union = merge(sets[i], sets[j])
        sets[i], masses[i] = union, masses[i] + masses[j]
        _remove(j, alive, costs)
        # If the merged set already exists, it takes the mass, at the lower of the two places.
        for same in np.flatnonzero(alive & np.asarray(sets == union, dtype=bool)).tolist():
            if same != i:
                i, j = min(i, same), max(i, same)
                masses[i] = masses[i] + masses[j]
                _remove(j, alive, costs)
        others = np.flatnonzero(alive)
        before, after = others[others < i], others[others > i]
        stale = (nearest == i) | ~alive[nearest] | (rows == i)
        costs[before, i] = _costs(sets, masses, i, before, merge)
        costs[i, after] = _costs(sets, masses, i, after, merge)
        stale |= np.asarray(costs[:, i] <= costs[rows, nearest], dtype=bool)
        stale &= alive
        nearest[stale] = costs[stale].argmin(axis=1)
    return {int(sets[i]): masses[i] for i in np.flatnonzero(alive)}


def _costs(
    sets: NDArray[Any],
    masses: NDArray[Any],
    i: int,
    others: slice | NDArray[np.intp],
    merge: Callable[[Any, Any], Any],
) -> NDArray[Any]:
    """Change of the expected size by merging set `i` with each of `others`."""
    sizes = bits.cardinality(sets[others])
    merged = bits.cardinality(merge(sets[others], sets[i]))
    own = int(sets[i]).bit_count()
    costs = abs(masses[others] * (merged - sizes)) + abs(masses[i] * (merged - own))
    return np.asarray(costs if masses.dtype == object else costs.round(DIGITS))


def _remove(place: int, alive: NDArray[np.bool_], costs: NDArray[Any]) -> None:
    alive[place] = False
    costs[place, :] = costs[:, place] = np.inf
