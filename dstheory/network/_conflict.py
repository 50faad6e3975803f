"""Which valuations exclude each other: a smallest set, found by deletion.

Valuations are left out for good if the rest is still contradictory: half of them at once, a
quarter, and so on to each by itself. What remains is contradictory, and no proper part of it is,
since more valuations never agree better; another set may be smaller still. Each trial changes a
few leaves of the tree, so that most messages are found again.
"""

from collections.abc import Hashable
from typing import Any

from dstheory.network._messages import Messages
from dstheory.network._versions import Version

__all__ = ["contradicts", "smallest_contradiction"]


def contradicts(messages: Messages[Any]) -> bool:
    """Whether all valuations together leave nothing possible."""
    top = messages.top()
    return top is not None and not messages.store.algebra.total(top).value


def smallest_contradiction(version: Version[Any]) -> tuple[Hashable, ...]:
    """Keys of valuations in total conflict that are in none without any one of them; () if none.

    Those that came first are given up first, so that late evidence is named where it can be.
    """
    if not contradicts(version.messages):
        return ()
    kept = list(version.entries)
    size = len(kept)
    while size := size // 2:
        start = 0
        while start < len(kept):
            fewer = kept[:start] + kept[start + size :]
            if contradicts(version.some_messages(fewer)):
                kept = fewer
            else:
                start += size
    return tuple(kept)
