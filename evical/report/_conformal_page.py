"""The page of conformal beliefs: whether the sets cover, how large they are, and for whom.

Pictures of conformal beliefs: p-values of true classes, sizes of sets, coverage by class.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dstheory.plot.style import COLORS, add_legend, ink
from evical.evaluation import ConformalEvaluation
from evical.metrics.goodness import pvalue_text, share_limits
from evical.metrics.sets import SetCoverage
from evical.plot import PValuesDisplay
from evical.report._evaluation_page import made_by
from evical.report._evaluation_pictures import lined_up
from evical.report._numbers import between, count, fixed2, listed, named, p_cell, percent
from evical.report.page import Page, Picture, Section, Table, notes, reading
from evical.report.svg import svg_of

# Classes in a picture and a table; of more, those least covered.
MOST_CLASSES = 40
_FEW_BINS, _N_BINS, _MANY = 10, 20, 400
# Sets of so many sizes have one bar each.
_MOST_NAMES = 12


def _misses(evaluation: ConformalEvaluation) -> Picture:
    p, numbers = evaluation.true_p, evaluation.n_calibration
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    misses_ax, ax = figure.subplots(1, 2)
    display = PValuesDisplay(
        p,
        n_calibration=(numbers[0] or None) if len(numbers) == 1 else None,
        n_bins=_N_BINS if len(p) >= _MANY else _FEW_BINS,
    ).plot(ax, misses_ax=misses_ax)
    found = [one for one in evaluation.at_levels() if one.alpha <= misses_ax.get_xlim()[1]]
    if found:
        alphas, missed = np.array([(one.alpha, one.missed) for one in found]).T
        errors = np.abs(np.array([(one.low, one.high) for one in found]).T - missed)
        style = {"fmt": "o", "color": COLORS["vermilion"], "capsize": 3, "ms": 4}
        misses_ax.errorbar(alphas, missed, errors, **style, label="sets that miss")
        add_legend(misses_ax)
    shares = [f"{percent(float((p <= a).mean()))} up to {a:g}" for a in evaluation.levels]
    return Picture(
        "Misses at each level",
        alt=f"Share of sets that miss the true class at levels up to 0.25, and histogram of its "
        f"{count(len(p))} p-values beside the line of uniform ones: {', '.join(shares)}.",
        caption=f"Left: sets that miss the true class, with {evaluation.confidence:.0%} limits, "
        "and its p-values up to each level; sets always have a class, so they may miss less often. "
        "Above the dotted line both are more frequent than guaranteed; the gray band holds 95% of "
        "what chance gives, at each level for itself. Right: all p-values of the true classes in "
        f"{display.n_bins} bins; bars above the line at the right are ties of scores.",
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
    listed = ", ".join(f"{size}: {percent(float(share))}" for size, share in pairs)
    return Picture(
        "Sizes of the sets",
        alt=f"Share of samples by the number of classes in their set: {listed}. Beside it, how "
        "many sets of each size hold the class, with intervals; the table has the numbers.",
        caption=f"Sets at alpha = {evaluation.alpha:g}: how large they are, and how often those of "
        f"each size hold the true class; bars are {evaluation.confidence:.0%} intervals, and the "
        f"dotted line is {1 - evaluation.alpha:g}, which is not guaranteed for each size.",
        svg=svg_of(figure),
    )


def _classes(evaluation: ConformalEvaluation) -> Picture:
    found = evaluation.coverage("class")
    kept = np.flatnonzero(found.n_samples > 0)
    if len(kept) > MOST_CLASSES:
        kept = kept[np.argsort(found.coverage[kept], kind="stable")[:MOST_CLASSES]]
    figure, ax = lined_up([str(found.groups[k]) for k in kept], height=0.26)
    heights = -np.arange(len(kept))
    shares = found.coverage[kept]
    errors = np.abs(found.interval[kept].T - shares)
    ax.errorbar(shares, heights, xerr=errors, fmt="o", color=COLORS["blue"], capsize=3, ms=5)
    ax.axvline(1 - evaluation.alpha, color=ink(), ls=":", lw=1)
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


def conformal_page(evaluation: ConformalEvaluation, command: str) -> Page:
    """The page of conformal beliefs.

    Parameters
    ----------
    evaluation : ConformalEvaluation
    command : str
        The command or call that reproduces this page; left out if empty.

    Returns
    -------
    Page
    """
    sections = (
        Section(
            "Misses at each level",
            (_small(evaluation),),
            tables=(levels_table(evaluation),),
            pictures=(_misses(evaluation),),
            warnings=tuple(_warnings(evaluation)),
        ),
        Section(
            "Sizes of the sets", tables=(_sizes_table(evaluation),), pictures=(_sizes(evaluation),)
        ),
        Section(
            "Coverage by class",
            (_lowest(evaluation),),
            tables=(_classes_table(evaluation),),
            pictures=(_classes(evaluation),),
        ),
        Section("How to read this", items=reading("conformal")),
        made_by(
            command,
            f"those of shares are by Clopper & Pearson, at {evaluation.confidence:.0%}, for this "
            "classifier and its calibration sample",
        ),
    )
    return Page(f"Conformal beliefs: {named(evaluation.name)}", _lead(evaluation), sections)


def _lead(evaluation: ConformalEvaluation) -> tuple[str, ...]:
    found = evaluation.coverage()
    sizes = evaluation.coverage("size")
    single = sum(int(n) for size, n in zip(sizes.groups, sizes.n_samples, strict=True) if size == 1)
    n = len(evaluation.y)
    return (
        f"{count(n)} samples of {len(evaluation.labels)} classes were evaluated"
        f"{_calibrated(evaluation)}. {evaluation.verdict}.{_uncovered(evaluation)}",
        f"At alpha = {evaluation.alpha:g} a set has {fixed2(float(found.mean_size[0]))} classes "
        f"on average, and {percent(single / n)} of the sets have a single one.",
    )


def _uncovered(evaluation: ConformalEvaluation) -> str:
    """The class with the lowest coverage, if that is clearly below the mean that is guaranteed."""
    found = evaluation.coverage("class")
    held = np.nan_to_num(found.coverage) * found.n_samples
    # Limits for all classes together, by Bonferroni.
    confidence = 1 - (1 - evaluation.confidence) / len(held)
    low, high = share_limits(held, found.n_samples, confidence)
    if not (high < 1 - evaluation.alpha).any():
        return ""
    worst = int(np.nanargmin(np.where(high < 1 - evaluation.alpha, found.coverage, np.nan)))
    return (
        f" Coverage differs between classes: sets at alpha = {evaluation.alpha:g} contain "
        f"{named(str(found.groups[worst]))} in only {percent(float(found.coverage[worst]))} of its "
        f"{count(int(found.n_samples[worst]))} samples "
        f"({between(100 * low[worst], 100 * high[worst], 1)}%, all classes considered)."
    )


def _calibrated(evaluation: ConformalEvaluation) -> str:
    if not evaluation.calibration_known:
        return ""
    numbers = [n for n in evaluation.n_calibration if n is not None]
    if len(numbers) == 1:
        return f", after calibration with {count(numbers[0])}"
    return (
        f", after calibration with {count(sum(numbers))}, in {len(numbers)} groups of "
        f"{count(min(numbers))} to {count(max(numbers))} for each of which the guarantee is tested"
    )


def _warnings(evaluation: ConformalEvaluation) -> list[str]:
    texts = list(evaluation.notes)
    useless = [alpha for alpha in evaluation.levels if evaluation.p_values.min() > alpha]
    if useless:
        least = f"{evaluation.p_values.min():.2g}"
        texts.append(
            f"No class of any sample is rejected at alpha = {listed(f'{a:g}' for a in useless)}, "
            f"because the smallest of all p-values is {least}: with n calibration samples it is "
            "1 / (n + 1) at least, so take more."
        )
    if not evaluation.calibration_known:
        texts.append(
            "The tests treat the calibration sample as a very large one. They show whether this "
            "classifier misses more often than alpha, not whether its guarantee, a mean over "
            "calibration samples, was violated."
        )
    return texts


def levels_table(evaluation: ConformalEvaluation) -> Table:
    """Misses and sizes of the sets at each level, with the guarantee."""
    return Table.of(
        f"Share of sets that miss the true class, guaranteed to be alpha at most, of "
        f"{count(len(evaluation.y))} samples, with {evaluation.confidence:.0%} limits.",
        "Alpha",
        {
            **dict.fromkeys(("Missed", "At least", "At most"), percent),
            "Mean size": fixed2,
            **dict.fromkeys(("p", "Adjusted p"), p_cell),
        },
        (
            (
                f"{one.alpha:g}",
                (one.missed, one.low, one.high, one.mean_size, one.pvalue, one.adjusted),
            )
            for one in evaluation.at_levels()
        ),
        notes("columns: conformal"),
    )


def _small(evaluation: ConformalEvaluation) -> str:
    pvalue, adjusted = evaluation.small
    verdict = (
        "Small p-values are more frequent than guaranteed"
        if adjusted < 0.05
        else "Small p-values are not more frequent than chance explains"
    )
    return (
        f"{verdict} (one-sided test of Kolmogorov & Smirnov, {pvalue_text(pvalue)}, adjusted "
        f"{pvalue_text(adjusted)})."
    )


def _sizes_table(evaluation: ConformalEvaluation) -> Table:
    found, n = evaluation.coverage("size"), len(evaluation.y)
    return Table.of(
        f"Sets at alpha = {evaluation.alpha:g} by the number of their classes.",
        "Classes",
        {"Samples": count, "Share": percent, **_COVERAGE},
        (
            (str(size), (samples, samples / n, *shares))
            for size, samples, shares in _coverage_rows(found)
        ),
    )


def _classes_table(evaluation: ConformalEvaluation) -> Table:
    found = evaluation.coverage("class")
    rows = _coverage_rows(found)
    order = np.argsort(found.coverage, kind="stable")[:MOST_CLASSES]  # those without samples last
    kept = range(len(rows)) if len(rows) <= MOST_CLASSES else order.tolist()
    which = "" if len(rows) <= MOST_CLASSES else f", the {MOST_CLASSES} least covered ones"
    return Table.of(
        f"Sets at alpha = {evaluation.alpha:g} by true class{which}.",
        "Class",
        {"Samples": count, **_COVERAGE, "Mean size": fixed2},
        (
            (str(label), (samples, *shares, found.mean_size[k]))
            for k in kept
            for label, samples, shares in [rows[k]]
        ),
    )


_COVERAGE = dict.fromkeys(("Hold the class", "At least", "At most"), percent)


def _coverage_rows(found: SetCoverage) -> list[tuple[object, float, tuple[float, ...]]]:
    """Group, number of samples, and coverage with its limits."""
    shares = np.column_stack([found.coverage, found.interval]).tolist()
    return list(zip(found.groups, found.n_samples.tolist(), map(tuple, shares), strict=True))


def _lowest(evaluation: ConformalEvaluation) -> str:
    found = evaluation.coverage("class")
    worst = int(np.nanargmin(found.coverage))
    low, high = found.interval[worst]
    name = named(str(found.groups[worst]))
    text = (
        f"Sets of class {name} hold it least often: {percent(float(found.coverage[worst]))} of "
        f"{count(int(found.n_samples[worst]))} samples ({between(100 * low, 100 * high, 1)}%)."
    )
    lower = found.interval[:, 1] < 1 - evaluation.alpha
    below = np.count_nonzero(lower & (found.n_samples > 0))
    if below:
        text += (
            f" The limits of {below} of {len(found.groups)} classes lie below "
            f"{percent(1 - evaluation.alpha)}"
        )
        text += (
            "."
            if len(evaluation.n_calibration) > 1
            else '; calibration by class (conditional="class") guarantees it for each.'
        )
    return text
