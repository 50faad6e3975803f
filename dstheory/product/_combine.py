"""Combination of mass functions on different variables.

Each is vacuously extended to all variables that occur, and the rule is applied there. Shafer,
Shenoy & Mellouli 1987.

Observations and rules: "A", "if A then B", "A if and only if B", with some support.

Events name their variables, so each constructor knows the product that it needs. Almond
1995, Graphical Belief Modeling (logical relations).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dstheory._masses import exact_beside
from dstheory._typing import Numbers
from dstheory.checks.arguments import check_callable
from dstheory.combine import dempster
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction
from dstheory.product._events import Event, as_event, frame_of
from dstheory.product._frame import union_frame
from dstheory.product._marginal import extend, product_of
from dstheory.product._relations import supported


def observe(event: Event, support: Numbers = 1) -> MassFunction:
    """Mass function of the observation that variables have certain values.

    Parameters
    ----------
    event : mapping of Variable to value or values
        All values are observed together.
    support : number or array
        Mass of the observation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of the event.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If a value is unknown, or there is no variable.
    TypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> rain = Variable("rain", ["yes", "no"])
    >>> observe({rain: "yes"}, 0.75)
    MassFunction on rain
      {rain=yes}  0.75
      {all}       0.25
    """
    frame = frame_of(as_event(event))
    return supported(frame, frame.mask(event), support)


def implies(premise: Event, conclusion: Event, support: Numbers = 1) -> MassFunction:
    """Rule that one event implies another one, with some support.

    The material implication "not A, or B"; without support for A nothing follows for B.

    Parameters
    ----------
    premise, conclusion : mapping of Variable to value or values
    support : number or array
        Mass of the rule, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of both events, those of the premise first.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If a value is unknown, or an event has no variable, or the rule
        cannot hold.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    conditional : a belief about one variable for each configuration of others.
    balloon : any belief that holds on a condition.

    References
    ----------
    Almond, R. G. (1995). Graphical Belief Modeling. Chapman & Hall.

    Examples
    --------
    >>> from dstheory.product import Variable, combine
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> rule = implies({rain: "yes"}, {grass: "wet"}, 0.75)
    >>> rule
    MassFunction on rain × grass
      not {rain=yes, grass=dry}  0.75
      {all}                      0.25
    >>> combine(rule, observe({rain: "yes"})).bel({"grass": "wet"})
    0.75
    """
    frame = frame_of(as_event(premise, "premise"), as_event(conclusion, "conclusion"))
    mask = frame.full ^ frame.mask(premise) | frame.mask(conclusion)
    return supported(frame, mask, support)


def equivalent(one: Event, two: Event, support: Numbers = 1) -> MassFunction:
    """Two events hold together or not at all, with some support.

    Parameters
    ----------
    one, two : mapping of Variable to value or values
    support : number or array
        Mass of the equivalence, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of both events.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If a value is unknown, an event has no variable, or one event is the negation of the other.
    TypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> equivalent({rain: "yes"}, {grass: "wet"}).to_dict()
    {(('yes', 'wet'), ('no', 'dry')): 1.0}
    """
    frame = frame_of(as_event(one, "one"), as_event(two, "two"))
    return supported(frame, frame.full ^ frame.mask(one) ^ frame.mask(two), support)


_MAX_BYTES = 1 << 32


def combine(*masses: MassFunction, rule: Callable[..., MassFunction] = dempster) -> MassFunction:
    """Combine mass functions on different variables.

    Parameters
    ----------
    *masses : MassFunction
        On products, one or more; batch shapes broadcast.
    rule : function of mass functions
        Dempster's rule, or another one of `dstheory.combine`.

    Returns
    -------
    MassFunction
        On the product of all variables, in the order of first appearance.

    Raises
    ------
    FrameError
        If a variable has different values in two mass functions, or the product is too large.
    TotalConflictError
        If the rule raises it.
    DSTheoryError
        If the sets, or the intersections of the first two, would take more than 4 GiB.
    TypeError
        If there is no mass function, or one is not on a product.

    Notes
    -----
    A mass function whose masses are all 0 or 1 counts as exact: combined with Fractions or symbols,
    it does not turn the result into floats.

    For two mass functions with F1 and F2 focal sets on a product of N configurations, the time is
    of the order of F1 F2 N / 64.

    Examples
    --------
    >>> from dstheory.product import ProductFrame, Variable
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> m = MassFunction.from_dict(ProductFrame([rain]), {"yes": 0.75, ("yes", "no"): 0.25})
    >>> wet = MassFunction.from_dict(ProductFrame([grass]), {"wet": 1})
    >>> combine(m, wet)
    MassFunction on rain × grass
      {rain=yes, grass=wet}  0.75
      {grass=wet}            0.25
    """
    if not masses:
        raise TypeError("combine needs at least one mass function")
    check_callable("rule", rule, "a function of mass functions, such as dempster")
    frames = [product_of(m, f"argument {number}") for number, m in enumerate(masses, start=1)]
    frame = union_frame(frames)
    _check_memory(len(frame), [len(m.focal) for m in masses])
    extended = [extend(m, frame) for m in exact_beside(masses)]
    return rule(*extended) if len(extended) > 1 else extended[0]


def _check_memory(n_configurations: int, counts: list[int]) -> None:
    """Refuse what is too large, before anything is extended."""
    n_sets = max(sum(counts), math.prod(counts[:2]))
    n_bytes = n_sets * n_configurations // 8
    task = f"extending {n_sets} sets to {n_configurations} configurations"
    advice = "combine fewer at a time, approximate, or use a ValuationNetwork"
    check_cost(n_bytes, _MAX_BYTES, task, "bytes", advice)
