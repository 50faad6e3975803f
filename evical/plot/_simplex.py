"""`SimplexDisplay`: probabilities and beliefs about three classes in a triangle.

The nearer a point is to a corner, the more probable that class is. Thick lines separate the sectors
of the most probable class (Gebel 2009, sec. 2.1, fig. 2.1); beliefs are polygons, their credal
sets.
"""

from typing import Any, ClassVar, final

import numpy as np
from matplotlib.axes import Axes

from evical._typing import Floats
from evical.plot._corners import BaseCornersDisplay
from evical.plot.style import COLORS, axes_or_new, ink, literal, short

# Lower left, top and lower right, as in the thesis.
TRIANGLE = np.array([[0.0, 0.0], [0.5, np.sqrt(0.75)], [1.0, 0.0]])
# Maximum letters of a name along a side.
_SIDE_LETTERS = 16
_TICKS = (0.2, 0.4, 0.6, 0.8)


@final
class SimplexDisplay(BaseCornersDisplay):
    """Probabilities of three classes as points of a triangle, beliefs as polygons.

    Usually made by `from_estimator`, `from_predictions` or `from_mass`.

    Parameters
    ----------
    labels : sequence of str
        Names of the three classes: at the lower left, the top and the lower right.
    points : (n, 3) array
        Probabilities; pignistic ones of beliefs.
    groups : (n,) array of int
        Group of each point; it has a color and a marker.
    names : sequence of str
        Of the groups, for the legend.
    corners : mapping of int to (6, 3) array, optional
        Corners of the credal set of some points, by row, as `dstheory.plot.credal_vertices`
        gives them.
    legend : str
        Title of the legend.
    note : str
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    points_ : dict of str to Line2D
        By the name of the group; without a line.
    regions_ : dict of int to Polygon
        Credal sets by row; single points are not drawn.
    boundaries_ : list of Line2D
        Where two classes are equally probable.

    Examples
    --------
    >>> import numpy as np
    >>> display = SimplexDisplay.from_predictions([0, 1, 2], np.eye(3))
    >>> display.points_["1"].get_xydata().round(3)
    array([[0.5  , 0.866]])
    """

    n_corners: ClassVar[int] = 3
    _places: ClassVar[Floats] = TRIANGLE
    _above: ClassVar[int] = 3

    def plot(self, ax: Axes | None = None) -> "SimplexDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        SimplexDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        self._grid(ax)
        self.boundaries_ = self._boundaries(ax)
        self._names(ax)
        self._draw_groups(ax, "left", (0.72, 1.02))  # beside the upper corner
        if self.note:
            ax.set_title(self.note, fontsize="medium")
        ax.set_aspect("equal")
        ax.set_xlim(-0.16, 1.16)
        ax.set_ylim(-0.17, 0.98)
        ax.set_axis_off()
        return self

    def _grid(self, ax: Axes) -> None:
        """Lines of equal probability, with values where they leave the triangle clockwise."""
        ax.fill(*TRIANGLE.T, facecolor="none", edgecolor=ink(), lw=1, zorder=1)
        style: dict[str, Any] = {"fontsize": "x-small", "color": COLORS["gray"]}
        for k, angle in enumerate((-60, 0, 60)):
            before, after = (k - 1) % 3, (k + 1) % 3
            for p in _TICKS:
                ends = np.zeros((2, 3))
                ends[:, k] = p
                ends[0, before] = ends[1, after] = 1 - p
                line = ends @ TRIANGLE
                ax.plot(*line.T, color=COLORS["gray"], alpha=0.3, lw=0.6, zorder=0)
                x, y = line[0] + 0.03 * _unit(line[0] - line[1])
                ax.text(x, y, f"{p:g}", rotation=angle, ha="center", va="center", **style)

    def _names(self, ax: Axes) -> None:
        names = [literal(short(label, _SIDE_LETTERS)) for label in self.labels]
        places = TRIANGLE + np.array([[-0.01, -0.04], [0, 0.025], [0.01, -0.04]])
        heads = zip(places, self._corner_names(), ("top", "bottom", "top"), strict=True)
        for (x, y), name, va in heads:
            ax.text(x, y, name, ha="center", va=va, fontweight="bold")
        sides = (((0.5, -0.1), 0), ((0.14, 0.48), 60), ((0.86, 0.48), -60))
        texts = (f"← P({names[0]})", f"P({names[1]}) →", f"P({names[2]}) →")
        for ((x, y), angle), text in zip(sides, texts, strict=True):
            ax.text(x, y, text, rotation=angle, ha="center", va="center", fontsize="small")

    def _boundaries(self, ax: Axes) -> list[Any]:
        """Lines from the center to the middle of each side."""
        middles = (np.ones((3, 3)) - np.eye(3)) / 2
        return [
            ax.plot(*(np.stack([np.full(3, 1 / 3), middle]) @ TRIANGLE).T, **_BOUNDARY)[0]
            for middle in middles
        ]

    def _region(self, ax: Axes, sides: list[Floats], color: str) -> Any:
        style: dict[str, Any] = {"facecolor": (color, 0.2), "edgecolor": color, "lw": 1.1}
        return ax.fill(*sides[0].T, zorder=2, joinstyle="round", **style)[0]


_BOUNDARY: dict[str, Any] = {"color": COLORS["gray"], "lw": 1.6, "zorder": 1}


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.hypot(*vector))
