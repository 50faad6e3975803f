"""Curves that share axes, and the range [0, 1]."""

from typing import Any

from matplotlib.axes import Axes

from dstheory.plot.style import COLORS

# Colors, markers and lines of curves that share axes.
_CURVES: tuple[tuple[str, str, Any], ...] = (
    (COLORS["blue"], "o", "-"),
    (COLORS["vermilion"], "s", "--"),
    (COLORS["green"], "^", "-."),
    (COLORS["orange"], "D", (0, (8, 2))),
)


def new_pair(size: tuple[float, float], **options: Any) -> tuple[Axes, Axes]:
    """Two axes of a new figure, with options of `Figure.subplots`."""
    import matplotlib.pyplot as plt  # imported here, as in axes_or_new

    one, other = plt.figure(figsize=size, layout="constrained").subplots(**options)
    return one, other


def next_curve(ax: Axes, kind: str) -> tuple[str, str, Any]:
    """Color, marker and line not yet used by curves of this kind (their gid) on the axes."""
    drawn = sum(line.get_gid() == kind for line in ax.lines)
    return _CURVES[drawn % len(_CURVES)]


def limit_to_unit(ax: Axes, *, x: bool = False) -> None:
    """Show [0, 1] with a margin that keeps lines at 0 and 1 visible."""
    ax.set_ylim(-0.03, 1.03)
    if x:
        ax.set_xlim(-0.03, 1.03)
