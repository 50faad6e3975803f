"""Colors and axes that all pictures share.

The colors are those of Okabe & Ito (2008), which people with any color vision can tell apart
and which differ in lightness, so that they survive a gray print.
"""

from matplotlib.axes import Axes

__all__ = ["COLORS", "axes_or_new", "limit_to_unit", "literal"]

COLORS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "sky": "#56B4E9",
    "gray": "#595959",
}


def axes_or_new(ax: Axes | None) -> Axes:
    """The given axes, or those of a new pyplot figure, which a notebook shows by itself."""
    if ax is not None:
        return ax
    # Inside, because choosing a window system is not for those who bring their own axes.
    import matplotlib.pyplot as plt

    return plt.figure(layout="constrained").subplots()


def literal(text: str) -> str:
    """The text as it is; between two dollar signs matplotlib would read a formula.

    >>> print(literal("<$50K"))
    <\\$50K
    """
    return text.replace("$", r"\$")


def limit_to_unit(ax: Axes, *, x: bool = False) -> None:
    """Show the range of probabilities with a margin that keeps lines at 0 and 1 visible."""
    ax.set_ylim(-0.03, 1.03)
    if x:
        ax.set_xlim(-0.03, 1.03)
