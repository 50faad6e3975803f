"""Pictures of a comparison: differences with their intervals, and reliability diagrams."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from evical.evaluation import Comparison
from evical.evaluation.recommendation import ALPHA
from evical.metrics import debiased_calibration_error
from evical.plot.style import COLORS
from evical.report._evaluation_pictures import reliability_display
from evical.report._numbers import count, fixed, named
from evical.report.page import Picture
from evical.report.svg import label, svg_of

__all__ = ["comparison_pictures"]

_N_COLUMNS = 3


def comparison_pictures(comparison: Comparison) -> list[Picture]:
    """Differences, if there are any, then reliability.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of Picture
    """
    found = [_differences(comparison)] if comparison.differences else []
    return [*found, _reliability(comparison)]


def _differences(comparison: Comparison) -> Picture:
    """One line per method: its mean difference from the best, with an interval."""
    lines = comparison.differences
    names = [comparison.recommendation.best, *(one.method for one in lines)]
    title = {"brier_score": "Brier score"}.get(comparison.criterion, "Log loss")
    figure = Figure(figsize=(8, 1.1 + 0.34 * len(names)), layout="constrained")
    ax = figure.subplots()
    _draw_differences(ax, comparison)
    ax.set_yticks(-np.arange(len(names)), [label(name) for name in names])
    ax.set_ylim(0.4 - len(names), 0.6)
    ax.set_xlabel(f"{title} minus that of the best method")
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    parts = [
        f"{named(one.method)} {fixed(one.difference, 4, sign=True)} "
        f"± {fixed(one.standard_error, 4)}"
        for one in lines
    ]
    return Picture(
        "Differences to the best method",
        alt=f"{title} of each method minus that of {named(names[0])}, with 95% intervals: "
        f"{'; '.join(parts)}.",
        caption="Mean paired difference to the best method (diamond) with its 95% interval, "
        "corrected for training samples that folds share, each by itself; squares are worse by "
        "more than chance after Holm's correction for the number of methods.",
        svg=svg_of(figure),
    )


def _draw_differences(ax: Axes, comparison: Comparison) -> None:
    """Differences from the first line downwards, the best method at zero above them."""
    lines = comparison.differences
    level = float(stats.t.isf(0.025, comparison.values.shape[1] - 1))
    ax.axvline(0, color=COLORS["gray"], linestyle=":")
    ax.plot([0], [0], "D", color="black")
    for clear, color, marker in ((False, COLORS["blue"], "o"), (True, COLORS["vermilion"], "s")):
        some = [i for i, one in enumerate(lines) if (one.adjusted <= ALPHA) == clear]
        if some:
            ax.errorbar(
                [lines[i].difference for i in some],
                [-1 - i for i in some],
                xerr=[level * lines[i].standard_error for i in some],
                fmt=marker,
                color=color,
                capsize=3,
                label="worse by more than chance" if clear else "no difference can be seen",
            )


def _reliability(comparison: Comparison) -> Picture:
    ranked = comparison.ranking()
    n_rows = -(-len(ranked) // _N_COLUMNS)
    n_columns = min(_N_COLUMNS, len(ranked))
    figure = Figure(figsize=(3 * n_columns + 0.4, 3.2 * n_rows + 0.4))
    # Inches for titles, because pages draw text in larger letters than the layout assumes.
    figure.set_layout_engine("constrained", h_pad=0.15)
    grid = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    parts = []
    for ax, name in zip(grid.flat, ranked, strict=False):
        p = comparison.probability[comparison.methods.index(name)]
        reliability_display(comparison.y, p).plot(ax)
        ax.get_legend().remove()
        ax.set(xlabel="", ylabel="", aspect="equal")
        ax.set_title(label(name, 26), fontsize=10)
        ax.tick_params(labelbottom=True)
        error = float(debiased_calibration_error(comparison.y, p))
        parts.append(f"{named(name)} {fixed(error)}")
    for ax in grid.flat[len(ranked) :]:
        ax.set_axis_off()
    figure.supxlabel("Predicted probability, mean of a bin", fontsize=10)
    figure.supylabel(f"Observed share of class {label(comparison.class_names[1])}", fontsize=10)
    return Picture(
        "Reliability diagrams",
        alt="Reliability diagrams, one panel per method. Calibration errors, root mean squared and "
        f"minus their noise: {'; '.join(parts)}.",
        caption=f"Reliability of out-of-fold predictions of {count(len(comparison.y))} samples, in "
        "bins of equal frequency with 95% confidence intervals by Clopper & Pearson.",
        svg=svg_of(figure),
    )
