"""Relations on the number of events that hold: at least k, at most k, exactly k, exclusive.

They express reliability (k out of n) and mutual exclusion. Almond 1995, Graphical Belief Modeling.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels import bits, bitsets
from dstheory.mass import MassFunction
from dstheory.product._events import Event, as_events, frame_of
from dstheory.product._frame import ProductFrame
from dstheory.product._relations import supported


def at_least(k: int, events: Iterable[Event], support: Any = 1) -> MassFunction:
    """At least k of some events hold, with some support.

    Parameters
    ----------
    k : int
        From 0 (which says nothing) to the number of events.
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


def at_most(k: int, events: Iterable[Event], support: Any = 1) -> MassFunction:
    """At most k of some events hold, with some support.

    Parameters
    ----------
    k : int
        From 0 to the number of events (which says nothing).
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
    """
    return _counted(k, events, support, np.less_equal)


def exactly(k: int, events: Iterable[Event], support: Any = 1) -> MassFunction:
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


def exclusive(events: Iterable[Event], support: Any = 1) -> MassFunction:
    """No two of some events hold together, with some support.

    Parameters
    ----------
    events : sequence of mappings of Variable to value or values
    support : number or array
        Mass of the relation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables of all events; ``at_most(1, events)``.

    Raises
    ------
    MassError, FrameError, TypeError
        As `at_least`.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> butler, cook = Variable("butler", ["guilty", "not"]), Variable("cook", ["guilty", "not"])
    >>> exclusive([{butler: "guilty"}, {cook: "guilty"}])
    MassFunction on butler × cook
      not {butler=guilty, cook=guilty}  1
    """
    return _counted(1, events, support, np.less_equal)


def _counted(k: int, events: Iterable[Event], support: Any, compare: np.ufunc) -> MassFunction:
    listed = as_events(events)
    if not isinstance(k, int | np.integer) or isinstance(k, bool):
        raise TypeError(f"k is {k!r}, expected an int")
    if not 0 <= k <= len(listed):
        raise ValueError(f"k is {k}, expected 0 to the number of events, {len(listed)}")
    frame = frame_of(*listed)
    cells = compare(_counts(frame, listed), k)[np.newaxis]
    return supported(frame, int(bitsets.pack_masks(cells)[0]), support)


def _counts(frame: ProductFrame, events: list[Event]) -> NDArray[np.int32]:
    """How many events hold in each configuration; one event at a time, to save memory."""
    counts = np.zeros(len(frame), dtype=np.int32)
    for event in events:
        counts += bits.members(bits.mask_array([frame.mask(event)], len(frame)), len(frame))[:, 0]
    return counts
