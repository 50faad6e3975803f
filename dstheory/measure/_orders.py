"""Orders of commitment between two beliefs, in three senses.

One order compares plausibilities, one compares commonalities, and specialization moves masses of m2
to subsets to obtain m1. Specialization implies the other two. If no order relates two beliefs, each
has information that the other lacks (Dubois & Prade 1986, "A set-theoretic view of belief
functions"; Yager 1986, "The entailment principle").
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_masses
from dstheory.checks.arguments import check_atol, check_choice
from dstheory.kernels.batches import scalar, stretch
from dstheory.kernels.programs import minimized
from dstheory.mass import MassFunction
from dstheory.transform import tables


def _largest_flow(
    inside: NDArray[np.bool_], small: NDArray[np.float64], large: NDArray[np.float64]
) -> float:
    """Maximum mass that can move from sets to their subsets."""
    from scipy.sparse import csr_array

    target, source = np.nonzero(inside & (small[:, np.newaxis] > 0) & (large > 0))
    if len(target) == 0:
        return 0.0
    pairs = np.arange(len(target))
    limits = csr_array(
        (
            np.ones(2 * len(pairs)),
            (np.concatenate([target, len(small) + source]), np.concatenate([pairs, pairs])),
        ),
        (len(small) + len(large), len(pairs)),
    )
    bounds = np.maximum(np.concatenate([small, large]), 0)
    result = minimized("is_included", -np.ones(len(pairs)), A_ub=limits, b_ub=bounds)
    return -float(result.fun)


def is_included(
    m1: MassFunction,
    m2: MassFunction,
    order: Literal["specialization", "pl", "q"] = "specialization",
    *,
    atol: float | None = None,
) -> Any:
    """Whether m1 is at least as committed as m2, in one of three partial orders.

    Parameters
    ----------
    m1, m2 : MassFunction
        On one frame (of at most 26 labels for "pl" and "q"); batches broadcast.
    order : {"specialization", "pl", "q"}
        Whether m1 results from m2 by moving masses to subsets; whether no event is more plausible;
        or whether none is more common. The first implies both others.
    atol : float, optional
        How much mass may remain unmoved (default 1e-9, because linear programs decide), or by how
        much the numbers of a table may differ (default 1e-12; 0 compares exactly).

    Returns
    -------
    bool, or array of the batch shape

    Raises
    ------
    FrameError
        If the frames differ.
    ValueError
        If the order is unknown, or `atol` negative.

    Notes
    -----
    Specialization is a transport problem: shares g(A, B) >= 0 for A within B with sum over B equal
    to m1(A) and sum over A equal to m2(B). Each row takes one linear program, unless
    some set is more common under m1, which excludes it. Of normalized masses, "pl" means that the
    credal set of m1 lies inside that of m2.

    References
    ----------
    Dubois & Prade (1986), A set-theoretic view of belief functions; Klawonn & Smets (1992), The
    dynamic of belief in the transferable belief model and specialization-generalization matrices.

    Examples
    --------
    >>> from dstheory import Frame, categorical
    >>> frame = Frame(["a", "b"])
    >>> is_included(categorical(frame, "a"), categorical(frame, ["a", "b"]))
    True
    """
    check_choice("order", order, ("specialization", "pl", "q"))
    batch = check_masses(m1, m2)
    least = 1e-9 if order == "specialization" else 1e-12
    allowed = least if atol is None else atol
    check_atol(allowed)
    if order != "specialization":
        excess = tables.table(m1, order) - tables.table(m2, order)
        return scalar(np.asarray(excess <= allowed, dtype=bool).all(axis=-1))
    small, large = (
        stretch(m.store, batch).astype(np.float64).reshape(len(m.focal), -1) for m in (m1, m2)
    )
    within, inside = (
        np.asarray(np.bitwise_and.outer(m1.focal, m.focal) == m1.focal[:, np.newaxis], dtype=bool)
        for m in (m1, m2)
    )
    # Commonalities that grow exclude it, without a linear program.
    grown = within.astype(float) @ small - inside.astype(float) @ large
    included = np.asarray((grown <= allowed + 1e-9).all(axis=0))
    for row in np.flatnonzero(included):
        included[row] = _largest_flow(inside, small[:, row], large[:, row]) >= 1 - allowed
    return scalar(included.reshape(batch))
