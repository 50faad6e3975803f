"""Colors and axes shared by all pictures: those of `dstheory.plot`, and the range [0, 1]."""

from typing import Any

from matplotlib.axes import Axes

from dstheory.plot.style import COLORS, LINES, axes_or_new, ink, literal, paper

__all__ = [
    "COLORS",
    "LINES",
    "axes_or_new",
    "ink",
    "legend_above",
    "limit_to_unit",
    "literal",
    "new_pair",
    "next_curve",
    "paper",
    "short",
]

# Colors, markers and lines of curves that share axes.
_CURVES: tuple[tuple[str, str, Any], ...] = (
    (COLORS["blue"], "o", "-"),
    (COLORS["vermilion"], "s", "--"),
    (COLORS["green"], "^", "-."),
    (COLORS["orange"], "D", (0, (8, 2))),
)
# Inches per letter in a legend, and before its entries.
_LETTER, _HANDLE = 0.08, 0.6


def new_pair() -> tuple[Axes, Axes]:
    """Axes for the curve, and lower ones below them that share the predictions."""
    import matplotlib.pyplot as plt  # imported here, as in axes_or_new

    figure = plt.figure(figsize=(5.4, 6.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    return above, below


def short(text: str, letters: int) -> str:
    """The text on one line, cut if it is long.

    >>> short("a name of\\ntwo lines", 12)
    'a name of t…'
    """
    line = " ".join(text.split())
    return line if len(line) <= letters else line[: letters - 1] + "…"


def legend_above(ax: Axes, **options: Any) -> Any:
    """A legend above the axes, as wide as these, where it never covers data."""
    handles = options.get("handles", ax.get_legend_handles_labels()[0])
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    width = ax.get_window_extent().width / ax.figure.dpi
    return ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2 if 2 * (_HANDLE + _LETTER * longest) < width else 1,
        frameon=False,
        alignment="left",
        **options,
    )


def next_curve(ax: Axes, kind: str) -> tuple[str, str, Any]:
    """Color, marker and line not yet used by curves of this kind (their gid) on the axes."""
    drawn = sum(line.get_gid() == kind for line in ax.lines)
    return _CURVES[drawn % len(_CURVES)]


def limit_to_unit(ax: Axes, *, x: bool = False) -> None:
    """Show [0, 1] with a margin that keeps lines at 0 and 1 visible."""
    ax.set_ylim(-0.03, 1.03)
    if x:
        ax.set_xlim(-0.03, 1.03)
