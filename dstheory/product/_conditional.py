"""Conditional beliefs: belief about one variable if others have certain values.

Ballooning extension (Smets's conditional embedding) turns a belief that holds under a condition
into one about all variables. A focal set B becomes "B, or the condition is false", the least
committed set that gives B again under the condition. A table of conditional beliefs is the
conjunctive combination of its rows, which concern different cases and never conflict. Smets 1993,
Belief functions: the disjunctive rule of combination and the generalized Bayesian theorem,
International Journal of Approximate Reasoning 9, 1-35.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, check_mass, exact_beside
from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import (
    as_sequence,
    axis_labels,
    check_axes,
    check_choice,
    check_instance,
)
from dstheory.construct import bayesian, vacuous
from dstheory.errors import FrameError, MassError
from dstheory.kernels import bits
from dstheory.kernels.batches import stretch
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction
from dstheory.product._events import Event, as_event, frame_of
from dstheory.product._frame import ProductFrame, union_frame
from dstheory.product._marginal import extend, on, product_of
from dstheory.product._variable import Variable
from dstheory.revise.transfer import transfer

# 2^20 focal sets of 2^10 configurations are 128 MiB.
_MAX_FOCAL = 1 << 20


def balloon(m: MassFunction, condition: Event) -> MassFunction:
    """Extend a belief that holds only if some variables have certain values (ballooning).

    Parameters
    ----------
    m : MassFunction
        One or a batch, on a product: the belief under the condition.
    condition : mapping of Variable to value or values

    Returns
    -------
    MassFunction
        On the variables of the condition, then those of `m`. Each focal set B becomes "B, or the
        condition is false"; conditioning gives B again.

    Raises
    ------
    FrameError
        If a value is unknown, or the condition cannot hold.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    conditional : one belief for each configuration of the condition.
    dstheory.revise.decondition : the same on one frame.

    References
    ----------
    Smets, P. (1993). Belief functions: the disjunctive rule of combination and the generalized
    Bayesian theorem. International Journal of Approximate Reasoning 9, 1-35.

    Examples
    --------
    >>> from dstheory.product import Variable, combine, observe
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> m = balloon(observe({grass: "wet"}, 0.75), {rain: "yes"})
    >>> m
    MassFunction on rain × grass
      not {rain=yes, grass=dry}  0.75
      {all}                      0.25
    """
    given = frame_of(as_event(condition, "condition"))
    frame = union_frame([given, product_of(m)])
    mask = frame.mask(condition)
    if not mask:
        raise FrameError("the condition cannot hold; give each of its variables a value")
    wide = extend(m, frame)
    return transfer(wide, wide.focal | (frame.full ^ mask))


def conditional(
    child: Variable,
    parents: Variable | Iterable[Variable],
    table: Mapping[Any, Any],
    *,
    missing: Literal["refuse", "vacuous"] = "refuse",
) -> MassFunction:
    """A belief about one variable for each configuration of others, by ballooning extension.

    Parameters
    ----------
    child : Variable
        What the beliefs are about.
    parents : Variable, or sequence of Variable
        What they depend on.
    table : mapping of configuration to belief
        A configuration is a tuple of values of the parents, or a bare value for a single parent. A
        belief is a mass function on ``child.frame`` (or on the product of the child alone), or a
        dict of events to masses for it.
    missing : {"refuse", "vacuous"}
        Whether every configuration needs a belief, or a missing one is vacuous.

    Returns
    -------
    MassFunction
        On the parents in order, then the child. It is vacuous about the parents; given one of
        their configurations, it is the belief of that row.

    Raises
    ------
    FrameError
        If a configuration is missing, unknown or occurs twice, or a belief is not about the
        child.
    MassError
        If a dict is not a mass function.
    DSTheoryError
        If there would be more than 2^20 focal sets.
    TypeError
        If an argument has the wrong type.
    ValueError
        If `missing` is unknown.

    Notes
    -----
    The rows are independent pieces of evidence, so the numbers of their focal sets multiply:
    a table of n configurations with F focal sets each has F^n. If that is too many and the rows are
    probabilities, see `probability_table`.

    References
    ----------
    Smets, P. (1993). Belief functions: the disjunctive rule of combination and the generalized
    Bayesian theorem. International Journal of Approximate Reasoning 9, 1-35. Shafer,
    G. (1982). Belief functions and parametric models. Journal of the Royal Statistical Society
    B 44, 322-352.

    Examples
    --------
    >>> from dstheory.product import Variable, combine, observe
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> m = conditional(grass, rain, {"yes": {"wet": 1}, "no": {"dry": 0.75, grass.frame: 0.25}})
    >>> m
    MassFunction on rain × grass
      {(yes, wet), (no, dry)}    0.75
      not {rain=yes, grass=dry}  0.25
    """
    given = _parents(child, parents)
    check_choice("missing", missing, ("refuse", "vacuous"))
    check_instance("table", table, Mapping, "a mapping of configurations to beliefs")
    rows: list[MassFunction | None] = [None] * len(given)
    for key, belief in table.items():
        place = _place(given, key)
        if rows[place] is not None:
            raise FrameError(f"configuration {key!r} occurs twice in the table")
        rows[place] = _belief(child, key, belief)
    if missing == "refuse":
        _refuse_missing(given, rows)
    nothing = vacuous(child.frame)
    frame = ProductFrame([*given.variables, child])
    return _combined(frame, len(child), [row or nothing for row in rows])


def probability_table(
    child: Variable,
    parents: Variable | Iterable[Variable],
    probabilities: Numbers,
    *,
    prior: Literal["none", "uniform"] = "none",
) -> MassFunction:
    """A table of conditional probabilities, the Bayesian case of `conditional`.

    Parameters
    ----------
    child : Variable
    parents : Variable, or sequence of Variable
        An empty sequence for an unconditional probability.
    probabilities : (*shape of the parents, len(child)) array
        Each row, along the last axis, sums to 1.
    prior : {"none", "uniform"}
        With ``"none"`` the table is vacuous about the parents (ballooning extension): it has
        up to k^n focal sets for n configurations and k values. With ``"uniform"`` it is the
        joint probability of uniformly distributed parents: n k focal sets. Combined with
        probabilities of all parents by Dempster's rule, both give the joint probability.

    Returns
    -------
    MassFunction
        On the parents in order, then the child.

    Raises
    ------
    MassError
        If probabilities have the wrong shape, are negative, or a row does not sum to 1.
    DSTheoryError
        If there would be more than 2^20 focal sets.
    FrameError
        If a variable occurs twice.
    TypeError
        If an argument has the wrong type.
    ValueError
        If `prior` is unknown.

    References
    ----------
    Shenoy, P. P. & Shafer, G. (1990). Axioms for probability and belief-function propagation.
    Uncertainty in Artificial Intelligence 4, 169-198.

    Examples
    --------
    >>> from dstheory.product import Variable, combine
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> prior = probability_table(rain, [], [0.25, 0.75])
    >>> joint = combine(prior, probability_table(grass, rain, [[1, 0], [0.5, 0.5]]))
    >>> joint
    MassFunction on rain × grass
      {rain=yes, grass=wet}  0.25
      {rain=no, grass=wet}   0.375
      {rain=no, grass=dry}   0.375
    """
    check_choice("prior", prior, ("none", "uniform"))
    check_instance("child", child, Variable, "a Variable")
    frame = ProductFrame([*_listed(parents), child])
    rows = checks.as_numbers(probabilities)
    if rows.shape != frame.shape:
        raise MassError(
            f"probabilities have shape {rows.shape}, expected {frame.shape}: an axis for each of "
            f"{', '.join(frame.names)}"
        )
    values = {variable.name: variable.values for variable in frame.variables}
    check_axes(axis_labels(probabilities), values, "probabilities")
    rows = checks.as_distribution(rows.reshape(-1, len(child)), "probabilities")
    if prior == "uniform":
        return bayesian(frame, rows.ravel() / len(rows)).prune()
    return _combined(frame, len(child), [bayesian(child.frame, row).prune() for row in rows])


def _combined(frame: ProductFrame, size: int, rows: list[MassFunction]) -> MassFunction:
    """Conjunctive combination of the ballooning extensions of all rows, in closed form.

    Row i concerns the bits from i * size on, with the child varying fastest. Every choice of one
    focal set per row is a focal set of the result, and all choices differ.
    """
    count = math.prod(len(row.focal) for row in rows)
    advice = "approximate the rows, or give probabilities with prior='uniform'"
    check_cost(count, _MAX_FOCAL, "the table", "focal sets", advice)
    rows = exact_beside(rows)
    batch = batch_of(*rows)
    sets = bits.mask_array([0], len(frame))
    store: NDArray[Any] = np.ones(
        (1, *(1,) * len(batch)), dtype=np.result_type(*(row.store for row in rows))
    )
    for i, row in enumerate(rows):
        high = bits.mask_array((int(mask) << i * size for mask in row.focal), len(frame))
        sets = np.bitwise_or.outer(high, sets).ravel()  # ascending, because high bits come first
        store = stretch(row.store, batch)[:, np.newaxis] * store
        store = store.reshape(-1, *store.shape[2:])
    return MassFunction.from_store(frame, sets, np.array(stretch(store, batch), order="C"))


def _listed(parents: object) -> list[Any]:
    if isinstance(parents, Variable):
        return [parents]
    return as_sequence(parents, "parents", "a Variable or a sequence of these")


def _parents(child: Variable, parents: object) -> ProductFrame:
    given = ProductFrame(_listed(parents))
    check_instance("child", child, Variable, "a Variable")
    ProductFrame([*given.variables, child])  # raises if child is a parent
    return given


def _place(given: ProductFrame, key: object) -> int:
    mask = given.mask(key)
    if mask.bit_count() != 1:
        raise FrameError(
            f"{key!r} stands for {mask.bit_count()} configurations of {', '.join(given.names)}; a "
            "row of the table belongs to one"
        )
    return mask.bit_length() - 1


def _belief(child: Variable, key: object, belief: object) -> MassFunction:
    name = f"the belief for {key!r}"
    try:
        if isinstance(belief, Mapping):
            return MassFunction.from_dict(child.frame, belief)
        return on(child, check_mass(belief, name))
    except (FrameError, MassError) as error:
        raise type(error)(f"{name}: {error}") from error


def _refuse_missing(given: ProductFrame, rows: list[MassFunction | None]) -> None:
    missing = [label for label, row in zip(given, rows, strict=True) if row is None]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise FrameError(
            f"the table has no belief for {', '.join(map(repr, missing[:3]))}{more}; give one, or "
            "say missing='vacuous'"
        )
