"""The probability of maximal entropy among those that a belief function allows.

The densest set A, with the largest Bel(A) / |A|, shares its belief evenly among its labels; the
problem is then solved again for the other labels. All probabilities in the credal set majorize this
one, so it is extremal for every symmetric measure of spread.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.kernels import bits, moebius, setwise
from dstheory.kernels.batches import blocks
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction
from dstheory.transform._probability import betp
from dstheory.transform.tables import dense_masses

# If the matrix of unions by focal sets has more entries, it costs more than all sets.
_MOST_SUBSETS = 1 << 22
# Mask, counts, beliefs, gains and their validity: about eight numbers per set.
_BYTES_A_SET, _MAX_BYTES = 64, 1 << 30
# Rows are solved in blocks whose tables have about a million entries.
_BLOCK_ENTRIES = 1 << 20


def maximum_entropy_probability(m: MassFunction) -> NDArray[Any]:
    """Probability of maximal Shannon entropy with P(A) >= Bel(A) for all A.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels. A subnormal one is normalized first.

    Returns
    -------
    (*batch, K) array
        Rows sum to 1; float64 or exact objects as in `m`.

    Raises
    ------
    DSTheoryError
        If there are very many unions of focal sets and K is above 24, so that all sets of labels
        would take more than 1 GiB.
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Meyerowitz, Richman & Walker (1994), Calculating maximum-entropy probability densities for
    belief functions, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 2, 377-389;
    Harmanec & Klir (1994), Measuring total uncertainty in Dempster-Shafer theory.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(["a", "b", "c"]), [1, 7], [0.5, 0.5])
    >>> maximum_entropy_probability(m)
    array([0.5 , 0.25, 0.25])
    """
    normal = check_mass(m).normalize()
    size, n_rows = len(m.frame), math.prod(m.batch_shape)
    store = normal.store.reshape(len(normal.focal), n_rows)
    if bool((bits.cardinality(normal.focal) == 1).all()):
        return betp(normal)  # it is the only probability
    sets = _unions(normal.focal)
    if sets is None:
        sets, beliefs = _all_sets(normal, size)
    else:
        within = np.array([bits.subset_of(normal.focal, int(mask)) for mask in sets])
        beliefs = setwise.weighted_sum(within, store)
    parts = blocks(n_rows, _BLOCK_ENTRIES // len(sets))
    solved = [_solve(sets, beliefs[:, part], size) for part in parts]
    rows = np.concatenate(solved, axis=1) if solved else np.zeros((size, 0))
    return np.moveaxis(rows.reshape(size, *m.batch_shape), 0, -1)


def _unions(focal: NDArray[Any]) -> NDArray[Any] | None:
    """All unions of focal sets, ascending, from the empty one; None if there are too many.

    The densest set is one of them: a label that no focal set inside needs only lowers the density.
    """
    found = focal[:0] if 0 in focal else np.zeros(1, dtype=focal.dtype)
    for mask in focal:
        found = np.unique(np.concatenate([found, found | mask]))
        if len(found) * len(focal) > _MOST_SUBSETS:
            return None
    return found


def _all_sets(m: MassFunction, size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """All sets, ascending, and their beliefs, if there is enough memory."""
    task = f"a table of all sets of {size} labels, instead of too many unions of focal sets,"
    advice = "approximate the mass function by fewer focal sets"
    check_cost(_BYTES_A_SET << size, _MAX_BYTES, task, "bytes", advice)
    beliefs = moebius.subset_sums(dense_masses(m))
    return np.arange(1 << size), beliefs.reshape(1 << size, -1)


def _solve(sets: NDArray[Any], beliefs: NDArray[Any], size: int) -> NDArray[Any]:
    """Probabilities (K, rows) from beliefs (U, rows) of normalized mass functions."""
    rows = np.arange(beliefs.shape[1])
    result = np.zeros((size, len(rows)), dtype=beliefs.dtype)
    solved = np.zeros(len(rows), dtype=np.intp)  # their positions in `sets`
    active = rows[sets[solved] != sets[-1]]
    while len(active):
        best, level = _densest(beliefs[:, active], sets, solved[active])
        fresh = bits.members(sets[best] & ~sets[solved[active]], size)
        result[:, active] = np.where(fresh, level, result[:, active])
        solved[active] = best
        active = active[sets[best] != sets[-1]]
    return result


def _densest(
    beliefs: NDArray[Any], sets: NDArray[Any], solved: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """The superset of the solved labels with the largest gain in belief per new label.

    Ties need no special care: the next step finds the rest of a tie, with the same gain.
    """
    columns = np.arange(len(solved))
    counts, done = bits.cardinality(sets), sets[solved]
    new = counts[:, np.newaxis] - counts[solved]
    valid = np.asarray((sets[:, np.newaxis] & done) == done, dtype=bool) & (new > 0)
    gain = (beliefs - beliefs[solved, columns]) / np.where(valid, new, 1).astype(beliefs.dtype)
    best = np.argmax(np.where(valid, gain, -1), axis=0)
    return best, np.maximum(gain[best, columns], 0)  # rounding can give -1e-17
