"""Elimination orders of variables: greedy heuristics on the interaction graph.

Eliminating a variable combines all valuations on it and marginalizes it out; the result links its
neighbors. The order decides how large the cliques grow. The best order is NP-hard to find, so each
step takes the cheapest variable by some measure. Ties are broken by the size of the clique, then by
the order of the variables, so an order never depends on chance. Rose, D. J. (1972); Kjaerulff, U.
(1990), Triangulation of graphs.
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations

import networkx as nx

from dstheory.kernels.arguments import check_choice

__all__ = ["HEURISTICS", "check_heuristic", "eliminate", "interaction_graph"]

Adjacency = dict[int, set[int]]
Measure = Callable[[int, Adjacency, Sequence[int]], int]


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


def _missing(variable: int, adjacency: Adjacency) -> Iterable[tuple[int, int]]:
    """Pairs of neighbors that elimination would link."""
    for one, two in combinations(sorted(adjacency[variable]), 2):
        if two not in adjacency[one]:
            yield one, two


def _fill(variable: int, adjacency: Adjacency, sizes: Sequence[int]) -> int:
    return sum(1 for _ in _missing(variable, adjacency))


def _weighted_fill(variable: int, adjacency: Adjacency, sizes: Sequence[int]) -> int:
    return sum(sizes[one] * sizes[two] for one, two in _missing(variable, adjacency))


def _degree(variable: int, adjacency: Adjacency, sizes: Sequence[int]) -> int:
    return len(adjacency[variable])


def _weight(variable: int, adjacency: Adjacency, sizes: Sequence[int]) -> int:
    return sizes[variable] * math.prod(sizes[other] for other in adjacency[variable])


_MEASURES: dict[str, Measure] = {
    "min_fill": _fill,
    "weighted_min_fill": _weighted_fill,
    "min_degree": _degree,
    "min_weight": _weight,
}
HEURISTICS = (*_MEASURES, "mcs_m")


def check_heuristic(name: str) -> str:
    """The name of a heuristic, if it is known."""
    check_choice("order", name, HEURISTICS)
    return name


def eliminate(
    graph: nx.Graph, sizes: Sequence[int], heuristic: str = "min_fill", last: Collection[int] = ()
) -> tuple[int, ...]:
    """All variables in the order of their elimination, with those in `last` at the end.

    A star is eliminated from its ends:

    >>> eliminate(interaction_graph([(0, 1), (0, 2), (0, 3)], 4), [2, 2, 2, 2])
    (1, 2, 0, 3)
    """
    # networkx returns no order for a chordal graph; min-fill finds one without fill-in.
    if check_heuristic(heuristic) == "mcs_m" and not nx.is_chordal(graph):
        _, numbers = nx.complete_to_chordal_graph(graph)
        return tuple(sorted(graph, key=lambda v: (v in last, numbers[v], v)))
    adjacency = {variable: set(graph[variable]) for variable in graph}
    measure = _MEASURES.get(heuristic, _fill)

    def price(variable: int) -> tuple[bool, int, int, int]:
        cost = measure(variable, adjacency, sizes)
        return variable in last, cost, _weight(variable, adjacency, sizes), variable

    return _greedy(adjacency, price)


def _greedy(
    adjacency: Adjacency, price: Callable[[int], tuple[bool, int, int, int]]
) -> tuple[int, ...]:
    """Cheapest first; prices change only near eliminated variables."""
    prices = {variable: price(variable) for variable in adjacency}
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
        for touched in _remove(variable, adjacency):
            new = price(touched)
            if new != prices[touched]:
                prices[touched] = new
                heapq.heappush(heap, new)
    return tuple(order)


def _remove(variable: int, adjacency: Adjacency) -> set[int]:
    """Link all neighbors and drop the variable; return those whose price may have changed."""
    neighbors = adjacency.pop(variable)
    touched = set(neighbors)
    for one in neighbors:
        adjacency[one].discard(variable)
        new = neighbors - adjacency[one] - {one}
        if new:
            touched |= adjacency[one]  # an edge may have appeared among their neighbors
            adjacency[one] |= new
    return touched
