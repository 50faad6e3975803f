"""E-admissibility: keep the acts that are optimal under some probability (Levi 1980).

A mass function allows every probability that distributes each m(A) over the elements of A. A linear
program decides whether an act is optimal under one of them. Most cases need no program: a
probability that favors the act settles some, and acts that are not even maximal settle others
(Utkin & Augustin 2005, "Powerful algorithms for decision making under partial prior information").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Utilities
from dstheory.decide._credal_set import CredalSet
from dstheory.decide._dominance import margins, maximality
from dstheory.decide._expectations import mean_table
from dstheory.decide._utilities import checked_utilities, prepared
from dstheory.kernels import bits, setwise
from dstheory.kernels.programs import minima
from dstheory.mass import MassFunction

_SOLVED = 1e-9  # of a linear program, of the largest utility


def e_admissibility(
    m: MassFunction | CredalSet, utilities: Utilities = None, *, atol: float | None = None
) -> NDArray[np.bool_]:
    """Which acts maximize expected utility under at least one probability P >= Bel.

    Parameters
    ----------
    m : MassFunction or CredalSet
        m(empty) is ignored.
    utilities : (A, K) array, optional
        Utility of each act (row) under each class (column). Default: acts are labels.
    atol : float, optional
        How far an act may fall short of the best one; by default 1e-9 of the largest utility,
        without its sign, of the acts that are compared. The linear programs run in float64, even
        for exact masses.

    Returns
    -------
    (*batch, A) array of bool
        At least one True in each row.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `utilities` is not (A, K) or not finite, or `atol` is negative.

    Notes
    -----
    Keeps a subset of `maximality`; the two agree for two acts (Troffaes 2007). Without utilities
    class k stays if Pl({k}) is at least Bel(B) / |B| for each set B without k: k gets as much mass
    as possible, and B shares the rest as evenly as possible (max-flow, min-cut). This needs the
    beliefs in all sets, not only in single classes.

    Examples
    --------
    The constant gamble is maximal but optimal under no probability (Troffaes 2007):

    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["H", "T"]), [1, 2, 3], [0.28, 0.3, 0.42])
    >>> e_admissibility(m, [[4, 0], [0, 4], [3, 2], [0.5, 3], [2.35, 2.35], [4.1, -0.3]])
    array([ True,  True,  True, False, False, False])
    """
    if isinstance(m, CredalSet):
        matrix = checked_utilities(m.frame, utilities)
        kept = maximality(m, matrix, atol=atol)
        acts = kept.reshape(-1, len(matrix)).any(axis=0)
        rest = matrix[acts]
        kept[..., acts] &= m.shortfalls(rest) <= margins(rest, atol, _SOLVED).max()
        return kept
    normal, matrix = prepared(m, utilities)
    table = matrix.astype(np.float64)
    margin = margins(table, atol, _SOLVED)
    store = normal.store.astype(np.float64).reshape(len(normal.focal), -1)
    maximal = np.moveaxis(maximality(normal, matrix, atol=atol), -1, 0).reshape(len(table), -1)
    kept = _witnessed(table, normal.focal, store, margin)
    cases = np.argwhere(maximal & ~kept)
    rivals = [table[maximal[:, row]] - table[act] for act, row in cases]
    units = np.array([float(np.abs(each).max()) or 1.0 for each in rivals])

    def program(place: int) -> dict[str, Any]:
        return _program(rivals[place] / units[place], normal.focal, store[:, cases[place, 1]])

    missing = units * minima("e_admissibility", len(cases), program)
    for (act, row), gap in zip(cases, missing, strict=True):
        kept[act, row] = gap <= margin[maximal[:, row]].max()
    return np.moveaxis(kept.reshape(len(table), *normal.batch_shape), 0, -1)


def _witnessed(
    utilities: NDArray[np.float64],
    focal: NDArray[Any],
    store: NDArray[np.float64],
    margin: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Acts (A, rows) that are optimal under a probability that is easy to find.

    These are the pignistic probability and, for each act, the probabilities that give each focal
    set to the element where the act is best, by utility or by advantage over the mean act.
    """
    inside = bits.members(focal, utilities.shape[1])
    tables = [mean_table(utilities, focal)]
    for goal in np.concatenate([utilities, utilities - utilities.mean(axis=0)]):
        favorite = np.where(inside, goal[:, np.newaxis], -np.inf).argmax(axis=0)
        tables.append(utilities[:, favorite])
    kept = np.zeros((len(utilities), store.shape[1]), dtype=bool)
    for table in tables:
        values = setwise.weighted_sum(table, store)
        kept |= values >= values.max(axis=0) - margin[:, np.newaxis]
    return kept


def _program(
    rivals: NDArray[np.float64], focal: NDArray[Any], masses: NDArray[np.float64]
) -> dict[str, Any]:
    """Smallest advantage of the best rival over the allowed probabilities.

    Variables are the shares x[A, w] of m(A) that go to w in A, and the advantage t:
    minimize t with sum x (u_rival(w) - u_act(w)) <= t and sum_w x[A, w] = m(A). Utilities are at
    most 1, as the tolerances of the solver are absolute.
    """
    from scipy.sparse import csr_array

    present = masses > 0
    owner, element = np.nonzero(bits.members(focal[present], rivals.shape[1]).T)
    n_shares, n_sets = len(owner), int(present.sum())
    whole = csr_array((np.ones(n_shares), (owner, np.arange(n_shares))), (n_sets, n_shares + 1))
    return {
        "c": np.append(np.zeros(n_shares), 1.0),
        "A_ub": np.column_stack([rivals[:, element], -np.ones(len(rivals))]),
        "b_ub": np.zeros(len(rivals)),
        "A_eq": whole,
        "b_eq": masses[present],
        "bounds": [*[(0, None)] * n_shares, (None, None)],
    }
