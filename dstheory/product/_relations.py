"""Relations between variables: sets of configurations, with a degree of support.

A relation gets its support as mass; the rest is on the frame. This is a simple mass function on a
product (Shafer, Shenoy & Mellouli 1987; Almond 1995, Graphical Belief Modeling).

Relations on the number of events that hold (at least, at most, exactly k) express reliability (k
out of n) and mutual exclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import two_sets
from dstheory._typing import Numbers
from dstheory.checks.arguments import check_callable, check_count
from dstheory.checks.shares import as_share, complement
from dstheory.errors import FrameError
from dstheory.kernels import bits, bitsets
from dstheory.mass import MassFunction
from dstheory.product._events import Event, as_events, frame_of
from dstheory.product._frame import ProductFrame
from dstheory.product._variable import Variable


def relation(
    variables: Iterable[Variable], predicate: Callable[..., Any], support: Numbers = 1
) -> MassFunction:
    """A relation between variables, given by a function of their values.

    Parameters
    ----------
    variables : sequence of Variable
    predicate : function
        Called for every configuration with one value of each variable, in order; true if the
        relation holds.
    support : number or array
        Mass of the relation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables, with at most two focal sets.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If the relation holds nowhere, a variable occurs twice, or an argument of the function has
        the name of a variable at another place.
    TypeError
        If an argument has the wrong type.

    References
    ----------
    Shafer, G., Shenoy, P. P. & Mellouli, K. (1987). Propagating belief functions in
    qualitative Markov trees. International Journal of Approximate Reasoning 1, 349-400.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> delay, work, storm = (Variable(name, [0, 1, 2]) for name in ("delay", "work", "storm"))
    >>> sum_of = relation([delay, work, storm], lambda d, w, s: d == w + s)
    >>> sum_of.pl({"delay": 0, "work": 1}), sum_of.pl({"delay": 2, "work": 1})
    (0.0, 1.0)
    """
    frame = ProductFrame(variables)
    check_callable("predicate", predicate, "a function of one value of each variable")
    _check_arguments(predicate, frame.names)
    cells = [bool(predicate(*configuration)) for configuration in frame]
    return supported(frame, int(bitsets.pack_masks(np.array([cells]))[0]), support)


def _check_arguments(predicate: Callable[..., Any], names: tuple[str, ...]) -> None:
    """Refuse a function with an argument that is the name of a variable at another place."""
    try:
        arguments = tuple(signature(predicate).parameters)
    except (TypeError, ValueError):  # of a builtin nothing is known
        return
    if any(a != name and a in names for a, name in zip(arguments, names, strict=False)):
        raise FrameError(
            f"the arguments of predicate are {', '.join(arguments)}, but the variables are "
            f"{', '.join(names)}; list both in one order"
        )


def equal(variables: Iterable[Variable], support: Numbers = 1) -> MassFunction:
    """Variables have the same value, with some support.

    Parameters
    ----------
    variables : sequence of Variable
        Variables with at least one common value.
    support : number or array
        Mass of the equality, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If no value is common to all, or a variable occurs twice.
    TypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> sent, heard = Variable("sent", ["a", "b"]), Variable("heard", ["a", "b", "c"])
    >>> equal([sent, heard]).to_dict()
    {(('a', 'a'), ('b', 'b')): 1.0}
    """
    frame = ProductFrame(variables)
    first, *others = frame.variables
    common = [v for v in first.values if all(v in other.frame for other in others)]
    mask = 0
    for value in common:
        mask |= frame.mask((value,) * len(frame.variables))
    return supported(frame, mask, support)


def supported(frame: ProductFrame, mask: int, support: Numbers) -> MassFunction:
    """Simple mass function on a set of configurations, the only focal set with support 1."""
    if not mask:
        raise FrameError(f"the relation holds for no configuration of {', '.join(frame.names)}")
    share = as_share(support, "support")
    return two_sets(frame, mask, share, frame.full, complement(share)).prune()


def at_least(k: int, events: Iterable[Event], support: Numbers = 1) -> MassFunction:
    """At least k of some events hold, with some support.

    Parameters
    ----------
    k : int
        From 0 (which is vacuous) to the number of events.
    events : sequence of mappings of Variable to value or values
    support : number or array
        Mass of the relation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of all events.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If a value is unknown, there is no event, or k of them never hold together.
    TypeError
        If an argument has the wrong type.
    ValueError
        If `k` lies outside 0 to the number of events.

    Examples
    --------
    A system of three parts works if two do:

    >>> from dstheory.product import Variable
    >>> parts = [Variable(name, ["up", "down"]) for name in "abc"]
    >>> two = at_least(2, [{part: "up"} for part in parts])
    >>> two.pl({"a": "down", "b": "down"}), two.pl({"a": "down", "b": "up"})
    (0.0, 1.0)
    """
    return _counted(k, events, support, np.greater_equal)


def at_most(k: int, events: Iterable[Event], support: Numbers = 1) -> MassFunction:
    """At most k of some events hold, with some support.

    Parameters
    ----------
    k : int
        From 0 to the number of events (which is vacuous).
    events : sequence of mappings of Variable to value or values
    support : number or array
        Mass of the relation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of all events.

    Raises
    ------
    MassError, FrameError, TypeError, ValueError
        As `at_least`.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> parts = [Variable(name, ["up", "down"]) for name in "abc"]
    >>> at_most(0, [{part: "up"} for part in parts])
    MassFunction on a × b × c
      {a=down, b=down, c=down}  1
    >>> at_most(1, [{part: "up"} for part in parts[:2]])  # they exclude each other
    MassFunction on a × b
      not {a=up, b=up}  1
    """
    return _counted(k, events, support, np.less_equal)


def exactly(k: int, events: Iterable[Event], support: Numbers = 1) -> MassFunction:
    """Exactly k of some events hold, with some support.

    Parameters
    ----------
    k : int
        From 0 to the number of events.
    events : sequence of mappings of Variable to value or values
    support : number or array
        Mass of the relation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of all events.

    Raises
    ------
    MassError, FrameError, TypeError, ValueError
        As `at_least`.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> left, right = Variable("left", [0, 1]), Variable("right", [0, 1])
    >>> exactly(1, [{left: 1}, {right: 1}]).to_dict()
    {((0, 1), (1, 0)): 1.0}
    """
    return _counted(k, events, support, np.equal)


def _counted(k: int, events: Iterable[Event], support: Numbers, compare: np.ufunc) -> MassFunction:
    listed = as_events(events)
    check_count("k", k, 0, len(listed))
    frame = frame_of(*listed)
    cells = compare(_counts(frame, listed), k)[np.newaxis]
    return supported(frame, int(bitsets.pack_masks(cells)[0]), support)


def _counts(frame: ProductFrame, events: list[Event]) -> NDArray[np.int32]:
    """How many events hold in each configuration; one event at a time, to save memory."""
    counts = np.zeros(len(frame), dtype=np.int32)
    for event in events:
        counts += bits.members(bits.mask_array([frame.mask(event)], len(frame)), len(frame))[:, 0]
    return counts
