"""The page of a comparison on several data sets: ranks and their significant differences."""

from itertools import combinations

import numpy as np
from matplotlib.figure import Figure

from evical.evaluation.comparison import DataSetComparison
from evical.metrics.goodness import pvalue_text
from evical.plot import CriticalDifferenceDisplay
from evical.report._comparison_page import TITLES, mean_error
from evical.report._evaluation_page import made_by
from evical.report._numbers import count, fixed2, fixed4, listed, named, p_cell, plus_minus
from evical.report.page import Page, Picture, Row, Section, Table, reading
from evical.report.svg import svg_of


def data_sets_page(comparison: DataSetComparison, command: str) -> Page:
    """The page of several calibrators on several data sets.

    Parameters
    ----------
    comparison : DataSetComparison
    command : str
        The command or call that reproduces this page; left out if empty.

    Returns
    -------
    Page
    """
    names = list(comparison.comparisons)
    sections = (
        Section(
            "Ranks",
            tables=(_mean_ranks(comparison), _losses(comparison)),
            pictures=(_ranks(comparison),),
        ),
        Section("Which methods differ", tables=(_pairs(comparison),)),
        Section(
            "Each data set",
            ("The recommendation on each data set alone, and the reasons for it.",),
            tables=(_advice(comparison),),
            warnings=tuple(_warnings(comparison)),
        ),
        Section("How to read this", items=reading("data sets")),
        made_by(command),
    )
    return Page(f"Calibrators compared on {len(names)} data sets", _lead(comparison), sections)


def _criterion(comparison: DataSetComparison) -> str:
    return TITLES[next(iter(comparison.comparisons.values())).criterion]


def _lead(comparison: DataSetComparison) -> tuple[str, ...]:
    test, after = comparison.friedman, comparison.nemenyi
    best = named(after.methods[0])
    differ = test.pvalue < after.alpha
    verdict = "methods differ significantly" if differ else "methods do not differ significantly"
    worse = [
        named(name)
        for name, rank in zip(after.methods, after.mean_ranks, strict=True)
        if rank - after.mean_ranks[0] >= after.critical_difference
    ]
    last = (
        f"Worse than {best} by the critical difference: {listed(worse)}."
        if worse
        else (f"No method is worse than {best} by the critical difference.")
    )
    return (
        f"{best} has the best mean rank, {fixed2(float(after.mean_ranks[0]))} of "
        f"{len(after.methods)} methods on {test.n_data_sets} data sets. By Friedman's test, "
        f"as Iman and Davenport improved it, {verdict} ({pvalue_text(test.pvalue)}).",
        last,
    )


def _mean_ranks(comparison: DataSetComparison) -> Table:
    """Mean rank and mean loss of each method, the best first."""
    table, after = comparison.results, comparison.nemenyi
    means = dict(zip(table.methods, table.values.mean(axis=0), strict=True))
    return Table.of(
        f"Mean ranks over {comparison.friedman.n_data_sets} data sets, and mean losses.",
        "Method",
        {"Mean rank": fixed2, _criterion(comparison): fixed4},
        (
            (name, (rank, means[name]))
            for name, rank in zip(after.methods, after.mean_ranks, strict=True)
        ),
    )


def _losses(comparison: DataSetComparison) -> Table:
    """Mean losses, one row per data set."""
    table = comparison.results
    rows = []
    for name, values in zip(comparison.comparisons, table.values, strict=True):
        best = frozenset(np.flatnonzero(values == values.min()).tolist())
        rows.append(Row((name,), tuple(fixed4(v) for v in values), best, tuple(values.tolist())))
    return Table(
        f"{_criterion(comparison)} of each method, mean over folds. The lowest of a row is "
        "underlined.",
        ("Data set",),
        tuple(table.methods),
        tuple(rows),
    )


def _ranks(comparison: DataSetComparison) -> Picture:
    after = comparison.nemenyi
    figure = Figure(figsize=(8, 1.4 + 0.2 * len(after.methods)), layout="constrained")
    CriticalDifferenceDisplay.from_results(after, ax=figure.subplots())
    parts = [
        f"{named(name)} {fixed2(float(rank))}"
        for name, rank in zip(after.methods, after.mean_ranks, strict=True)
    ]
    groups = [listed(map(named, group)) for group in after.groups]
    return Picture(
        "Critical difference diagram",
        alt=f"Mean ranks: {', '.join(parts)}. The critical difference is "
        f"{fixed2(after.critical_difference)}. Not different: {'; '.join(groups) or 'none'}.",
        caption=f"Mean ranks over {comparison.friedman.n_data_sets} data sets; methods joined by a "
        f"bar do not differ by Nemenyi's test at the level of {after.alpha:g} (Demšar 2006).",
        svg=svg_of(figure),
    )


def _pairs(comparison: DataSetComparison) -> Table:
    after = comparison.nemenyi
    rows = []
    for i, j in combinations(range(len(after.methods)), 2):
        gap = after.mean_ranks[j] - after.mean_ranks[i]
        verdict = "different" if gap >= after.critical_difference else "not different"
        rows.append(((after.methods[i], after.methods[j]), (gap, after.pvalues[i, j], verdict)))
    return Table.of(
        "Differences of mean ranks of all pairs, with Nemenyi's p-values for the family of pairs; "
        f"the critical difference is {fixed2(after.critical_difference)}.",
        ("Better", "Worse"),
        {"Rank difference": fixed2, "p": p_cell, "Verdict": str},
        rows,
    )


def _advice(comparison: DataSetComparison) -> Table:
    rows = []
    for name, one in comparison.comparisons.items():
        advice = one.recommendation
        loss = one.mean(advice.method, one.criterion)
        shown = plus_minus(loss, mean_error(one, advice.method)), loss
        rows.append((name, (len(one.y), advice.method, shown, "; ".join(advice.reasons[:2]))))
    return Table.of(
        "Recommendations by cross-validation on each data set alone; ± is the standard error of "
        "the mean over folds, corrected for training samples that they share.",
        "Data set",
        {"Samples": count, "Recommended": str, _criterion(comparison): str, "Why": str},
        rows,
    )


def _warnings(comparison: DataSetComparison) -> list[str]:
    return [
        f"{named(method)} could not be fitted on {named(name)} and is left out everywhere: "
        f"{named(reason)}."
        for name, one in comparison.comparisons.items()
        for method, reason in one.failures.items()
    ]
