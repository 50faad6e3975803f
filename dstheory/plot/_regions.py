"""The unit square, divided by a contour function: masses of the next outcome as areas.

m({1}) is the area above the contour to the left of its mode, m({0}) to the right, and m({0, 1}) the
area below it. Xu et al. 2016, equations 22 and 23, figure 3.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from dstheory._typing import Floats
from dstheory.checks.arguments import as_floats, as_sequence, check_instance
from dstheory.plot._style import COLORS, ink, paper

__all__ = ["fill_regions"]


def fill_regions(
    ax: Axes, probability: Floats, plausibility: Floats, labels: tuple[str, str, str]
) -> tuple[Any, Any, Any]:
    """Fill the regions of {1}, {0} and {0, 1} under and above a contour.

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
    check_instance("ax", ax, Axes, "matplotlib Axes")
    probability = as_floats(probability, "probability")
    plausibility = as_floats(plausibility, "plausibility")
    if probability.ndim != 1 or probability.shape != plausibility.shape or not len(probability):
        shapes = f"{probability.shape} and {plausibility.shape}"
        raise ValueError(f"probability and plausibility have shapes {shapes}, expected (g,) both")
    texts = as_sequence(labels, "labels", "three texts")
    if len(texts) != 3:
        raise ValueError(f"there are {len(texts)} labels, expected three")
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
        for label, (part, edge, style) in zip(texts, parts, strict=True)
    )
    return left, right, below
