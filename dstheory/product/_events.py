"""Events that name their variables: ``{rain: "yes", grass: ["wet", "damp"]}``.

The keys are variables, so such an event determines its own product. It says that each of its
variables has one of the given values.
"""

from collections.abc import Mapping
from typing import Any

from dstheory.checks.arguments import as_sequence, check_instance, shown
from dstheory.errors import FrameError
from dstheory.product._frame import ProductFrame, union_frame
from dstheory.product._variable import Variable

Event = Mapping[Variable, Any]


def as_event(event: Any, name: str = "event") -> Event:
    """The event, if it is a mapping of variables to values."""
    check_instance(name, event, Mapping, "a mapping of variables to values")
    for variable in event:
        check_instance(f"a key of {name}", variable, Variable, "a Variable")
    if not event:
        raise FrameError(f"{name} names no variable")
    checked: Event = event
    return checked


def as_events(events: Any) -> list[Event]:
    """One or more events."""
    if isinstance(events, Mapping):
        raise TypeError(
            f"events are {shown(events)}, expected a sequence of mappings of variables to values"
        )
    given = as_sequence(events, "events", "a sequence of mappings of variables to values")
    listed = [as_event(event, f"event {number}") for number, event in enumerate(given)]
    if not listed:
        raise FrameError("there is no event; give at least one")
    return listed


def frame_of(*events: Event) -> ProductFrame:
    """Product of the variables of some events, in the order of first appearance."""
    return union_frame(ProductFrame(event) for event in events)
