"""Colors and axes that all pictures share: those of `dstheory.plot`, and the range [0, 1]."""

from matplotlib.axes import Axes

from dstheory.plot import COLORS, LINES, axes_or_new, literal

__all__ = ["COLORS", "LINES", "axes_or_new", "limit_to_unit", "literal"]


def limit_to_unit(ax: Axes, *, x: bool = False) -> None:
    """Show the range of probabilities with a margin that keeps lines at 0 and 1 visible."""
    ax.set_ylim(-0.03, 1.03)
    if x:
        ax.set_xlim(-0.03, 1.03)
