"""Canonical decomposition of a mass function into simple ones, conjunctive or disjunctive.

A non-dogmatic mass function is the conjunctive combination of generalized simple mass
functions A^w, one for each A but the frame (Smets 1995); a subnormal one is the disjunctive
combination of negative simple ones A_v, one for each A but the empty set (Denoeux 2008).
Weights above 1 retract belief ("latent" beliefs). Floats are computed by ln w, exact numbers by
quotients.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory._typing import Numbers
from dstheory.checks.arguments import check_choice, check_flag
from dstheory.checks.masses import check_finite, check_nonnegative
from dstheory.construct.arguments import as_table
from dstheory.construct.tables import from_table
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels import moebius, predicates
from dstheory.kernels.rows import first_entry, in_row, refuse_rows
from dstheory.mass import MassFunction
from dstheory.transform._butterflies import meeting_products, meeting_sums
from dstheory.transform.tables import TableKind, dense_masses

_MAX_LOG = float(np.log(np.finfo(np.float64).max))


def conjunctive_weights(m: MassFunction, *, log: bool = False) -> NDArray[Any]:
    """Weights w(A) of the canonical conjunctive decomposition.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels, with m(frame) > 0 (non-dogmatic).
    log : bool
        Whether to return ln w, as floats.

    Returns
    -------
    (*batch, 2**K) array
        Indexed by mask; w(frame) has no meaning and is 1. Exact for exact masses.

    Raises
    ------
    MassError
        If a row is dogmatic.
    DSTheoryError
        If K is above 26.

    References
    ----------
    Smets (1995), The canonical decomposition of a weighted belief; Denoeux (2008), Conjunctive
    and disjunctive combination of belief functions induced by nondistinct bodies of evidence,
    Artificial Intelligence 172, 234-264.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["a", "b", "c"])
    >>> m = MassFunction(frame, [3, 6, 7], [0.3, 0.5, 0.2])
    >>> conjunctive_weights(m).round(3)
    array([1.   , 1.   , 1.75 , 0.4  , 1.   , 1.   , 0.286, 1.   ])
    """
    check_flag("log", log)
    missing = ~predicates.positive(check_mass(m).mass(mask=m.frame.full))
    fault = "the mass function is dogmatic (m(frame) = 0) and has no conjunctive weights"
    refuse_rows(missing, fault, "discount it first")
    table = moebius.superset_sums(_dense(m, log))
    check_positive(table, "q", "m(frame) > 0")
    return np.moveaxis(weights_of_commonalities(table, log=log), 0, -1)


def disjunctive_weights(m: MassFunction, *, log: bool = False) -> NDArray[Any]:
    """Weights v(A) of the canonical disjunctive decomposition.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels, with m(empty) > 0 (subnormal).
    log : bool
        Whether to return ln v, as floats.

    Returns
    -------
    (*batch, 2**K) array
        Indexed by mask; v(empty) has no meaning and is 1. Exact for exact masses.

    Raises
    ------
    MassError
        If a row is normalized.
    DSTheoryError
        If K is above 26.

    References
    ----------
    Denoeux (2008), Artificial Intelligence 172, 234-264: v of m at A is w of the complement
    of m at the complement of A.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(["a", "b"]), [0, 1, 2, 3], [0.25, 0.25, 0.25, 0.25])
    >>> disjunctive_weights(m)
    array([1. , 0.5, 0.5, 1. ])
    """
    check_flag("log", log)
    missing = ~predicates.positive(check_mass(m).mass(mask=0))
    fault = "the mass function is normalized (m(empty) = 0) and has no disjunctive weights"
    refuse_rows(missing, fault, "complement it")
    table = moebius.subset_sums(_dense(m, log))
    check_positive(table, "b", "m(empty) > 0")
    return np.moveaxis(weights_of_commonalities(table[::-1], log=log)[::-1], 0, -1)


def from_weights(
    frame: Frame,
    weights: Numbers,
    kind: Literal["conjunctive", "disjunctive"] = "conjunctive",
    *,
    log: bool = False,
    atol: float | None = None,
) -> MassFunction:
    """Mass function with given weights of its canonical decomposition.

    Parameters
    ----------
    frame : Frame
        K labels.
    weights : (*batch, 2**K) array
        w or v of each set, indexed by mask; non-negative, possibly above 1. w(frame) and v(empty)
        are ignored.
    kind : {"conjunctive", "disjunctive"}
        Which weights these are: w, as `conjunctive_weights` gives them, or v.
    log : bool
        Whether `weights` are logarithms.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise; by default those that
        rounding alone may leave, see `dstheory.construct.from_table`.

    Returns
    -------
    MassFunction
        The conjunctive combination of all A^w, or the disjunctive one of all A_v.

    Raises
    ------
    MassError
        If a weight is negative or not finite, the last axis does not have 2**K entries, or
        weights above 1 leave a set with a negative mass (the set and the row are named).
    TypeError
        If `frame` is not a Frame, or a weight is not a number.
    ValueError
        If `kind` is unknown.

    References
    ----------
    Denoeux (2008), Artificial Intelligence 172, 234-264.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> from_weights(frame, [1, 0.5, 0.5, 1]).to_dict()
    {(): 0.25, ('a',): 0.25, ('b',): 0.25, ('a', 'b'): 0.25}
    >>> from_weights(frame, [1, 0.5, 1, 1], "disjunctive").to_dict()
    {(): 0.5, ('a',): 0.5}
    """
    check_flag("log", log)
    check_choice("kind", kind, ("conjunctive", "disjunctive"))
    # Of the complement, v becomes w and b becomes q.
    order = slice(None, None, 1 if kind == "conjunctive" else -1)
    table = commonalities_of_weights(_set_major(frame, weights, log)[order], log=log)[order]
    target: TableKind = "q" if kind == "conjunctive" else "b"
    return from_table(frame, np.moveaxis(table, 0, -1), target, atol=atol)


def weights_of_commonalities(q: NDArray[Any], *, log: bool = False) -> NDArray[Any]:
    """Weights w (2**K, *batch) of positive commonalities: ln w is minus the Moebius of ln q."""
    if q.dtype == object and not log:
        weights = 1 / moebius.superset_quotients(q)
        weights[-1] = weights[-1] * 0 + 1
        return np.asarray(weights)
    logs = -moebius.superset_differences(np.log(q.astype(np.float64)))
    logs[-1] = 0
    return logs if log else _exp(logs, "weight")


def commonalities_of_weights(w: NDArray[Any], *, log: bool = False) -> NDArray[Any]:
    """Commonalities (2**K, *batch): q(B) is the product of w(A) over the A without all of B.

    A lacks a part of B if its complement meets B. So no division is needed, and weights of zero are
    allowed.
    """
    if w.dtype == object:
        return meeting_products(w[::-1])
    with np.errstate(divide="ignore"):  # ln 0 = -inf for a certain set, with weight 0
        logs = w if log else np.log(w)
    return _exp(meeting_sums(logs[::-1]), "commonality")


def check_positive(values: NDArray[Any], name: str, condition: str) -> None:
    """Refuse a table (2**K, *batch) with entries that have no logarithm."""
    wrong = ~predicates.positive(values)
    if wrong.any():
        mask, *row = first_entry(wrong)
        raise MassError(
            f"{name} of mask {mask} is {values[(mask, *row)]}{in_row(row)}; "
            f"weights need {condition} and positive {name}"
        )


def _exp(logs: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if logs.size and logs.max() > _MAX_LOG:
        raise MassError(f"a {name} is exp({logs.max():g}), beyond float64; work with log=True")
    return np.asarray(np.exp(logs))


def _dense(m: MassFunction, log: bool) -> NDArray[Any]:
    table = dense_masses(m)
    return table.astype(np.float64) if log else table


def _set_major(frame: Frame, weights: Numbers, log: bool) -> NDArray[Any]:
    array = as_table(weights, frame, "weights")
    if log:
        check_finite(array, "log weight")
        array = array.astype(np.float64)
    else:
        check_nonnegative(array, "weight")
    return np.moveaxis(array, -1, 0)
