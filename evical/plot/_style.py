"""Colors and axes that all pictures share: those of `dstheory.plot`, and the range [0, 1]."""

from typing import Any

from matplotlib.axes import Axes

from dstheory.plot import COLORS, LINES, axes_or_new, ink, literal, paper

__all__ = [
    "COLORS",
    "LINES",
    "axes_or_new",
    "ink",
    "legend_above",
    "limit_to_unit",
    "literal",
    "paper",
]

# Inches of axes above which two entries of a legend stand side by side.
_WIDE = 4.0


def legend_above(ax: Axes, **options: Any) -> Any:
    """A legend above the axes, where it covers no data wherever they lie."""
    width = ax.get_window_extent().width / ax.figure.dpi
    return ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2 if width > _WIDE else 1,
        frameon=False,
        alignment="left",
        **options,
    )


def limit_to_unit(ax: Axes, *, x: bool = False) -> None:
    """Show the range of probabilities with a margin that keeps lines at 0 and 1 visible."""
    ax.set_ylim(-0.03, 1.03)
    if x:
        ax.set_xlim(-0.03, 1.03)
