"""`TetrahedronDisplay`: probabilities and beliefs about four classes in a tetrahedron.

The fourth class is the peak, above the triangle of the others (Gebel 2009, sec. 2.1, fig. 2.2).
"""

from collections.abc import Iterable
from itertools import combinations
from typing import Any, ClassVar, final

import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

from dstheory.checks.arguments import as_real, shown
from evical._typing import Floats
from evical.plot._corners import BaseCornersDisplay
from evical.plot.style import COLORS, ink

# A regular tetrahedron: the triangle of three classes as base, and the peak.
TETRAHEDRON = np.array(
    [
        [0.0, 0.0, 0.0],
        [0.5, np.sqrt(3 / 4), 0.0],
        [1.0, 0.0, 0.0],
        [0.5, np.sqrt(1 / 12), np.sqrt(2 / 3)],
    ]
)


@final
class TetrahedronDisplay(BaseCornersDisplay):
    """Probabilities of four classes as points of a tetrahedron, beliefs as polyhedra.

    Usually made by `from_estimator`, `from_predictions` or `from_mass`.

    Parameters
    ----------
    labels : sequence of str
        Names of the four classes; the last one is the peak.
    points : (n, 4) array
        Probabilities; pignistic ones of beliefs.
    groups : (n,) array of int
        Group of each point; it has a color and a marker.
    names : sequence of str
        Of the groups, for the legend.
    corners : mapping of int to (24, 4) array, optional
        Corners of the credal set of some points, by row, as `dstheory.plot.credal_vertices`
        gives them.
    legend : str
        Title of the legend.
    note : str
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes3D
    points_ : dict of str to Line3D
        By the name of the group; without a line.
    regions_ : dict of int to Poly3DCollection
        Credal sets by row; single points are not drawn.
    edges_ : Line3DCollection
        Of the tetrahedron.
    boundaries_ : Line3DCollection
        Lines where three classes are equally and most probable, from the center to the middle of
        each side, and lines on the sides where two are.

    Examples
    --------
    >>> import numpy as np
    >>> display = TetrahedronDisplay.from_predictions([0, 1, 2, 3], np.eye(4))
    >>> [round(float(x), 3) for x, in display.points_["3"].get_data_3d()]
    [0.5, 0.289, 0.816]
    """

    n_corners: ClassVar[int] = 4
    _places: ClassVar[Floats] = TETRAHEDRON
    _above: ClassVar[int] = 100  # of all regions, which are numbered by depth

    def plot(
        self, ax: Axes3D | None = None, *, elev: float = 14.0, azim: float = -72.0
    ) -> "TetrahedronDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes3D, optional
            Axes with ``projection="3d"``; new ones if not given.
        elev, azim : float
            Elevation and azimuth of the viewpoint, in degrees.

        Returns
        -------
        TetrahedronDisplay
            Itself, with the artists as attributes.

        Raises
        ------
        TypeError
            If the axes have no third dimension.
        """
        _check_angle("elev", elev)
        _check_angle("azim", azim)
        self.ax_ = ax = _axes(ax)
        # Set limits first: matplotlib would otherwise take them from polygons that it pads with
        # uninitialized memory.
        _look(ax, elev, azim)
        self.edges_ = self._edges(ax, elev, azim)
        self.boundaries_ = self._boundaries(ax)
        self._names(ax)
        self._draw_groups(ax, "right", (1.0, 1.0))
        if self.note:
            ax.text2D(0.03, 0.95, self.note, transform=ax.transAxes)  # a title would be outside
        return self

    def _edges(self, ax: Axes, elev: float, azim: float) -> Any:
        """Edges of the tetrahedron; those to the corner at the back are gray."""
        up, turn = np.radians([elev, azim])
        toward = np.array([np.cos(up) * np.cos(turn), np.cos(up) * np.sin(turn), np.sin(up)])
        back = int(np.argmin(TETRAHEDRON @ toward))
        pairs = list(combinations(range(4), 2))
        colors = [COLORS["gray"] if back in pair else ink() for pair in pairs]
        widths = [0.8 if back in pair else 1.3 for pair in pairs]
        return _lines(ax, np.eye(4), pairs, colors=colors, linewidths=widths)

    def _names(self, ax: Axes3D) -> None:
        """Names below the base, within its width, and above the peak, behind all points."""
        sides = (("left", "top"), ("center", "top"), ("right", "top"), ("center", "bottom"))
        heads = zip(TETRAHEDRON, self._corner_names(), sides, strict=True)
        for (x, y, z), name, (ha, va) in heads:
            place = (x, y, z + (0.03 if va == "bottom" else -0.03))
            ax.text(*place, name, ha=ha, va=va, fontweight="bold", zorder=1)

    def _boundaries(self, ax: Axes) -> Any:
        """Edges of the six faces that separate the sectors."""
        center = np.full(4, 1 / 4)
        sides = (1 - np.eye(4)) / 3
        pairs = list(combinations(range(4), 2))
        middles = np.array([(np.arange(4) == a) | (np.arange(4) == b) for a, b in pairs]) / 2
        places = np.vstack([center, sides, middles])
        inner = [(0, 1 + k) for k in range(4)]
        outer = [
            (1 + k, 5 + number) for k in range(4) for number, p in enumerate(pairs) if k not in p
        ]
        style: dict[str, Any] = {"color": COLORS["gray"], "lw": 0.8, "linestyle": (0, (4, 3))}
        return _lines(ax, places, [*inner, *outer], **style)

    def _region(self, ax: Axes3D, sides: list[Floats], color: str) -> Any:
        region = Poly3DCollection(
            sides, facecolor=(color, 0.1), edgecolor=(color, 0.7), linewidth=0.7
        )
        ax.add_collection3d(region)
        return region


def _axes(ax: Axes | None) -> Any:
    if ax is None:
        # Imported here, so that pyplot does not choose a backend for users with their own axes.
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(5.6, 5.0))
        return figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    if getattr(ax, "name", "") != "3d":
        raise TypeError("ax has two dimensions; make it with projection='3d'")
    return ax


def _lines(ax: Any, places: Floats, pairs: Iterable[tuple[int, int]], **style: Any) -> Any:
    ends = places @ TETRAHEDRON
    lines = Line3DCollection([ends[[a, b]] for a, b in pairs], **style)
    ax.add_collection3d(lines)
    return lines


def _check_angle(name: str, value: object) -> None:
    """Raise unless an angle is a finite number."""
    if not np.isfinite(as_real(name, value, "an angle in degrees")):
        raise ValueError(f"{name} is {shown(value)}, expected an angle in degrees")


def _look(ax: Axes3D, elev: float, azim: float) -> None:
    """Set the viewpoint and the zoom."""
    width, depth, height = TETRAHEDRON.max(axis=0)
    ax.set_xlim(0, width)
    ax.set_ylim(0, depth)
    ax.set_zlim(0, height)
    ax.set_box_aspect((width, depth, height), zoom=1.12)
    ax.view_init(elev=elev, azim=azim)
    ax.set_axis_off()
