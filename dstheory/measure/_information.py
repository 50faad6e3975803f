"""Smets' information content: how much a belief says, from its commonalities.

The conjunctive rule multiplies commonalities, so information adds up (Smets 1983, "Information
content of an evidence", Int. J. Man-Machine Studies 19).
"""

from typing import Any

import numpy as np

from dstheory._masses import check_mass
from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.transform import q_table

__all__ = ["information"]


def information(m: MassFunction) -> Any:
    """Smets' information content: the sum over all sets of -log2 q(A).

    Parameters
    ----------
    m : MassFunction
        One or a batch, on at most 26 labels; subnormal ones are not normalized.

    Returns
    -------
    float, or array of the batch shape
        In bits; 0 for the vacuous belief, infinite for a dogmatic one (m(frame) = 0).

    Raises
    ------
    DSTheoryError
        If the frame has more than 26 labels.

    Notes
    -----
    The information of a conjunctive combination is the sum of those of its sources.

    References
    ----------
    Smets (1983), Information content of an evidence, Int. J. Man-Machine Studies 19.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> information(MassFunction(Frame(list("ab")), [1, 3], [0.5, 0.5]))
    2.0
    """
    check_mass(m)
    with np.errstate(divide="ignore"):  # q(A) = 0 means infinite information
        logs = np.log2(q_table(m).astype(np.float64))
    return scalar(np.asarray(0.0 - logs.sum(axis=-1)))
