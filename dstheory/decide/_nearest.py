"""Decide for the set of labels that is nearest to the mass function.

A set stands for its categorical mass function, and the distance is Jousselme's. The nearest set has
the largest mean overlap with the focal sets, so no distance has to be computed (Essaid, Martin,
Smits & Ben Yaghlane 2014, "A distance-based decision in the credal level", AISC 2014).

Appriou's rule: decide for a set of labels, with a penalty on its size.

Without a penalty, the whole frame has the largest plausibility, belief and pignistic probability.
Dividing by |X|^r penalizes large sets (Appriou 1999, "Multisensor data fusion in situation
assessment processes"; Martin & Quidelleur 2008, "Decision support with belief functions theory for
seabed characterization").
"""

from fractions import Fraction
from itertools import chain, combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Scalar
from dstheory.checks.arguments import check_choice, check_count, check_degree
from dstheory.checks.masses import check_table_size
from dstheory.decide._expectations import mean_table
from dstheory.decide._utilities import prepared
from dstheory.kernels import bits, moebius, setwise
from dstheory.kernels.batches import blocks
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction

# The rule computes a table of all 2^K sets.
_MAX_LABELS = 20

# Rounding error of sums of up to 2^20 masses from 0 to 1.
ROUNDING = 1e-12


def appriou(
    m: MassFunction, r: Scalar = 0.5, *, measure: Literal["pl", "bel", "betp"] = "pl"
) -> NDArray[np.bool_]:
    """The set X of labels with the largest measure(X) / |X|^r.

    Parameters
    ----------
    m : MassFunction
        m(empty) is ignored; at most 20 labels.
    r : float, from 0 to 1
        Penalty on size: 0 decides for the whole frame, 1 for a single label.
    measure : {"pl", "bel", "betp"}
        The measure: plausibility (Appriou), belief or pignistic probability.

    Returns
    -------
    (*batch, K) array of bool
        The labels of the chosen set; `chosen_acts` names them. Ties go to the smallest set, then to
        the set whose labels come first.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `r` is outside [0, 1], `measure` unknown, or the frame too large.

    Notes
    -----
    Appriou's factor lambda_X, for lack of knowledge about X, is the same for all sets here.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.decide import chosen_acts
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.5, "bee": 0.375, "cat": 0.125})
    >>> [chosen_acts(appriou(m, r), frame) for r in (0.25, 0.5, 1)]
    [('ant', 'bee', 'cat'), ('ant', 'bee'), ('ant',)]
    """
    check_degree("r", r)
    check_choice("measure", measure, ("pl", "bel", "betp"))
    normal, _ = prepared(m, None)
    n_labels = len(m.frame)
    check_table_size(n_labels, "use nearest_set with a max_size", _MAX_LABELS)
    sets = by_size(n_labels)
    prices = _prices(bits.cardinality(sets), r, normal.store.dtype == object)
    store = normal.store.reshape(len(normal.focal), -1)
    winners = np.empty(store.shape[1], dtype=np.int64)
    for rows in blocks(store.shape[1], _BLOCK_CELLS >> n_labels):
        values = _measures(normal.focal, store[:, rows], n_labels, measure)[sets] * prices
        winners[rows] = sets[first_largest(values)]
    return _as_rows(winners, normal)


def first_largest(values: NDArray[Any]) -> NDArray[np.intp]:
    """For each column, the first row with the largest value, up to rounding of floats."""
    slack = 0 if values.dtype == object else ROUNDING
    near = np.asarray(values >= values.max(axis=0) - slack, dtype=bool)
    return np.asarray(near.argmax(axis=0))


def by_size(n_labels: int) -> NDArray[np.int64]:
    """All non-empty sets, the small ones first, then those whose labels come first."""
    masks = np.arange(1, 1 << n_labels)
    labels = bits.members(masks, n_labels)
    return masks[np.lexsort((*~labels[::-1], bits.cardinality(masks)))]


