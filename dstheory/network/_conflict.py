"""Which valuations exclude each other: a smallest set, found by deletion.

A valuation is needed if the others, without it, do not contradict each other; then it is needed in
every contradictory part too, since fewer valuations never disagree more. One pass of messages
tells which are needed. Of the others as many as possible are left out at once, and the rest is
asked again, until all are needed: no proper part is contradictory, though another set may be
smaller still.
"""

from collections.abc import Hashable
from typing import Any

from dstheory.network._versions import Version

__all__ = ["smallest_contradiction"]


def smallest_contradiction(version: Version[Any]) -> tuple[Hashable, ...]:
    """Keys of valuations in total conflict that are in none without any one of them; () if none.

    Those that came first are given up first, so that late evidence is named where it can be.
    """
    if version.total.value:
        return ()
    while True:
        spare = [key for key in version.entries if not version.total_without(key).value]
        if not spare:
            return tuple(version.entries)
        version = _reduced(version, spare)


def _reduced(version: Version[Any], spare: list[Hashable]) -> Version[Any]:
    """The contradiction without the first of some valuations each of which could go."""
    size = len(spare)
    while True:
        dropped = set(spare[:size])
        left = {key: entry for key, entry in version.entries.items() if key not in dropped}
        fewer = version.with_entries(left)
        if size == 1 or not fewer.total.value:
            return fewer
        size //= 2
