"""Densities of samples: histograms and rugs, of all or of each class."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from dstheory.plot.style import COLORS, ink, paper
from evical._typing import Floats
from evical.metrics.bins import bin_numbers

DENSITIES = ("histogram", "classes", "rug", None)
_N_BINS = 20
# Inches of a tick label.
_TICK = 0.3
# With more marks, a rug looks like a bar and takes long to draw.
_MAX_MARKS = 5000

# Negative and positive samples differ in side, lightness and hatch.
_FILLS: tuple[dict[str, Any], ...] = (
    {"facecolor": (COLORS["orange"], 0.35), "edgecolor": COLORS["orange"], "hatch": "////"},
    {"facecolor": (COLORS["blue"], 0.5), "edgecolor": COLORS["blue"]},
)


def shares_style() -> dict[str, Any]:
    """Style of marks for observed shares."""
    return {"color": ink(), "markerfacecolor": paper(), "marker": "o", "ms": 5, "ls": ""}


def draw_density(
    ax: Axes,
    density: str,
    values: Floats,
    positive: NDArray[np.bool_] | None,
    weight: Floats | None,
    n_bins: int | None,
    color: str,
    linestyle: Any,
) -> list[Any]:
    """Draw the density of values in [0, 1], for each class if classes are known."""
    if density == "rug":
        return _two_rugs(ax, values, positive)
    n_bins = n_bins or _N_BINS
    edges = np.linspace(0, 1, n_bins + 1)
    room = ax.get_window_extent().height / ax.figure.dpi
    locator = MaxNLocator(min(4, max(1, int(room / _TICK))), integer=weight is None)
    ax.set_ylabel("Samples" if weight is None else "Sample weight")
    if density == "histogram" or positive is None:
        counts = _counts(values, weight, n_bins)
        ax.yaxis.set_major_locator(locator)
        return [ax.stairs(counts, edges, color=color, linestyle=linestyle, lw=1.6)]
    sides = [
        ax.stairs(
            sign * _counts(values[mask], None if weight is None else weight[mask], n_bins),
            edges,
            fill=True,
            **style,
        )
        for sign, mask, style in zip((-1, 1), (~positive, positive), _FILLS, strict=True)
    ]
    ax.axhline(0, color=ink(), lw=0.8)
    ax.yaxis.set_major_locator(locator)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{abs(count):g}"))
    # In corners that classifiers usually leave empty.
    for place, text, corner in (
        ((0.02, 0.96), "positive", ("left", "top")),
        ((0.98, 0.04), "negative", ("right", "bottom")),
    ):
        ax.text(*place, text, ha=corner[0], va=corner[1], transform=ax.transAxes, fontsize="small")
    return sides


def _counts(values: Floats, weight: Floats | None, n_bins: int) -> NDArray[Any]:
    """Number or weight of samples in the bins of the metrics."""
    number = bin_numbers(values, None, n_bins, "uniform")
    return np.bincount(number, weight, minlength=n_bins)


def _two_rugs(ax: Axes, values: Floats, positive: NDArray[np.bool_] | None) -> list[Any]:
    if positive is None:
        ax.set_yticks([])
        return [draw_rug(ax, values, 0.0)]
    ax.set_yticks([0, 1], ["negative", "positive"])
    ax.set_ylim(-0.6, 1.6)
    return [draw_rug(ax, values[positive == side], float(side)) for side in (False, True)]


def draw_rug(ax: Axes, values: Floats, height: float) -> Any:
    """A mark for each value or, with very many, for equally spaced ranks."""
    if len(values) > _MAX_MARKS:
        values = np.sort(values)[np.linspace(0, len(values) - 1, _MAX_MARKS).astype(np.intp)]
    (line,) = ax.plot(
        values,
        np.full(len(values), height),
        "|",
        color=COLORS["gray"],
        ms=9,
        mew=0.9,
        alpha=0.8,
        clip_on=False,
    )
    return line
