"""`HasseDisplay`: the sets of a frame ordered by inclusion, each with a mass or belief.

Lines show the covering relation: in the whole lattice they join a set to those with one more
element, otherwise to the next larger sets shown.

The sets of a frame that a Hasse diagram shows, and their covering relation.

Layered layout of nodes whose lines rarely cross and never run through a node.

A line that passes a layer takes its own place in it. Each layer is then ordered by the places of
its neighbors in the previous layer, alternately downward and upward (Sugiyama, Tagawa & Toda 1981,
"Methods for visual understanding of hierarchical system structures").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import groupby, pairwise
from typing import Any, Literal, TypeAlias, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from numpy.typing import NDArray

from dstheory.checks.arguments import (
    as_mapping,
    as_sequence,
    check_choice,
    check_flag,
    check_instance,
)
from dstheory.mass import MassFunction
from dstheory.notebook import short
from dstheory.plot._sets import by_size, check_single, set_lines, value_text, wrap
from dstheory.plot.style import COLORS, OnAxes, axes_or_new, finish, ink, literal, paper

Spot: TypeAlias = tuple[float, int]
# A node by its number, or the place of an edge in a layer it passes.
Item: TypeAlias = tuple[int, ...]

_SWEEPS = 8
# Width of a line, in widths of a node.
_THIN = 0.3


def place_in_layers(
    level: Mapping[int, int], edges: Sequence[tuple[int, int]], *, sort: bool
) -> tuple[dict[int, Spot], list[list[Spot]]]:
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


# The whole lattice of 6 labels; its widest level has 20 sets.
MAX_SETS = 64


def all_sets(m: MassFunction) -> range:
    size = len(m.frame)
    if 1 << size > MAX_SETS:
        raise ValueError(
            f"a frame of {size} labels has {1 << size} sets, more than {MAX_SETS}; "
            "leave out whole=True, or use MassDisplay"
        )
    return range(1 << size)


def closure(m: MassFunction) -> Iterable[int]:
    """Unions and intersections of focal sets, with the empty set and the frame."""
    closed = {0, m.frame.full}
    for mask in m.prune().focal.tolist():
        # Closing a lattice with one more set: each new set is a union, an intersection, or both.
        pending = [mask]
        while pending:
            new = pending.pop()
            if new not in closed:
                pending.extend(one for old in closed for one in (new | old, new & old))
                closed.add(new)
            if len(closed) > MAX_SETS:
                raise ValueError(
                    f"the focal sets ({len(m.focal)} of them) with their unions and intersections "
                    f"are more than {MAX_SETS} sets; approximate the mass function by fewer "
                    "focal sets (dstheory.approximate), or take MassDisplay"
                )
    return closed


def covers(masks: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs (smaller, larger) without a set between them."""
    below: NDArray[np.bool_] = np.array([[a != b and a & b == a for b in masks] for a in masks])
    between = below.astype(np.int64) @ below.astype(np.int64)
    pairs = np.argwhere(below & (between == 0)).tolist()
    return [(masks[i], masks[j]) for i, j in pairs]


Degree: TypeAlias = Literal["mass", "bel", "pl", "q"]
Place: TypeAlias = tuple[float, float]

_EDGE: dict[str, Any] = {"color": COLORS["gray"], "lw": 0.8, "zorder": 1}

_TITLES = {"mass": "Mass m(A)", "bel": "Belief Bel(A)", "pl": "Plausibility Pl(A)"}
_TITLES["q"] = "Commonality q(A)"
# By default, whole lattices have up to 2^5 sets.
_MAX_LABELS = 5
# Areas of the disks of the largest degree and of 0, in points squared.
_AREA, _LEAST = 900.0, 14.0
# Size of a character and of a line of the small font, and of a disk, in inches.
_CHARACTER, _LINE, _DISK = 0.075, 0.16, 0.48
# Gap between levels; larger if the picture is wide, because lines would be flat.
_GAP, _STEEPNESS = 0.5, 0.075
_MAX_WIDTH = 12.0
# Letters of a label, and the scale of letters in given axes below which labels are cut.
_MAX_LETTERS, _LEAST_SCALE = 24, 0.6


