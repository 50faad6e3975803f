"""The page of a comparison: which calibrator to use, why, and the evidence.

Pictures of a comparison: differences with their intervals, and reliability diagrams.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from dstheory.plot.style import COLORS
from evical.evaluation import Comparison
from evical.evaluation.recommendation import ALPHA, CRITERIA
from evical.evaluation.validation import MEASURES
from evical.metrics import debiased_calibration_error
from evical.report._evaluation_page import made_by
from evical.report._evaluation_pictures import lined_up, reliability_display
from evical.report._numbers import between, count, fixed, listed, named, p_cell, percent, plus_minus
from evical.report.page import Cell, Page, Picture, Section, Table, notes, reading
from evical.report.svg import label, svg_of

_N_COLUMNS = 3


def _differences(comparison: Comparison) -> Picture:
    """One line per method: its mean difference from the best, with an interval."""
    lines = comparison.differences
    names = [comparison.recommendation.best, *(one.method for one in lines)]
    title = TITLES[comparison.criterion]
    figure, ax = lined_up(names)
    _draw_differences(ax, comparison)
    ax.set_xlabel(f"{title} minus that of the best method")
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    parts = [
        f"{named(one.method)} {plus_minus(one.difference, one.standard_error, sign=True)}"
        for one in lines
    ]
    return Picture(
        "Differences to the best method",
        alt=f"{title} of each method minus that of {named(names[0])}, with 95% intervals: "
        f"{'; '.join(parts)}.",
        caption="Mean paired difference to the best method (diamond) with its 95% interval, "
        "corrected for training samples that folds share, each by itself; squares are "
        "significantly worse after Holm's correction for the number of methods.",
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
                label="significantly worse" if clear else "not significantly different",
            )


def _reliability(comparison: Comparison) -> Picture:
    ranked, k = comparison.ranking(), len(comparison.class_names)
    y, what, pooled = comparison.y, f"class {label(comparison.class_names[-1])}", ""
    weight = comparison.weight
    if k > 2:
        y, what = np.eye(k, dtype=np.int64)[y].ravel(), "the class"
        weight = None if weight is None else weight.repeat(k)
        pooled = " Each class against the others, all classes together."
    n_rows = -(-len(ranked) // _N_COLUMNS)
    n_columns = min(_N_COLUMNS, len(ranked))
    figure = Figure(figsize=(3 * n_columns + 0.4, 3.2 * n_rows + 0.4))
    # Inches for titles, because pages draw text in larger letters than the layout assumes.
    figure.set_layout_engine("constrained", h_pad=0.15)
    grid = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    parts = []
    for ax, name in zip(grid.flat, ranked, strict=False):
        p = comparison.probability[comparison.methods.index(name)].ravel()
        reliability_display(y, p, weight=weight).plot(ax)
        ax.get_legend().remove()
        ax.set(xlabel="", ylabel="", aspect="equal")
        ax.set_title(label(name, 26), fontsize=10)
        ax.tick_params(labelbottom=True)
        error = float(debiased_calibration_error(y, p, sample_weight=weight))
        parts.append(f"{named(name)} {fixed(error)}")
    for ax in grid.flat[len(ranked) :]:
        ax.set_axis_off()
    figure.supxlabel("Predicted probability, mean of a bin", fontsize=10)
    figure.supylabel(f"Observed share of {what}", fontsize=10)
    return Picture(
        "Reliability diagrams",
        alt="Reliability diagrams, one panel per method. Calibration errors, root mean squared and "
        f"minus their noise: {'; '.join(parts)}.",
        caption=f"Reliability of out-of-fold predictions of {count(len(comparison.y))} samples, in "
        "bins of equal frequency with 95% confidence intervals by Clopper & Pearson." + pooled,
        svg=svg_of(figure),
    )


# Columns of the ranking: measure, name, digits, and whether lower or higher is better, or neither.
_COLUMNS = (
    ("brier_score", "Brier score", 4, min),
    ("log_loss", "Log loss", 4, min),
    ("expected_calibration_error", "Calibration error", 3, None),
    ("roc_auc", "ROC AUC", 3, max),
    ("mean_imprecision", "Pl - Bel", 3, None),
)
TITLES = {key: name for key, name, *_ in _COLUMNS}


def comparison_page(comparison: Comparison, command: str) -> Page:
    """The page of several calibrators on the same scores.

    Parameters
    ----------
    comparison : Comparison
    command : str
        The command or call that reproduces this page; left out if empty.

    Returns
    -------
    Page
    """
    advice = comparison.recommendation
    names = (*comparison.methods, *comparison.failures)
    sections = [
        Section(
            "Recommendation",
            items=tuple(_sentence(text, names) for text in advice.reasons),
            warnings=tuple(_sentence(text, names) for text in _warnings(comparison)),
        ),
        Section("Ranking", tables=(ranking_table(comparison),)),
    ]
    if comparison.differences:
        sections.append(
            Section(
                "Significance",
                tables=(differences_table(comparison),),
                pictures=(_differences(comparison),),
            )
        )
    sections += [
        Section("Reliability of each method", pictures=(_reliability(comparison),)),
        Section("How to read this", items=reading("comparison")),
        made_by(command),
    ]
    return Page(
        f"Calibrators compared: {named(comparison.name)}", _lead(comparison), tuple(sections)
    )


def _sentence(text: str, names: tuple[str, ...]) -> str:
    """A sentence with full stop, capitalized unless it begins with the name of a method."""
    end = "" if text.endswith((".", "?", "!")) else "."
    return (text if text.startswith(names) else text[:1].upper() + text[1:]) + end


def _lead(comparison: Comparison) -> tuple[str, ...]:
    n, counts = len(comparison.y), np.bincount(comparison.y).tolist()
    sizes = f", {count(counts[-1])} ({percent(counts[-1] / n)}) of the positive class, "
    sizes += named(comparison.class_names[-1])
    if len(counts) > 2:
        sizes = f" of {len(counts)} classes"
    advice = comparison.recommendation
    lines = comparison.differences
    repeats = f", repeated {comparison.n_repeats} times" if comparison.n_repeats > 1 else ""
    method = named(advice.method)
    gap = next((one for one in lines if one.method == advice.method), None)
    title = CRITERIA[comparison.criterion]
    if gap is None:
        why = f"It has the lowest {title}"
    else:
        why = (
            f"Its {title} is only {plus_minus(gap.difference, gap.standard_error)} above the "
            f"lowest, that of {named(gap.other)}"
        )
    seen = f"; {_equivalents(comparison)}" if lines else ""
    loss = fixed(comparison.mean(advice.method, comparison.criterion), 4)
    return (
        f"Recommended: {method}. {why}: {loss}{seen}.",
        f"{len(comparison.methods)} methods were compared on {count(n)} samples{sizes}, by "
        f"{comparison.n_folds}-fold cross-validation{repeats}.",
    )


def _equivalents(comparison: Comparison) -> str:
    alike = comparison.recommendation.equivalents
    best = named(comparison.recommendation.best)
    worse = len(comparison.differences) - len(alike)
    if not alike:
        return f"all others are significantly worse than {best}"
    text = f"{best} does not differ significantly from {listed(map(named, alike))}"
    return text if not worse else f"{text}, and {worse} of the others are significantly worse"


def _warnings(comparison: Comparison) -> list[str]:
    failed = [
        f"{named(name)} could not be fitted and is left out: {named(reason)}"
        for name, reason in comparison.failures.items()
    ]
    return [*comparison.recommendation.warnings, *failed]


def mean_error(comparison: Comparison, method: str, measure: str = "") -> float:
    """Standard error of a mean over folds, corrected for training samples that they share.

    Nadeau & Bengio (2003). By default, the measure is the criterion.
    """
    column = MEASURES.index(measure or comparison.criterion)
    values = comparison.values[comparison.methods.index(method), :, column]
    if len(values) < 2:
        return float("nan")
    share = 1 / (comparison.n_folds - 1)
    return float(np.sqrt((1 / len(values) + share) * values.var(ddof=1)))


def ranking_table(comparison: Comparison) -> Table:
    """Means over folds of all methods, the best first."""
    rows = []
    for name in comparison.ranking():
        cells: list[Cell] = []
        for key, _, digits, _ in _COLUMNS:
            mean = comparison.mean(name, key)
            cells.append((plus_minus(mean, mean_error(comparison, name, key), digits), mean))
        seconds = float(np.median(comparison.seconds[comparison.methods.index(name)]))
        title = f"{name} (recommended)" if name == comparison.recommendation.method else name
        rows.append((title, [*cells, seconds]))
    return Table.of(
        f"Means over {comparison.values.shape[1]} test folds, ± their standard error, corrected "
        "for training samples that folds share. The best of a column is underlined.",
        "Method",
        {**dict.fromkeys(TITLES.values(), str), "Seconds": "{:.2g}".format},
        rows,
        notes("columns: comparison"),
        {title: better for _, title, _, better in _COLUMNS if better is not None},
    )


def differences_table(comparison: Comparison) -> Table:
    """Differences of each method from the best one."""
    level = float(stats.t.isf(0.025, comparison.values.shape[1] - 1))
    rows = []
    for one in comparison.differences:
        gap, error = one.difference, one.standard_error
        low, high = gap - level * error, gap + level * error
        shown = (plus_minus(gap, error, sign=True), gap), (between(low, high, 4), low)
        rows.append((one.method, (*shown, one.statistic, one.pvalue, one.adjusted)))
    best = named(comparison.recommendation.best)
    title = TITLES[comparison.criterion]
    return Table.of(
        f"{title} of each method minus that of {best}, paired within folds: mean ± corrected "
        "standard error, 95% interval, and the corrected t test, its p-value adjusted by Holm's "
        "procedure for all methods.",
        "Method",
        {
            **dict.fromkeys(("Difference", "95% interval"), str),
            "t": "{:.2f}".format,
            **dict.fromkeys(("p", "Adjusted p"), p_cell),
        },
        rows,
    )
