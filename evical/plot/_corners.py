"""`SimplexDisplay`: beliefs about three or four classes between corners.

A probability is the weighted center of the corners, one for each class (barycentric
coordinates: Gebel 2009, sec. 2.1, figs. 2.1 and 2.2). The nearer it is to a corner, the more
probable that class is. Lines separate the sectors of the most probable class; the peak of the
tetrahedron, above the triangle of the others, is the fourth class.

A belief is the set of the probabilities that agree with it, a polytope. Its vertices correspond to
orders of the classes, its edges to swaps of neighbors in an order, and its facets to events: first
the classes of the event, then the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import combinations, permutations
from textwrap import fill
from typing import Any, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory import MassFunction, betp
from dstheory.checks.arguments import (
    as_mapping,
    as_sequence,
    check_count,
    check_instance,
)
from dstheory.notebook import short
from dstheory.plot import credal_vertices
from dstheory.plot.style import COLORS, OnAxes, axes_or_new, finish, ink, literal
from evical._fitting import number
from evical._typing import Floats, SamplesLike
from evical.metrics.inputs import MOST_REPEATS, class_sample
from evical.plot._inputs import evenly, known_classes, predictions

# Color and marker of each class, distinguishable in grayscale.
MARKS = (
    (COLORS["blue"], "o"),
    (COLORS["orange"], "^"),
    (COLORS["green"], "s"),
    (COLORS["vermilion"], "D"),
)
_OTHERS = {
    1: "it is certain",
    2: "the probability of one of two classes is a line: take BeliefBandDisplay",
}
# Number of points, and their maximum size.
_SIZES = ((40, 7.0), (400, 4.0), (np.inf, 2.0))
# Letters per line beside a corner or a side and in a legend, and number of lines.
_MAX_LETTERS, _LEGEND_LETTERS, _MAX_LINES = 16, 28, 4
# With more points, vector formats embed a bitmap: a million would take 140 MB.
_MAX_VECTOR = 10_000
# Vertices that differ by rounding are merged.
_ATOL = 1e-9
# Inches of axes in which letters have their usual size.
_INCHES = (4.4, 3.4)
# Lower left, top and lower right, as in the thesis.
TRIANGLE = np.array([[0.0, 0.0], [0.5, np.sqrt(0.75)], [1.0, 0.0]])
_TICKS = (0.2, 0.4, 0.6, 0.8)
# A regular tetrahedron: the triangle of three classes as base, and the peak.
TETRAHEDRON = np.array(
    [
        [0.0, 0.0, 0.0],
        [0.5, np.sqrt(3 / 4), 0.0],
        [1.0, 0.0, 0.0],
        [0.5, np.sqrt(1 / 12), np.sqrt(2 / 3)],
    ]
)
# Of points among all regions, which are numbered by depth.
_ABOVE = 100


@final
@dataclass(eq=False, repr=False)
class SimplexDisplay(OnAxes):
    """Probabilities of three or four classes as points, beliefs as regions, between the classes.

    Three classes are the corners of a triangle, four those of a tetrahedron. Usually made by
    `from_estimator`, `from_predictions` or `from_mass`.

    Parameters
    ----------
    labels : sequence of str
        Names of the classes: at the lower left, the top and the lower right; the fourth is the
        peak.
    points : (n, K) array
        Probabilities; pignistic ones of beliefs.
    groups : (n,) array of int
        Group of each point; it has a color and a marker.
    names : sequence of str
        Of the groups, for the legend; at most four.
    corners : mapping of int to (K!, K) array, optional
        Corners of the credal set of some points, by row, as `dstheory.plot.credal_vertices`
        gives them.
    legend : str
        Title of the legend.
    note : str
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes, or Axes3D
    figure_ : matplotlib Figure
    points_ : dict of str to Line2D, or Line3D
        By the name of the group; without a line.
    regions_ : dict of int to Polygon, or Poly3DCollection
        Credal sets by row; single points are not drawn.
    boundaries_ : list of Line2D, or Line3DCollection
        Where two classes are equally probable; of four, lines where three are equally and most
        probable, from the center to the middle of each side, and lines on the sides where two are.
    edges_ : Line3DCollection
        Of the tetrahedron.

    Raises
    ------
    ValueError
        If there are not three or four classes.

    Examples
    --------
    >>> import numpy as np
    >>> display = SimplexDisplay.from_predictions([0, 1, 2], np.eye(3))
    >>> display.points_["1"].get_xydata().round(3)
    array([[0.5  , 0.866]])
    >>> display = SimplexDisplay.from_predictions([0, 1, 2, 3], np.eye(4))
    >>> [round(float(x), 3) for x, in display.points_["3"].get_data_3d()]
    [0.5, 0.289, 0.816]
    """

    labels: Sequence[str]
    points: Floats
    groups: NDArray[np.intp]
    names: Sequence[str]
    _: KW_ONLY
    corners: Mapping[int, Floats] = field(default_factory=dict)
    legend: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        self.labels = as_sequence(self.labels, "labels", "names of classes")
        _check_number(len(self.labels))
        self._places = TRIANGLE if len(self.labels) == 3 else TETRAHEDRON
        self.names = as_sequence(self.names, "names", "names of mass functions")
        self.corners = as_mapping(self.corners, "corners", "corners by name")

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike | MassFunction,
        *,
        labels: ArrayLike | None = None,
        max_regions: int = 12,
        ax: Axes | None = None,
    ) -> SimplexDisplay:
        """Draw predicted probabilities, or beliefs with their pignistic probabilities.

        Parameters
        ----------
        y_true : (n,) array of labels
        y_prob : (n, K) array, or MassFunction
            Probability of each label in sorted order, or a batch of beliefs.
        labels : sequence of K labels, optional
            Of the columns, if they are not those of `y_true` in sorted order.
        max_regions : int
            Number of samples, chosen evenly, whose credal set is drawn.
        ax : matplotlib Axes, optional
            New ones by default; of four classes with ``projection="3d"``.

        Returns
        -------
        SimplexDisplay

        Raises
        ------
        ValueError
            If there are not three or four classes, a label or a probability is invalid, or
            m(empty) > 0 in a belief.
        """
        check_count("max_regions", max_regions, 0, MOST_REPEATS)
        sample = class_sample(y_true, y_prob, labels, None)
        _check_number(sample.p.shape[1])
        corners: dict[int, Floats] = {}
        if isinstance(y_prob, MassFunction):
            rows = evenly(len(sample.p), max_regions).tolist()
            points = np.asarray(credal_vertices(y_prob[rows]), dtype=np.float64)
            corners = dict(zip(rows, points, strict=True))
        note = f"credal sets of {len(corners)} of {len(sample.p)} samples"
        names = [str(label) for label in sample.labels.tolist()]
        return cls(
            names,
            sample.p,
            sample.codes,
            names,
            corners=corners,
            legend="true class",
            note=note if 0 < len(corners) < len(sample.p) else "",
        ).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: SamplesLike, y: ArrayLike, **options: Any
    ) -> SimplexDisplay:
        """Predict with a fitted classifier or multiclass calibrator, and draw.

        Parameters
        ----------
        estimator : fitted estimator
            With `classes_`, and `predict_mass` or `predict_proba`.
        X : array
            Features, or the scores of a calibrator.
        y : (n,) array of labels
        **options
            As for `from_predictions`, but for `labels`.

        Returns
        -------
        SimplexDisplay

        Raises
        ------
        ValueError
            As `from_predictions`.
        TypeError
            If the estimator predicts neither beliefs nor probabilities.
        """
        if hasattr(estimator, "predict_mass"):
            return cls.from_predictions(y, predictions(estimator, "predict_mass", X, y), **options)
        probabilities = predictions(estimator, "predict_proba", X, y)
        labels = known_classes(estimator)
        return cls.from_predictions(y, probabilities, labels=labels, **options)

    @classmethod
    def from_mass(
        cls, m: MassFunction | Mapping[str, MassFunction], *, ax: Axes | None = None
    ) -> SimplexDisplay:
        """Draw the credal sets of one or a few mass functions around their pignistic probabilities.

        Parameters
        ----------
        m : MassFunction, or mapping of str to MassFunction
            Up to four, on one frame.
        ax : matplotlib Axes, optional
            New ones by default; of four classes with ``projection="3d"``.

        Returns
        -------
        SimplexDisplay

        Raises
        ------
        ValueError
            If the frame has not three or four labels, m(empty) > 0, or there are too many mass
            functions, or a batch.
        """
        sources = dict(m) if isinstance(m, Mapping) else {"": m}
        if not 1 <= len(sources) <= len(MARKS):
            raise ValueError(
                f"m holds {len(sources)} mass functions, and marks tell 1 to {len(MARKS)} apart"
            )
        for name, source in sources.items():
            _check_single(source, name, next(iter(sources.values())))
        labels = next(iter(sources.values())).frame.labels
        _check_number(len(labels))
        corners = {row: credal_vertices(one) for row, one in enumerate(sources.values())}
        return cls(
            [str(label) for label in labels],
            np.array([betp(source) for source in sources.values()], dtype=np.float64),
            np.arange(len(sources)),
            [str(name) for name in sources],
            corners={row: np.asarray(c, dtype=np.float64) for row, c in corners.items()},
        ).plot(ax)

    def plot(
        self, ax: Axes | None = None, *, elev: float = 14.0, azim: float = -72.0
    ) -> SimplexDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default; of four classes with ``projection="3d"``.
        elev, azim : float
            Elevation and azimuth of the viewpoint on four classes, in degrees.

        Returns
        -------
        SimplexDisplay
            Itself, with the artists as attributes.

        Raises
        ------
        TypeError
            If the axes for four classes have no third dimension.
        """
        check_angle = number("an angle in degrees", math.isfinite)
        check_angle("elev", elev)
        check_angle("azim", azim)
        if len(self.labels) == 3:
            self._plot_triangle(axes_or_new(ax))
        else:
            self._plot_tetrahedron(_axes(ax), elev, azim)
        return self

    def _plot_triangle(self, ax: Axes) -> None:
        self.ax_ = ax
        self._set_scale(ax)
        self._grid(ax)
        self.boundaries_ = _sectors(ax)
        self._name_triangle(ax)
        self._draw_groups(ax)
        if self.note:
            ax.set_title(self.note, fontsize="medium")
        ax.set_aspect("equal")
        ax.set_axis_off()
        finish(ax, None, xlim=(-0.16, 1.16), ylim=(-0.17, 0.98))

    def _plot_tetrahedron(self, ax: Axes3D, elev: float, azim: float) -> None:
        self.ax_ = ax
        self._set_scale(ax)
        # Set limits first: matplotlib would otherwise take them from polygons that it pads with
        # uninitialized memory.
        _look(ax, elev, azim)
        self.edges_ = _edges(ax, elev, azim)
        self.boundaries_ = _sectors_in_space(ax)
        self._name_tetrahedron(ax)
        self._draw_groups(ax)
        if self.note:
            ax.text2D(0.03, 0.95, self.note, transform=ax.transAxes)  # a title would be outside

    def sides(self) -> dict[int, list[Floats]]:
        """Facets of each credal set (v, K), vertices in cyclic order; none for a single point."""
        return {
            row: [corners[side] for side in facets(len(self.labels))]
            for row, corners in self.corners.items()
            if np.ptp(corners, axis=0).max() > _ATOL
        }

    def _corner_names(self) -> list[str]:
        """Labels, on several lines if they are long."""
        letters = int(_MAX_LETTERS * self._scale)
        name = _folded if self._scale == 1 else short
        return [literal(name(label, letters)) for label in self.labels]

    def _set_scale(self, ax: Axes) -> None:
        """Letters are smaller, and fewer in a line, in small axes."""
        box, dpi = ax.get_window_extent(), ax.figure.dpi
        self._scale = 1.0
        if ax.figure.get_layout_engine() is None:
            self._scale = min(1.0, box.width / dpi / _INCHES[0], box.height / dpi / _INCHES[1])

    def _font(self, size: str) -> float:
        """Points of letters of a size such as "small"."""
        return float(self._scale * FontProperties(size=size).get_size_in_points())

    def _marker_size(self) -> float:
        """Size of markers: many points are small, because they overlap."""
        return next(size for most, size in _SIZES if len(self.points) <= most)

    def _point_style(self, group: int) -> dict[str, Any]:
        """Color, marker and name of a group."""
        color, marker = MARKS[group]
        size = self._marker_size()
        return {
            "color": color,
            "marker": marker,
            "linestyle": "none",
            "markeredgecolor": "black",
            "markeredgewidth": 0.08 * size,
            "ms": size,
            "label": literal(_folded(self.names[group], int(_LEGEND_LETTERS * self._scale**2))),
            "rasterized": len(self.points) > _MAX_VECTOR,
        }

    def _draw_groups(self, ax: Axes) -> None:
        """Credal sets and points, with a legend whose markers are large enough to tell apart."""
        flat = len(self.labels) == 3
        draw = _polygon if flat else _polyhedron
        self.regions_ = {}
        for row, sides in self.sides().items():
            color = MARKS[self.groups[row]][0]
            self.regions_[row] = draw(ax, [side @ self._places for side in sides], color)
        self.points_ = {}
        for group, name in enumerate(self.names):
            points = self.points[self.groups == group] @ self._places
            if len(points):
                style = self._point_style(group)
                (self.points_[name],) = ax.plot(*points.T, zorder=3 if flat else _ABOVE, **style)
        if self.names != [""]:
            ax.legend(
                loc="upper left" if flat else "upper right",
                bbox_to_anchor=(0.72, 1.02) if flat else (1.0, 1.0),  # beside the upper corner
                frameon=False,
                title=self.legend or None,
                fontsize=self._font("medium"),
                title_fontsize=self._font("medium"),
                markerscale=max(1.0, 6 / self._marker_size()),
            )

    def _grid(self, ax: Axes) -> None:
        """Lines of equal probability, with values where they leave the triangle clockwise."""
        ax.fill(*TRIANGLE.T, facecolor="none", edgecolor=ink(), lw=1, zorder=1)
        style: dict[str, Any] = {"fontsize": self._font("x-small"), "color": COLORS["gray"]}
        for k, angle in enumerate((-60, 0, 60)):
            before, after = (k - 1) % 3, (k + 1) % 3
            for p in _TICKS:
                ends = np.zeros((2, 3))
                ends[:, k] = p
                ends[0, before] = ends[1, after] = 1 - p
                line = ends @ TRIANGLE
                ax.plot(*line.T, color=COLORS["gray"], alpha=0.3, lw=0.6, zorder=0)
                x, y = line[0] + 0.03 * _unit(line[0] - line[1])
                ax.text(x, y, f"{p:g}", rotation=angle, ha="center", va="center", **style)

    def _name_triangle(self, ax: Axes) -> None:
        letters = int(_MAX_LETTERS * self._scale)
        names = [literal(short(label, letters)) for label in self.labels]
        head, side = self._font("medium"), self._font("small")
        places = TRIANGLE + np.array([[-0.01, -0.04], [0, 0.025], [0.01, -0.04]])
        heads = zip(places, self._corner_names(), ("top", "bottom", "top"), strict=True)
        for (x, y), name, va in heads:
            ax.text(x, y, name, ha="center", va=va, fontweight="bold", fontsize=head)
        sides = (((0.5, -0.1), 0), ((0.14, 0.48), 60), ((0.86, 0.48), -60))
        texts = (f"← P({names[0]})", f"P({names[1]}) →", f"P({names[2]}) →")
        for ((x, y), angle), text in zip(sides, texts, strict=True):
            ax.text(x, y, text, rotation=angle, ha="center", va="center", fontsize=side)

    def _name_tetrahedron(self, ax: Axes3D) -> None:
        """Names below the base, within its width, and above the peak, behind all points."""
        size = self._font("medium")
        sides = (("left", "top"), ("center", "top"), ("right", "top"), ("center", "bottom"))
        heads = zip(TETRAHEDRON, self._corner_names(), sides, strict=True)
        for (x, y, z), name, (ha, va) in heads:
            place = (x, y, z + (0.03 if va == "bottom" else -0.03))
            ax.text(*place, name, ha=ha, va=va, fontweight="bold", fontsize=size, zorder=1)


