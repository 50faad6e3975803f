"""The probability of maximal entropy among those that a belief function allows.

The labels whose belief is densest, Bel(A) / |A| being largest, share it evenly; the rest is
solved again on what is left. The same probability is majorized by all others in the credal
set, and so is extremal for every symmetric measure of spread.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.kernels import bits, moebius
from dstheory.mass import MassFunction
from dstheory.transform._tables import dense_masses

__all__ = ["maximum_entropy_probability"]

# Rows are solved together while their tables have about a million entries.
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
        If K is above 26.
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
    beliefs = moebius.subset_sums(dense_masses(check_mass(m).normalize()))
    flat = beliefs.reshape(len(beliefs), math.prod(m.batch_shape))
    block = max(1, _BLOCK_ENTRIES // len(flat))
    blocks = [_solve(flat[:, i : i + block]) for i in range(0, flat.shape[1], block)]
    size = len(m.frame)
    rows = np.concatenate(blocks, axis=1) if blocks else np.zeros((size, 0))
    return np.moveaxis(rows.reshape(size, *m.batch_shape), 0, -1)


def _solve(beliefs: NDArray[Any]) -> NDArray[Any]:
    """Probabilities (K, rows) from beliefs (2**K, rows) of normalized mass functions."""
    sets = np.arange(len(beliefs))
    result = np.zeros((int(sets[-1]).bit_count(), beliefs.shape[1]), dtype=beliefs.dtype)
    solved = np.zeros(beliefs.shape[1], dtype=np.int64)
    active = np.arange(beliefs.shape[1])
    while len(active):
        best, level = _densest(beliefs[:, active], sets, solved[active])
        fresh = bits.members(best & ~solved[active], len(result))
        result[:, active] = np.where(fresh, level, result[:, active])
        solved[active] = best
        active = active[best != sets[-1]]
    return result


def _densest(
    beliefs: NDArray[Any], sets: NDArray[np.int64], solved: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The superset of the solved labels with the largest gain in belief per new label.

    Ties need no care: the next step finds the rest of a tie with the same gain.
    """
    columns = np.arange(len(solved))
    counts = bits.cardinality(sets)
    new = counts[:, np.newaxis] - counts[solved]
    valid = ((sets[:, np.newaxis] & solved) == solved) & (new > 0)
    gain = (beliefs - beliefs[solved, columns]) / np.where(valid, new, 1).astype(beliefs.dtype)
    best = np.argmax(np.where(valid, gain, -1), axis=0)
    return sets[best], np.maximum(gain[best, columns], 0)  # rounding may give -1e-17
