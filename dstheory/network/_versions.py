"""One version of a network: its valuations on the leaves of a tree, and its messages.

Trees and messages are computed when they are first needed. A version that adds one valuation takes
over the tree and grafts a leaf where there is room, so most messages keep their names and are
reused.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import networkx as nx

from dstheory.checks.arguments import did_you_mean
from dstheory.network._algebra import Amount, Part
from dstheory.network._elimination import eliminate, interaction_graph
from dstheory.network._errors import NetworkError
from dstheory.network._join_tree import JoinTree, Scope, binary_join_tree
from dstheory.network._kinds import Kind
from dstheory.network._messages import Messages, Store
from dstheory.network._plan import Plan, check_configurations, make_plan

P = TypeVar("P", bound=Part)
Order = str | tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Entry(Generic[P]):
    """One valuation, as given and as a part; `number` identifies it in digests."""

    number: int
    scope: Scope
    valuation: Any
    part: P


class Version(Generic[P]):
    """Valuations by key, and what follows from them."""

    def __init__(
        self,
        kind: Kind[P],
        store: Store[P],
        entries: Mapping[Hashable, Entry[P]],
        order: Order,
        tree: JoinTree | None = None,
    ) -> None:
        self.kind = kind
        self.store = store
        self.entries = dict(entries)
        self.order = order
        self._given_tree = tree
        self._queries: dict[Scope, Messages[P]] = {}

    def with_entries(self, entries: Mapping[Hashable, Entry[P]]) -> "Version[P]":
        """Another version, on the same tree if that has room."""
        tree = self.__dict__.get("tree", self._given_tree)
        for entry in entries.values():
            if tree is not None and entry.scope not in tree.leaves:
                tree = tree.graft(entry.scope)
        return Version(self.kind, self.store, entries, self.order, tree)

    def entry(self, key: Hashable) -> Entry[P]:
        """The valuation with this key."""
        try:
            return self.entries[key]
        except KeyError:
            known = ", ".join(map(repr, list(self.entries)[:20])) or "none"
            meant = did_you_mean(key, self.entries)
            raise NetworkError(
                f"there is no valuation {key!r}; the keys are {known}{meant}"
            ) from None

    @cached_property
    def tree(self) -> JoinTree:
        """The join tree of all scopes."""
        return self._given_tree or self.tree_with()

    def tree_with(self, query: Scope = ()) -> JoinTree:
        """A new tree with a leaf for a query."""
        scopes = [entry.scope for entry in self.entries.values()]
        scopes += [query] if query else []
        graph = interaction_graph(scopes, len(self.kind.sizes))
        order = self.order
        if isinstance(order, str):
            order = eliminate(graph, self.kind.sizes, order)
        return binary_join_tree(scopes, self.kind.sizes, order)

    def fusion_order(self, query: Scope) -> tuple[int, ...]:
        """An order that ends with a query; raise if its cliques exceed the limits."""
        scopes = [*(entry.scope for entry in self.entries.values()), query]
        sizes = self.kind.sizes
        if isinstance(self.order, str):
            graph = interaction_graph(scopes, len(sizes))
            order = eliminate(graph, sizes, self.order, last=query)
        else:
            order = (*(v for v in self.order if v not in query), *query)
        self._check(binary_join_tree(scopes, sizes, order))
        return order

    def leaves(self, tree: JoinTree) -> dict[int, list[tuple[int, P]]]:
        """Numbered parts of each leaf."""
        found: dict[int, list[tuple[int, P]]] = {}
        for entry in self.entries.values():
            found.setdefault(tree.leaves[entry.scope], []).append((entry.number, entry.part))
        silent = set(range(len(self.kind.sizes)))
        silent -= {v for entry in self.entries.values() for v in entry.scope}
        for place in silent:
            part = self.kind.filler(place)
            if part is not None:
                found[tree.leaves[(place,)]] = [(-place, part)]
        return found

    def parts(self) -> list[P]:
        """All valuations, and weights of variables without any."""
        return [part for parts in self.leaves(self.tree).values() for _, part in parts]

    @cached_property
    def messages(self) -> Messages[P]:
        """Messages on the join tree."""
        return self._messages(self.tree)

    def checked_order(self) -> tuple[int, ...]:
        """The order of elimination of the tree; raise if its cliques exceed the limits."""
        self._check(self.tree)
        return self.tree.order

    def _messages(self, tree: JoinTree) -> Messages[P]:
        self._check(tree)
        return Messages(self.store, tree, self.leaves(tree))

    def belief(self, scope: Scope) -> P | None:
        """Marginal of all valuations on some variables, before normalization."""
        messages = self.messages
        if messages.tree.home(scope) is None:
            if scope not in self._queries:
                self._queries[scope] = self._messages(self.tree_with(scope))
            messages = self._queries[scope]
        node = messages.tree.home(scope)
        assert node is not None  # a query has a leaf
        return self.store.reduce(messages.belief(node), scope)

    def total_without(self, key: Hashable) -> Amount:
        """Weight of all other valuations, from the messages that do not depend on this one."""
        entry, messages = self.entry(key), self.messages
        leaf = messages.tree.leaves[entry.scope]
        others = [part for number, part in messages.leaves[leaf] if number != entry.number]
        outside = None if leaf == messages.tree.root else messages.down(leaf)
        rest = self.store.combine(*others, outside)
        spoken = () if rest is None else rest.scope
        silent = [self.kind.filler(v) for v in entry.scope if v not in spoken]
        return self._total(self.store.combine(rest, *silent))

    @property
    def total(self) -> Amount:
        """Weight of all valuations, the normalization constant."""
        return self._total(self.messages.up(self.messages.tree.root))

    def _total(self, part: P | None) -> Amount:
        return Amount(1) if part is None else self.store.algebra.total(part)

    def plan(self, query: Scope = ()) -> Plan:
        """Cost of propagation, including a query."""
        known = not query or self.tree.home(query) is not None
        return self._plan(self.tree if known else self.tree_with(query))

    def _plan(self, tree: JoinTree) -> Plan:
        algebra = self.store.algebra
        counts = {
            leaf: [algebra.entries(part) for _, part in parts]
            for leaf, parts in self.leaves(tree).items()
        }
        names = [variable.name for variable in self.kind.variables]
        heuristic = self.order if isinstance(self.order, str) else "given order"
        kind, sizes = self.kind.name, self.kind.sizes
        return make_plan(tree, names, sizes, counts, kind=kind, heuristic=heuristic)

    def _check(self, tree: JoinTree) -> None:
        """Refuse a tree that exceeds a limit, before anything runs."""
        algebra = self.store.algebra
        count, limits = algebra.n_configurations, algebra.limits
        largest = max(tree.scopes, key=count)
        limit = limits.max_configurations or self.kind.max_configurations
        check_configurations(self.kind.scope_names(largest), count(largest), limit)
        if limits.max_cost is not None:
            self._plan(tree).check(max_cost=limits.max_cost)

    @cached_property
    def is_exact(self) -> bool:
        """Whether some valuation has fractions or symbols, so that results may have them too."""
        return any(self.kind.is_exact(entry.valuation) for entry in self.entries.values())

    @cached_property
    def components(self) -> list[set[int]]:
        """Sets of variables that valuations link."""
        scopes: Sequence[Scope] = [entry.scope for entry in self.entries.values()]
        graph = interaction_graph(scopes, len(self.kind.sizes))
        return [set(part) for part in nx.connected_components(graph)]
