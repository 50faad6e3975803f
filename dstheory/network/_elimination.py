"""Elimination orders of variables: greedy heuristics on the interaction graph.

Eliminating a variable combines all valuations on it and marginalizes it out; the result links its
neighbors. The order decides how large the cliques grow. The best order is NP-hard to find, so each
step takes the cheapest variable by some measure. Ties are broken by the size of the clique, then by
the order of the variables, so an order never depends on chance. Measures are updated where an
elimination changes them and never counted again, so a variable with a thousand neighbors costs no
more than its edges. Rose, D. J. (1972); Kjaerulff, U. (1990), Triangulation of graphs.
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations

import networkx as nx

from dstheory.checks.arguments import check_choice

Measure = Callable[["_Elimination", int], int]
Price = tuple[bool, int, int, int]


def interaction_graph(scopes: Iterable[Collection[int]], n_variables: int) -> nx.Graph:
    """Graph on all variables, with an edge between any two in a common scope.

    >>> sorted(interaction_graph([(0, 1), (1, 2)], 4).edges)
    [(0, 1), (1, 2)]
    """
    graph = nx.Graph()
    graph.add_nodes_from(range(n_variables))
    for scope in scopes:
        graph.add_edges_from(combinations(sorted(scope), 2))
    return graph


class _Elimination:
    """Neighbors of the variables that are left, and what the elimination of each would cost.

    `fill` sums the products of the weights of both ends of all edges that it would add, `clique` is
    the number of configurations of the variable and its neighbors.
    """

    def __init__(self, graph: nx.Graph, sizes: Sequence[int], weights: Sequence[int]) -> None:
        self.sizes, self.weights = sizes, weights
        self.neighbors: dict[int, set[int]] = {v: set(graph[v]) - {v} for v in graph}
        self.total = {v: self._sum(near) for v, near in self.neighbors.items()}
        self.clique = {
            v: sizes[v] * math.prod(sizes[other] for other in near)
            for v, near in self.neighbors.items()
        }
        self.fill = {v: self._fill(v) for v in self.neighbors}

    def _sum(self, variables: Iterable[int]) -> int:
        return sum(self.weights[v] for v in variables)

    def _fill(self, variable: int) -> int:
        """All pairs of neighbors but those with an edge, each of which is met from both ends."""
        near, weights = self.neighbors[variable], self.weights
        pairs = self.total[variable] ** 2 - sum(weights[v] ** 2 for v in near)
        edges = sum(weights[v] * self._sum(self.neighbors[v] & near) for v in near)
        return (pairs - edges) // 2

    def remove(self, variable: int) -> set[int]:
        """Link all neighbors, drop the variable, and return those whose costs may have changed."""
        near = self.neighbors.pop(variable)
        for one in near:
            shared = self._sum(self.neighbors[one] & near)
            apart = self.total[one] - self.weights[variable] - shared
            self.fill[one] -= self.weights[variable] * apart
            self.total[one] -= self.weights[variable]
            self.clique[one] //= self.sizes[variable]
            self.neighbors[one].discard(variable)
        touched = set(near)
        for one in sorted(near):
            for two in sorted(near - self.neighbors[one]):
                if two > one:
                    touched |= self._link(one, two)
        return touched

    def _link(self, one: int, two: int) -> set[int]:
        """Add an edge; return the common neighbors, which lack it no longer."""
        shared = self.neighbors[one] & self.neighbors[two]
        for other in shared:
            self.fill[other] -= self.weights[one] * self.weights[two]
        between = self._sum(shared)
        for end, new in ((one, two), (two, one)):
            self.fill[end] += self.weights[new] * (self.total[end] - between)
            self.total[end] += self.weights[new]
            self.clique[end] *= self.sizes[new]
            self.neighbors[end].add(new)
        return shared


_MEASURES: dict[str, Measure] = {
    "min_fill": lambda left, v: left.fill[v],
    "weighted_min_fill": lambda left, v: left.fill[v],
    "min_degree": lambda left, v: len(left.neighbors[v]),
    "min_weight": lambda left, v: left.clique[v],
}
HEURISTICS = (*_MEASURES, "mcs_m")


def eliminate(
    graph: nx.Graph, sizes: Sequence[int], heuristic: str = "min_fill", last: Collection[int] = ()
) -> tuple[int, ...]:
    """All variables in the order of their elimination, with those in `last` at the end.

    A star is eliminated from its ends:

    >>> eliminate(interaction_graph([(0, 1), (0, 2), (0, 3)], 4), [2, 2, 2, 2])
    (1, 2, 0, 3)
    """
    # networkx returns no order for a chordal graph; min-fill finds one without fill-in.
    check_choice("order", heuristic, HEURISTICS)
    if heuristic == "mcs_m" and not nx.is_chordal(graph):
        _, numbers = nx.complete_to_chordal_graph(graph)
        return tuple(sorted(graph, key=lambda v: (v in last, numbers[v], v)))
    weighted = heuristic == "weighted_min_fill"
    left = _Elimination(graph, sizes, sizes if weighted else [1] * len(sizes))
    measure = _MEASURES.get(heuristic, _MEASURES["min_fill"])

    def price(variable: int) -> Price:
        return variable in last, measure(left, variable), left.clique[variable], variable

    return _greedy(left, price)


def _greedy(left: _Elimination, price: Callable[[int], Price]) -> tuple[int, ...]:
    """Cheapest first; prices change only near eliminated variables."""
    prices = {variable: price(variable) for variable in left.neighbors}
    heap = list(prices.values())
    heapq.heapify(heap)
    order: list[int] = []
    while heap:
        entry = heapq.heappop(heap)
        variable = entry[-1]
        if prices.get(variable) != entry:
            continue  # an outdated price
        del prices[variable]
        order.append(variable)
        for touched in left.remove(variable):
            new = price(touched)
            if new != prices[touched]:
                prices[touched] = new
                heapq.heappush(heap, new)
    return tuple(order)
