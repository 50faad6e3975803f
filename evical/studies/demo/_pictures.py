"""The demo's pictures: bands as in Xu figure 7, contours as in figures 3 and 6, reliability."""

import io
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from evical.calibrators import LogisticCalibrator
from evical.plot import BeliefBandDisplay, ContourDisplay, ReliabilityDisplay
from evical.plot.style import COLORS
from evical.report.page import Picture
from evical.report.svg import svg_of
from evical.studies.parts.example import CalibrationSample, calibration_samples
from evical.studies.parts.protocol import Method
from evical.studies.parts.runner import Results
from evical.studies.parts.summary import reliability_data

__all__ = ["demo_pictures"]

# Dots per inch: sharp on paper at the width of a column, and on dense screens.
_DPI = 160
# The score whose contour function is shown (Xu et al. 2016, figure 6b).
_SCORE = 0.5
_BANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("likelihood", {"color": COLORS["blue"]}),
    ("confidence", {"color": COLORS["vermilion"], "linestyle": "--", "fill": False}),
    ("bayesian", {"color": "black", "linestyle": "-."}),
)


def demo_pictures(results: Results) -> list[Picture]:
    """Draw the pictures.

    Parameters
    ----------
    results : Results

    Returns
    -------
    list of Picture
        ``calibration``, ``contour``, ``reliability``.
    """
    samples = calibration_samples(results.protocol, results.dataset)
    return [
        _calibration(results, samples),
        _contour(results, samples),
        _reliability(results),
    ]


def _calibration(results: Results, samples: list[CalibrationSample]) -> Picture:
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    low, high = _range(samples)
    widths = []
    for ax, sample in zip(figure.subplots(1, 2, sharey=True), samples, strict=True):
        for model, style in _BANDS:
            calibrator = LogisticCalibrator(model=model).fit(sample.scores, sample.y)
            grid = np.linspace(low, high, 601)
            bel, pl = calibrator.predict_interval(grid).T
            BeliefBandDisplay(
                grid,
                bel,
                pl,
                name=Method("logistic", model).model_name,
                class_name=results.dataset.class_names[1],
                sample=(sample.scores, sample.y) if model == "likelihood" else None,
            ).plot(ax, **style)
            if model == "likelihood":
                widths.append(float(np.mean(pl - bel)))
        ax.set_title(f"{len(sample)} calibration scores")
    figure.axes[1].set_ylabel("")
    _share_legend(figure)
    first, last = samples[0], samples[-1]
    return Picture(
        "calibration",
        svg=svg_of(figure),
        png=_png(figure),
        alt=f"Two panels of logistic calibration curves over the score, one for {len(first)} and "
        f"one for {len(last)} calibration scores. The Bayesian curve is one line; the bands "
        "between belief and plausibility lie around it. The mean width of the likelihood band "
        f"is {widths[0]:.2f} with {len(first)} and {widths[-1]:.2f} with {len(last)} scores.",
        caption="Logistic calibration of one support vector machine. The Bayesian model does not "
        "say how much data it rests on; the bands between belief and plausibility do. Ticks are "
        "the calibration scores, above of positive samples, below of negative ones.",
    )


def _share_legend(figure: Figure) -> None:
    """One legend below all panels, which say the same."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    for ax in figure.axes:
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def _range(samples: list[CalibrationSample]) -> tuple[float, float]:
    scores = np.concatenate([sample.scores for sample in samples])
    # Where no feature tells the classes apart, all scores are equal.
    margin = 0.1 * float(np.ptp(scores)) or 1.0
    return float(scores.min()) - margin, float(scores.max()) + margin


def _contour(results: Results, samples: list[CalibrationSample]) -> Picture:
    figure = Figure(figsize=(10, 5), layout=ConstrainedLayoutEngine(wspace=0.06))
    parts = []
    negative, positive = results.dataset.class_names
    for ax, sample in zip(figure.subplots(1, 2, sharey=True), samples, strict=True):
        calibrator = LogisticCalibrator(model="likelihood").fit(sample.scores, sample.y)
        display = ContourDisplay.from_estimator(
            calibrator, _SCORE, class_names=(negative, positive), ax=ax
        )
        ax.set_title(f"Score s = {_SCORE:g}, {len(sample)} calibration scores")
        mass = display.masses_
        parts.append(
            f"with {len(sample)} scores m({positive}) = {mass['1']:.2f}, m({negative}) = "
            f"{mass['0']:.2f} and m(either) = {mass['01']:.2f}"
        )
    figure.axes[1].set_ylabel("")
    return Picture(
        "contour",
        svg=svg_of(figure),
        png=_png(figure),
        alt="Two panels with the plausibility of each value of the probability of class "
        f"{positive} at score {_SCORE:g}: a curve with maximum 1, and three regions around it "
        f"whose areas are masses; {'; '.join(parts)}.",
        caption="What the sample says about the probability of the positive class at one score. "
        "The area under the curve is the mass that is left open; the area above it is belief in "
        "the positive class to the left of the top, in the negative class to the right.",
    )


def _reliability(results: Results) -> Picture:
    figure = Figure(figsize=(6.2, 6.8), layout="constrained")
    ax, counts_ax = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    styles: dict[str, dict[str, Any]] = {
        "likelihood": {"color": COLORS["blue"], "marker": "o"},
        "bayesian": {"color": COLORS["vermilion"], "marker": "s", "linestyle": "--"},
    }
    gaps = []
    for model, style in styles.items():
        method = Method("logistic", model)
        y, p = reliability_data(results, method)
        display = ReliabilityDisplay.from_predictions(
            y, p, name=method.model_name, ax=ax, counts_ax=counts_ax, **style
        )
        weights = display.counts / display.counts.sum()
        gap = float(np.nansum(weights * np.abs(display.prob_true - display.prob_pred)))
        gaps.append(f"{gap:.3f} for the {method.model_name} model")
    ax.set_xlabel("")
    counts_ax.set_yscale("symlog", linthresh=1)
    return Picture(
        "reliability",
        svg=svg_of(figure),
        png=_png(figure),
        alt="Reliability diagram of the combined pignistic probabilities of logistic "
        "calibration, with the number of samples in each of ten bins below. The mean distance "
        f"from the diagonal, weighted by samples, is {' and '.join(gaps)}.",
        caption="Does what is predicted with probability p happen in a share p of the cases? "
        f"Logistic calibration, Dempster's rule, {len(y)} predictions from all repeats "
        "(a sample occurs in several repeats); below, how many predictions each bin holds, on a "
        "logarithmic scale.",
    )


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    # No date and no version inside, so that the same run gives the same bytes.
    figure.savefig(file, format="png", dpi=_DPI, metadata={"Software": None})
    return file.getvalue()
