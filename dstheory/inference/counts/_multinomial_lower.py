"""Lower probabilities of sets of categories, and the belief functions below them.

Simultaneous confidence intervals and the likelihood give a lower probability of each set.
Both are 2-monotone. On ordered categories, the most committed belief function below them with
intervals as focal sets has a closed form. On three categories they are belief functions themselves.
Otherwise `_multinomial_program` solves a linear program.

Source: T. Denoeux, Constructing belief functions from sample data using multinomial
confidence regions, International Journal of Approximate Reasoning 42, 2006, 228-252.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.errors import DSTheoryError
from dstheory.inference.counts._binomial import binomial_masses
from dstheory.inference.counts._goodman import goodman_limits
from dstheory.inference.counts._multinomial_program import most_committed
from dstheory.kernels import bits, moebius

__all__ = ["Lower", "interval_masses", "lower_by_confidence", "lower_by_likelihood", "set_masses"]


# Lower probabilities (S, R) of S sets, given as membership (S, K), from counts (R, K).
Lower = Callable[[NDArray[np.bool_], Floats], Floats]

# The linear program has a matrix of 2^K by 2^K; a row takes 1 ms at K = 5, 0.2 s at K = 10.
MOST_UNORDERED = 10
# Bound on the error of sums of 2^10 lower probabilities, each correct to 5e-16.
ROUNDING = 1e-12


def lower_by_confidence(tail: float) -> Lower:
    """The smallest probability of each set within Goodman's intervals.

    The larger of the sum of lower limits inside and one minus the upper limits outside.
    """

    def lower(sets: NDArray[np.bool_], rows: Floats) -> Floats:
        low, high = goodman_limits(rows, tail)
        inside, outside = sets.astype(float), (~sets).astype(float)
        return np.asarray(np.maximum(inside @ low.T, 1 - outside @ high.T))

    return lower


def lower_by_likelihood(sets: NDArray[np.bool_], rows: Floats) -> Floats:
    """Belief in each set as the answer to "in it or not?" after its count of successes.

    The likelihood of the probability of a set, profiled over all else, is the binomial's.
    """
    total = rows.sum(axis=1)
    # Sums in another order can exceed the total by rounding.
    successes = np.minimum(sets.astype(float) @ rows.T, total)
    belief = binomial_masses(successes, total)[0]
    everything = np.asarray(sets.all(axis=1))
    belief[everything] = 1
    return belief


def interval_masses(lower: Lower, rows: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Focal sets and masses (F, R) on the intervals of ordered categories.

    Second differences of the lower probability of [i, j]: not negative, because it is
    2-monotone.
    """
    size = rows.shape[1]
    first, end = np.array([(i, e) for e in range(1, size + 1) for i in reversed(range(e))]).T
    place = np.arange(size)
    sets = (place >= first[:, np.newaxis]) & (place < end[:, np.newaxis])
    table = np.zeros((size + 1, size + 1, len(rows)))  # from i to before e; 0 where empty
    table[first, end] = lower(sets, rows)
    masses = (table[first, end] - table[first + 1, end]) - (
        table[first, end - 1] - table[first + 1, end - 1]
    )
    focal = bits.mask_array(
        ((1 << int(e)) - (1 << int(i)) for i, e in zip(first, end, strict=True)), size
    )
    return focal, np.maximum(masses, 0)


def set_masses(lower: Lower, rows: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Focal sets and masses (F, R) on all sets of categories."""
    size = rows.shape[1]
    if size > MOST_UNORDERED:
        raise DSTheoryError(
            f"{size} unordered categories have 2^{size} sets, more than "
            f"2^{MOST_UNORDERED}; use ordered=True, the model 'dempster', or multinomial_bounds"
        )
    # Rows with the same counts in another order share one computation.
    order = np.argsort(rows, axis=1, kind="stable")
    distinct, index = np.unique(np.take_along_axis(rows, order, 1), axis=0, return_inverse=True)
    masses = _sorted_masses(lower, distinct)
    focal = np.arange(1, 1 << size, dtype=np.int64)
    # Mask of each set in the sorted row: label order[k] has place k there.
    place = np.argsort(order, axis=1)
    sorted_focal = bits.members(focal, size).T.astype(np.int64) @ (1 << place).T
    return focal, np.asarray(masses[sorted_focal, index.reshape(-1)])


def _sorted_masses(lower: Lower, rows: Floats) -> Floats:
    size = rows.shape[1]
    sets = bits.members(np.arange(1 << size), size).T
    table = lower(sets, rows)
    table[0] = 0
    masses = moebius.subset_differences(table)
    for row in np.flatnonzero(masses.min(axis=0) < -ROUNDING):
        masses[:, row] = most_committed(table[:, row], rows[row])
    return np.asarray(np.maximum(masses, 0))
