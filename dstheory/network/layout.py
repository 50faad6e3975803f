"""Layouts for pictures: networkx places networks, and trees are laid out in levels."""

from collections.abc import Mapping

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Node = object
Place = tuple[float, float]

# The layout of Kamada & Kawai takes 0.3 s for 30 nodes and grows cubically.
_SMALL = 30


def network_positions(graph: nx.Graph) -> dict[Node, Place]:
    """Places of variables and valuations: linked ones are close, components are side by side.

    Small components use the layout of Kamada & Kawai (1989), large ones that of Fruchterman &
    Reingold (1991) from a spectral start. Both are deterministic.

    >>> network_positions(nx.Graph([("a", "b")]).subgraph(["a"]))
    {'a': (0.0, 0.0)}
    """
    places: dict[Node, Place] = {}
    left = 0.0
    for part in nx.connected_components(graph):
        piece = graph.subgraph(sorted(part, key=list(graph).index))
        width = len(part) ** 0.5
        found = _linked_positions(piece, width / 2) if len(part) > 1 else {}
        for node in piece:
            x, y = found.get(node, (0.0, 0.0))
            places[node] = (float(x) + left, float(y))
        left += width + 1
    return places


def _linked_positions(graph: nx.Graph, scale: float) -> dict[Node, NDArray[np.float64]]:
    if len(graph) <= _SMALL:
        found = nx.kamada_kawai_layout(graph, scale=scale)
    else:
        rng = np.random.default_rng(0)
        # A spectral start unfolds grids, but puts the ends of a star together, and is random from
        # 500 nodes on.
        start = (nx.spectral_layout if len(graph) < 500 else nx.circular_layout)(graph)
        start = {node: place + rng.normal(scale=0.01, size=2) for node, place in start.items()}
        found = nx.spring_layout(graph, pos=start, scale=scale, iterations=100)
    return dict(found)


def tree_positions(tree: nx.DiGraph, widths: Mapping[int, float]) -> dict[int, Place]:
    """Places of the nodes of a join tree: subtrees side by side, a parent above their middle.

    Boxes of a level never overlap: a subtree is as wide as its root or as the subtrees of its
    children.

    >>> tree_positions(nx.DiGraph([(0, 2), (1, 2)]), {0: 1, 1: 3, 2: 2})
    {2: (2.0, 1), 0: (0.5, 0), 1: (2.5, 0)}
    """
    (root,) = (node for node in tree if tree.out_degree(node) == 0)
    downwards = tree.reverse(copy=False)
    depth = nx.single_source_shortest_path_length(downwards, root)
    rooms: dict[int, float] = {}
    for node in nx.dfs_postorder_nodes(downwards, root):
        rooms[node] = max(widths[node], sum(rooms[child] for child in tree.predecessors(node)))
    lowest, left = max(depth.values()), {root: 0.0}
    for node in nx.dfs_preorder_nodes(downwards, root):
        children = list(tree.predecessors(node))
        place = left[node] + (rooms[node] - sum(rooms[child] for child in children)) / 2
        for child in children:
            left[child], place = place, place + rooms[child]
    return {node: (left[node] + rooms[node] / 2, lowest - depth[node]) for node in left}
