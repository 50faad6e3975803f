"""Pictures of one set of predictions: reliability, beliefs and densities along the scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from dstheory.plot.style import COLORS, add_legend
from evical._typing import Floats
from evical.evaluation import Evaluation
from evical.metrics import binomial_test
from evical.metrics.goodness import share_limits
from evical.metrics.selective import curve_of
from evical.plot import BeliefBandDisplay, ReliabilityDisplay, RiskCoverageDisplay
from evical.report._evaluation_tables import (
    Answers,
    along,
    beliefs,
    equal_groups,
    has_beliefs,
)
from evical.report._numbers import count, fixed, named, percent
from evical.report.page import Picture
from evical.report.svg import label, shorten, svg_of

# Points of a curve: more than its width in pixels on a page.
_N_POINTS = 600
# Number of marks in a rug and of points in a cloud that stay vectors; more become pixels.
_N_VECTORS = 400
_N_COLUMNS = 40
# Share of turns: far more than the curve of a calibrator has; predictions from folds turn at about
# every other sample.
_MOST_TURNS = 40


def evaluation_pictures(evaluation: Evaluation) -> list[Picture]:
    """Reliability diagram, then beliefs where there are some, then densities.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    list of Picture
    """
    pictures = [reliability_picture(evaluation)]
    if has_beliefs(evaluation) or evaluation.scores is not None:
        pictures.append(_along_scores(evaluation))
    return [*pictures, _density(evaluation)]


def lined_up(names: Sequence[str], height: float = 0.34) -> tuple[Figure, Axes]:
    """An empty picture with a line for each name: the first at height 0, each next 1 below"""
    figure = Figure(figsize=(8, 1.1 + height * len(names)), layout="constrained")
    ax = figure.subplots()
    ax.set_yticks(-np.arange(len(names)), [label(name) for name in names])
    ax.set_ylim(0.4 - len(names), 0.6)
    return figure, ax


def reliability_display(
    y: NDArray[np.int64],
    probability: Floats,
    *,
    weight: Floats | None = None,
    confidence: float = 0.95,
    name: str | None = None,
    class_name: str | None = None,
) -> ReliabilityDisplay:
    """Observed shares over predictions in ten bins of equal frequency, with their limits."""
    bins = binomial_test(y, probability, sample_weight=weight)
    return ReliabilityDisplay(
        bins.predicted,
        bins.observed,
        np.round(bins.size).astype(np.int64),
        strategy="quantile",
        interval=share_limits(bins.observed * bins.size, bins.size, confidence),
        uncertainty_name=f"{confidence:.0%} interval",
        y_true=y.astype(np.float64),
        y_prob=probability,
        name=name,
        class_name=class_name,
    )


def reliability_picture(evaluation: Evaluation) -> Picture:
    """Reliability diagram, with the samples of both classes below."""
    figure = Figure(figsize=(5.8, 7), layout="constrained")
    ax, counts_ax = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    reliability_display(
        evaluation.y,
        evaluation.probability,
        weight=evaluation.weight,
        confidence=evaluation.confidence,
        class_name=shorten(evaluation.class_names[1]),
    ).plot(ax, counts_ax=counts_ax, density="classes")
    error = evaluation["debiased_calibration_error"]
    name = named(evaluation.class_names[1])
    return Picture(
        "Reliability diagram",
        alt=f"Observed share of class {name} over the predicted probability in bins of equal "
        "frequency, with confidence intervals; the diagonal is dotted. The root mean squared "
        f"distance from it, less its noise, is {fixed(error.value)}. Below, how many samples of "
        "each class have which prediction. The table of bins holds the numbers.",
        caption=f"Reliability: predicted and observed in bins of equal frequency, "
        f"{count(len(evaluation.y))} samples; bars are {evaluation.confidence:.0%} confidence "
        f"intervals by Clopper & Pearson. Below, the number of samples: upwards of class {name}, "
        "downwards of the other class.",
        svg=svg_of(figure),
    )


def answers_picture(answers: Answers) -> Picture:
    """Error of the answered samples over the share that is answered."""
    curve = curve_of(answers.wrong, answers.doubt, answers.level, answers.weight)
    figure = Figure(figsize=(5.8, 4), layout="constrained")
    ax = figure.subplots()
    RiskCoverageDisplay(curve).plot(ax)
    promise = answers.promise
    bound = ""
    if promise is not None:
        bound = f" The dotted line is the guaranteed bound, {percent(promise.bound)}."
        ax.axhline(promise.bound, color=COLORS["gray"], ls=":", label="guaranteed bound")
        ax.set_ylim(top=max(ax.get_ylim()[1], 1.1 * promise.bound))
        add_legend(ax)
    ax.set_ylabel("Error of the answers")
    return Picture(
        "Risk and coverage",
        alt="Error rate of the answered samples over the share of samples that is answered, those "
        "of the likeliest classes first, with confidence limits. If all are answered, the error is "
        f"{percent(float(curve.risk[-1]))}. The area below is {fixed(curve.aurc)}, and "
        f"{fixed(curve.excess)} more than for the best order.{bound}",
        caption=f"Errors of the answers, the least doubtful samples first; band: "
        f"{answers.level:.0%} limits by Clopper & Pearson for each share alone. AURC: area "
        f"under the curve, of which {fixed(curve.excess)} is lost by the order of the doubts."
        f"{bound}",
        svg=svg_of(figure),
    )


def _along_scores(evaluation: Evaluation) -> Picture:
    values, axis = along(evaluation)
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    ax = figure.subplots()
    bel, pl = beliefs(evaluation)
    curve = _as_curve(values, bel, pl)
    if curve is None:
        _draw_cloud(ax, values, {"plausibility": pl, "belief": bel})
    else:
        _draw_band(ax, evaluation, values, curve)
    ax.set_xlabel(axis.capitalize())
    ax.set_ylabel(f"Degree of belief in class {label(evaluation.class_names[1])}")
    what = "Belief and plausibility" if has_beliefs(evaluation) else "Probability"
    width = float(np.mean(pl - bel))
    return Picture(
        f"{what} along the {axis}s".replace("probabilitys", "probabilities"),
        alt=f"{what} of class {named(evaluation.class_names[1])} over the {axis}, from "
        f"{values.min():.4g} to {values.max():.4g}. The mean width between belief and "
        f"plausibility is {fixed(width)}.",
        caption=f"{what} of the positive class. Marks above are samples of the positive class, "
        "marks below of the negative one; circles are observed shares of the positive class in "
        f"groups of about equal size, with {evaluation.confidence:.0%} confidence intervals."
        if curve is not None
        else f"{what} of the positive class, one point per sample. They lie on several curves, as "
        "from the folds of a cross-validation.",
        svg=svg_of(figure),
    )


def _as_curve(values: Floats, bel: Floats, pl: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Beliefs as a function of the score, if they are one, thinned to the visible resolution."""
    order = np.argsort(values, kind="stable")
    x, low, high = values[order], bel[order], pl[order]
    tied = np.diff(x) == 0
    if (np.abs(np.diff(low))[tied] > 1e-9).any() or (np.abs(np.diff(high))[tied] > 1e-9).any():
        return None
    # Values that turn at every other sample lie on several curves, one per fold.
    steps = np.diff(low + high)
    signs = np.sign(steps[np.abs(steps) > 1e-6])
    if (np.diff(signs) != 0).sum() > min(_MOST_TURNS, len(x) / 4):
        return None
    kept = np.concatenate([[True], ~tied])
    x, low, high = x[kept], low[kept], high[kept]
    some = np.unique(np.linspace(0, len(x) - 1, _N_POINTS).round().astype(np.intp))
    return x[some], low[some], high[some]