def _folded(name: str, letters: int) -> str:
    """A name on a few lines."""
    return fill(name, letters, max_lines=_MAX_LINES, placeholder="…")


def facets(size: int) -> list[list[int]]:
    """Facets of a credal set on 3 or 4 labels: indices of permutations, in cyclic order.

    For three labels it is the polygon itself; for four, the facet P(A) = Bel(A) of every event A,
    from the orders that begin with the other labels.

    >>> facets(3)
    [[0, 1, 4, 5, 3, 2]]
    >>> [len(side) for side in facets(4)]
    [6, 6, 4, 6, 4, 4, 6, 6, 4, 4, 6, 4, 6, 6]
    """
    orders = list(permutations(range(size)))
    masks = range(1, (1 << size) - 1) if size > 3 else [7]
    events = [[i for i in range(size) if mask >> i & 1] for mask in masks]
    return [[orders.index(order) for order in _orders_of_side(event, size)] for event in events]


def _orders_of_side(event: list[int], size: int) -> list[tuple[int, ...]]:
    """Orders of an event followed by those of the others, back and forth."""
    rest = _circle([i for i in range(size) if i not in event])
    ways = (rest, rest[::-1])
    heads = enumerate(_circle(event))
    return [(*head, *tail) for i, head in heads for tail in ways[i % 2]]


