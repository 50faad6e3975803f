"""Layered layout of nodes whose lines rarely cross and never run through a node.

A line that passes a layer takes its own place in it. Each layer is then ordered by the places of
its neighbors in the previous layer, alternately downward and upward (Sugiyama, Tagawa & Toda 1981,
"Methods for visual understanding of hierarchical system structures").
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

__all__ = ["place_in_layers"]

Place: TypeAlias = tuple[float, int]
# A node by its number, or the place of an edge in a layer it passes.
Item: TypeAlias = tuple[int, ...]

_SWEEPS = 8
# Width of a line, in widths of a node.
_THIN = 0.3


def place_in_layers(
    level: Mapping[int, int], edges: Sequence[tuple[int, int]], *, sort: bool
) -> tuple[dict[int, Place], list[list[Place]]]:
    """Places (x, level) of nodes, and the corners of each edge from the first to the second.

    Without `sort`, the nodes of a level keep their order. Nodes are one unit apart, and x = 0 is
    the middle of each level.

    >>> places, lines = place_in_layers({5: 0, 6: 1, 7: 1}, [(5, 6), (5, 7)], sort=False)
    >>> places[6], lines[1]
    ((-0.5, 1), [(0.0, 0), (0.5, 1)])
    """
    chains = [_chain(level, number, edge) for number, edge in enumerate(edges)]
    layers: list[list[Item]] = [[] for _ in range(max(level.values()) + 1)]
    for node, height in level.items():
        layers[height].append((node,))
    for (low, _), chain in zip(edges, chains, strict=True):
        for height, item in enumerate(chain[1:-1], start=level[low] + 1):
            layers[height].append(item)
    if sort:
        _sort_layers(layers, chains)
    x = {item: place for layer in layers for item, place in _spread(layer).items()}
    height_of = {item: height for height, layer in enumerate(layers) for item in layer}
    lines = [[(x[item], height_of[item]) for item in chain] for chain in chains]
    return {node: (x[node,], height) for node, height in level.items()}, lines


def _chain(level: Mapping[int, int], number: int, edge: tuple[int, int]) -> list[Item]:
    """Both ends of an edge, and its places in the layers between."""
    low, high = edge
    between = range(level[low] + 1, level[high])
    return [(low,), *((number, height) for height in between), (high,)]


def _sort_layers(layers: list[list[Item]], chains: list[list[Item]]) -> None:
    below: dict[Item, list[Item]] = {item: [] for layer in layers for item in layer}
    above: dict[Item, list[Item]] = {item: [] for layer in layers for item in layer}
    for chain in chains:
        for low, high in pairwise(chain):
            below[high].append(low)
            above[low].append(high)
    for sweep in range(_SWEEPS):
        neighbors = above if sweep % 2 else below
        for layer in reversed(layers) if sweep % 2 else layers:
            _sort_layer(layers, layer, neighbors)


def _sort_layer(
    layers: list[list[Item]], layer: list[Item], neighbors: Mapping[Item, list[Item]]
) -> None:
    """Sort by the mean place of the neighbors; nodes without neighbors keep their place."""
    x = {item: place for other in layers for item, place in _spread(other).items()}

    def mean(item: Item) -> float:
        near = neighbors[item]
        return sum(x[other] for other in near) / len(near) if near else x[item]

    layer.sort(key=mean)


def _spread(layer: list[Item]) -> dict[Item, float]:
    """Places side by side, with thin lines, centered at 0."""
    widths = [1.0 if len(item) == 1 else _THIN for item in layer]
    places, left = {}, -sum(widths) / 2
    for item, width in zip(layer, widths, strict=True):
        places[item] = left + width / 2
        left += width
    return places