def _measures(
    focal: NDArray[Any], store: NDArray[Any], n_labels: int, measure: str
) -> NDArray[Any]:
    """Table (2^K, rows) of the measure of every set."""
    if measure == "betp":
        table = mean_table(np.eye(n_labels, dtype=int).astype(store.dtype), focal)
        singles = setwise.weighted_sum(table, store)
        return setwise.weighted_sum(bits.members(np.arange(1 << n_labels), n_labels).T, singles)
    table = np.zeros((1 << n_labels, store.shape[1]), dtype=store.dtype)
    table[focal] = store
    beliefs = moebius.subset_sums(table)
    # The mirrored entry of the table is the complement.
    return beliefs if measure == "bel" else np.asarray(beliefs[-1] - beliefs[::-1])


def _prices(sizes: NDArray[np.int64], r: Scalar, exact: bool) -> NDArray[Any]:
    if exact and r in (0, 1):
        return np.array([[Fraction(1, int(size) ** int(r))] for size in sizes], dtype=object)
    return np.asarray(sizes[:, np.newaxis] ** -float(r))


# All sets of 20 labels, or the sets of at most two of a thousand labels.
_MAX_SETS = 1 << 20
# Numbers held at once: 32 MiB.
_BLOCK_CELLS = 1 << 22


def nearest_set(m: MassFunction, *, max_size: int | None = None) -> NDArray[np.bool_]:
    """The set of labels whose categorical mass function is nearest, by Jousselme's distance.

    Parameters
    ----------
    m : MassFunction
        m(empty) is ignored.
    max_size : int, optional
        Maximum number of labels in a set. Default: no limit, on frames of at most 20 labels.

    Returns
    -------
    (*batch, K) array of bool
        The labels of the chosen set; `chosen_acts` names them. Ties go to the smallest set, then to
        the one whose labels come first.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.
    ValueError
        If `max_size` is not a possible size, or there are more than 2^20 sets.

    Notes
    -----
    The nearest set has the largest sum over focal sets B of m(B) |A & B| / |A | B|.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.decide import chosen_acts
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.5, "bee": 0.375, "cat": 0.125})
    >>> chosen_acts(nearest_set(m), frame), chosen_acts(nearest_set(m & m), frame)
    (('ant',), ('ant',))
    >>> chosen_acts(nearest_set(MassFunction(frame, [1, 3, 7], [0.25, 0.5, 0.25])), frame)
    ('ant', 'bee')
    """
    normal, _ = prepared(m, None)
    n_labels = len(m.frame)
    if max_size is not None:
        check_count("max_size", max_size, 1, n_labels, "the number of labels")
    sets = _candidates(n_labels, max_size or n_labels)
    store = normal.store.reshape(len(normal.focal), -1)
    return _as_rows(_nearest(sets, normal.focal, store), normal)


def _as_rows(sets: NDArray[Any], m: MassFunction) -> NDArray[np.bool_]:
    """Which labels (*batch, K) are in the set of each row."""
    inside = bits.members(sets, len(m.frame))
    return np.moveaxis(inside.reshape(len(inside), *m.batch_shape), 0, -1)


def _candidates(n_labels: int, largest: int) -> NDArray[Any]:
    """Masks of the non-empty sets of at most `largest` labels, small sets first."""
    count = sum(comb(n_labels, size) for size in range(1, largest + 1))
    task = f"the nearest of the sets of up to {largest} of {n_labels} labels"
    check_cost(count, _MAX_SETS, task, "comparisons", "give a smaller max_size")
    if largest == n_labels:
        return by_size(n_labels)
    sizes = range(1, largest + 1)
    chosen = chain.from_iterable(combinations(range(n_labels), size) for size in sizes)
    return bits.mask_array((sum(1 << i for i in labels) for labels in chosen), n_labels)


def _nearest(sets: NDArray[Any], focal: NDArray[Any], store: NDArray[Any]) -> NDArray[Any]:
    """For each row (R,), the first set with the largest mean overlap, computed in blocks."""
    exact = store.dtype == object
    best = np.full(store.shape[1], -1, dtype=store.dtype)
    winners = np.zeros(store.shape[1], dtype=sets.dtype)
    for part in blocks(len(sets), _BLOCK_CELLS // max(1, *store.shape)):
        block = sets[part]
        values = setwise.weighted_sum(bits.overlap(block, focal, exact=exact), store)
        places = first_largest(values)
        found = np.take_along_axis(values, places[np.newaxis], axis=0)[0]
        better = np.asarray(found > best + (0 if exact else ROUNDING), dtype=bool)
        winners = np.where(better, block[places], winners)
        best = np.where(better, found, best)
    return winners