def _circle(labels: list[int]) -> list[tuple[int, ...]]:
    """Orders of up to three labels, each a swap of neighbors away from the previous one."""
    if len(labels) < 3:
        return list(permutations(labels))
    a, b, c = labels
    return [(a, b, c), (a, c, b), (c, a, b), (c, b, a), (b, c, a), (b, a, c)]


def _check_single(source: MassFunction, name: str, first: MassFunction) -> None:
    owner = f"m[{name!r}]" if name else "m"
    check_instance(owner, source, MassFunction, "a MassFunction")
    if source.batch_shape:
        raise ValueError(
            f"{owner} is a batch of shape {source.batch_shape}; give one of its rows, or "
            "from_predictions all of them with their labels"
        )
    if source.frame != first.frame:
        raise ValueError(f"{owner} is on {source.frame!r}, the first one on {first.frame!r}")


def _check_number(size: int) -> None:
    if size not in (3, 4):
        hint = _OTHERS.get(size, "show some of them, or coarsen the frame")
        there = "is 1 class" if size == 1 else f"are {size} classes"
        raise ValueError(f"there {there}, and SimplexDisplay has 3 or 4 corners; {hint}")


def _sectors(ax: Axes) -> list[Any]:
    """Lines from the center to the middle of each side."""
    middles = (np.ones((3, 3)) - np.eye(3)) / 2
    return [
        ax.plot(*(np.stack([np.full(3, 1 / 3), middle]) @ TRIANGLE).T, **_BOUNDARY)[0]
        for middle in middles
    ]


