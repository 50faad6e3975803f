"""Fusion: one marginal by eliminating all other variables, without a tree.

Take the next variable, combine all valuations on it, marginalize it out, and put the result back;
what remains is the marginal of the query. Nothing is kept for a second query. Cannings, Thompson &
Skolnick (1978) call it peeling; Shenoy, P. P. (1992), "Valuation-based systems", proves it for all
kinds.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from dstheory.network._algebra import Algebra, Part
from dstheory.network._join_tree import Scope

__all__ = ["fuse"]

P = TypeVar("P", bound=Part)


def fuse(algebra: Algebra[P], parts: Iterable[P], order: Sequence[int], query: Scope) -> P | None:
    """The marginal of all parts on a query; other variables are eliminated in the given order."""
    left = list(parts)
    for variable in order:
        if variable in query:
            continue
        speaking = [part for part in left if variable in part.scope]
        if not speaking:
            continue
        left = [part for part in left if variable not in part.scope]
        together = _together(algebra, speaking)
        left.append(algebra.marginalize(together, [v for v in together.scope if v != variable]))
    return algebra.marginalize(_together(algebra, left), query) if left else None


def _together(algebra: Algebra[P], parts: list[P]) -> P:
    """All parts combined, the smallest first."""
    ascending = sorted(parts, key=lambda part: (len(part.scope), algebra.entries(part)))
    found = ascending[0]
    for part in ascending[1:]:
        found = algebra.combine(found, part)
    return found
