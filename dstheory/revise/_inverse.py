"""Undo a contextual correction, for example to replace it by another one.

Union (or intersection) with a context is idempotent. So a step of a correction, m' = (1 - rate) m +
rate P m with P P = P, is undone by m = (m' - rate P m') / (1 - rate) (Pichon, Mercier, Lefevre &
Delmotte 2016).
"""

from collections.abc import Callable, Mapping
from operator import and_, or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass, collect
from dstheory.checks.arguments import check_atol
from dstheory.checks.masses import kept_sum
from dstheory.checks.naming import RATES, shares_by_name
from dstheory.errors import MassError
from dstheory.kernels import predicates
from dstheory.kernels.batches import stretch
from dstheory.mass import MassFunction
from dstheory.revise._arguments import as_rate, broadcast_shape, given_contexts, refuse_rows

__all__ = ["contextual_dediscount", "contextual_dereinforce"]

# Relative error of a term: from the division, the product and the given masses.
_ROUNDING = 8 * 2.0**-52


@shares_by_name(**RATES)
def contextual_dediscount(
    m: MassFunction,
    *,
    rates: Mapping[Any, Any] | None = None,
    reliabilities: Mapping[Any, Any] | None = None,
    atol: float | None = None,
) -> MassFunction:
    """Undo a contextual discounting; with the frame as context, undo a discounting.

    Parameters
    ----------
    m : MassFunction
        One or a batch; the result of ``contextual_discount`` with these shares.
    rates : mapping of event to number or array
        Rate of each context, from 0 to below 1; broadcasts with the batch of `m`.
    reliabilities : mapping of event to number or array
        beta_A = 1 - rate of each context. Give one of the two.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise, and the row is scaled
        back to 1; by default those that rounding alone may leave, some 1e-16 of what was
        subtracted.

    Returns
    -------
    MassFunction
        The mass function before discounting.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1, a rate is 1, or a mass would be negative: then
        `m` is not the result of such a discounting.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rates` and
        `reliabilities` is given by name, as a mapping.
    ValueError
        If a share does not broadcast with the batch.

    References
    ----------
    Pichon, Mercier, Lefevre & Delmotte (2016), Proposition and learning of some belief
    function contextual correction mechanisms, International Journal of Approximate Reasoning
    72, eq. 30.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.375, frame: 0.625})
    >>> contextual_dediscount(m, rates={frame: 0.25}).to_dict()
    {('ant',): 0.5, ('ant', 'bee'): 0.5}
    """
    return _undone(m, given_contexts(rates, reliabilities), or_, atol)


@shares_by_name(**RATES)
def contextual_dereinforce(
    m: MassFunction,
    *,
    rates: Mapping[Any, Any] | None = None,
    reliabilities: Mapping[Any, Any] | None = None,
    atol: float | None = None,
) -> MassFunction:
    """Undo a contextual reinforcement.

    Parameters
    ----------
    m : MassFunction
        One or a batch; the result of ``contextual_reinforce`` with these shares.
    rates : mapping of event to number or array
        Rate of each context, from 0 to below 1; broadcasts with the batch of `m`.
    reliabilities : mapping of event to number or array
        beta_A = 1 - rate of each context. Give one of the two.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise, and the row is scaled
        back to 1; by default those that rounding alone may leave, some 1e-16 of what was
        subtracted.

    Returns
    -------
    MassFunction
        The mass function before reinforcement.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1, a rate is 1, or a mass would be negative: then
        `m` is not the result of such a reinforcement.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rates` and
        `reliabilities` is given by name, as a mapping.
    ValueError
        If a share does not broadcast with the batch.

    References
    ----------
    Pichon, Mercier, Lefevre & Delmotte (2016), Proposition and learning of some belief
    function contextual correction mechanisms, International Journal of Approximate Reasoning
    72, eq. 34.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.25, frame: 0.75})
    >>> contextual_dereinforce(m, rates={"ant": 0.25}).to_dict()
    {('ant', 'bee'): 1.0}
    """
    return _undone(m, given_contexts(rates, reliabilities), and_, atol)


def _undone(
    m: MassFunction,
    contexts: tuple[str, Mapping[Any, Any]],
    operation: Callable[[Any, Any], Any],
    atol: float | None,
) -> MassFunction:
    frame = check_mass(m).frame
    if atol is not None:
        check_atol(atol)
    noise = m.store * 0  # bound on the error of each mass
    name, shares = contexts
    for context, value in shares.items():
        mask = frame.mask(context)
        of = f" of context {frame.event(mask)!r}"
        lost, kept = as_rate(name, value, m, of)
        advice = "the correction destroyed the original, so it cannot be undone"
        fault = f"{name}{of} is {1 if name == 'rate' else 0}"
        refuse_rows(kept == 0, fault, advice, MassError)
        batch = broadcast_shape(m.batch_shape, lost.shape, "shares")
        sets = np.concatenate([m.focal, operation(m.focal, mask)])
        store, older = stretch(m.store, batch), stretch(noise, batch)
        both = np.concatenate([store / kept, -store * lost / kept])
        error = 0 if both.dtype == object else _ROUNDING
        older = np.concatenate([older / kept, older * lost / kept])
        rounding = error * abs(both) + older
        m, noise = collect(frame, (sets, both)), collect(frame, (sets, rounding)).store
    return MassFunction.from_store(frame, m.focal.copy(), _cleaned(m, noise, atol)).prune()


def _cleaned(m: MassFunction, noise: NDArray[Any], atol: float | None) -> NDArray[Any]:
    """Masses without rounding noise, if none is negative."""
    exact = m.store.dtype == object
    allowed = 0.0 if exact else noise if atol is None else atol
    small = predicates.small(m.store, 0.0) if exact else np.asarray(abs(m.store) <= allowed)
    store = np.where(small, 0, m.store)
    for mask, row in zip(m.focal.tolist(), store, strict=True):
        refuse_rows(
            _negative(row),
            f"{m.frame.event(mask)!r} would have a negative mass",
            "m is not the result of this correction with these shares",
            MassError,
        )
    return store if exact else np.asarray(store / kept_sum(store, 0.0 if atol is None else atol))


def _negative(row: Any) -> NDArray[np.bool_]:
    values = np.asarray(row)
    if values.dtype != object:
        return np.asarray(values < 0)
    known = [getattr(v, "is_negative", None) is True or _below(v) for v in values.ravel()]
    return np.array(known, dtype=bool).reshape(values.shape)


def _below(value: Any) -> bool:
    return not hasattr(value, "free_symbols") and bool(value < 0)
