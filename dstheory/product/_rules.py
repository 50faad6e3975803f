"""Observations and rules: "A", "if A then B", "A if and only if B", with some support.

Events name their variables, so each constructor knows the product that it needs. Almond
1995, Graphical Belief Modeling (logical relations).
"""

from typing import Any

from dstheory.mass import MassFunction
from dstheory.product._events import Event, as_event, frame_of
from dstheory.product._relations import supported

__all__ = ["equivalent", "implies", "observe"]


def observe(event: Event, support: Any = 1) -> MassFunction:
    """An observation: variables have certain values.

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


def implies(premise: Event, conclusion: Event, support: Any = 1) -> MassFunction:
    """A rule: if one event, then another one, with some support.

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


def equivalent(one: Event, two: Event, support: Any = 1) -> MassFunction:
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
