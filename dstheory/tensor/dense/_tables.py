"""Tables of masses: Moebius transforms as products with small triangular matrices of 0 and 1.

The matrix of 2^K sets is the Kronecker product of those of up to 64 sets for the lower and the
upper labels, so K = 12 takes two products with matrices of 64 x 64.
"""

import numpy as np

from dstheory._typing import Floats
from dstheory.checks.arguments import check_choice
from dstheory.tensor._arrays import (
    Namespace,
    Tensor,
    check_masses,
    check_same_length,
    check_table,
    check_total,
    constant,
    like,
    matmul,
    namespace,
)

_BLOCK = 6
"""Labels of one matrix product."""

_KINDS = ("m", "bel", "pl", "q", "b")


def convert_table(table: Tensor, source: str, target: str) -> Tensor:
    """Convert tables of all subsets from one representation to another.

    Parameters
    ----------
    table : (..., 2^K) array
        Indexed by mask, K at most 12.
    source, target : {"m", "bel", "pl", "q", "b"}
        Mass, belief, plausibility, commonality, implicability; their total mass is 1.

    Returns
    -------
    (..., 2^K) array

    Raises
    ------
    CostLimitError
        For more than 12 labels.
    TypeError, ValueError
        If a kind is unknown, or type or shape do not fit.

    See Also
    --------
    dstheory.transform.convert_table : for exact numbers, more labels, and canonical weights.

    References
    ----------
    Smets (2002), The application of the matrix calculus to belief functions, International Journal
    of Approximate Reasoning 31, 1-30.

    Examples
    --------
    >>> import numpy as np
    >>> convert_table(np.array([0, 0.75, 0, 0.25]), "m", "pl")
    array([0.  , 1.  , 0.25, 1.  ])
    >>> convert_table(np.array([0, 0.5, 0.25, 1]), "bel", "m")
    array([0.  , 0.5 , 0.25, 0.25])
    """
    check_choice("source", source, _KINDS)
    check_choice("target", target, _KINDS)
    xp = namespace(table)
    check_table(xp, table)
    masses = table
    if source == "q":
        masses = _summed(xp, table, inverse=True)
    elif source != "m":
        if source == "pl":
            table = 1 - xp.flip(table, axis=-1)
        elif source == "bel":
            table = table + (1 - table[..., -1:])
        masses = _over_subsets(xp, table, inverse=True)
    if target == "m":
        return masses
    if target == "q":
        return _summed(xp, masses)
    implicability = _over_subsets(xp, masses)
    if target == "bel":
        return implicability - masses[..., :1]
    return implicability if target == "b" else 1 - xp.flip(implicability, axis=-1)


def conjunctive(m1: Tensor, m2: Tensor, *more: Tensor) -> Tensor:
    """Combine independent reliable sources, with the conflict on the empty set.

    Parameters
    ----------
    m1, m2, *more : (..., 2^K) array
        Tables of masses, K at most 12; batches broadcast.

    Returns
    -------
    (..., 2^K) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    CostLimitError
        For more than 12 labels.
    TypeError, ValueError
        If types or shapes do not fit.

    Notes
    -----
    Commonalities are multiplied, so errors are rounding of numbers up to 1: mass that is exactly 0
    may come out as 1e-8 in float32. Negative rounding is set to 0, and gradients pass.

    References
    ----------
    Smets & Kennes (1994), The transferable belief model, Artificial Intelligence 66, 191-234.

    Examples
    --------
    >>> import numpy as np
    >>> conjunctive(np.array([0, 0.5, 0, 0.5]), np.array([0, 0, 0.5, 0.5]))
    array([0.25, 0.25, 0.25, 0.25])
    """
    xp = _checked(m1, m2, *more)
    joint = _summed(xp, m1)
    for m in (m2, *more):
        joint = joint * _summed(xp, m)
    masses = _summed(xp, joint, inverse=True)
    return masses - constant(xp, xp.clip(masses, max=0.0))


def disjunctive(m1: Tensor, m2: Tensor, *more: Tensor) -> Tensor:
    """Combine independent sources of which at least one is reliable.

    Parameters
    ----------
    m1, m2, *more : (..., 2^K) array
        Tables of masses, K at most 12; batches broadcast.

    Returns
    -------
    (..., 2^K) array

    Raises
    ------
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    CostLimitError
        For more than 12 labels.
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Smets (1993), Belief functions: the disjunctive rule of combination and the generalized Bayesian
    theorem, International Journal of Approximate Reasoning 9, 1-35.

    Examples
    --------
    >>> import numpy as np
    >>> disjunctive(np.array([0, 0.5, 0, 0.5]), np.array([0, 0, 0.5, 0.5]))
    array([0., 0., 0., 1.])
    """
    sources = (m1, m2, *more)
    xp = _checked(*sources)
    # Complements turn unions into intersections.
    return xp.flip(conjunctive(*(xp.flip(m, axis=-1) for m in sources)), axis=-1)


