"""Pictures of an ensemble: losses of members and combination, and the conflict."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evical._typing import Floats
from evical.evaluation import EnsembleEvaluation
from evical.plot import FusionWeightsDisplay
from evical.plot.style import COLORS
from evical.report._numbers import count, fixed, named
from evical.report.page import Picture
from evical.report.svg import label, shorten, svg_of

__all__ = ["ensemble_pictures", "weights_picture"]


_N_BINS = 20
# Members whose weights are told one by one to those who do not see the picture.
_TOLD = 12


def ensemble_pictures(evaluation: EnsembleEvaluation) -> tuple[Picture, Picture]:
    """Brier scores, then the distribution of the conflict.

    Parameters
    ----------
    evaluation : EnsembleEvaluation

    Returns
    -------
    pair of Picture
    """
    return _scores(evaluation), _conflict(evaluation)


def weights_picture(evaluation: EnsembleEvaluation) -> Picture | None:
    """What the fusion has learned of each member.

    Parameters
    ----------
    evaluation : EnsembleEvaluation

    Returns
    -------
    Picture or None
        None if there are no weights to draw.
    """
    display = FusionWeightsDisplay.of_sources(
        evaluation.by_source,
        members=[shorten(name) for name in evaluation.members],
        class_names=[shorten(name) for name in evaluation.class_names],
    )
    if display is None:
        return None
    figure = Figure(figsize=(8, display.size[1]), layout="constrained")
    display.plot(figure.subplots())
    told = "in the table"
    if display.weights.ndim == 1 and len(display.weights) <= _TOLD:
        pairs = zip(evaluation.members, display.weights, strict=True)
        told = "; ".join(f"{named(name)} {fixed(float(weight))}" for name, weight in pairs)
    return Picture(
        "Weights of the members",
        alt=f"{display.label} of each member: {told}.",
        caption=f"{display.label} of each member; {'; '.join(display.marks)}.",
        svg=svg_of(figure),
    )


def _scores(evaluation: EnsembleEvaluation) -> Picture:
    """One line per way: its mean Brier score, with two standard errors to each side."""
    values = evaluation.losses()["brier_score"]
    n, means = values.shape[1], values.mean(axis=1)
    errors = values.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(means), np.nan)
    figure = Figure(figsize=(8, 1.1 + 0.34 * len(means)), layout="constrained")
    ax = figure.subplots()
    _draw_scores(ax, means, errors, len(evaluation.members))
    ax.set_yticks(-np.arange(len(means)), [label(way) for way in evaluation.ways])
    ax.set_ylim(0.4 - len(means), 0.6)
    ax.set_xlabel("Brier score, mean and two standard errors")
    parts = [
        f"{named(way)} {fixed(mean, 4)} ± {fixed(error, 4)}"
        for way, mean, error in zip(evaluation.ways, means, errors, strict=True)
    ]
    return Picture(
        "Brier scores of members and combination",
        alt=f"Mean Brier scores with standard errors: {'; '.join(parts)}.",
        caption=f"Brier scores on {count(n)} samples, lower is better; bars are two standard "
        "errors to each side. Overlapping bars do not mean that there is no difference: the "
        "samples are the same, and the table below has the paired differences.",
        svg=svg_of(figure),
    )


def _draw_scores(ax: Axes, means: Floats, errors: Floats, n_members: int) -> None:
    """Members from the first line downwards, then their combination."""
    heights = -np.arange(len(means))
    for rows, color, marker in (
        (slice(0, n_members), COLORS["blue"], "o"),
        (slice(n_members, None), COLORS["vermilion"], "s"),
    ):
        ax.errorbar(
            means[rows], heights[rows], xerr=2 * errors[rows], fmt=marker, color=color, capsize=3
        )
    ax.axhline(heights[n_members] + 0.5, color=COLORS["gray"], lw=0.8, linestyle=":")


def _conflict(evaluation: EnsembleEvaluation) -> Picture:
    kappa = evaluation.conflict
    wrong = evaluation.losses()["error_rate"][len(evaluation.members)] > 0.5
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    ax = figure.subplots()
    edges = np.linspace(0, max(float(kappa.max()), 1e-9), _N_BINS + 1)
    for rows, name, style in (
        (~wrong, "right", {"color": COLORS["blue"], "fill": True, "alpha": 0.35}),
        (wrong, "wrong", {"color": COLORS["vermilion"], "linestyle": "--"}),
    ):
        shares = np.histogram(kappa[rows], edges)[0] / max(int(rows.sum()), 1)
        ax.stairs(shares, edges, lw=1.6, label=f"{name}, n = {count(rows.sum())}", **style)
    ax.set_xlabel("Conflict of the members")
    ax.set_ylabel("Share of samples")
    ax.legend(title="The combination is", loc="best")
    return Picture(
        "Distribution of the conflict",
        alt="Histograms of the conflict where the combination is right and where it is wrong. "
        f"The median is {fixed(float(np.median(kappa)))}, the maximum {fixed(kappa.max())}.",
        caption="Conflict of the members, separately for samples that the combination decides "
        "rightly and wrongly; each histogram sums to one.",
        svg=svg_of(figure),
    )