def _polygon(ax: Axes, sides: list[Floats], color: str) -> Any:
    style: dict[str, Any] = {"facecolor": (color, 0.2), "edgecolor": color, "lw": 1.1}
    return ax.fill(*sides[0].T, zorder=2, joinstyle="round", **style)[0]


_BOUNDARY: dict[str, Any] = {"color": COLORS["gray"], "lw": 1.6, "zorder": 1}


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.hypot(*vector))


def _edges(ax: Axes, elev: float, azim: float) -> Any:
    """Edges of the tetrahedron; those to the corner at the back are gray."""
    up, turn = np.radians([elev, azim])
    toward = np.array([np.cos(up) * np.cos(turn), np.cos(up) * np.sin(turn), np.sin(up)])
    back = int(np.argmin(TETRAHEDRON @ toward))
    pairs = list(combinations(range(4), 2))
    colors = [COLORS["gray"] if back in pair else ink() for pair in pairs]
    widths = [0.8 if back in pair else 1.3 for pair in pairs]
    return _lines(ax, np.eye(4), pairs, colors=colors, linewidths=widths)


def _sectors_in_space(ax: Axes) -> Any:
    """Edges of the six faces that separate the sectors."""
    center = np.full(4, 1 / 4)
    sides = (1 - np.eye(4)) / 3
    pairs = list(combinations(range(4), 2))
    middles = np.array([(np.arange(4) == a) | (np.arange(4) == b) for a, b in pairs]) / 2
    places = np.vstack([center, sides, middles])
    inner = [(0, 1 + k) for k in range(4)]
    outer = [(1 + k, 5 + number) for k in range(4) for number, p in enumerate(pairs) if k not in p]
    style: dict[str, Any] = {"color": COLORS["gray"], "lw": 0.8, "linestyle": (0, (4, 3))}
    return _lines(ax, places, [*inner, *outer], **style)


