"""The most committed belief function below a lower probability.

When a lower probability is not a belief function, the sum of Bel over all sets is maximized
subject to Bel <= lower: a linear program in the masses. Of several optima, it takes the one that
treats equal counts alike.

Source: T. Denoeux, Constructing belief functions from sample data using multinomial
confidence regions, International Journal of Approximate Reasoning 42, 2006, 228-252.
"""

from functools import cache

import numpy as np

from dstheory._typing import Floats
from dstheory.errors import DSTheoryError
from dstheory.kernels import bits

__all__ = ["most_committed"]


# The tightest tolerance that HiGHS allows.
TOLERANCE = 1e-10


def most_committed(lower: Floats, counts: Floats) -> Floats:
    """Masses (2^K,) that maximize the sum of beliefs, given that Bel <= `lower` (2^K,)."""
    from scipy.optimize import linprog

    subsets, weight = _program(len(counts))
    result = linprog(
        -weight,
        A_ub=subsets[1:-1],
        b_ub=lower[1:-1],
        A_eq=subsets[-1:],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if not result.success:
        raise DSTheoryError(
            f"the linear program for counts {counts.tolist()} has no solution: {result.message}"
        )
    return _symmetric(_valid(np.concatenate([[0.0], result.x])), counts)


@cache
def _program(size: int) -> tuple[Floats, Floats]:
    """Which sets (without the empty one) lie below each set, and in how many sets each lies."""
    masks = np.arange(1 << size)
    subsets = ((masks & masks[:, np.newaxis]) == masks)[:, 1:].astype(float)
    subsets.flags.writeable = False
    return subsets, subsets.sum(axis=0)


def _valid(masses: Floats) -> Floats:
    """Drop masses within the tolerance, and give the frame the difference to 1."""
    kept = np.where(masses > TOLERANCE, masses, 0.0)
    kept[-1] = 0.0
    kept[-1] = max(1 - kept.sum(), 0.0)
    return np.asarray(kept / kept.sum())


def _symmetric(masses: Floats, counts: Floats) -> Floats:
    """Average over the sets that differ only by categories with equal counts.

    Each of these solutions is optimal, so their mean is too, and it does not depend on the order of
    labels.
    """
    size = len(counts)
    group = np.unique(counts, return_inverse=True)[1]
    kind = bits.members(np.arange(1 << size), size).T @ (size + 1) ** group
    index = np.unique(kind, return_inverse=True)[1]
    return np.asarray((np.bincount(index, masses) / np.bincount(index))[index])
