"""Which valuations exclude each other: a smallest set, found by deletion.

One valuation after the other is left out for good if the rest is still contradictory. What
remains is contradictory, and no proper part of it is; another set may be smaller still. Each
trial changes one leaf of the tree, so that most messages are found again.
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
    for key in list(kept):
        fewer = [other for other in kept if other != key]
        if contradicts(version.some_messages(fewer)):
            kept = fewer
    return tuple(kept)
