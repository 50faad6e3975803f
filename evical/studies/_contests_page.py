"""Overviews and contests of a study in Markdown: a line for each option."""

from collections import defaultdict

import numpy as np

from evical.report.markdown import markdown_table, plain
from evical.studies._contest import Standing, standings
from evical.studies._reproduce import Outcome
from evical.studies._study import Contest, Overview
from evical.studies._tables import estimate

__all__ = ["contests_text", "overviews_text"]

Labels = tuple[str, ...]


def overviews_text(outcome: Outcome) -> list[str]:
    """Blocks of Markdown for all overviews.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    list of str
    """
    blocks = []
    for overview in outcome.study.overviews:
        said = "Means over the settings of each table, which count the same."
        blocks += [f"## {overview.title}", said]
        for group, means in _means(outcome, overview).items():
            if group:
                blocks.append(f"**{', '.join(map(plain, group))}**")
            blocks.append(_overview_table(means, overview))
    return blocks


def _means(outcome: Outcome, overview: Overview) -> dict[Labels, dict[str, list[float]]]:
    """Values of the labels `by` to values of the label to a mean for each column."""
    study = outcome.study
    at, told = study.labels.index(overview.label), [study.labels.index(n) for n in overview.by]
    rows: dict[Labels, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    columns = [study.measures.index(name) for name in overview.columns]
    for row, values in outcome.rows.items():
        means = [estimate(column).mean for column in values[:, columns].T]
        rows[tuple(row[i] for i in told)][row[at]].append(means)
    return {
        group: {name: np.mean(settings, axis=0).tolist() for name, settings in found.items()}
        for group, found in rows.items()
    }


def _overview_table(means: dict[str, list[float]], overview: Overview) -> str:
    columns = list(overview.columns.values())
    body = []
    for option, values in means.items():
        pairs = zip(values, columns, strict=True)
        cells = [f"{value * scale:.{digits}f}" for value, (_, scale, digits) in pairs]
        body.append([plain(option), *cells])
    return markdown_table([overview.label, *(name for name, _, _ in columns)], body, 1)


def contests_text(outcome: Outcome) -> list[str]:
    """Blocks of Markdown for all contests.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    list of str
    """
    if not outcome.study.contests or outcome.repeats < 2:
        return []
    blocks = ["## How near each option comes", _explain(outcome.study.contests[0])]
    for contest in outcome.study.contests:
        blocks.append(f"### {contest.title}")
        for group, found in standings(outcome, contest).items():
            if group:
                blocks.append(f"**{', '.join(map(plain, group))}**")
            blocks.append(_table(found, contest.digits))
    return blocks


def _explain(contest: Contest) -> str:
    return (
        "In each setting an option is compared, within repeats, with the best of "
        f"{'; '.join(map(plain, contest.references))}: the one with the least mean there, which "
        "nobody knows beforehand. Mean: over all settings. Excess: mean of the differences to the "
        "best. Worse: settings in which the difference is more than one (more than two) standard "
        "errors above zero; better: below. By chance alone, an option as good as a reference is "
        "worse than it by more than one standard error in 16 % of settings, and by more than two "
        "in 2 %. Here it is worse more often, because the best is picked by the same repeats in "
        "which it is compared: of references that are about as good, it is the one that chance "
        "favors. Settings of the same data share their random repeats, so they err together. "
        "Largest: the largest difference, its standard error, and where it is."
    )


def _table(found: list[Standing], digits: int) -> str:
    n = len(found[0].excesses)
    body = []
    for one in sorted(found, key=lambda standing: standing.mean):
        where, largest = one.worst
        body.append(
            [
                plain(one.option),
                f"{one.mean:.{digits}f}",
                f"{one.excess:+.{digits}f}",
                f"{one.worse(1)} ({one.worse(2)})",
                f"{one.better(1)} ({one.better(2)})",
                f"{largest.mean:+.{digits}f} ± {largest.standard_error:.{digits}f}, "
                f"{', '.join(map(plain, where))}",
            ]
        )
    head = ["option", "mean", "excess", f"worse, of {n}", f"better, of {n}", "largest"]
    return markdown_table(head, body, 1)