@final
@dataclass(eq=False, repr=False)
class HasseDisplay(OnAxes):
    """Sets ordered by inclusion, with disks whose area and shade show a degree of belief.

    Usually made by `from_mass`.

    Parameters
    ----------
    degrees : mapping of int to float
        By mask.
    names : mapping of int to sequence of str
        Labels of each set.
    edges : list of (smaller, larger)
        Pairs of masks; the larger set covers the smaller one.
    title : str
    zeros : bool
        Write degrees of 0, too.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    nodes_ : PathCollection
        Disks in the order of `degrees`.
    names_ : dict of int to Text
    edges_ : list of Line2D
        In the order of `edges`.
    places_ : dict of int to (x, y)

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25])
    >>> display = HasseDisplay.from_mass(m)
    >>> display.edges
    [(0, 1), (0, 2), (1, 3), (2, 3)]
    >>> print(display.names_[3].get_text())
    {ant, bee}
    0.25
    """

    degrees: Mapping[int, float]
    names: Mapping[int, Sequence[str]]
    edges: list[tuple[int, int]]
    _: KW_ONLY
    title: str = ""
    zeros: bool = True

    def __post_init__(self) -> None:
        self.degrees = as_mapping(self.degrees, "degrees", "a mapping of masks to degrees")
        listed = as_mapping(self.names, "names", "a mapping of masks to lines")
        self.names = {mask: as_sequence(lines, "names", "lines") for mask, lines in listed.items()}
        self.edges = as_sequence(self.edges, "edges", "pairs of masks")

    @classmethod
    def from_mass(
        cls,
        m: MassFunction,
        *,
        show: Degree = "mass",
        whole: bool | None = None,
        ax: Axes | None = None,
    ) -> "HasseDisplay":
        """Order the sets of a frame, and draw them.

        Parameters
        ----------
        m : MassFunction
            A single one.
        show : {"mass", "bel", "pl", "q"}
            Degree to show for each set.
        whole : bool, optional
            Show all sets of the frame, or only the focal sets with their unions and intersections,
            the empty set and the frame. Default: all for up to 5 labels.
        ax : matplotlib Axes, optional
            New ones if not given, wide enough for all names.

        Returns
        -------
        HasseDisplay

        Raises
        ------
        ValueError
            If `m` is a batch, there are more than 64 sets, or `show` is unknown.
        TypeError
            If `m` is not a mass function, or its masses are not numbers.
        """
        frame = check_single(m).frame
        check_choice("show", show, _TITLES)
        if whole is not None:
            check_flag("whole", whole)
        if whole is None:
            whole = len(frame) <= _MAX_LABELS
        masks = by_size(frame, all_sets(m) if whole else closure(m))
        measure = getattr(m, show)
        return cls(
            {mask: float(measure(mask=mask)) for mask in masks},
            {mask: set_lines(frame, mask) for mask in masks},
            covers(masks),
            title=_TITLES[show],
            # Most sets are not focal, so degrees of 0 are left out.
            zeros=show != "mass",
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> "HasseDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones if not given, wide enough for all names.

        Returns
        -------
        HasseDisplay
            Itself, with the artists as attributes.
        """
        texts, radii = self._texts(_MAX_LETTERS), self._radii()
        sheet, scale = _Sheet(texts, radii, self.edges), 1.0
        if ax is not None:
            check_instance("ax", ax, Axes, "matplotlib Axes")
        if ax is not None and ax.figure.get_layout_engine() is None:
            for letters in range(_MAX_LETTERS, 2, -3):
                texts = self._texts(letters)
                sheet = _Sheet(texts, radii, self.edges)
                scale = sheet.scale(ax)
                if scale >= _LEAST_SCALE:
                    break
        radii = {mask: scale * radius for mask, radius in radii.items()}
        self.places_ = {mask: (x, sheet.heights[y]) for mask, (x, y) in sheet.places.items()}
        left, right, bottom, top = sheet.extent()
        self.ax_ = ax = axes_or_new(ax, (right - left + 0.2, top - bottom + 0.3))
        self.edges_ = [ax.plot(*zip(*line, strict=True), **_EDGE)[0] for line in sheet.lines()]
        self.nodes_ = self._disks(ax, radii)
        self.names_ = {
            mask: self._name(ax, mask, texts[mask], radii[mask], scale) for mask in texts
        }
        ax.set_title(self.title, fontsize="medium")
        ax.set_axis_off()
        finish(ax, None, xlim=(left, right), ylim=(bottom, top))
        return self

    def _texts(self, letters: int) -> dict[int, str]:
        """Names on as many lines as the widest level needs, and degrees below them."""
        widest = max(len(list(group)) for _, group in groupby(self.degrees, key=int.bit_count))
        width = int(_MAX_WIDTH / widest / _CHARACTER)
        return {
            mask: wrap([short(one, letters) for one in self.names[mask]], width)
            + self._degree_line(mask)
            for mask in self.degrees
        }

    def _degree_line(self, mask: int) -> str:
        degree = self.degrees[mask]
        return f"\n{value_text(degree)}" if degree or self.zeros else ""

    def _radii(self) -> dict[int, float]:
        """Radii of the disks in points: areas are proportional to degrees, but 0 stays visible."""
        largest = max(self.degrees.values()) or 1.0
        shares = {mask: max(degree, 0.0) / largest for mask, degree in self.degrees.items()}
        return {m: float(np.sqrt(_LEAST + (_AREA - _LEAST) * s)) / 2 for m, s in shares.items()}

    def _disks(self, ax: Axes, radii: Mapping[int, float]) -> Any:
        x, y = zip(*self.places_.values(), strict=True)
        return ax.scatter(
            x,
            y,
            s=[(2 * radius) ** 2 for radius in radii.values()],
            c=list(self.degrees.values()),
            cmap="Blues",
            vmin=0,
            vmax=1.4 * (max(self.degrees.values()) or 1.0),  # the darkest blue would look black
            edgecolors=ink(),
            linewidths=0.8,
            zorder=3,
        )

    def _name(self, ax: Axes, mask: int, text: str, radius: float, scale: float) -> Any:
        """Name below the disk; it hides lines behind it if space is short."""
        box = {"boxstyle": "square,pad=0.1", "facecolor": paper(), "edgecolor": "none"}
        return ax.annotate(
            literal(text),
            self.places_[mask],
            (0, -radius - 3 * scale),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=scale * FontProperties(size="small").get_size_in_points(),
            bbox={**box, "alpha": 0.9},
            zorder=2,
        )


class _Sheet:
    """Layout in inches in which no name covers another name or a line."""

    def __init__(
        self,
        texts: Mapping[int, str],
        radii: Mapping[int, float],
        edges: list[tuple[int, int]],
    ) -> None:
        self.edges = edges
        self.radii = radii
        self.n_lines = {mask: text.count("\n") + 1 for mask, text in texts.items()}
        longest = max(len(line) for text in texts.values() for line in text.split("\n"))
        width = max(longest * _CHARACTER + 0.15, _DISK)
        sizes = sorted({mask.bit_count() for mask in texts})
        level = {mask: sizes.index(mask.bit_count()) for mask in texts}
        is_whole = len(level) == 1 << (len(sizes) - 1)
        places, lines = place_in_layers(level, edges, sort=not is_whole)
        self.places = {mask: (x * width, height) for mask, (x, height) in places.items()}
        self._lines = [[(x * width, height) for x, height in line] for line in lines]
        all_x = [x for line in [*self._lines, list(self.places.values())] for x, _ in line]
        self.half = max(all_x) + width / 2
        self.heights = self._heights(level, max(_GAP, _STEEPNESS * 2 * self.half))

    def _heights(self, level: Mapping[int, int], gap: float) -> list[float]:
        """Heights of the disks of each level, with room for names and a gap below."""
        heights = [0.0]
        for number in range(1, max(level.values()) + 1):
            most = max(lines for mask, lines in self.n_lines.items() if level[mask] == number)
            heights.append(heights[-1] + _DISK + most * _LINE + gap)
        return heights

    def _foot(self, mask: int) -> float:
        """Where the name of a set ends."""
        below = self.radii[mask] / 72 + 0.06 + self.n_lines[mask] * _LINE
        return self.heights[self.places[mask][1]] - below

    def lines(self) -> list[list[Place]]:
        """Lines from each smaller set to the foot of the larger one, vertical past other names."""
        return [
            self._line(line, high) for line, (_, high) in zip(self._lines, self.edges, strict=True)
        ]

    def _line(self, line: list[tuple[float, int]], high: int) -> list[Place]:
        passed = [place for x, height in line[1:-1] for place in self._passage(x, height)]
        (start, base), (end, _) = line[0], line[-1]
        return [(start, self.heights[base]), *passed, (end, self._foot(high))]

    def _passage(self, x: float, height: int) -> list[Place]:
        """Vertical part of a line past the names of a level."""
        feet = [self._foot(mask) for mask, place in self.places.items() if place[1] == height]
        return [(x, min(feet)), (x, self.heights[height])]

    def scale(self, ax: Axes) -> float:
        """How much smaller letters are in given axes, so that they fit these."""
        left, right, bottom, top = self.extent()
        room = ax.get_window_extent()
        inches = min(room.width / (right - left), room.height / (top - bottom)) / ax.figure.dpi
        return min(1.0, inches)

    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top."""
        lowest = min(self._foot(mask) for mask in self.places)
        return -self.half, self.half, lowest - 0.1, self.heights[-1] + _DISK
