"""`LevelSetDisplay`: the contour of two parameters, and the marginal contour of the first.

Focal sets of the consonant belief function are the level sets of the contour. The marginal contour
is the profile, the largest plausibility along each line. Its level sets are the projections of
those in the plane. Xu et al. 2016, equations 13 and 33-40.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dstheory._typing import Floats
from dstheory.checks.arguments import as_mapping, check_flag, check_instance
from dstheory.inference import LikelihoodContour, profile
from dstheory.plot._grid import as_levels, plausible_range
from dstheory.plot.style import (
    COLORS,
    OnAxes,
    axes_or_new,
    ink,
    keep_on_canvas,
    literal,
    names_of,
    new_axes,
    paper,
)

_N_OUTLINE = 180  # a point every two degrees
_FAR = 1e9  # wider sets, in distances to plausibility 0.6, count as unbounded
_N_MARGINAL = 121  # each is a maximum over a line


@final
@dataclass(eq=False, repr=False)
class LevelSetDisplay(OnAxes):
    """Level sets of a contour in the plane, with the marginal contour of the first coordinate.

    Usually made by `from_contour`.

    Parameters
    ----------
    outlines : mapping of float to (x, y)
        Boundary of the level set at each plausibility, two arrays of one length.
    mode : pair of float
        Most plausible parameter.
    marginal : pair of arrays, optional
        Ascending values of the first coordinate, and their plausibility.
    names : pair of str
        Of the coordinates; for the axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    sets_ : dict of float to Polygon
        By plausibility.
    mode_ : Line2D
    marginal_ax_ : matplotlib Axes or None
    marginal_ : Line2D or None
    shadows_ : dict of float to Line2D
        Level sets of the marginal, by plausibility; empty if it is not drawn.

    Examples
    --------
    >>> contour = LikelihoodContour(lambda a, b: -(a**2) - b**2, [(-9, 9), (-9, 9)], mode=(0, 0))
    >>> display = LevelSetDisplay.from_contour(contour, levels=[np.exp(-1)])
    >>> (x, y), *_ = display.outlines.values()
    >>> bool(np.allclose(x**2 + y**2, 1))
    True
    """

    outlines: Mapping[float, tuple[Floats, Floats]]
    mode: tuple[float, float]
    _: KW_ONLY
    marginal: tuple[Floats, Floats] | None = None
    names: tuple[str, str] = ("θ₀", "θ₁")

    def __post_init__(self) -> None:
        self.outlines = as_mapping(self.outlines, "outlines", "a mapping of levels to outlines")
        self.names = names_of(self.names, "names", 2)

    @classmethod
    def from_contour(
        cls,
        contour: LikelihoodContour,
        *,
        levels: Sequence[float] = (0.9, 0.5, 0.1),
        marginal: bool = True,
        names: tuple[str, str] = ("θ₀", "θ₁"),
        ax: Axes | None = None,
        marginal_ax: Axes | None = None,
    ) -> "LevelSetDisplay":
        """Find the level sets of a contour of dimension 2, and draw them.

        Parameters
        ----------
        contour : LikelihoodContour
            Of two parameters.
        levels : sequence of float
            Plausibilities in (0, 1).
        marginal : bool
            Compute the marginal contour of the first coordinate.
        names : pair of str
            Of the coordinates.
        ax, marginal_ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        LevelSetDisplay

        Raises
        ------
        ValueError
            If the dimension is 1, there are no levels, or a level set is unbounded.
        """
        check_instance("contour", contour, LikelihoodContour, "a LikelihoodContour")
        check_flag("marginal", marginal)
        levels = as_levels(levels)
        if contour.dimension != 2:
            raise ValueError("the parameter has dimension 1, not 2; use ParameterContourDisplay")
        if not levels:
            raise ValueError("levels are empty; give plausibilities inside (0, 1)")
        outlines = {
            level: contour.level_set(level, _N_OUTLINE) for level in sorted(levels, reverse=True)
        }
        for level, points in outlines.items():
            if not (np.ptp(points, axis=1) < _FAR * np.array(contour.scale)).all():
                raise ValueError(f"the level set at {level:g} is unbounded; give a higher level")
        curve = _marginal(contour, min(levels)) if marginal else None
        display = cls(outlines, contour.mode, marginal=curve, names=names)
        return display.plot(ax, marginal_ax=marginal_ax)

    def plot(self, ax: Axes | None = None, *, marginal_ax: Axes | None = None) -> "LevelSetDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default, with another pair above them for the marginal if there is one.
        marginal_ax : matplotlib Axes, optional
            For the marginal; with `ax` alone it is not drawn.

        Returns
        -------
        LevelSetDisplay
            Itself, with the artists as attributes.
        """
        if marginal_ax is not None:  # before a figure is opened
            check_instance("marginal_ax", marginal_ax, Axes, "matplotlib Axes")
        if ax is None and marginal_ax is None and self.marginal is not None:
            # The marginal lies above the plane, and shares the first coordinate.
            marginal_ax, ax = new_axes(nrows=2, sharex=True, height_ratios=(1, 2))
        self.ax_ = ax = axes_or_new(ax)
        self.sets_ = {level: self._outline(ax, level) for level in self.outlines}
        (self.mode_,) = ax.plot(
            *self.mode, "+", color=ink(), ms=9, mew=1.6, clip_on=False, label="mode"
        )
        ax.set(xlabel=literal(self.names[0]), ylabel=literal(self.names[1]))
        ax.autoscale_view()
        self.marginal_ax_ = marginal_ax
        self.marginal_: Line2D | None = None
        self.shadows_: dict[float, Any] = {}
        if marginal_ax is not None and self.marginal is not None:
            self._plot_marginal(marginal_ax, self.marginal)
        keep_on_canvas(ax, marginal_ax)
        return self

    def _outline(self, ax: Axes, level: float) -> Any:
        """One level set, darker if more plausible, with its level written at its top."""
        x, y = self.outlines[level]
        (polygon,) = ax.fill(x, y, facecolor=(COLORS["blue"], 0.2), edgecolor=COLORS["blue"])
        top = int(np.argmax(y))
        ax.annotate(
            f"{level:g}",
            (x[top], y[top]),
            ha="center",
            va="center",
            fontsize="small",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": paper(), "edgecolor": "none"},
        )
        return polygon

    def _plot_marginal(self, ax: Axes, marginal: tuple[Floats, Floats]) -> None:
        (self.marginal_,) = ax.plot(*marginal, color=ink(), lw=1.6)
        self.shadows_ = {
            level: ax.plot(
                [x.min(), x.max()], [level, level], color=COLORS["blue"], marker="|", lw=1.2
            )[0]
            for level, (x, _) in self.outlines.items()
        }
        ax.set(ylim=(0, 1.03), ylabel=f"Plausibility of {literal(self.names[0])}")


def _marginal(contour: LikelihoodContour, lowest: float) -> tuple[Floats, Floats]:
    """Profile of the first coordinate over its plausible values."""
    marginal = profile(contour, (1.0, 0.0))
    grid = np.linspace(*plausible_range(marginal, lowest), _N_MARGINAL)
    grid = np.unique(np.append(grid, marginal.mode))
    return grid, np.asarray(marginal.contour(grid))
