"""Probabilities of disjunctions of terms over independent assumptions, exactly.

A disjunction is split by one assumption at a time (Shannon's expansion, whose branches exclude each
other) and into parts that share no assumptions; equal parts are computed once. Only sums and
products of non-negative numbers occur, so nothing cancels. Fractions and symbols stay exact; arrays
are batches.
"""

from collections.abc import Sequence
from typing import Any

from dstheory.argumentation._clauses import absorb, components, literal
from dstheory.errors import DSTheoryError

Terms = frozenset[int]
Shares = tuple[Any, Any, Any]

# A step takes about 20 microseconds.
_MAX_STEPS = 200_000


def shares(
    supports: Terms,
    conflicts: Terms,
    weights: Sequence[tuple[Any, Any]],
    max_steps: int = _MAX_STEPS,
) -> Shares:
    """Probabilities of three cases: a support and no conflict, neither, and a conflict.

    `weights` holds, for each atom, the probabilities that it is true and that it is false.

    Examples
    --------
    >>> shares(frozenset({0b01}), frozenset({0b0101}), [(0.5, 0.5), (0.25, 0.75)])
    (0.375, 0.5, 0.125)
    """
    known: dict[tuple[Terms, Terms], Shares] = {}

    def split(yes: Terms, no: Terms) -> Shares:
        if 0 in no:
            return 0, 0, 1
        if 0 in yes:  # certain, except for conflicts
            _, rest, conflict = split(frozenset(), no)
            return rest, 0, conflict
        if not yes and not no:
            return 0, 1, 0
        if (yes, no) not in known:
            if len(known) >= max_steps:
                raise DSTheoryError(
                    f"the probability takes more than {max_steps} steps; ask about fewer "
                    "assumptions at a time"
                )
            known[yes, no] = independent(yes, no)
        return known[yes, no]

    def independent(yes: Terms, no: Terms) -> Shares:
        parts = components([*yes, *no])
        if len(parts) == 1:
            return expanded(yes, no)
        found: Shares = (0, 1, 0)
        for part in map(frozenset, parts):
            s1, n1, c1 = found
            s2, n2, c2 = split(part & yes, part & no)
            found = s1 * (s2 + n2) + n1 * s2, n1 * n2, c1 + (s1 + n1) * c2
        return found

    def expanded(yes: Terms, no: Terms) -> Shares:
        atom = frequent_atom(yes | no)
        found: list[Any] = [0, 0, 0]
        for positive, weight in zip((True, False), weights[atom], strict=True):
            if isinstance(weight, int) and weight == 0:
                continue
            conflicts = conditioned(no, atom, positive)
            branch = split(_unabsorbed(conditioned(yes, atom, positive), conflicts), conflicts)
            found = [old + weight * new for old, new in zip(found, branch, strict=True)]
        return found[0], found[1], found[2]

    return split(_unabsorbed(supports, conflicts), conflicts)


def _unabsorbed(terms: Terms, others: Terms) -> Terms:
    """Terms that do not contain one of the others."""
    return frozenset(t for t in terms if not any(small & t == small for small in others))


def conditioned(terms: Terms, atom: int, positive: bool) -> Terms:
    """Terms when an atom has a truth value."""
    true, false = literal(atom, positive), literal(atom, not positive)
    return absorb(term & ~true for term in terms if not term & false)


def frequent_atom(terms: Terms, below: int | None = None) -> int:
    """The atom that occurs in most terms, among those with numbers less than `below`."""
    counts: dict[int, int] = {}
    for term in terms:
        left = term if below is None else term & ((1 << 2 * below) - 1)
        while left:
            atom = (left & -left).bit_length() - 1 >> 1
            counts[atom] = counts.get(atom, 0) + 1
            left &= ~(3 << 2 * atom)
    return max(counts, key=lambda atom: (counts[atom], -atom))
