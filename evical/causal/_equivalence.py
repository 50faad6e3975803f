"""A class of Markov equivalent networks that changes by one edge at a time, as in a search.

It is kept twice: as its CPDAG, whose directed edges are those that all members share, and as one
member. To add or remove x -> y, the member is first turned into one in which y has the right
parents (its chain component is oriented by maximum cardinality search), then the edge is changed,
and the edges whose direction may have become free or forced are labeled anew. Sources: Chickering
(1995), A transformational characterization of equivalent Bayesian network structures, UAI,
algorithm Label-Edges; Chickering (2002), Optimal structure identification with greedy search, JMLR
3, theorems 15 and 17.
"""

import heapq
from collections.abc import Collection, Iterable

Sets = list[set[int]]


class EquivalenceClass:
    """An equivalence class of directed acyclic graphs on the nodes 0, ..., V - 1.

    Parameters
    ----------
    n_nodes : int

    Attributes
    ----------
    parents, children, neighbors : list of set
        The CPDAG: nodes with a directed edge to, or from, each node, and with an undirected one.
    adjacent : list of set
    dag_parents, dag_children : list of set
        One member.

    Examples
    --------
    >>> network = EquivalenceClass(3)
    >>> sorted(network.add(0, 2, [])), network.neighbors
    ([0, 2], [{2}, set(), {0}])
    >>> sorted(network.add(1, 2, [0])), network.parents  # 0 -> 2 <- 1
    ([0, 1, 2], [set(), set(), {0, 1}])
    """

    def __init__(self, n_nodes: int) -> None:
        def empty() -> Sets:
            return [set() for _ in range(n_nodes)]

        self.parents, self.children, self.neighbors = empty(), empty(), empty()
        self.adjacent, self.dag_parents, self.dag_children = empty(), empty(), empty()

    @classmethod
    def of_dag(cls, parents: Sets) -> "EquivalenceClass":
        """The class of a directed acyclic graph, given by the parents of each node."""
        network = cls(len(parents))
        for y, tails in enumerate(parents):
            for x in tails:
                network._link(x, y)
        network._label(range(len(parents)))
        return network

    def add(self, x: int, y: int, clique: Iterable[int]) -> set[int]:
        """Insert x -> y, with all of `clique` and no other neighbor of y before y (theorem 15).

        Returns
        -------
        set of int
            Nodes whose edges in the CPDAG changed.
        """
        self._orient(y, clique)
        self._link(x, y)
        return self._label({y} | self.dag_children[y])

    def remove(self, x: int, y: int, clique: Iterable[int]) -> set[int]:
        """Delete x -> y or x - y, with all of `clique` and x before y (theorem 17).

        Returns
        -------
        set of int
            Nodes whose edges in the CPDAG changed.
        """
        self._orient(y, [*clique, x] if x in self.neighbors[y] else clique)
        for sets, a, b in self._both_sides(x, y):
            sets[a].discard(b)
        for sets in (self.parents, self.children, self.neighbors):
            sets[x].discard(y)
            sets[y].discard(x)
        return {x, y} | self._label({y} | self.dag_children[y])

    def semi_directed_path(self, start: int, end: int, without: Collection[int]) -> list[int]:
        """A semi-directed path from `start` to `end` that avoids some nodes; empty if none.

        It is searched from both ends, a layer of the smaller side at a time.
        """
        avoided = set(without)
        onward, back = _Reached(start, self.children), _Reached(end, self.parents)
        while onward.layers[-1] and back.layers[-1]:
            side, other = sorted((onward, back), key=lambda one: len(one.layers[-1]))
            meeting = side.advance(self.neighbors, avoided) & other.seen
            if meeting:
                v = min(meeting)
                first = onward.way(v, self.parents, self.neighbors)
                return first[::-1] + back.way(v, self.children, self.neighbors)[1:]
        return []

    def _both_sides(self, x: int, y: int) -> tuple[tuple[Sets, int, int], ...]:
        return (
            (self.dag_parents, y, x),
            (self.dag_children, x, y),
            (self.adjacent, x, y),
            (self.adjacent, y, x),
        )

    def _link(self, x: int, y: int) -> None:
        for sets, a, b in self._both_sides(x, y):
            sets[a].add(b)

    def _orient(self, y: int, clique: Iterable[int]) -> None:
        """Turn to the member in which `clique` comes before y, and y before its other neighbors."""
        order = oriented(self.neighbors, [*clique, y])
        place = {v: i for i, v in enumerate(order)}
        for v in order:
            later = {w for w in self.neighbors[v] if place[w] > place[v]}
            earlier = self.neighbors[v] - later
            self.dag_children[v] = self.dag_children[v] - earlier | later
            self.dag_parents[v] = self.dag_parents[v] - later | earlier

    def _label(self, nodes: Iterable[int]) -> set[int]:
        """Forced and free edges into some nodes, and into those below that depend on them."""
        dirty, found = set(nodes), set[int]()
        for v in topological(self.dag_children, dirty):
            if v not in dirty:
                continue
            forced = self._forced(v)
            moved = self._write(v, forced)
            if moved:
                found |= moved
                found.add(v)
                dirty |= self.dag_children[v]
        return found

    def _forced(self, y: int) -> set[int]:
        """Parents x of y for which all members have x -> y; those of the parents are known.

        Label-Edges looks at the last parent x of y in topological order. It is the one parent
        without a child among the others; if there are two of these, they are not adjacent, and all
        edges into y are forced.
        """
        tails = self.dag_parents[y]
        last = [v for v in tails if tails.isdisjoint(self.dag_children[v])]
        if len(last) != 1:
            return set(tails)
        x = last[0]
        forced = self.parents[x]
        if not forced <= tails or len(tails - self.dag_parents[x]) > 1:
            return set(tails)
        return set(forced)

    def _write(self, y: int, forced: set[int]) -> set[int]:
        """Note the forced edges into y; tails of the edges that differ from before."""
        free = self.dag_parents[y] - forced
        moved = (forced - self.parents[y]) | (free - self.neighbors[y])
        for x in moved:
            directed = x in forced
            for sets, a, b, kept in (
                (self.parents, y, x, directed),
                (self.children, x, y, directed),
                (self.neighbors, x, y, not directed),
                (self.neighbors, y, x, not directed),
            ):
                (sets[a].add if kept else sets[a].discard)(b)
        return moved


