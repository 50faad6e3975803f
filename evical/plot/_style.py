"""Curves that share axes."""

from typing import Any

from matplotlib.axes import Axes

from dstheory.plot.style import COLORS

# Colors, markers and lines of curves that share axes.
CURVES: tuple[tuple[str, str, Any], ...] = (
    (COLORS["blue"], "o", "-"),
    (COLORS["vermilion"], "s", "--"),
    (COLORS["green"], "^", "-."),
    (COLORS["orange"], "D", (0, (8, 2))),
)


def next_curve(ax: Axes, kind: str) -> tuple[str, str, Any]:
    """Color, marker and line not yet used by curves of this kind (their gid) on the axes."""
    drawn = sum(one.get_gid() == kind for one in [*ax.lines, *ax.patches])
    return CURVES[drawn % len(CURVES)]
