"""Overviews and contests of a study in Markdown: a line for each option."""

from collections import defaultdict

import numpy as np

from evical.experiments._contest import Standing, standings
from evical.experiments._reproduce import Outcome
from evical.experiments._study import Contest, Overview

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
        blocks += [f"## {overview.title}", "Means over all settings, which count the same."]
        for group, means in _means(outcome, overview).items():
            if group:
                blocks.append(f"**{', '.join(group)}**")
            blocks.append(_overview_table(means, overview))
    return blocks


def _means(outcome: Outcome, overview: Overview) -> dict[Labels, dict[str, list[float]]]:
    """Values of the labels `by` to values of the label to a mean for each column."""
    study = outcome.study
    at, told = study.labels.index(overview.label), [study.labels.index(n) for n in overview.by]
    rows: dict[Labels, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    columns = [study.measures.index(name) for name in overview.columns]
    for row, values in outcome.rows.items():
        rows[tuple(row[i] for i in told)][row[at]].append(values[:, columns].mean(axis=0).tolist())
    return {
        group: {name: np.mean(settings, axis=0).tolist() for name, settings in found.items()}
        for group, found in rows.items()
    }


def _overview_table(means: dict[str, list[float]], overview: Overview) -> str:
    columns = list(overview.columns.values())
    lines = [
        "| " + " | ".join([overview.label, *(name for name, _, _ in columns)]) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for option, values in means.items():
        pairs = zip(values, columns, strict=True)
        cells = [f"{value * scale:.{digits}f}" for value, (_, scale, digits) in pairs]
        lines.append("| " + " | ".join([option, *cells]) + " |")
    return "\n".join(lines)


def contests_text(outcome: Outcome) -> list[str]:
    """Blocks of Markdown for all contests.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    list of str
    """
    if not outcome.study.contests or outcome.rounds < 2:
        return []
    blocks = ["## How near each option comes", _explained(outcome.study.contests[0])]
    for contest in outcome.study.contests:
        blocks.append(f"### {contest.title}")
        for group, found in standings(outcome, contest).items():
            if group:
                blocks.append(f"**{', '.join(group)}**")
            blocks.append(_table(found, contest.digits))
    return blocks


def _explained(contest: Contest) -> str:
    return (
        "In each setting an option is compared, within rounds, with the best of "
        f"{'; '.join(contest.references)}: the one with the least mean there, which nobody knows "
        "beforehand. Mean: over all settings. Excess: mean of the differences to the best. Worse: "
        "settings in which the difference is more than one (more than two) standard errors above "
        "zero; better: below. By chance alone, an option as good as the best is worse by more than "
        "one standard error in 16 % of settings, and by more than two in 2 %. Largest: the largest "
        "difference, its standard error, and where it is."
    )


def _table(found: list[Standing], digits: int) -> str:
    n = len(found[0].excesses)
    head = ["option", "mean", "excess", f"worse, of {n}", f"better, of {n}", "largest"]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * 4 + "---|"]
    for one in sorted(found, key=lambda standing: standing.mean):
        where, largest = one.worst
        cells = [
            one.option,
            f"{one.mean:.{digits}f}",
            f"{one.excess:+.{digits}f}",
            f"{one.worse(1)} ({one.worse(2)})",
            f"{one.better(1)} ({one.better(2)})",
            f"{largest.mean:+.{digits}f} ± {largest.error:.{digits}f}, {', '.join(where)}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
