"""Which valuations exclude each other: a minimal set, found by deletion.

A valuation is needed if the others do not contradict each other without it. It is then needed in
every contradictory subset, because fewer valuations never disagree more. One pass of messages finds
those that are needed. As many of the others as possible are removed at once, and the search repeats
until all are needed. The result has no contradictory proper subset, but another contradictory set
may have fewer members.
"""

from collections.abc import Hashable
from typing import Any

from dstheory.network._versions import Version

__all__ = ["smallest_contradiction"]


def smallest_contradiction(version: Version[Any]) -> tuple[Hashable, ...]:
    """Keys of a minimal set of valuations in total conflict; () if there is none.

    The first valuations are removed first, so that late evidence is named if possible.
    """
    if version.total.value:
        return ()
    while True:
        spare = [key for key in version.entries if not version.total_without(key).value]
        if not spare:
            return tuple(version.entries)
        version = _reduced(version, spare)


def _reduced(version: Version[Any], spare: list[Hashable]) -> Version[Any]:
    """The contradiction without the first of the valuations that can be removed."""
    size = len(spare)
    while True:
        dropped = set(spare[:size])
        left = {key: entry for key, entry in version.entries.items() if key not in dropped}
        fewer = version.with_entries(left)
        if size == 1 or not fewer.total.value:
            return fewer
        size //= 2
