"""Sudano's probabilistic information content (PIC).

It compares the results of transforms such as BetP and DSmP for one belief: 1 is certainty, and 0 is
the uniform probability, which supports no decision.

Smets' information content: how much a belief says, from its commonalities.

The conjunctive rule multiplies commonalities, so information adds up (Smets 1983, "Information
content of an evidence", Int. J. Man-Machine Studies 19).
"""

from typing import Any

import numpy as np

from dstheory._masses import check_mass
from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.errors import MassError
from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.measure._inputs import shannon
from dstheory.transform import tables


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
        logs = np.log2(tables.table(m, "q").astype(np.float64))
    return scalar(np.asarray(0.0 - logs.sum(axis=-1)))


def pic(probabilities: Numbers | MassFunction) -> Any:
    """Probabilistic information content: 1 + (sum of p log2 p) / log2 K.

    Parameters
    ----------
    probabilities : (*batch, K) array
        Rows sum to 1. For a mass function, apply a transform first, as in ``pic(betp(m))``.

    Returns
    -------
    float, or array of the batch shape
        From 0 (uniform) to 1 (certain); 1 for K = 1.

    Raises
    ------
    MassError
        If a probability is negative or not finite, or a row does not sum to 1.
    TypeError
        If the values are not numbers, or a mass function is given.

    See Also
    --------
    entropy : of the kind "pignistic", in bits; PIC(BetP) is 1 - entropy / log2 K.
    dstheory.transform.dsmp : the transform of the greatest PIC.

    References
    ----------
    Sudano (2002), The system probability information content (PIC) relationship to contributing
    components, combining independent multi-source beliefs, hybrid and pedigree pignistic
    probabilities, Fusion 2002; Dezert & Smarandache (2008), A new probabilistic transformation
    of belief mass assignment, Fusion 2008.

    Examples
    --------
    >>> pic([0.5, 0.5, 0, 0]), pic([[1, 0], [0.5, 0.5]])
    (0.5, array([1., 0.]))
    """
    if isinstance(probabilities, MassFunction):
        raise TypeError("probabilities are an array; for a mass function use pic(betp(m))")
    rows = checks.as_numbers(probabilities)
    if rows.ndim == 0 or rows.shape[-1] == 0:
        raise MassError(f"probabilities have shape {rows.shape}, expected (*batch, K)")
    rows = checks.as_distribution(rows, "probabilities")
    most = np.log2(rows.shape[-1])  # 0 for a single label, whose entropy is 0 too
    return scalar(np.asarray(1 - shannon(rows) / (most or 1.0)))