def _polyhedron(ax: Axes3D, sides: list[Floats], color: str) -> Any:
    region = Poly3DCollection(sides, facecolor=(color, 0.1), edgecolor=(color, 0.7), linewidth=0.7)
    ax.add_collection3d(region)
    return region


def _axes(ax: Axes | None) -> Any:
    if ax is None:
        # Imported here, so that pyplot does not choose a backend for users with their own axes.
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(5.6, 5.0))
        return figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    if getattr(ax, "name", "") != "3d":
        raise TypeError("ax has two dimensions; make it with projection='3d'")
    return ax


def _lines(ax: Any, places: Floats, pairs: Iterable[tuple[int, int]], **style: Any) -> Any:
    ends = places @ TETRAHEDRON
    lines = Line3DCollection([ends[[a, b]] for a, b in pairs], **style)
    ax.add_collection3d(lines)
    return lines


def _look(ax: Axes3D, elev: float, azim: float) -> None:
    """Set the viewpoint and the zoom."""
    width, depth, height = TETRAHEDRON.max(axis=0)
    ax.set(xlim=(0, width), ylim=(0, depth), zlim=(0, height))
    ax.set_box_aspect((width, depth, height), zoom=1.12)
    ax.view_init(elev=elev, azim=azim)
    ax.set_axis_off()
