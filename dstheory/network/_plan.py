"""The cost of propagation, before anything runs.

The tree fixes the cliques and their configurations. The number of focal sets in a clique depends on
the valuations: it is at most the product of the numbers of focal sets below, and at most 2^n - 1 on
n configurations. The actual cost is often far below this bound and never above it. For tables, the
bound is the exact cost.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dstheory.errors import CostLimitError
from dstheory.network._join_tree import JoinTree, Scope
from dstheory.network._limits import BYTES_A_SET
from dstheory.notebook import ShownFields, html_table

_MAX_ROWS = 20


@dataclass(frozen=True)
class CliquePlan(ShownFields):
    """One clique of a plan.

    Attributes
    ----------
    names : tuple of str
        Its variables.
    configurations : int
        Configurations of these variables.
    log2_entries : float
        Logarithm to base 2 of the maximum number of focal sets (cells, for tables) in a message or
        combination there.
    log2_cost : float
        The same for the pairs of focal sets (cells) processed there.
    """

    names: tuple[str, ...]
    configurations: int
    log2_entries: float
    log2_cost: float


@dataclass(frozen=True)
class Plan:
    """The plan of a computation, and its maximal cost.

    Attributes
    ----------
    kind, heuristic : str
        Kind of the valuations, and heuristic of the order.
    order : tuple of str
        Variables in the order of elimination.
    cliques : tuple of CliquePlan
        The maximal ones, in the order of elimination.
    n_messages : int
        Messages for all marginals.
    log2_cost : float
        Logarithm to base 2 of the maximum number of pairs of focal sets (cells) of all messages.
    log2_bytes : float
        The same for the memory of all messages.
    """

    kind: str
    heuristic: str
    order: tuple[str, ...]
    cliques: tuple[CliquePlan, ...]
    n_messages: int
    log2_cost: float
    log2_bytes: float

    @property
    def width(self) -> int:
        """Width of the order, the number of variables in the largest clique, minus 1."""
        return max(len(clique.names) for clique in self.cliques) - 1

    @property
    def max_configurations(self) -> int:
        """Configurations of the largest clique."""
        return max(clique.configurations for clique in self.cliques)

    @property
    def costliest(self) -> CliquePlan:
        """The clique with the most pairs of focal sets."""
        return max(self.cliques, key=lambda clique: clique.log2_cost)

    def check(
        self, *, max_configurations: int | None = None, max_cost: float | None = None
    ) -> None:
        """Raise if the plan exceeds a limit.

        Parameters
        ----------
        max_configurations : int, optional
            Limit for each clique.
        max_cost : float, optional
            Limit for the pairs of focal sets (cells) of all messages together.

        Raises
        ------
        CostLimitError
            If it does; the message names the clique, its size and its cost.
        """
        for clique in self.cliques:
            check_configurations(clique.names, clique.configurations, max_configurations)
        if max_cost is not None and self.log2_cost > math.log2(max_cost):
            worst = self.costliest
            raise CostLimitError(
                f"the plan costs up to {_power(self.log2_cost)} {self._unit()}, more than max_cost "
                f"= {max_cost:g}; clique {_set(worst.names)} with {worst.configurations} "
                f"configurations takes {_power(worst.log2_cost)} of them; try another order, "
                "approximate some valuations, or raise the limit"
            )

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {**asdict(self), "width": self.width, "max_configurations": self.max_configurations}

    def _unit(self) -> str:
        return "pairs of focal sets" if self.kind == "belief" else "cells"

    def _lines(self) -> list[str]:
        entries = "focal sets" if self.kind == "belief" else "cells"
        return [
            f"Plan of a {self.kind} network ({self.heuristic}): {len(self.order)} variables, "
            f"{len(self.cliques)} cliques, width {self.width}",
            f"largest clique {self.max_configurations} configurations; {self.n_messages} messages; "
            f"at most {_power(self.log2_cost)} {self._unit()}, {_memory(self.log2_bytes)}",
            f"order: {_listed(self.order)}",
            f"clique | configurations | {entries} at most | cost at most",
        ]

    def _rows(self) -> list[list[str]]:
        return [
            [
                _set(clique.names),
                str(clique.configurations),
                _power(clique.log2_entries),
                _power(clique.log2_cost),
            ]
            for clique in self.cliques[:_MAX_ROWS]
        ]

    def __str__(self) -> str:
        *head, titles = self._lines()
        rows = [titles.split(" | "), *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        table = ["  " + _aligned(row, widths) for row in rows]
        more = len(self.cliques) - _MAX_ROWS
        return "\n".join([*head, *table, *([f"  ... {more} more cliques"] if more > 0 else [])])

    def _repr_html_(self) -> str:
        head, *others, titles = self._lines()
        return html_table(head, [titles.split(" | "), *self._rows()], others)


def check_configurations(names: Iterable[str], configurations: int, limit: int | None) -> None:
    """Refuse a clique that is too large for any valuations."""
    if limit is not None and configurations > limit:
        raise CostLimitError(
            f"clique {_set(tuple(names))} has {configurations} configurations, more than "
            f"max_configurations = {limit}; try another order, query fewer variables at once, "
            "or raise the limit"
        )


def make_plan(
    tree: JoinTree,
    names: Sequence[str],
    sizes: Sequence[int],
    entries: Mapping[int, Sequence[int]],
    *,
    kind: str,
    heuristic: str,
) -> Plan:
    """The plan of a tree, from the numbers of focal sets of the valuations on its leaves."""
    estimate = _Estimate(tree, sizes, entries, tables=kind != "belief")
    groups = _maximal(tree)
    cliques = [
        CliquePlan(
            tuple(names[v] for v in scope),
            math.prod(sizes[v] for v in scope),
            max(estimate.widest[node] for node in nodes),
            _log2_sum(estimate.costs[node] for node in nodes),
        )
        for scope, nodes in groups.items()
    ]
    return Plan(
        kind,
        heuristic,
        tuple(names[v] for v in tree.order),
        tuple(cliques),
        2 * sum(1 for _ in tree.edges()),
        _log2_sum(clique.log2_cost for clique in cliques),
        _log2_sum(estimate.memory),
    )


class _Estimate:
    """Bounds on the work of each node, as logarithms to base 2."""

    def __init__(
        self,
        tree: JoinTree,
        sizes: Sequence[int],
        entries: Mapping[int, Sequence[int]],
        *,
        tables: bool,
    ) -> None:
        self.tree, self.sizes, self.tables = tree, sizes, tables
        self.up: dict[int, float] = {}
        self.down: dict[int, float] = {tree.root: 0.0}
        self.costs: dict[int, float] = {}
        self.widest: dict[int, float] = {}
        self.memory: list[float] = []
        nodes = tree.bottom_up()
        for node in nodes:
            self._collect(node, entries.get(node, ()))
        for node in reversed(nodes):
            self._distribute(node)

    def _cap(self, scope: Scope) -> float:
        """All non-empty sets of configurations, or all cells."""
        configurations = math.prod(self.sizes[v] for v in scope)
        return math.log2(configurations) if self.tables else float(configurations)

    def _meet(self, one: float, two: float, scope: Scope) -> tuple[float, float]:
        """Entries and cost of a combination."""
        if self.tables:
            return self._cap(scope), self._cap(scope)
        return min(one + two, self._cap(scope)), one + two

    def _hand_on(self, entries: float, separator: Scope) -> float:
        kept = min(entries, self._cap(separator))
        configurations = math.prod(self.sizes[v] for v in separator)
        size = 8.0 if self.tables else BYTES_A_SET + configurations / 8
        self.memory.append(kept + math.log2(size))
        return kept

    def _collect(self, node: int, counts: Sequence[int]) -> None:
        scope, children = self.tree.scopes[node], self.tree.children[node]
        if children:
            own, cost = self._meet(self.up[children[0]], self.up[children[1]], scope)
        else:
            # The valuations of one leaf are combined one after the other.
            own, cost = 0.0, 0.0
            for count in counts:
                own, cost = self._meet(own, math.log2(max(count, 1)), scope)
        self.costs[node], self.widest[node] = cost, own
        self.up[node] = self._hand_on(own, self.tree.separators[node])

    def _distribute(self, node: int) -> None:
        children, scope = self.tree.children[node], self.tree.scopes[node]
        for child in children:
            other = self.up[self.tree.sibling(child)]
            entries, cost = self._meet(self.down[node], other, scope)
            self.costs[node] = _log2_sum([self.costs[node], cost])
            self.widest[node] = max(self.widest[node], entries)
            self.down[child] = self._hand_on(entries, self.tree.separators[child])


def _maximal(tree: JoinTree) -> dict[Scope, list[int]]:
    """Maximal scopes, each with the nodes inside it, in the order of elimination."""
    largest: dict[Scope, list[int]] = {}
    holding: dict[int, list[Scope]] = {}
    for node in sorted(range(len(tree.scopes)), key=lambda n: (-len(tree.scopes[n]), n)):
        scope = tree.scopes[node]
        wanted = set(scope)
        near = holding.get(scope[0], []) if scope else list(largest)[:1]
        home = next((other for other in near if wanted <= set(other)), None)
        if home is None:
            home = scope
            largest[scope] = []
            for v in scope:
                holding.setdefault(v, []).append(scope)
        largest[home].append(node)
    places = {v: i for i, v in enumerate(tree.order)}
    return dict(sorted(largest.items(), key=lambda item: min(places[v] for v in item[0])))


def _log2_sum(logs: Iterable[float]) -> float:
    values = list(logs)
    top = max(values, default=0.0)
    return top + math.log2(math.fsum(2 ** (value - top) for value in values)) if values else 0.0


def _power(log2: float) -> str:
    return f"{2**log2:,.0f}" if log2 < 40 else f"2^{log2:.0f}"


def _memory(log2_bytes: float) -> str:
    for exponent, unit in ((10, "KiB"), (20, "MiB"), (30, "GiB")):
        if log2_bytes < exponent + 10:
            return f"{2 ** (log2_bytes - exponent):.3g} {unit}"
    return f"2^{log2_bytes - 30:.0f} GiB"


def _set(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def _listed(names: Sequence[str]) -> str:
    more = f", ... {len(names)} in all" if len(names) > _MAX_ROWS else ""
    return ", ".join(names[:_MAX_ROWS]) + more


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (cell for cell in row)
    cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
    return "  ".join([first.ljust(widths[0]), *cells])
