"""Make the pictures of the guide and of README: `python -m docs.make_pictures`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dstheory.plot.style import COLORS
from evical import (
    AutoCalibrator,
    EvidentialClassifier,
    EvidentialEnsemble,
    LogisticCalibrator,
    datasets,
)
from evical.conformal import ConformalClassifier, ExchangeabilityTest, online_p_values
from evical.demo.pictures import calibration_samples
from evical.multiclass import sparse_code_probability
from evical.plot import (
    BeliefIntervalDisplay,
    CriticalDifferenceDisplay,
    FusionWeightsDisplay,
    MartingaleDisplay,
    PValuesDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
)
from evical.significance import Results

IMAGES = Path(__file__).parent / "images"
DARK = "#0d1117"  # of pages in a dark style


def sample(n):
    """Scores and labels of logistic classes."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1.5, n)
    return scores, (rng.random(n) < 1 / (1 + np.exp(-1.5 * scores))).astype(int)


def calibration():
    """The picture of README: one score with one probability, from 20 samples and from 200."""
    figure = Figure(figsize=(6.2, 3.4), layout="constrained")
    samples = calibration_samples(datasets.load("breast_cancer"), seed=0)
    few, many = (LogisticCalibrator().fit(scores, y) for scores, y in samples)
    grid = np.linspace(-1.6, 2.4, 401)
    curves = np.array([one.predict_proba(grid)[:, 1] for one in (few, many)])
    inner = np.ptp(curves, axis=0) + (np.abs(curves.mean(axis=0) - 0.7) > 0.1)
    at = grid[[np.argmin(inner)]]  # where both say nearly the same
    marked = mpl.rcParams["text.color"]
    light = marked == "black"
    color, alpha = (COLORS["blue"], 0.35) if light else (COLORS["sky"], 0.55)
    bracket = {"fmt": "o", "color": marked, "ms": 8, "lw": 2.2, "capsize": 7, "capthick": 2.2}
    answers = []
    axes = figure.subplots(1, 2, sharey=True)
    for ax, one, (_, y) in zip(axes, (few, many), samples, strict=True):
        ends = one.predict_interval(grid, level=0.95).T
        ax.fill_between(grid, *ends, color=color, alpha=alpha, lw=0)
        ax.plot(grid, one.predict_proba(grid)[:, 1], color=color, lw=2.5)
        ax.axhline(0.5, color=marked, ls=":", lw=1.2)
        p, (low, high) = one.predict_proba(at)[0, 1], one.predict_interval(at, level=0.95)[0]
        ax.errorbar(at, p, yerr=[[p - low], [high - p]], **bracket)
        answers.append("ask" if low < 0.5 < high else "decide")
        ax.set_title(f"{len(y)} samples: {answers[-1]}", loc="left", fontsize=14)
        ax.text(at[0] + 0.22, p - 0.04, f"{100 * p:.0f} %", color=marked, fontsize=14, va="center")
        ax.set(xlim=(grid[0], grid[-1]), ylim=(-0.02, 1.02), xlabel="score")
        ax.set_yticks([0, 0.5, 1], ["0", "½", "1"])
        ax.tick_params(labelsize=13)
        ax.xaxis.label.set_size(13)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    assert answers == ["ask", "decide"]
    axes[0].set_ylabel("probability", fontsize=13)
    axes[0].text(0.55, 0.22, "95 % interval", color=color, fontsize=13)
    figure.suptitle(
        "Same score, same probability, different knowledge", x=0.01, ha="left", fontsize=15
    )
    return figure


def reliability():
    """Bins, and CORP, of predictions that are too sure."""
    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, height_ratios=(3, 1))
    scores, y = sample(360)
    p = 1 / (1 + np.exp(-3 * scores))
    options = (
        {"interval": "clopper_pearson", "density": "classes"},
        {"strategy": "corp", "random_state": 0, "density": "rug"},
    )
    for (ax, counts_ax), option in zip(axes.T, options, strict=True):
        ReliabilityDisplay.from_predictions(
            y, p, name="too sure", ax=ax, counts_ax=counts_ax, **option
        )
    return figure


def belief_intervals():
    """Sixty samples, and a thousand."""
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    scores, y = sample(1060)
    calibrator = LogisticCalibrator().fit(scores[:60], y[:60])
    for ax, part in zip(figure.subplots(1, 2), (slice(60, 120), slice(60, None)), strict=True):
        BeliefIntervalDisplay.from_estimator(calibrator, scores[part], y[part], ax=ax)
    return figure


def critical_difference():
    """Seven methods on fifteen data sets: all pairs, and against one."""
    figure = Figure(figsize=(9.6, 2.8), layout="constrained")
    names = [f"method {letter}" for letter in "ABCDEFG"]
    values = np.random.default_rng(5).random((15, 7)) + np.linspace(0, 0.9, 7)
    for ax, test in zip(figure.subplots(1, 2), ("nemenyi", "holm"), strict=True):
        CriticalDifferenceDisplay.from_results(Results(values, names), test=test, ax=ax)
    return figure


