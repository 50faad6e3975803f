"""Colors, axes and legends that all pictures share, and room for their texts.

The colors are those of Okabe & Ito (2008), which people with any color vision can tell apart. They
differ in lightness, so they also work in grayscale.
"""

from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.gridspec import SubplotSpec
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator
from matplotlib.transforms import Bbox, ScaledTranslation

from dstheory._typing import Floats
from dstheory.checks.arguments import as_sequence, check_instance, number_of
from dstheory.notebook import short

COLORS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "vermilion": "#D55E00",
    "gray": "#595959",
    "green": "#009E73",
    "sky": "#56B4E9",
    "purple": "#CC79A7",
}
Side = Literal["above", "below", "right"]

UNIT = (-0.03, 1.03)  # limits that keep lines at 0 and 1 visible
LINES = ("--", ":", "-.", (0, (8, 2)))
# Colors, markers and lines of curves that share axes.
CURVES: tuple[tuple[str, str, Any], ...] = (
    (COLORS["blue"], "o", "-"),
    (COLORS["vermilion"], "s", "--"),
    (COLORS["green"], "^", "-."),
    (COLORS["orange"], "D", (0, (8, 2))),
)
# Inches per letter in a legend, before its entries, and of a label below the axes with its numbers.
_LETTER, _HANDLE, _BELOW = 0.08, 0.6, 0.5
# Letters of a name for which a layout engine makes room.
_MOST = 40
# Pixels between a text and the edge of the canvas; shares of their room: the least of axes, and
# the greatest of names at their ticks.
_EDGE, _LEAST_SHARE, _LONGEST = 3.0, 0.2, 0.45
# Points of the smallest names at ticks.
_SMALLEST = 6.0


class OnAxes:
    """What all displays have once they are plotted, as those of scikit-learn: axes, and a figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> drawn = OnAxes()
    >>> drawn.ax_ = Figure().subplots()
    >>> drawn.figure_ is drawn.ax_.figure
    True
    """

    ax_: Axes

    @property
    def figure_(self) -> Figure | SubFigure:
        """The figure of the axes."""
        return self.ax_.figure


