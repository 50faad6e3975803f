"""`BoundsDisplay`: lower and upper distribution function of a quantity, its p-box.

Bel and Pl of "at most y" bracket every distribution function that the belief function allows. Their
slope shows randomness, the gap between them ignorance. Xu et al. 2016, equations 15-17; Denoeux,
Fuzzy Sets and Systems 453, 2023, for Gaussian random fuzzy numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import final, get_args

import numpy as np
from matplotlib.axes import Axes

from dstheory._typing import Floats
from dstheory.checks.arguments import as_mapping, as_real, as_sequence, check_instance
from dstheory.inference import GRFN, RandomInterval, SampledInterval
from dstheory.inference.prediction.intervals import PredictiveInterval
from dstheory.plot._grid import as_limits, contour_grid
from dstheory.plot.style import COLORS, UNIT, OnAxes, axes_or_new, band_style, finish, ink, literal

Source = RandomInterval | PredictiveInterval | SampledInterval | GRFN

_N_GRID = 401  # finer than the pixels of a printed column, so that jumps look upright
_MOST_STEPS = 1000  # drawn upright; more of them are too small to see
_TAIL = 0.005  # probability left out on each side
_MARGIN = 0.05  # share of the width that is added on each side


@final
@dataclass(eq=False, repr=False)
class BoundsDisplay(OnAxes):
    """Bounds on a distribution function, with intervals for its quantiles.

    Usually made by `from_belief`.

    Parameters
    ----------
    y : (g,) array
        Ascending values.
    lower, upper : (g,) arrays
        Belief and plausibility of at most y.
    quantiles : mapping of float to (low, high), optional
        Lower and upper quantile for each probability.
    name : str
        Of the quantity; for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    band_ : PolyCollection
        Between the bounds.
    lower_, upper_ : Line2D
    quantiles_ : dict of float to Line2D
        By probability.

    Examples
    --------
    >>> display = BoundsDisplay.from_belief(GRFN(5, 4, 1), quantiles=[0.5])
    >>> low, high = display.quantiles[0.5]
    >>> round(low + high, 9)
    10.0
    >>> display.ax_.get_xlabel()
    'y'
    """

    y: Floats
    lower: Floats
    upper: Floats
    _: KW_ONLY
    quantiles: Mapping[float, tuple[float, float]] = field(default_factory=dict)
    name: str = "y"

    def __post_init__(self) -> None:
        expected = "a mapping of levels to intervals"
        self.quantiles = as_mapping(self.quantiles, "quantiles", expected)

    @classmethod
    def from_belief(
        cls,
        source: Source,
        *,
        quantiles: Sequence[float] = (0.5,),
        limits: tuple[float, float] | None = None,
        name: str = "y",
        ax: Axes | None = None,
    ) -> "BoundsDisplay":
        """Evaluate the bounds of one quantity, and draw them.

        Parameters
        ----------
        source : RandomInterval, PredictiveInterval, SampledInterval or GRFN
            Belief about one quantity.
        quantiles : sequence of float
            Probabilities inside (0, 1) whose quantiles are marked.
        limits : (low, high), optional
            Range of values to show. Default: those that are neither improbable nor implausible.
        name : str
            Of the quantity.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        BoundsDisplay

        Raises
        ------
        ValueError
            If the source is a batch, limits are not an interval, a quantile to mark is infinite, or
            the values are unbounded (as after discounting) and no limits are given.
        TypeError
            If the source has another type.
        """
        _require_one(source)
        if limits is None:
            limits = _with_margin(_quantile(source, _TAIL)[0], _quantile(source, 1 - _TAIL)[1])
        limits = as_limits(limits)
        levels = as_sequence(quantiles, "quantiles", "levels inside (0, 1)")
        marks = {as_real("quantiles", p): _quantile(source, p) for p in levels}
        for p, ends in marks.items():
            if not np.isfinite(ends).all():
                raise ValueError(f"the quantile at {p:g} has bounds {ends}; give quantiles=()")
        places = [np.linspace(*limits, _N_GRID), np.ravel(list(marks.values()))]
        if isinstance(source, RandomInterval):
            places.append(contour_grid(source.contour, *limits))
        if isinstance(source, SampledInterval) and len(source) <= _MOST_STEPS:
            steps = np.concatenate([source.low, source.high])
            places += [steps, np.nextafter(steps, -np.inf)]
        y = np.unique(np.concatenate(places))
        y = y[(y >= limits[0]) & (y <= limits[1])]
        bounds = source.cdf_bounds(y) if isinstance(source, GRFN) else source.cdf(y)
        lower, upper = (np.asarray(bound).reshape(y.shape) for bound in bounds)
        return cls(y, lower, upper, quantiles=marks, name=name).plot(ax)

    def plot(self, ax: Axes | None = None) -> "BoundsDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        BoundsDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        name = literal(self.name)
        self.band_ = ax.fill_between(
            self.y, self.lower, self.upper, **band_style(COLORS["blue"], 0.18)
        )
        self.upper_, self.lower_ = (
            ax.plot(self.y, values, style, color=COLORS[color], lw=1.6, label=label)[0]
            for values, style, color, label in (
                (self.upper, "--", "vermilion", f"Pl(at most {name})"),
                (self.lower, "-", "blue", f"Bel(at most {name})"),
            )
        )
        self.quantiles_ = {
            p: ax.plot(ends, [p, p], color=ink(), marker="|", ms=9, mew=1.4, lw=1.4)[0]
            for p, ends in self.quantiles.items()
        }
        for p, line in self.quantiles_.items():
            low, high = self.quantiles[p]
            line.set_label(f"{p:g}-quantile: [{low:.3g}, {high:.3g}]")
        # The legend is below the axes, because the band of a vague belief can fill them.
        ends = (self.y[0], self.y[-1])
        belief = f"Degree of belief in at most {name}"
        finish(ax, "below", xlabel=name, ylabel=belief, xlim=ends, ylim=UNIT)
        return self


def _require_one(source: Source) -> None:
    expected = "a RandomInterval, PredictiveInterval, SampledInterval or GRFN"
    check_instance("source", source, get_args(Source), expected)
    shape = getattr(source, "batch_shape", getattr(source, "shape", ()))
    if np.prod(shape) != 1:
        raise ValueError(f"source is a batch of shape {shape}; give one quantity")


def _quantile(source: Source, p: float) -> tuple[float, float]:
    """Lower and upper quantile, two plain numbers."""
    bounds = source.quantile_bounds(p) if isinstance(source, GRFN) else source.quantile(p)
    low, high = (float(np.asarray(bound).item()) for bound in bounds)
    return low, high


def _with_margin(low: float, high: float) -> tuple[float, float]:
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"values range over [{low:g}, {high:g}]; give limits")
    margin = _MARGIN * (high - low) or 1.0  # a certain value has width 0
    return low - margin, high + margin
