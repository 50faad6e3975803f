"""`NetworkDisplay` and `JoinTreeDisplay`: what a network links, and where it is combined.

A network has variables, valuations, and links between them; the nodes of its join tree have the
variables of each message.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from matplotlib.axes import Axes

from dstheory.checks.arguments import as_mapping, as_sequence, check_instance
from dstheory.network import ValuationNetwork, join_tree, to_graph
from dstheory.network.layout import network_positions, tree_positions
from dstheory.plot.style import COLORS, OnAxes, axes_or_new, keep_on_canvas, literal, paper

Place = tuple[float, float]


@final
@dataclass(eq=False, repr=False)
class NetworkDisplay(OnAxes):
    """Variables in rounded boxes, valuations in square boxes, and lines between them.

    Usually made by `from_network`.

    Parameters
    ----------
    variables : mapping of name to (x, y)
    valuations : mapping of key to (x, y)
    links : list of (name, key)

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    variables_ : dict of name to Text
    valuations_ : dict of key to Text
    links_ : list of Line2D
        In the order of `links`.

    Examples
    --------
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> display = NetworkDisplay.from_network(net)
    >>> display.variables_["rain"].get_text(), display.links
    ('rain', [('rain', ('observed', 'rain'))])
    """

    variables: Mapping[str, Place]
    valuations: Mapping[Hashable, Place]
    links: list[tuple[str, Hashable]]

    def __post_init__(self) -> None:
        self.variables = as_mapping(self.variables, "variables", "a mapping of names to places")
        self.valuations = as_mapping(self.valuations, "valuations", "a mapping of keys to places")
        self.links = as_sequence(self.links, "links", "pairs of a name and a key")

    @classmethod
    def from_network(cls, network: ValuationNetwork, *, ax: Axes | None = None) -> "NetworkDisplay":
        """Lay a network out, and draw it.

        Parameters
        ----------
        network : ValuationNetwork
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        NetworkDisplay

        Raises
        ------
        TypeError
            If it is not a network.
        """
        check_instance("network", network, ValuationNetwork, "a ValuationNetwork")
        graph = to_graph(network)
        places: dict[Any, Place] = network_positions(graph)
        return cls(
            {name: places["variable", name] for name in network.names},
            {key: places["valuation", key] for key in network.valuations},
            [(name, key) for (_, name), (_, key) in graph.edges],
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> "NetworkDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        NetworkDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        self.links_ = [
            draw_link(ax, self.variables[name], self.valuations[key]) for name, key in self.links
        ]
        self.variables_ = {
            name: draw_box(ax, place, name, "blue", "round,pad=0.4")
            for name, place in self.variables.items()
        }
        self.valuations_ = {
            key: draw_box(ax, place, key_text(key), "vermilion", "square,pad=0.25")
            for key, place in self.valuations.items()
        }
        ax.update_datalim([*self.variables.values(), *self.valuations.values()])
        ax.margins(0.15)
        ax.autoscale_view()
        ax.set_axis_off()
        keep_on_canvas(ax)
        return self


def draw_link(ax: Axes, one: Place, other: Place) -> Any:
    """A line behind the boxes."""
    return ax.plot(*zip(one, other, strict=True), color=COLORS["gray"], lw=1, zorder=1)[0]


def draw_box(
    ax: Axes, place: Place, text: object, color: str, style: str, size: str = "small"
) -> Any:
    """A text in a box."""
    edge = {"edgecolor": COLORS[color], "lw": 1.4 if size == "small" else 1.2}
    box = {"boxstyle": style, "facecolor": paper(), **edge}
    # Room for each box in the layout of an engine would leave none for the axes.
    measured = ax.figure.get_layout_engine() is None
    options: dict[str, Any] = {"ha": "center", "va": "center", "in_layout": measured}
    return ax.text(*place, literal(text), bbox=box, zorder=2, fontsize=size, **options)


def key_text(key: Hashable) -> str:
    """Text of a key; the variable of an observation is drawn beside it.

    >>> key_text("prior"), key_text(("observed", "rain"))
    ('prior', 'observed')
    """
    observed = isinstance(key, tuple) and len(key) == 2 and key[0] == "observed"
    return "observed" if observed else str(key)


# With more nodes, names would overlap.
_MAX_NAMED = 80
# Size of a character and of a line of the small font.
_INCHES = (0.065, 0.125)


@final
@dataclass(eq=False, repr=False)
class JoinTreeDisplay(OnAxes):
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
    figure_ : matplotlib Figure
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
        columns = [place[0] for place in self.places.values()]
        half = max(map(_width, self._lines())) / 2
        ax.set_xlim(min(columns) - half, max(columns) + half)
        ax.margins(y=0.12)
        ax.set_axis_off()
        keep_on_canvas(ax)
        return self

    def _lines(self) -> list[list[str]]:
        """Text of each box."""
        return [_lines(self.names[node], self.keys[node]) for node in self.places]

    def _size(self) -> tuple[float, float]:
        """Size in inches in which every box has room."""
        lines = self._lines()
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
