"""Mass function on the worlds of some propositions, from clauses with assumptions.

In each scenario, the clauses leave a set of worlds possible; that set gets the probability of the
scenario (Kohlas & Monney 1995, A Mathematical Theory of Hints, ch. 3). The scenarios are never
listed: assumptions that no longer matter are not split on, and equal remainders are computed once.
"""

from collections.abc import Sequence
from typing import Any

from dstheory.argumentation._clauses import components
from dstheory.argumentation._probability import conditioned, frequent_atom
from dstheory.errors import DSTheoryError

Clauses = frozenset[int]

_MAX_STEPS = 200_000


def world_masses(
    clauses: Clauses,
    weights: Sequence[tuple[Any, Any]],
    n_propositions: int,
    max_steps: int = _MAX_STEPS,
) -> dict[int, Any]:
    """Masses of sets of worlds; atoms below ``len(weights)`` are assumptions.

    Bit *i* of a set is world *i* in C order, with true before false.

    Examples
    --------
    One assumption implies one proposition, ~a | x:

    >>> world_masses(frozenset({0b0110}), [(0.75, 0.25)], 1)
    {1: 0.75, 3: 0.25}
    """
    n_assumptions = len(weights)
    uncertain = (1 << 2 * n_assumptions) - 1
    tables = _tables(n_propositions)
    known: dict[Clauses, dict[int, Any]] = {}
    cost = [0]

    def masses(left: Clauses) -> dict[int, Any]:
        if left not in known:
            known[left] = found = _collected(pieces(left))
            cost[0] += len(found)
            if cost[0] > max_steps:
                raise DSTheoryError(
                    f"the mass function takes more than {max_steps} steps; ask for fewer "
                    "propositions, or for the support of single hypotheses"
                )
        return known[left]

    def pieces(left: Clauses) -> list[tuple[int, Any]]:
        parts = components(left)
        if len(parts) > 1:
            return _conjunction([masses(frozenset(part)) for part in parts])
        if not any(clause & uncertain for clause in left):
            return [(_models(left, tables, 2 * n_assumptions), 1)]
        atom = frequent_atom(left, below=n_assumptions)
        found = []
        for positive, weight in zip((True, False), weights[atom], strict=True):
            if not (isinstance(weight, int) and weight == 0):
                # Clauses lose false literals and vanish with true ones; for terms it is the other
                # way around.
                branch = masses(conditioned(left, atom, not positive))
                found += [(worlds, weight * mass) for worlds, mass in branch.items()]
        return found

    return masses(clauses)


def _collected(pieces: list[tuple[int, Any]]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for worlds, mass in pieces:
        found[worlds] = found[worlds] + mass if worlds in found else mass
    return found


def _conjunction(parts: list[dict[int, Any]]) -> list[tuple[int, Any]]:
    """The conjunction of parts that share no atoms."""
    found = parts[0]
    for part in parts[1:]:
        pairs = [(a & b, m * n) for a, m in found.items() for b, n in part.items()]
        found = _collected(pairs)
    return list(found.items())


def _tables(n_propositions: int) -> list[int]:
    """Worlds in which each literal holds, x then ~x for each proposition, and all worlds last."""
    full = (1 << (1 << n_propositions)) - 1
    tables = []
    for axis in range(n_propositions):
        stride = 1 << (n_propositions - 1 - axis)
        true = full // ((1 << stride) + 1)  # stride ones, stride zeros, and so on
        tables += [true, full ^ true]
    return [*tables, full]


def _models(clauses: Clauses, tables: list[int], shift: int) -> int:
    """Worlds in which all clauses hold."""
    worlds = tables[-1]
    for clause in clauses:
        allowed = 0
        for place, table in enumerate(tables[:-1]):
            if clause >> shift + place & 1:
                allowed |= table
        worlds &= allowed
    return worlds
