"""Colors and axes that all pictures share.

The colors are those of Okabe & Ito (2008), which people with any color vision can tell apart
and which differ in lightness, so that they survive a gray print.
"""

from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from dstheory.kernels.arguments import check_instance

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
    """The given axes, or those of a new pyplot figure, which a notebook shows by itself.

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
    # Inside, because choosing a window system is not for those who bring their own axes.
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained").subplots()


def ink() -> Any:
    """Color of lines and marks beside the letters of the present style: black, or light on dark.

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
    """Color behind the lines of the present style, of which empty marks are filled.

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
    """The text as it is, where matplotlib would read a formula or an instruction.

    Between two dollar signs it reads a formula; an artist whose label begins with an underscore it
    leaves out of legends, which a space before the underscore prevents.

    Parameters
    ----------
    text : object
        Of which ``str`` is shown.

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
