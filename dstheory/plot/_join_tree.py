"""`JoinTreeDisplay`: where valuations are combined, and the variables of each message."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from matplotlib.axes import Axes

from dstheory.checks.arguments import as_mapping, as_sequence, check_instance
from dstheory.network import ValuationNetwork, join_tree
from dstheory.network.layout import tree_positions
from dstheory.plot._network import Place, draw_box, draw_link, key_text
from dstheory.plot.style import axes_or_new

# With more nodes, names would overlap.
_MAX_NAMED = 80
# Size of a character and of a line of the small font.
_INCHES = (0.065, 0.125)


@final
@dataclass(eq=False, repr=False)
class JoinTreeDisplay:
    """A join tree, drawn from its root down to its leaves, which hold the valuations.

    Usually made by `from_network`.

    Parameters
    ----------
    places : mapping of node to (x, y)
    names : mapping of node to names of its variables
    keys : mapping of node to keys of its valuations
        Empty for leaves reserved for evidence and for nodes that combine.
    edges : list of (child, parent)

    Attributes
    ----------
    ax_ : matplotlib Axes
    nodes_ : dict of node to Text
    edges_ : list of Line2D
        In the order of `edges`.

    Examples
    --------
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> print(JoinTreeDisplay.from_network(net).nodes_[0].get_text())
    rain
    [observed]
    """

    places: Mapping[int, Place]
    names: Mapping[int, Sequence[str]]
    keys: Mapping[int, Sequence[Hashable]]
    edges: list[tuple[int, int]]

    def __post_init__(self) -> None:
        self.places = as_mapping(self.places, "places", "a mapping of nodes to places")
        self.names = as_mapping(self.names, "names", "a mapping of nodes to names")
        self.keys = as_mapping(self.keys, "keys", "a mapping of nodes to keys")
        self.edges = as_sequence(self.edges, "edges", "pairs of nodes")

    @classmethod
    def from_network(
        cls, network: ValuationNetwork, *, ax: Axes | None = None
    ) -> "JoinTreeDisplay":
        """Lay the join tree of a network out, and draw it.

        Parameters
        ----------
        network : ValuationNetwork
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        JoinTreeDisplay

        Raises
        ------
        TypeError
            If it is not a network.
        """
        check_instance("network", network, ValuationNetwork, "a ValuationNetwork")
        tree = join_tree(network)
        names, keys = dict(tree.nodes(data="names")), dict(tree.nodes(data="keys"))
        widths = {node: _width(_lines(names[node], keys[node])) for node in tree}
        return cls(tree_positions(tree, widths), names, keys, list(tree.edges)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "JoinTreeDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default, in a figure wide enough that no boxes overlap (up to 40 inches).

        Returns
        -------
        JoinTreeDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax, self._size())
        self.edges_ = [
            draw_link(ax, self.places[child], self.places[parent]) for child, parent in self.edges
        ]
        self.nodes_ = {node: self._node(ax, node) for node in self.places}
        ax.margins(0.12)
        ax.set_axis_off()
        return self

    def _size(self) -> tuple[float, float]:
        """Size in inches in which every box has room."""
        lines = [_lines(self.names[node], self.keys[node]) for node in self.places]
        columns, rows = zip(*self.places.values(), strict=True)
        width = max(columns) + max(map(_width, lines))
        height = (max(rows) + 1) * (max(map(len, lines)) + 2)
        return min(max(3.0, width * _INCHES[0]), 40.0), min(max(2.0, height * _INCHES[1]), 40.0)

    def _node(self, ax: Axes, node: int) -> Any:
        inner = any(parent == node for _, parent in self.edges)
        color = "blue" if inner else "vermilion" if self.keys[node] else "gray"
        style = "round,pad=0.3" if inner else "square,pad=0.25"
        lines = _lines(self.names[node], self.keys[node])
        shown = "\n".join(lines) if len(self.places) <= _MAX_NAMED else ""
        return draw_box(ax, self.places[node], shown, color, style, "x-small")


def _lines(names: Sequence[str], keys: Sequence[Hashable]) -> list[str]:
    """Text of a box: variables, and each valuation below them."""
    return [*(names or ["∅"]), *(f"[{key_text(key)}]" for key in keys)]


def _width(lines: Sequence[str]) -> float:
    """Room for a box, in characters."""
    return 3.0 + max(map(len, lines))