def _draw_band(
    ax: Axes, evaluation: Evaluation, values: Floats, curve: tuple[Floats, Floats, Floats]
) -> None:
    groups = equal_groups(values)
    sizes = np.array([len(rows) for rows in groups])
    positive = np.array([evaluation.y[rows].sum() for rows in groups])
    display = BeliefBandDisplay(
        *curve,
        sample=(values, evaluation.y),
        frequencies=(
            np.array([values[rows].mean() for rows in groups]),
            positive / sizes,
            *share_limits(positive, sizes, evaluation.confidence),
        ),
        name=shorten(evaluation.name),
        class_name=shorten(evaluation.class_names[1]),
    ).plot(ax)
    for rug in display.rug_:
        rug.set_rasterized(len(values) > _N_VECTORS)
    low, high = _extent(values)
    margin = 0.02 * (high - low)
    ax.set_xlim(low - margin, high + margin)


def _draw_cloud(ax: Axes, values: Floats, parts: dict[str, Floats]) -> None:
    colors = (COLORS["vermilion"], COLORS["blue"])
    for (name, heights), color, marker in zip(parts.items(), colors, "^v", strict=True):
        ax.plot(
            values,
            heights,
            marker,
            color=color,
            ms=3,
            alpha=0.6,
            mew=0,
            label=name,
            rasterized=len(values) > _N_VECTORS,
        )
    ax.set_ylim(-0.03, 1.03)
    ax.legend(loc="best")


def _extent(values: Floats) -> tuple[float, float]:
    """Range of the values, widened if it is too narrow to be visible in a picture."""
    low, high = float(values.min()), float(values.max())
    size = max(abs(low), abs(high))
    if high - low > max(1e-9 * size, 1e-300):
        return low, high
    margin = max(0.5, 1e-3 * size)
    return low - margin, high + margin


def _density(evaluation: Evaluation) -> Picture:
    values, axis = along(evaluation)
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    ax = figure.subplots()
    edges = np.linspace(*_extent(values), _N_COLUMNS + 1)
    styles: tuple[dict[str, Any], ...] = (
        {"color": COLORS["vermilion"], "linestyle": "--"},
        {"color": COLORS["blue"], "fill": True, "alpha": 0.35},
    )
    sizes = []
    for side in (1, 0):
        inside = values[evaluation.y == side]
        heights = np.histogram(inside, edges, density=True)[0]
        name = f"class {label(evaluation.class_names[side])}, n = {count(len(inside))}"
        ax.stairs(heights, edges, label=name, lw=1.5, **styles[side])
        sizes.append(f"{count(len(inside))} of class {named(evaluation.class_names[side])}")
    ax.set_xlabel(axis.capitalize())
    ax.set_ylabel("Density")
    ax.legend(loc="best")
    medians = [fixed(float(np.median(values[evaluation.y == side]))) for side in (1, 0)]
    return Picture(
        f"Density of the {axis}",
        alt=f"Histograms of the {axis}: {sizes[0]}, median {medians[0]}, and {sizes[1]}, "
        f"median {medians[1]}.",
        caption=f"Where the samples are: density of the {axis} in each class.",
        svg=svg_of(figure),
    )
