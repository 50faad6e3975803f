"""Colors and axes that all pictures share.

The colors are those of Okabe & Ito (2008), which people with any color vision can tell apart. They
differ in lightness, so they also work in grayscale.
"""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from dstheory._typing import Floats
from dstheory.checks.arguments import check_instance

COLORS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "vermilion": "#D55E00",
    "gray": "#595959",
    "green": "#009E73",
    "sky": "#56B4E9",
    "purple": "#CC79A7",
}
LINES = ("--", ":", "-.", (0, (8, 2)))


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
    # Imported here, so that pyplot does not choose a backend for users with their own axes.
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained").subplots()


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
