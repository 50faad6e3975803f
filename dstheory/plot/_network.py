"""`NetworkDisplay`: variables, valuations, and the links between them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, final

from matplotlib.axes import Axes

from dstheory.checks.arguments import as_mapping, as_sequence, check_instance
from dstheory.network import ValuationNetwork, to_graph
from dstheory.network.layout import network_positions
from dstheory.plot.style import COLORS, axes_or_new, literal, paper

Place = tuple[float, float]


@final
@dataclass(eq=False, repr=False)
class NetworkDisplay:
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
        ax.margins(0.15)
        ax.set_axis_off()
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
    # Making room for each box in the layout would leave none for the axes.
    options: dict[str, Any] = {"ha": "center", "va": "center", "in_layout": False}
    return ax.text(*place, literal(text), bbox=box, zorder=2, fontsize=size, **options)


def key_text(key: Hashable) -> str:
    """Text of a key; the variable of an observation is drawn beside it.

    >>> key_text("prior"), key_text(("observed", "rain"))
    ('prior', 'observed')
    """
    observed = isinstance(key, tuple) and len(key) == 2 and key[0] == "observed"
    return "observed" if observed else str(key)
