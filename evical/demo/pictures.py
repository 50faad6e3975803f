"""Pictures of the demo: the ways, bands as in Xu figure 7, and reliability.

Those of probabilities are of one class of three and more, against all others.
"""

import io
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dstheory.plot.style import COLORS
from evical._typing import Floats, Indices
from evical.calibrators import LogisticCalibrator
from evical.calibrators.models import LogOddsModel
from evical.datasets import Dataset
from evical.demo.contest import (
    LARGEST,
    RECOMMENDED,
    STACKED,
    WAYS,
    Contest,
    Method,
    draw_training,
    shown_class,
)
from evical.plot import BeliefBandDisplay, ReliabilityDisplay
from evical.report import Picture
from evical.report.svg import svg_of

# Dots per inch: sharp on paper at the width of a column, and on dense screens.
_DPI = 160
_BANDS: tuple[tuple[LogOddsModel, dict[str, Any]], ...] = (
    ("likelihood", {"color": COLORS["blue"]}),
    ("confidence", {"color": COLORS["vermilion"], "linestyle": "--", "fill": False}),
    ("bayesian", {"color": COLORS["gray"], "linestyle": "-."}),
)


# Scores and labels of samples that the classifier was not trained on.
_Sample = tuple[Floats, Indices]


def calibration_samples(
    dataset: Dataset, seed: int, sizes: tuple[int, ...] = (20, 200)
) -> list[_Sample]:
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
    list of (scores, y)
        For each size, with at least one sample of each class.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    train, rest = draw_training(dataset.y, len(dataset) // 3, 1, rng)
    X = StandardScaler().fit(dataset.X[train]).transform(dataset.X)
    classifier = SVC().fit(X[train], dataset.y[train])
    samples = []
    for size in sizes:
        drawn, _ = draw_training(dataset.y[rest], min(size, len(rest) - 2), 1, rng)
        chosen = rest[drawn]
        samples.append((classifier.decision_function(X[chosen]), dataset.y[chosen]))
    return samples


def demo_pictures(contest: Contest) -> list[Picture]:
    """Draw the pictures.

    Parameters
    ----------
    contest : Contest

    Returns
    -------
    list of Picture
        ``ways``, ``calibration``, ``reliability``.
    """
    dataset, k = contest.dataset, shown_class(contest.dataset)
    if len(dataset.class_names) > 2:
        name = dataset.class_names[k]
        dataset = replace(dataset, y=(dataset.y == k).astype(np.intp), class_names=("others", name))
    samples = calibration_samples(dataset, contest.seed)
    return [
        _ways(contest),
        _calibration(dataset, samples),
        _reliability(contest, k),
    ]


def _ways(contest: Contest) -> Picture:
    """Error rates with standard errors, the lowest first."""
    found = {one: contest.estimate(one, "error_rate") for one in WAYS}
    ranked = sorted(WAYS, key=lambda one: found[one].mean)
    figure = Figure(figsize=(8, 3), layout="constrained")
    ax = figure.subplots()
    for place, one in enumerate(ranked):
        error = 100 * np.nan_to_num(found[one].standard_error)  # none of a single repeat
        color = COLORS["blue" if one in (RECOMMENDED, STACKED) else "gray"]
        ax.errorbar(100 * found[one].mean, -place, xerr=error, fmt="o", color=color, capsize=3)
    ax.axvline(100 * found[LARGEST].mean, color=COLORS["gray"], linestyle=":")
    ax.set_yticks(-np.arange(len(ranked)), [WAYS[one] for one in ranked])
    ax.set_xlabel("Wrong of 100 test cases")
    texts = [f"{WAYS[one]} {100 * found[one].mean:.1f}" for one in ranked]
    return _picture(
        figure,
        "ways",
        alt=f"Wrong of 100 test cases, the lowest first: {'; '.join(texts)}.",
        caption="Mean number of errors with its standard error. Blue: weights are learned. Dotted: "
        "the largest classifier alone. EvidentialEnsemble trains and calibrates on all training "
        "samples, the others train on one half and calibrate on the other.",
    )


def _calibration(dataset: Dataset, samples: list[_Sample]) -> Picture:
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    low, high = _range(samples)
    widths = []
    for ax, (scores, y) in zip(figure.subplots(1, 2, sharey=True), samples, strict=True):
        for model, style in _BANDS:
            calibrator = LogisticCalibrator(model=model).fit(scores, y)
            grid = np.linspace(low, high, 601)
            bel, pl = calibrator.predict_interval(grid).T
            BeliefBandDisplay(
                grid,
                bel,
                pl,
                name=Method("logistic", model).model_name,
                class_name=dataset.class_names[1],
                sample=(scores, y) if model == "likelihood" else None,
            ).plot(ax, **style)
            if model == "likelihood":
                widths.append(float(np.mean(pl - bel)))
        ax.set_title(f"{len(y)} calibration scores")
    figure.axes[1].set_ylabel("")
    _share_legend(figure)
    first, last = (len(y) for _, y in samples)
    return _picture(
        figure,
        "calibration",
        alt=f"Two panels of logistic calibration curves over the score, one for {first} and "
        f"one for {last} calibration scores. The Bayesian curve is one line; the bands "
        "between belief and plausibility lie around it. The mean width of the likelihood band "
        f"is {widths[0]:.2f} with {first} and {widths[-1]:.2f} with {last} scores.",
        caption="Logistic calibration of one support vector machine. The Bayesian model does not "
        "say how much data it rests on; the bands between belief and plausibility do. Ticks are "
        "the calibration scores, above of samples of the class, below of others.",
    )


def _share_legend(figure: Figure) -> None:
    """One legend below all panels, which say the same."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    for ax in figure.axes:
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def _range(samples: list[_Sample]) -> tuple[float, float]:
    scores = np.concatenate([one for one, _ in samples])
    # Where no feature tells the classes apart, all scores are equal.
    margin = 0.1 * float(np.ptp(scores)) or 1.0
    return float(scores.min()) - margin, float(scores.max()) + margin


def _reliability(contest: Contest, k: int) -> Picture:
    figure = Figure(figsize=(6.2, 6.8), layout="constrained")
    ax, counts_ax = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    styles: dict[str, dict[str, Any]] = {
        "likelihood": {"color": COLORS["blue"], "marker": "o"},
        "bayesian": {"color": COLORS["vermilion"], "marker": "s", "linestyle": "--"},
    }
    gaps = []
    for model, style in styles.items():
        method = Method("logistic", model)
        found = contest.predictions[method]
        y = np.concatenate([labels == k for labels, _ in found]).astype(np.intp)
        p = np.concatenate([probability[:, k] for _, probability in found])
        display = ReliabilityDisplay.from_predictions(
            y,
            p,
            n_bins=10,
            name=method.model_name,
            class_name=contest.dataset.class_names[k],
            ax=ax,
            counts_ax=counts_ax,
            **style,
        )
        weights = display.counts / display.counts.sum()
        gap = float(np.nansum(weights * np.abs(display.prob_true - display.prob_pred)))
        gaps.append(f"{gap:.3f} for the {method.model_name} model")
    ax.set_xlabel("")
    counts_ax.set_yscale("symlog", linthresh=1)
    return _picture(
        figure,
        "reliability",
        alt="Reliability diagram of the combined pignistic probabilities of logistic "
        "calibration, with the number of samples in each of ten bins below. The mean distance "
        f"from the diagonal, weighted by samples, is {' and '.join(gaps)}.",
        caption="Does what is predicted with probability p happen in a share p of the cases? "
        f"Logistic calibration, Dempster's rule, {len(y)} predictions from all repeats "
        "(a sample occurs in several repeats); below, how many predictions each bin holds, on a "
        "logarithmic scale.",
    )


def _picture(figure: Figure, name: str, alt: str, caption: str) -> Picture:
    file = io.BytesIO()
    # No date and no version inside, so that the same run gives the same bytes.
    figure.savefig(file, format="png", dpi=_DPI, metadata={"Software": None})
    return Picture(name, alt, caption, svg=svg_of(figure), png=file.getvalue())
