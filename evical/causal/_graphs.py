"""CPDAGs as networkx graphs, and the types of the edges between pairs of nodes.

A CPDAG is a `networkx.DiGraph`; an undirected edge A - B is there in both directions.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_instance, shown
from evical._typing import Ints
from evical.causal._equivalence import EquivalenceClass
from evical.scores.checks import columns_of

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
    pairs : iterable of (A, B), or table of two columns
        Names of nodes.

    Returns
    -------
    (m,) array of str
        Each one of `EDGE_TYPES`.

    Raises
    ------
    ValueError
        If the graph does not have a node of a pair, or a pair is not two names in order.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")])
    >>> edge_types(graph, [("a", "b"), ("b", "a"), ("b", "c"), ("a", "c")]).tolist()
    ['A->B', 'B->A', 'A-B', 'none']
    """
    check_graph("graph", graph)
    found = []
    for number, (a, b) in enumerate(as_pairs(pairs)):
        for name in (a, b):
            if name not in graph:
                raise ValueError(f"pairs[{number}] is {(a, b)!r}, but the graph has no {name!r}")
        found.append(EDGE_TYPES[graph.has_edge(a, b) + 2 * graph.has_edge(b, a)])
    return np.array(found, dtype=np.str_)


def as_pairs(pairs: Any) -> list[Any]:
    """Pairs (A, B) in a list, of a table its rows; a text or a set is no pair.

    Examples
    --------
    >>> as_pairs(np.array([["a", "b"]])), as_pairs(iter([("a", "b")]))
    ([['a', 'b']], [('a', 'b')])
    """
    if hasattr(pairs, "columns"):
        columns = (np.asarray(pairs[name]).tolist() for name in columns_of(pairs))
        rows = list(zip(*columns, strict=True))
    else:
        rows = pairs.tolist() if isinstance(pairs, np.ndarray) else list(pairs)
    for number, pair in enumerate(rows):
        ordered = not isinstance(pair, str | bytes | Set | Mapping) and hasattr(pair, "__len__")
        if not ordered or len(pair) != 2:
            raise ValueError(
                f"pairs[{number}] is {shown(pair)}, expected two names in order: (A, B)"
            )
    return rows


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