def topological(children: Sets, start: Iterable[int]) -> list[int]:
    """Some nodes and all below them, each before its children.

    Examples
    --------
    >>> topological([{1, 2}, set(), {1}], [0])
    [0, 2, 1]
    """
    seen: set[int] = set()
    done: list[int] = []
    for root in start:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(children[root]))]
        while stack:
            v, rest = stack[-1]
            for w in rest:
                if w not in seen:
                    seen.add(w)
                    stack.append((w, iter(children[w])))
                    break
            else:
                done.append(v)
                stack.pop()
    return done[::-1]


def oriented(neighbors: Sets, first: list[int]) -> list[int]:
    """The chordal component of a clique, by maximum cardinality search from that clique.

    Directed along this order, its edges make no new v-structure (Tarjan & Yannakakis 1984).

    Examples
    --------
    >>> oriented([{1}, {0, 2}, {1}], [2])
    [2, 1, 0]
    """
    order: list[int] = []
    met: dict[int, int] = dict.fromkeys(first, 0)
    heap = [(-len(neighbors), i, v) for i, v in enumerate(first)]
    visited: set[int] = set()
    while heap:
        _, _, v = heapq.heappop(heap)
        if v in visited:
            continue
        visited.add(v)
        order.append(v)
        for w in neighbors[v]:
            if w not in visited:
                met[w] = met.get(w, 0) + 1
                heapq.heappush(heap, (-met[w], len(first), w))
    return order


class _Reached:
    """Nodes on semi-directed paths from, or to, one node, by their distance."""

    def __init__(self, root: int, ahead: Sets) -> None:
        self.ahead, self.seen, self.layers = ahead, {root}, [{root}]

    def advance(self, neighbors: Sets, avoided: set[int]) -> set[int]:
        """The next layer."""
        last = self.layers[-1]
        layer = set[int]().union(*(self.ahead[v] for v in last), *(neighbors[v] for v in last))
        layer -= self.seen
        layer -= avoided
        self.seen |= layer
        self.layers.append(layer)
        return layer

    def way(self, v: int, behind: Sets, neighbors: Sets) -> list[int]:
        """From a node that was reached to the root."""
        path = [v]
        distance = next(i for i, layer in enumerate(self.layers) if v in layer)
        for layer in self.layers[:distance][::-1]:
            path.append(min(layer & (behind[path[-1]] | neighbors[path[-1]])))
        return path
