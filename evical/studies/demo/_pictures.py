"""The demo's pictures: bands as in Xu figure 7, contours as in figures 3 and 6, reliability."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset
from evical.plot import BeliefBandDisplay, ContourDisplay, ReliabilityDisplay
from evical.plot.style import COLORS
from evical.report.page import Picture
from evical.report.svg import svg_of
from evical.studies._reproduce import Outcome
from evical.studies.parts.fusion_condition import FusionCondition
from evical.studies.parts.methods import CLASSIFIERS, Method, fuse
from evical.studies.parts.shares import draw_training

__all__ = ["CalibrationSample", "calibration_samples", "demo_pictures", "pool"]

# Dots per inch: sharp on paper at the width of a column, and on dense screens.
_DPI = 160
# The score whose contour function is shown (Xu et al. 2016, figure 6b).
_SCORE = 0.5
_BANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("likelihood", {"color": COLORS["blue"]}),
    ("confidence", {"color": COLORS["vermilion"], "linestyle": "--", "fill": False}),
    ("bayesian", {"color": "black", "linestyle": "-."}),
)


@dataclass(frozen=True, eq=False)
class CalibrationSample:
    """Scores and labels of samples that the classifier was not trained on.

    Parameters
    ----------
    scores : (n,) array
    y : (n,) array of 0 and 1
    """

    scores: NDArray[np.float64]
    y: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.y)


def calibration_samples(
    dataset: Dataset, seed: int, sizes: tuple[int, ...] = (20, 200)
) -> list[CalibrationSample]:
    """Train one classifier on a third of the data, and score samples of the other two thirds.

    Xu et al. (2016), figure 7, show how the bands of the same calibrators narrow as the
    calibration sample grows from 20 to 200.

    Parameters
    ----------
    dataset : Dataset
        Of two classes.
    seed : int
    sizes : tuple of int
        Sizes wanted; less where fewer samples are left.

    Returns
    -------
    list of CalibrationSample
        One for each size, with at least one sample of each class.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    train, rest = draw_training(dataset.y, len(dataset) // 3, 1, rng)
    X = StandardScaler().fit(dataset.X[train]).transform(dataset.X)
    classifier = clone(CLASSIFIERS["rbf_svm"]).fit(X[train], dataset.y[train])
    samples = []
    for size in sizes:
        drawn, _ = draw_training(dataset.y[rest], min(size, len(rest) - 2), 1, rng)
        chosen = rest[drawn]
        scores = classifier.decision_function(X[chosen])
        samples.append(CalibrationSample(scores, dataset.y[chosen]))
    return samples


def pool(
    outcome: Outcome, dataset: Dataset, methods: Sequence[Method]
) -> dict[Method, tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Test labels and fused probabilities of methods, pooled over all repeats.

    Parameters
    ----------
    outcome : Outcome
        Which keeps no predictions, so that they are computed again.
    dataset : Dataset
    methods : sequence of Method

    Returns
    -------
    dict of Method to (y, probability)
        Arrays (n,); a sample occurs as often as it was in a test set.
    """
    (condition,) = outcome.conditions
    assert isinstance(condition, FusionCondition)
    sets = {dataset.name: dataset}
    found = [
        fuse(condition.draw(sets, number, outcome.seed), condition.classifier, methods)
        for number in range(outcome.repeats)
    ]
    return {
        method: (
            np.concatenate([one[method].y for one in found]),
            np.concatenate([one[method].probability for one in found]),
        )
        for method in methods
    }


def demo_pictures(outcome: Outcome, dataset: Dataset) -> list[Picture]:
    """Draw the pictures.

    Parameters
    ----------
    outcome : Outcome
        Of a `demo_study`.
    dataset : Dataset

    Returns
    -------
    list of Picture
        ``calibration``, ``contour``, ``reliability``.
    """
    samples = calibration_samples(dataset, outcome.seed)
    return [
        _calibration(dataset, samples),
        _contour(dataset, samples),
        _reliability(outcome, dataset),
    ]


def _calibration(dataset: Dataset, samples: list[CalibrationSample]) -> Picture:
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
                class_name=dataset.class_names[1],
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


def _contour(dataset: Dataset, samples: list[CalibrationSample]) -> Picture:
    figure = Figure(figsize=(10, 5), layout=ConstrainedLayoutEngine(wspace=0.06))
    parts = []
    negative, positive = dataset.class_names
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


def _reliability(outcome: Outcome, dataset: Dataset) -> Picture:
    figure = Figure(figsize=(6.2, 6.8), layout="constrained")
    ax, counts_ax = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    styles: dict[str, dict[str, Any]] = {
        "likelihood": {"color": COLORS["blue"], "marker": "o"},
        "bayesian": {"color": COLORS["vermilion"], "marker": "s", "linestyle": "--"},
    }
    pooled = pool(outcome, dataset, [Method("logistic", model) for model in styles])
    gaps = []
    for (method, (y, p)), style in zip(pooled.items(), styles.values(), strict=True):
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
