"""Nonspecificity: the size of the focal sets, as the number of yes-no questions left open.

It generalizes Hartley's measure of a set, log2 |A|, to the mean over the focal sets (Dubois &
Prade 1985, "A note on measures of specificity for fuzzy sets").
"""

from typing import Any

import numpy as np

from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.measure._inputs import normalized_floats

__all__ = ["nonspecificity"]


def nonspecificity(m: MassFunction) -> Any:
    """Nonspecificity (generalized Hartley measure): the mean of log2 |A|.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits; 0 for probabilities, log2 K for the vacuous belief.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Dubois & Prade (1985), A note on measures of specificity for fuzzy sets.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> nonspecificity(MassFunction(Frame(list("abcd")), [1, 15], [0.75, 0.25]))
    0.5
    """
    focal, masses = normalized_floats(m)
    sizes = np.log2(bits.cardinality(focal))
    return scalar(setwise.weighted_sum(sizes[np.newaxis], masses)[0])