def fusion_weights():
    """Five classifiers of two classes, and of ten."""
    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    members = [
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
        ("SVM", make_pipeline(StandardScaler(), SVC())),
        ("forest", RandomForestClassifier(random_state=0)),
        ("neighbors", make_pipeline(StandardScaler(), KNeighborsClassifier())),
        ("naive Bayes", GaussianNB(var_smoothing=1e-3)),
    ]
    for ax, load in zip(figure.subplots(1, 2), (load_breast_cancer, load_digits), strict=True):
        X, y = load(return_X_y=True)
        ensemble = EvidentialEnsemble(members).fit(X[::2], y[::2])
        FusionWeightsDisplay.from_estimator(ensemble, ax=ax)
    return figure


def intervals():
    """A map of two steps, and the intervals of a curve of another form and of the default."""
    figure = Figure(figsize=(8.0, 3.8), layout="constrained")
    rng = np.random.default_rng(0)
    scores = rng.normal(size=1000)
    y = (rng.random(1000) < _steps(scores)).astype(int)
    at = np.linspace(-3, 3, 601)
    titles = ("A sigmoid misses the steps ...", "... the default calibrator covers them")
    calibrators = (LogisticCalibrator(), AutoCalibrator())
    axes = figure.subplots(1, 2, sharey=True)
    for ax, calibrator, title in zip(axes, calibrators, titles, strict=True):
        fitted = calibrator.fit(scores, y)
        ax.fill_between(
            at, *fitted.predict_interval(at, level=0.95).T, color=COLORS["blue"], alpha=0.3
        )
        ax.plot(at, fitted.predict_proba(at)[:, 1], color=COLORS["blue"])
        ax.plot(at, _steps(at), "k--")
        ax.set_title(title, loc="left")
        ax.set_xlabel("Score")
    axes[0].set_ylabel("Probability of the positive class")
    axes[0].annotate("truth", (1.0, 0.9), (0.55, 0.93), color="k")
    axes[0].annotate("95 % interval", (0, 0.5), (-2.6, 0.62), color=COLORS["blue"])
    return figure


def _steps(scores):
    return np.select([scores < -0.5, scores < 0.5], [0.1, 0.5], 0.9)


def exchangeability():
    """Two bets on the exchangeability of samples that change after the 600th."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    rng, ax = np.random.default_rng(0), figure.subplots()
    strange = np.concatenate([rng.normal(size=600), rng.normal(0.7, 1, size=400)])
    p = online_p_values(strange, rng)
    for bet in ("jumper", "mixture"):
        MartingaleDisplay.from_test(ExchangeabilityTest(bet).update(p), name=bet, ax=ax)
    return figure


def risk_coverage():
    """Three kinds of doubt of a classifier about breast cancer by four features."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X[:, :4], y, test_size=0.5, random_state=0)
    clf, ax = EvidentialClassifier(GaussianNB()).fit(X, y), figure.subplots()
    for by in ("probability", "width", "plausibility"):
        RiskCoverageDisplay.from_estimator(
            clf, X_new, y_new, by=by, name=by, ax=ax, band=by == "probability"
        )
    return figure


def p_values():
    """P-values of the true digits, of new images and of noisy ones."""
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), random_state=0)
    clf = ConformalClassifier(GaussianNB(), smoothed=True, random_state=0).fit(X, y)
    noisy = X_new + np.random.default_rng(0).normal(0, 1, X_new.shape)
    misses_ax, ax = figure.subplots(1, 2)
    for name, given in (("new samples", X_new), ("noisy samples", noisy)):
        PValuesDisplay.from_estimator(
            clf, given, y_new, n_bins=10, name=name, ax=ax, misses_ax=misses_ax
        )
    return figure


def sparse_codes():
    """Gebel (2009), figures 5.2 and 5.3: random entries seldom make a code of few classes."""
    figure = Figure(figsize=(5.2, 3.2), layout="constrained")
    ax = figure.add_subplot(
        xlabel="Classes", ylabel="Probability, at most", xticks=np.arange(2, 26, 2)
    )
    classes = np.arange(2, 26)
    for name, options, color in (
        ("a column has both signs", {"n_columns": 1}, COLORS["green"]),
        ("one of 10,000 matrices is valid", {"n_draws": 10_000}, COLORS["blue"]),
        ("one matrix is valid", {}, COLORS["orange"]),
    ):
        values = [sparse_code_probability(k, **options) for k in classes.tolist()]
        ax.plot(classes, values, color=color, marker=".", label=name)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure


def main():
    """Write all of them."""
    dark = {"figure.facecolor": DARK, "axes.facecolor": DARK, "savefig.facecolor": DARK}
    for name, style in (("calibration", {}), ("calibration_dark", dark)):
        with mpl.style.context(["dark_background", style] if style else "default"):
            calibration().savefig(IMAGES / f"{name}.png", dpi=200, metadata={"Software": None})
    with mpl.style.context("default"):
        for draw in (
            reliability,
            belief_intervals,
            critical_difference,
            fusion_weights,
            intervals,
            exchangeability,
            risk_coverage,
            p_values,
            sparse_codes,
        ):
            path = IMAGES / f"{draw.__name__}.png"
            draw().savefig(path, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
