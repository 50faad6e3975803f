"""`ParameterContourDisplay`: the contour of one parameter, and its level sets.

The contour function is the plausibility of each value; a cut at plausibility gamma is a focal set.
If the parameter is the probability of an event, areas are the predictive masses of the next
outcome: m({0, 1}) under the curve, m({1}) above it to the left of the mode, m({0}) to the right. Xu
et al. 2016, equations 11, 13, 22 and 23, figure 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

from matplotlib.axes import Axes

from dstheory._typing import Floats
from dstheory.checks.arguments import as_mapping, check_flag, check_instance
from dstheory.inference import LikelihoodContour, RandomInterval, predictive_binary
from dstheory.mass import MassFunction
from dstheory.plot._grid import as_levels, as_limits, contour_grid, plausible_range
from dstheory.plot.style import (
    COLORS,
    LINES,
    OnAxes,
    Side,
    axes_or_new,
    fill_regions,
    finish,
    ink,
    literal,
)

Label = tuple[int, ...]

_REGIONS: tuple[Label, ...] = ((1,), (0,), (0, 1))


@final
@dataclass(eq=False, repr=False)
class ParameterContourDisplay(OnAxes):
    """Contour function of one parameter, with level sets or the areas of predictive masses.

    Usually made by `from_contour`.

    Parameters
    ----------
    theta : (g,) array
        Ascending values of the parameter.
    plausibility : (g,) array
        Contour function there.
    level_sets : mapping of float to (low, high), optional
        Ends of the level set at each plausibility.
    mass_function : MassFunction, optional
        Predictive mass function on the frame (0, 1), drawn as areas.
    name : str
        Of the parameter; for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : Line2D
        The contour.
    level_lines_ : dict of float to Line2D
        By plausibility.
    regions_ : dict of tuple to PolyCollection
        By focal set, (1,), (0,) and (0, 1); empty without a mass function.

    Examples
    --------
    >>> from dstheory.inference import binomial_contour
    >>> display = ParameterContourDisplay.from_contour(binomial_contour(1, 2), levels=[0.75])
    >>> [round(end, 9) for end in display.level_sets[0.75]]
    [0.25, 0.75]
    """

    theta: Floats
    plausibility: Floats
    _: KW_ONLY
    level_sets: Mapping[float, tuple[float, float]] = field(default_factory=dict)
    mass_function: MassFunction | None = None
    name: str = "θ"

    def __post_init__(self) -> None:
        self.level_sets = as_mapping(self.level_sets, "level_sets", "a mapping of levels to sets")

    @classmethod
    def from_contour(
        cls,
        contour: LikelihoodContour,
        *,
        levels: Sequence[float] = (0.5, 0.1),
        areas: bool = False,
        limits: tuple[float, float] | None = None,
        name: str = "θ",
        ax: Axes | None = None,
    ) -> "ParameterContourDisplay":
        """Evaluate a contour of dimension 1, and draw it.

        Parameters
        ----------
        contour : LikelihoodContour
            Of a likelihood or of an expert.
        levels : sequence of float
            Plausibilities at which the level set is marked.
        areas : bool
            Show the predictive masses of an event whose probability is the parameter.
        limits : (low, high), optional
            Range of values to show. Default: the plausible ones. Areas need all of [0, 1].
        name : str
            Of the parameter.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        ParameterContourDisplay

        Raises
        ------
        ValueError
            If the dimension is 2, or limits are not an interval; if the plausible values are
            unbounded, or the contour has several peaks, and no limits are given; if level sets or
            areas are requested for a contour with several peaks; or if areas are requested and the
            parameter is not a probability or limits are given.
        """
        check_instance("contour", contour, LikelihoodContour, "a LikelihoodContour")
        check_flag("areas", areas)
        levels = as_levels(levels)
        if contour.dimension != 1:
            raise ValueError(
                "the parameter has dimension 2, not 1; use LevelSetDisplay, or profile"
            )
        if areas and limits is not None:
            raise ValueError(f"limits are {limits}, but areas need all of [0, 1]; give no limits")
        masses = predictive_binary(RandomInterval(contour)) if areas else None
        if limits is None:
            limits = (0.0, 1.0) if areas else plausible_range(contour, min(levels, default=1.0))
        grid = contour_grid(contour, *as_limits(limits))
        sets = {float(level): _ends(contour, level) for level in levels}
        display = cls(grid, contour.contour(grid), level_sets=sets, mass_function=masses, name=name)
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> "ParameterContourDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        ParameterContourDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        self.regions_ = {} if self.mass_function is None else self._fill(ax, self.mass_function)
        (self.line_,) = ax.plot(self.theta, self.plausibility, color=ink(), lw=1.6)
        self.level_lines_ = {
            level: self._mark(ax, level, ends, LINES[i % len(LINES)])
            for i, (level, ends) in enumerate(self.level_sets.items())
        }
        name, ends = literal(self.name), (self.theta[0], self.theta[-1])
        ax.set(xlabel=name, ylabel=f"Plausibility of {name}", xlim=ends)
        # The legend is below the axes, because regions fill the whole square.
        side: Side | None = "below" if self.regions_ or self.level_lines_ else None
        finish(ax, side, ylim=(0, 1 if self.regions_ else 1.03))
        return self

    def _mark(self, ax: Axes, level: float, ends: tuple[float, float], style: Any) -> Any:
        """The level set as a line at its level, with feet on the axis."""
        low, high = ends
        (line,) = ax.plot(
            [low, low, high, high],
            [0, level, level, 0],
            color=COLORS["vermilion"],
            linestyle=style,
            lw=1.4,
            label=f"plausibility ≥ {level:g}: [{low:.3g}, {high:.3g}]",
        )
        return line

    def _fill(self, ax: Axes, masses: MassFunction) -> dict[Label, Any]:
        one, zero, both = (
            f"m({{{', '.join(map(str, label))}}}) = {masses.mass(label):.3f}" for label in _REGIONS
        )
        regions = fill_regions(ax, self.theta, self.plausibility, (one, zero, both))
        return dict(zip(_REGIONS, regions, strict=True))


def _ends(contour: LikelihoodContour, level: float) -> tuple[float, float]:
    low, high = contour.level_set(level)
    return float(low), float(high)