def axes_or_new(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """The given axes, or those of a new pyplot figure, which a notebook displays.

    Parameters
    ----------
    ax : matplotlib Axes, optional
    size : (width, height), optional
        Of the new figure, in inches.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> axes_or_new(ax) is ax
    True
    """
    if ax is not None:
        check_instance("ax", ax, Axes, "matplotlib Axes")
        return ax
    axes: Axes = new_axes(size)
    return axes


def new_axes(size: tuple[float, float] | None = None, **options: Any) -> Any:
    """Axes of a new pyplot figure that makes room for texts, by `Figure.subplots`."""
    # Imported here, so that pyplot does not choose a backend for users with their own axes.
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained").subplots(**options)


def next_curve(ax: Axes, kind: str) -> tuple[str, str, Any]:
    """Color, marker and line not yet used by curves of this kind (their gid) on the axes."""
    drawn = sum(one.get_gid() == kind for one in [*ax.lines, *ax.patches])
    return CURVES[drawn % len(CURVES)]


def ink() -> Any:
    """Color of lines and marks in the current style: black, or light on dark.

    Returns
    -------
    color

    Examples
    --------
    >>> import matplotlib.style
    >>> with matplotlib.style.context("dark_background"):
    ...     ink(), paper()
    ('white', 'black')
    """
    return mpl.rcParams["text.color"]


def paper() -> Any:
    """Background color of the current style, which also fills empty marks.

    Returns
    -------
    color

    Examples
    --------
    >>> import matplotlib.style
    >>> with matplotlib.style.context("default"):
    ...     paper()
    'white'
    """
    return mpl.rcParams["axes.facecolor"]


def band_style(color: str, alpha: float) -> dict[str, Any]:
    """Fill of a band; on dark paper, where a faint one is not seen, stronger and with an edge.

    >>> band_style("#0072B2", 0.2)["alpha"]
    0.2
    """
    if sum(to_rgb(paper())) > 1.5:
        return {"color": color, "alpha": alpha, "lw": 0}
    return {"facecolor": (color, 0.5), "edgecolor": color, "lw": 1.2}


def literal(text: object) -> str:
    """The text, protected from matplotlib's interpretation of special characters.

    Matplotlib reads text between dollar signs as a formula, and leaves labels that begin with an
    underscore out of legends; a space before the underscore prevents that.

    Parameters
    ----------
    text : object
        Its ``str`` is shown.

    Returns
    -------
    str

    Examples
    --------
    >>> print(literal("price in $"))
    price in \\$
    >>> literal("_other")
    ' _other'
    """
    shown = str(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def names_of(values: object, name: str, count: int) -> tuple[Any, ...]:
    """As many names as there are things; raises TypeError or ValueError for others."""
    names = tuple(map(str, as_sequence(values, name, number_of(count, "name"))))
    if len(names) != count:
        raise ValueError(f"{name} are {list(names)}, expected {count}")
    return names


def add_legend(ax: Axes, side: Side = "above", **options: Any) -> Any:
    """A legend beside the axes, where it never covers data, with names that fit their width.

    A figure without a layout engine has no room beside its axes, and its user may give them a
    title; there the legend lies inside.
    """
    handles = options.pop("handles", None) or ax.get_legend_handles_labels()[0]
    texts = [str(handle.get_label()) for handle in handles]
    laid_out = ax.figure.get_layout_engine() is not None
    width = ax.get_window_extent().width / ax.figure.dpi
    letters = max(_MOST if laid_out else 8, int((width - _HANDLE) / _LETTER))
    places: dict[str, dict[str, Any]] = {
        "above": {"loc": "lower left", "bbox_to_anchor": (0, 1)},
        "right": {"loc": "upper left", "bbox_to_anchor": (1, 1)},
        "below": {
            "loc": "upper left",
            "bbox_to_anchor": (0, 0),
            "bbox_transform": ax.transAxes
            + ScaledTranslation(0, -_BELOW, ax.figure.dpi_scale_trans),
        },
    }
    place = {**places[side], "frameon": False} if laid_out else {"framealpha": 0.8, "loc": "best"}
    longest = max(map(len, texts), default=0)
    place["ncols"] = 1
    if laid_out and side != "right":
        place["ncols"] = 2 if 2 * (_HANDLE + _LETTER * longest) < width else 1
    if side != "right" or not laid_out:
        texts = [short(text, letters) for text in texts]
    if not laid_out:
        place["fontsize"] = "small"
        if options.get("title"):
            options |= {"title": short(options["title"], letters), "title_fontsize": "small"}
    return ax.legend(handles, texts, alignment="left", **place, **options)


def finish(ax: Axes, side: Side | None = "above", **labels: object) -> None:
    """Set labels and limits, add a legend on a side, if any, and keep all texts on the canvas."""
    ax.set(**labels)
    if side is not None:
        add_legend(ax, side)
    keep_on_canvas(ax)


def keep_on_canvas(*axes: Axes | None) -> None:
    """Keep all texts of axes on the canvas of a figure that has no layout engine.

    A long label gets a second line; then edges of the axes move inwards, each as far as texts
    reach out of its cell of the grid of axes. Axes that share their first coordinate stay aligned.
    """
    moved = [ax for ax in axes if ax is not None and _moves_inwards(ax)]
    ends = [ax.get_position().intervalx for ax in moved]
    for ax in moved:
        shared = [ax.get_shared_x_axes().joined(ax, other) for other in moved]
        if any(shared):
            places, box = np.array(ends)[shared], ax.get_position()
            low, high = places[:, 0].max(), places[:, 1].min()
            ax.set_position(Bbox.from_extents(low, box.y0, high, box.y1))


def _moves_inwards(ax: Axes) -> bool:
    """Move the edges of axes inwards, where no layout engine will do it."""
    spec = ax.get_subplotspec()
    if spec is None or ax.figure.get_layout_engine() is not None:
        return False
    cell = _cell(ax, spec)
    _cut_ticks(ax, cell)
    for _ in range(4):
        place = ax.get_window_extent()
        middle = np.add(place.min, place.max) / 2
        width, height = 2 * np.minimum(middle - cell.min, cell.max - middle)
        for label, room in ((ax.title, width), (ax.xaxis.label, width), (ax.yaxis.label, height)):
            _fold(label, room)
        box = ax.get_tightbbox()
        if box is None:
            break
        left, bottom = max(0.0, cell.x0 - box.x0), max(0.0, cell.y0 - box.y0)
        right, top = max(0.0, box.x1 - cell.x1), max(0.0, box.y1 - cell.y1)
        if max(left, bottom, right, top) < 1:
            break
        x, y = (place.x0 + left, place.x1 - right), (place.y0 + bottom, place.y1 - top)
        if x[1] - x[0] < _LEAST_SHARE * cell.width:
            x = (place.x0, place.x1)
        if y[1] - y[0] < _LEAST_SHARE * cell.height:
            y = (place.y0, place.y1)
        inside = Bbox.from_extents(x[0], y[0], x[1], y[1])
        ax.set_position(inside.transformed(ax.figure.transSubfigure.inverted()))
    _thin_ticks(ax)
    _cut_legend(ax)
    return True


def _named_ticks(ax: Axes) -> Iterator[tuple[Any, list[Text], int]]:
    """Axes whose ticks have names, with these, and 0 for the horizontal one or 1."""
    for across, axis in enumerate((ax.xaxis, ax.yaxis)):
        labels = axis.get_ticklabels()
        if labels and isinstance(axis.get_major_locator(), FixedLocator):
            yield axis, labels, across


def _thin_ticks(ax: Axes) -> None:
    """Write names at ticks that are close in smaller letters, or leave some out, equally often."""
    for axis, labels, across in _named_ticks(ax):
        if len(labels) < 2:
            continue
        boxes = np.array([label.get_window_extent().bounds for label in labels])
        high = boxes[:, 2 + across]
        gap = np.abs(np.diff(boxes[:, across] + high / 2)).mean()
        share = float(gap / high.max())
        if share < 1:
            size, angle = float(labels[0].get_fontsize()), labels[0].get_rotation()
            smaller = max(min(_SMALLEST, size), size * share)
            every = int(np.ceil(smaller / size / max(share, 0.01) - 0.01))
            texts = [label.get_text() for label in labels][::every]
            axis.set_ticks(axis.get_ticklocs()[::every], texts, fontsize=smaller, rotation=angle)


def _cut_legend(ax: Axes) -> None:
    """Cut names of a legend inside axes that became narrower than it."""
    legend = ax.get_legend()
    if legend is None:
        return
    room, width = ax.get_window_extent().width, legend.get_window_extent().width
    if width > room:
        texts = [*legend.get_texts(), legend.get_title()]
        size = max((text.get_window_extent().width for text in texts), default=1.0)
        letters = max(len(text.get_text()) for text in texts)
        for text in texts:
            text.set_text(
                short(text.get_text(), max(3, int(letters * (1 - (width - room) / size))))
            )


def _cut_ticks(ax: Axes, cell: Bbox) -> None:
    """Cut names at ticks to half of the room of the axes."""
    for axis, labels, across in _named_ticks(ax):
        side = (cell.height, cell.width)[across]
        sizes = [one.get_window_extent().bounds[3 - across] for one in labels]
        if max(sizes) > _LONGEST * side:
            letters = int(max(len(one.get_text()) for one in labels) * _LONGEST * side / max(sizes))
            texts = [short(one.get_text(), max(letters, 3)) for one in labels]
            size, angle = labels[0].get_fontsize(), labels[0].get_rotation()
            axis.set_ticks(axis.get_ticklocs(), texts, fontsize=size, rotation=angle)


def _cell(ax: Axes, spec: SubplotSpec) -> Bbox:
    """Room of axes in pixels: up to the canvas, and halfway to axes beside them."""
    grid = spec.get_gridspec()
    bottoms, tops, lefts, rights = (
        np.asarray(ends)
        for ends in grid.get_grid_positions(ax.figure)  # type: ignore[arg-type]  # or a part of one
    )
    outer = spec.get_topmost_subplotspec()
    ends = (0.0, 0.0, 1.0, 1.0)
    if outer is not spec:
        box = _cell(ax, outer).transformed(ax.figure.transSubfigure.inverted())
        ends = (box.x0, box.y0, box.x1, box.y1)
    x0, y0, x1, y1 = ends
    x0, x1 = _between(lefts, rights, spec.colspan, x0, x1)
    y1, y0 = _between(tops, bottoms, spec.rowspan, y1, y0)
    return Bbox.from_extents(x0, y0, x1, y1).transformed(ax.figure.transSubfigure).padded(-_EDGE)


def _between(
    starts: Floats, stops: Floats, span: range, first: float, last: float
) -> tuple[float, float]:
    """Borders of a span halfway to the columns, or rows, beside it, or the first and the last."""
    middles = [first, *(stops[:-1] + starts[1:]) / 2, last]
    return middles[span.start], middles[span.stop]


def _fold(label: Text, room: float) -> None:
    """A label on two lines, and in smaller letters, where it is longer than its room."""
    text = label.get_text()
    along = 2 + int(label.get_rotation() == 90)
    if label.get_window_extent().bounds[along] > room and "\n" not in text:
        label.set_text("\n".join(wrap(text, len(text) // 2 + 6)))
    extent = label.get_window_extent().bounds[along]
    if extent > room:
        label.set_fontsize(float(label.get_fontsize()) * room / extent)


def fill_regions(
    ax: Axes, probability: Floats, plausibility: Floats, labels: tuple[str, str, str]
) -> tuple[Any, Any, Any]:
    """Fill the regions of {1}, {0} and {0, 1} under and above a contour.

    m({1}) is the area above the contour to the left of its mode, m({0}) to the right, and m({0, 1})
    the area below it (Xu et al. 2016, equations 22 and 23, figure 3).

    Hatches in two directions distinguish the regions without color; the third one has none.

    Parameters
    ----------
    ax : matplotlib Axes
    probability, plausibility : (g,) arrays
        Ascending values from 0 to 1, and the contour function there.
    labels : tuple of three str
        For the legend.

    Returns
    -------
    three PolyCollections

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> grid = np.linspace(0, 1, 3)
    >>> *_, below = fill_regions(Figure().subplots(), grid, 1 - grid, ("1", "0", "open"))
    >>> below.get_label()
    'open'
    """
    top = int(np.argmax(plausibility))
    blue, orange = COLORS["blue"], COLORS["orange"]
    parts: tuple[tuple[slice, float, dict[str, Any]], ...] = (
        (slice(None, top + 1), 1.0, {"facecolor": (blue, 0.3), "edgecolor": blue, "hatch": "//"}),
        (slice(top, None), 1.0, {"facecolor": (orange, 0.3), "edgecolor": orange, "hatch": "\\\\"}),
        (slice(None), 0.0, {"facecolor": paper(), "edgecolor": ink(), "lw": 0.8}),
    )
    left, right, below = (
        ax.fill_between(
            probability[part], plausibility[part], edge, label=label, **{"lw": 0, **style}
        )
        for label, (part, edge, style) in zip(labels, parts, strict=True)
    )
    return left, right, below
