"""Weights of many classes as a map of colors, members by classes."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from evical._typing import Floats
from evical.plot._fusion_weights_data import Kind
from evical.plot.style import COLORS, ink, legend_above, literal, paper, short

__all__ = ["MARK_LINES", "MAX_LETTERS", "draw_map", "fitting_letters"]


MARK_LINES = (":", "--")
"""Of 0 and 1."""

MAX_LETTERS = 32
"""Of a name; longer ones are cut."""

# Share of the room for a row that letters fill, and their least size in points.
_FILLED, _LEAST_SIZE = 0.8, 5.0
# Width of a letter, as a share of its size.
_WIDTH = 0.6
# A map of weights that are all 0 needs a range too.
_LEAST_RANGE = 0.01


def draw_map(
    ax: Axes,
    shown: Floats,
    reach: Floats | None,
    kind: Kind,
    class_names: Sequence[str],
    doubt: str,
) -> tuple[Any, list[Any], Any]:
    """Draw weights in the order of the rows; 0 has the color of the paper.

    Parameters
    ----------
    ax : matplotlib Axes
    shown : (S, K) array
    reach : (S, K) array, optional
        Of the intervals to either side.
    kind : Kind
    class_names : sequence of K str
    doubt : str
        What a dot on an interval around 0 means.

    Returns
    -------
    mesh, lines in the bar of colors, and dots or None
    """
    most = 1.0 if kind.high == 1 else max(float(np.abs(shown).max()), _LEAST_RANGE)
    low = max(-most, kind.low)
    ends = [COLORS["vermilion"], paper(), COLORS["blue"]][1 if low == 0 else 0 :]
    count, classes = shown.shape
    mesh = ax.pcolormesh(
        np.arange(classes + 1) - 0.5,
        np.arange(count + 1) - 0.5,
        shown,
        cmap=LinearSegmentedColormap.from_list("weights", ends),
        vmin=low,
        vmax=most,
    )
    bar = ax.figure.colorbar(mesh, ax=ax, label=kind.label)
    marks = [
        bar.ax.axhline(value, color=ink(), ls=line, lw=1.4, label=name)
        for line, (name, value) in zip(MARK_LINES, kind.marks.items(), strict=True)
        if value <= most
    ]
    dots = None if reach is None else _draw_doubtful(ax, np.abs(shown) <= reach, doubt)
    _name_columns(ax, class_names)
    legend_above(ax, handles=marks if dots is None else [*marks, dots])
    return mesh, marks, dots


def _draw_doubtful(ax: Axes, unclear: NDArray[np.bool_], label: str) -> Any:
    """Dots where the sign of a weight is not clear."""
    row, column = np.nonzero(unclear)
    return ax.scatter(column, row, s=9, color=ink(), linewidths=0, label=label)


def _name_columns(ax: Axes, names: Sequence[str]) -> None:
    width = ax.get_window_extent().width / ax.figure.dpi * 72 / len(names)
    size, every = fitting_letters(width)
    texts = [literal(short(name, MAX_LETTERS)) for name in names[::every]]
    upright = max(map(len, texts)) * size * _WIDTH > width * every
    ax.set_xticks(
        np.arange(0, len(names), every), texts, fontsize=size, rotation=90 if upright else 0
    )
    ax.set_xlabel("Class")


def fitting_letters(room: float) -> tuple[float, int]:
    """Size of letters for rows of so many points, and of how many rows one has a name.

    >>> fitting_letters(7.5), fitting_letters(2.0)
    ((6.0, 1), (5.0, 4))
    """
    size = min(float(mpl.rcParams["font.size"]), max(_FILLED * room, _LEAST_SIZE))
    return size, max(1, int(np.ceil(_LEAST_SIZE / (_FILLED * room))))
