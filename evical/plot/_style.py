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


def new_pair() -> tuple[Axes, Axes]:
    """Axes for the curve, and lower ones below them that share the predictions."""
    import matplotlib.pyplot as plt  # imported here, as in axes_or_new

    figure = plt.figure(figsize=(5.2, 6.8), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    return above, below


def next_curve(ax: Axes, kind: str) -> tuple[str, str, Any]:
    """Color, marker and line not yet used by curves of this kind (their gid) on the axes."""
    drawn = sum(line.get_gid() == kind for line in ax.lines)
    return _CURVES[drawn % len(_CURVES)]


def limit_to_unit(ax: Axes, *, x: bool = False) -> None:
    """Show [0, 1] with a margin that keeps lines at 0 and 1 visible."""
    ax.set_ylim(-0.03, 1.03)
    if x:
        ax.set_xlim(-0.03, 1.03)