def dempster(m1: Tensor, m2: Tensor, *more: Tensor) -> Tensor:
    """Combine independent sources with Dempster's rule.

    Parameters
    ----------
    m1, m2, *more : (..., 2^K) array
        Tables of masses, K at most 12; batches broadcast.

    Returns
    -------
    (..., 2^K) array
        NaN in rows of total conflict, if traced.

    Raises
    ------
    TotalConflictError
        If sources exclude each other (unless traced).
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    CostLimitError
        For more than 12 labels.
    TypeError, ValueError
        If types or shapes do not fit.

    Notes
    -----
    Errors are those of `conjunctive` divided by 1 - conflict. Where conflict is near 1, use
    float64, the rule for masses of classes and the frame, or `dstheory.dempster`, which lose none.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 3.

    Examples
    --------
    >>> import numpy as np
    >>> dempster(np.array([0, 0.5, 0, 0.5]), np.array([0, 0, 0.5, 0.5])).round(3)
    array([0.   , 0.333, 0.333, 0.333])
    """
    joint = conjunctive(m1, m2, *more)
    return _without_empty(namespace(joint), joint, "Dempster's rule")


def betp(m: Tensor) -> Tensor:
    """Compute pignistic probabilities by sharing the mass of each set equally.

    Parameters
    ----------
    m : (..., 2^K) array
        Table of masses, K at most 12; mass of the empty set is left out.

    Returns
    -------
    (..., K) array
        NaN where all mass is on the empty set, if traced.

    Raises
    ------
    TotalConflictError
        If all mass is on the empty set (unless traced).
    MassError
        If masses are negative or do not sum to 1 (unless traced).
    CostLimitError
        For more than 12 labels.
    TypeError, ValueError
        If types or shapes do not fit.

    References
    ----------
    Smets & Kennes (1994), The transferable belief model, Artificial Intelligence 66, 191-234.

    Examples
    --------
    >>> import numpy as np
    >>> betp(np.array([0, 0.5, 0.25, 0.25]))
    array([0.625, 0.375])
    """
    xp = _checked(m)
    masses = _without_empty(xp, m, "betp")
    members = _members(check_table(xp, m))
    shares = members / np.maximum(members.sum(axis=1, keepdims=True), 1)
    return matmul(xp, masses, like(xp, shares, m))


def _without_empty(xp: Namespace, masses: Tensor, purpose: str) -> Tensor:
    kept = masses[..., 1:]
    total = xp.sum(kept, axis=-1)
    check_total(xp, total, purpose)
    return xp.concat([xp.zeros_like(masses[..., :1]), kept / total[..., None]], axis=-1)


def _checked(*tables: Tensor) -> Namespace:
    xp = namespace(*tables)
    for table in tables:
        check_table(xp, table)
        check_masses(xp, table)
    check_same_length("tables", *tables)
    return xp


def _matrix(n_labels: int, *, inverse: bool) -> Floats:
    """Sums over supersets, (2^K, 2^K), for rows of masses: entry (B, A) is 1 if A is in B."""
    members = _members(n_labels)
    rest = members[:, np.newaxis] - members  # -1 for a label of A that is not in B
    signs = (-1.0) ** rest.sum(axis=-1) if inverse else 1.0
    return np.asarray((rest >= 0).all(axis=-1) * signs, np.float64)


def _members(n_labels: int) -> Floats:
    """Which labels, (K), are in each set, (2^K): 1 or 0."""
    return np.asarray(np.arange(2**n_labels)[:, np.newaxis] >> np.arange(n_labels) & 1, np.float64)


def _summed(xp: Namespace, table: Tensor, *, inverse: bool = False) -> Tensor:
    """Sums over supersets, or their inverse."""
    n_labels = table.shape[-1].bit_length() - 1
    low = min(n_labels, _BLOCK)
    right = like(xp, _matrix(low, inverse=inverse), table)
    if n_labels == low:
        return matmul(xp, table, right)
    left = like(xp, _matrix(n_labels - low, inverse=inverse).T, table)
    blocks = xp.reshape(table, (*table.shape[:-1], 2 ** (n_labels - low), 2**low))
    return xp.reshape(matmul(xp, matmul(xp, left, blocks), right), table.shape)


def _over_subsets(xp: Namespace, table: Tensor, *, inverse: bool = False) -> Tensor:
    """Sums over subsets, which are supersets of complements, or their inverse."""
    return xp.flip(_summed(xp, xp.flip(table, axis=-1), inverse=inverse), axis=-1)
