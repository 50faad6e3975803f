"""Pictures of conformal beliefs: p-values of true classes, sizes of sets, coverage by class."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evical.evaluation import ConformalEvaluation
from evical.plot import PValuesDisplay
from evical.plot.style import COLORS, ink
from evical.report._numbers import count, named, percent
from evical.report.page import Picture
from evical.report.svg import label, svg_of

__all__ = ["MOST_CLASSES", "conformal_pictures"]

# Classes in a picture and a table; of more, those least covered.
MOST_CLASSES = 40
_FEW_BINS, _N_BINS, _MANY = 10, 20, 400
# Sets of so many sizes have one bar each.
_MOST_NAMES = 12


def conformal_pictures(evaluation: ConformalEvaluation) -> tuple[Picture, Picture, Picture]:
    """P-values of the true classes, sizes of sets and their coverage, coverage by class.

    Parameters
    ----------
    evaluation : ConformalEvaluation

    Returns
    -------
    triple of Picture
    """
    return _p_values(evaluation), _sizes(evaluation), _classes(evaluation)


def _p_values(evaluation: ConformalEvaluation) -> Picture:
    p, numbers = evaluation.true_p, evaluation.n_calibration
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    display = PValuesDisplay(
        p,
        n_calibration=(numbers[0] or None) if len(numbers) == 1 else None,
        n_bins=_N_BINS if len(p) >= _MANY else _FEW_BINS,
    ).plot(figure.subplots())
    shares = [f"{percent(float((p <= a).mean()))} up to {a:g}" for a in evaluation.levels]
    return Picture(
        "P-values of the true classes",
        alt=f"Histogram of {count(len(p))} p-values beside the line of uniform ones: "
        f"{', '.join(shares)}.",
        caption=f"P-values of the true classes in {display.n_bins} bins; the dotted line is what "
        "uniform ones give, and the gray band holds 95% of the bars by chance, each for itself. "
        "Bars above the line at the left break the promise; elsewhere they are ties of scores.",
        svg=svg_of(figure),
    )


def _sizes(evaluation: ConformalEvaluation) -> Picture:
    found = evaluation.coverage("size")
    sizes, shares = np.array(found.groups), found.n_samples / len(evaluation.y)
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.bar(sizes, shares, color=COLORS["blue"], width=0.8)
    left.set_ylabel("Share of samples")
    errors = np.abs(found.interval.T - found.coverage)
    right.errorbar(sizes, found.coverage, errors, fmt="o", color=COLORS["blue"], capsize=3, ms=5)
    right.axhline(1 - evaluation.alpha, color=ink(), ls=":", lw=1)
    right.set_ylabel("Share of sets with the class")
    for ax in (left, right):
        ax.set_xlabel("Classes in a set")
        ax.set_xlim(min(sizes) - 0.6, max(sizes) + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(_MOST_NAMES, integer=True))
    right.set_ylim(-0.03, 1.03)
    pairs = list(zip(sizes, shares, strict=True))[:_MOST_NAMES]
    told = ", ".join(f"{size}: {percent(float(share))}" for size, share in pairs)
    return Picture(
        "Sizes of the sets",
        alt=f"Share of samples by the number of classes in their set: {told}. Beside it, how many "
        "sets of each size hold the class, with intervals; the table has the numbers.",
        caption=f"Sets at alpha = {evaluation.alpha:g}: how large they are, and how often those of "
        f"each size hold the true class; bars are {evaluation.confidence:.0%} intervals, and the "
        f"dotted line is {1 - evaluation.alpha:g}, which is not promised for each size.",
        svg=svg_of(figure),
    )


def _classes(evaluation: ConformalEvaluation) -> Picture:
    found = evaluation.coverage("class")
    kept = np.flatnonzero(found.n_samples > 0)
    if len(kept) > MOST_CLASSES:
        kept = kept[np.argsort(found.coverage[kept], kind="stable")[:MOST_CLASSES]]
    figure = Figure(figsize=(8, 1.2 + 0.26 * len(kept)), layout="constrained")
    ax = figure.subplots()
    heights = -np.arange(len(kept))
    shares = found.coverage[kept]
    errors = np.abs(found.interval[kept].T - shares)
    ax.errorbar(shares, heights, xerr=errors, fmt="o", color=COLORS["blue"], capsize=3, ms=5)
    ax.axvline(1 - evaluation.alpha, color=ink(), ls=":", lw=1)
    ax.set_yticks(heights, [label(str(found.groups[k])) for k in kept])
    ax.set_ylim(0.6 - len(kept), 0.6)
    ax.set_xlabel("Share of sets with the class")
    worst = kept[int(np.argmin(shares))]
    return Picture(
        "Coverage by class",
        alt=f"How often sets hold the class, for {len(kept)} classes, with intervals: from "
        f"{percent(float(shares.min()))}, class {named(str(found.groups[worst]))}, to "
        f"{percent(float(shares.max()))}.",
        caption=f"Sets at alpha = {evaluation.alpha:g} by true class, with "
        f"{evaluation.confidence:.0%} intervals; the dotted line is {1 - evaluation.alpha:g}.",
        svg=svg_of(figure),
    )
