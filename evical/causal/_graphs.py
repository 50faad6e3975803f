"""CPDAGs as networkx graphs, and the types of the edges between pairs of nodes.

A CPDAG is a `networkx.DiGraph`; an undirected edge A - B is there in both directions.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_instance
from evical._typing import Ints
from evical.causal._equivalence import EquivalenceClass

__all__ = ["EDGE_TYPES", "dag_to_cpdag", "edge_types", "graph_of", "typed_edges"]

EDGE_TYPES = ("none", "A->B", "B->A", "A-B")
"""What may be between the nodes A and B of a pair (A, B)."""


def graph_of(network: EquivalenceClass, names: Sequence[Any]) -> "nx.DiGraph[Any]":
    """The CPDAG of an equivalence class.

    Parameters
    ----------
    network : EquivalenceClass
    names : sequence
        Of the nodes.

    Returns
    -------
    networkx.DiGraph
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(names)
    for y, name in enumerate(names):
        tails = sorted(network.parents[y] | network.neighbors[y])
        graph.add_edges_from((names[x], name) for x in tails)
    return graph


def dag_to_cpdag(dag: "nx.DiGraph[Any]") -> "nx.DiGraph[Any]":
    """The CPDAG of the equivalence class of a directed acyclic graph.

    Parameters
    ----------
    dag : networkx.DiGraph

    Returns
    -------
    networkx.DiGraph
        The directed edges are those that all equivalent graphs share; the others are undirected,
        that is, there in both directions.

    Raises
    ------
    ValueError
        If the graph has a cycle; an undirected edge is one.

    References
    ----------
    Chickering (1995), A transformational characterization of equivalent Bayesian network
    structures, UAI, algorithm Label-Edges.

    Examples
    --------
    >>> import networkx as nx
    >>> sorted(dag_to_cpdag(nx.DiGraph([("a", "b"), ("b", "c")])).edges)  # a - b - c
    [('a', 'b'), ('b', 'a'), ('b', 'c'), ('c', 'b')]
    >>> sorted(dag_to_cpdag(nx.DiGraph([("a", "b"), ("c", "b")])).edges)  # a -> b <- c
    [('a', 'b'), ('c', 'b')]
    """
    check_graph("dag", dag)
    if not nx.is_directed_acyclic_graph(dag):
        cycle = " -> ".join(repr(a) for a, _ in nx.find_cycle(dag))
        raise ValueError(f"dag has the cycle {cycle}, expected a directed acyclic graph")
    names = list(dag)
    place = {name: i for i, name in enumerate(names)}
    parents = [{place[x] for x in dag.predecessors(name)} for name in names]
    return graph_of(EquivalenceClass.of_dag(parents), names)


def check_graph(name: str, graph: Any) -> None:
    """Raise TypeError unless an argument is a simple directed networkx graph."""
    expected = "a networkx.DiGraph, with undirected edges in both directions"
    check_instance(name, graph, nx.DiGraph, expected)
    if graph.is_multigraph():
        raise TypeError(f"{name} is a {type(graph).__name__}, expected {expected}")


def edge_types(graph: "nx.DiGraph[Any]", pairs: Iterable[tuple[Any, Any]]) -> NDArray[np.str_]:
    """What is between the two nodes of some pairs.

    Parameters
    ----------
    graph : networkx.DiGraph
        A CPDAG.
    pairs : iterable of (A, B)
        Names of nodes.

    Returns
    -------
    (m,) array of str
        Each one of `EDGE_TYPES`.

    Raises
    ------
    ValueError
        If the graph does not have a node of a pair.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")])
    >>> edge_types(graph, [("a", "b"), ("b", "a"), ("b", "c"), ("a", "c")]).tolist()
    ['A->B', 'B->A', 'A-B', 'none']
    """
    check_graph("graph", graph)
    found = []
    for number, (a, b) in enumerate(pairs):
        for name in (a, b):
            if name not in graph:
                raise ValueError(f"pairs[{number}] is {(a, b)!r}, but the graph has no {name!r}")
        found.append(EDGE_TYPES[graph.has_edge(a, b) + 2 * graph.has_edge(b, a)])
    return np.array(found, dtype=np.str_)


def typed_edges(graph: "nx.DiGraph[Any]", place: dict[Any, int]) -> Ints:
    """Edges of a CPDAG by the places of their nodes.

    Parameters
    ----------
    graph : networkx.DiGraph
    place : dict
        Name of each node to its place.

    Returns
    -------
    (m, 3) array
        Rows (i, j, type) with i < j and a number from 1 of `EDGE_TYPES`, in order.
    """
    found: dict[tuple[int, int], int] = {}
    for a, b in graph.edges:
        i, j = place[a], place[b]
        key, kind = ((i, j), 1) if i < j else ((j, i), 2)
        found[key] = found.get(key, 0) + kind
    rows = [(*key, kind) for key, kind in sorted(found.items())]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)
