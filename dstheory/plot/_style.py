"""Colors and axes that all pictures share.

The colors are those of Okabe & Ito (2008), which people with any color vision can tell apart. They
differ in lightness, so they also work in grayscale.
"""

from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from dstheory.checks.arguments import check_instance

__all__ = ["COLORS", "LINES", "axes_or_new", "ink", "literal", "paper"]

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
