"""Overviews and contests of a study in Markdown: a line for each option.

A contest tells how close each option comes to the best of some others, in each setting. The best
is another one in each setting, so an option that is nowhere much worse can be taken without
knowing the setting. Differences are paired within repeats.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evical._typing import Floats
from evical.evaluation.estimate import Estimate
from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome
from examples.studies._study import Contest, Overview
from examples.studies._tables import CLEAR, estimate

__all__ = ["Standing", "contests_text", "overviews_text", "standings"]

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
        tables = _estimates(outcome, overview)
        if not tables:
            continue
        said = "Means over the settings of each table, which count the same."
        if overview.order:
            heading = overview.columns[overview.order][0]
            said = (
                f"In the order of {heading}; bold are those within two standard errors of the "
                "least."
            )
        blocks += [f"## {overview.title}", said]
        for group, found in tables.items():
            if group:
                blocks.append(f"**{', '.join(map(plain, group))}**")
            blocks.append(_overview_table(found, overview))
    return blocks


def _estimates(outcome: Outcome, overview: Overview) -> dict[Labels, dict[str, list[Estimate]]]:
    """Values of the labels `by` to values of the label to an estimate for each column.

    A mean over several settings has no standard error, because they share data.
    """
    study = outcome.study
    at, told = study.labels.index(overview.label), [study.labels.index(n) for n in overview.by]
    rows: dict[Labels, dict[str, list[list[Estimate]]]] = defaultdict(lambda: defaultdict(list))
    columns = [study.measures.index(name) for name in overview.columns]
    taken = {study.labels.index(name): values for name, values in overview.where.items()}
    for row, values in outcome.rows.items():
        if any(row[i] not in values for i, values in taken.items()):
            continue
        found = [estimate(column) for column in values[:, columns].T]
        rows[tuple(row[i] for i in told)][row[at]].append(found)
    return {
        group: {
            name: [_mean_of(column) for column in zip(*found, strict=True)]
            for name, found in options.items()
        }
        for group, options in rows.items()
    }


def _mean_of(settings: tuple[Estimate, ...]) -> Estimate:
    if len(settings) == 1:
        return settings[0]
    return Estimate(float(np.mean([one.mean for one in settings])), math.nan)


def _overview_table(found: dict[str, list[Estimate]], overview: Overview) -> str:
    columns = list(overview.columns.values())
    best: list[str] = []
    if overview.order:
        at = list(overview.columns).index(overview.order)
        found = dict(sorted(found.items(), key=lambda item: item[1][at].mean))
        least = next(iter(found.values()))[at]
        best = [name for name, row in found.items() if row[at] is least or _is_near(row[at], least)]
    body = []
    for option, values in found.items():
        cells = [
            _cell(one, scale, digits, bool(overview.order))
            for one, (_, scale, digits) in zip(values, columns, strict=True)
        ]
        name = plain(option)
        body.append([f"**{name}**" if option in best else name, *cells])
    return markdown_table([overview.label, *(name for name, _, _ in columns)], body, 1)


def _is_near(one: Estimate, least: Estimate) -> bool:
    error = math.hypot(one.standard_error, least.standard_error)
    return one.mean - least.mean <= CLEAR * error


def _cell(one: Estimate, scale: float, digits: int, with_error: bool) -> str:
    text = f"{one.mean * scale:.{digits}f}"
    if with_error and abs(one.mean) < 1e-9:
        return "0"
    if not with_error or math.isnan(one.standard_error):
        return text
    return f"{text} ± {one.standard_error * scale:.{digits}f}"


@dataclass(frozen=True)
class Standing:
    """An option against the best reference of each setting, which has the least mean.

    Parameters
    ----------
    option : str
    mean : float
        Over all settings, which count the same.
    excesses : dict
        Values of all other labels to option minus best reference, over repeats.
    """

    option: str
    mean: float
    excesses: Mapping[Labels, Estimate]

    def worse(self, errors: float) -> int:
        """In how many settings it is worse by more than so many standard errors."""
        return sum(one.mean > errors * one.standard_error for one in self.excesses.values())

    def better(self, errors: float) -> int:
        """In how many settings it is better by more than so many standard errors."""
        return sum(-one.mean > errors * one.standard_error for one in self.excesses.values())

    @property
    def excess(self) -> float:
        """Mean over settings."""
        return float(np.mean([one.mean for one in self.excesses.values()]))

    @property
    def worst(self) -> tuple[Labels, Estimate]:
        """The setting in which it is worst."""
        return max(self.excesses.items(), key=lambda item: item[1].mean)


def standings(outcome: Outcome, contest: Contest) -> dict[Labels, list[Standing]]:
    """The standing of each option.

    Parameters
    ----------
    outcome : Outcome
    contest : Contest

    Returns
    -------
    dict
        Values of the labels `by` to a standing for each option, in the order of the study.
    """
    labels = outcome.study.labels
    at = labels.index(contest.label)
    told = [labels.index(name) for name in contest.by]
    measure = outcome.study.measures.index(contest.measure)
    settings: dict[Labels, dict[str, Floats]] = defaultdict(dict)
    for row, values in outcome.rows.items():
        settings[row[:at] + row[at + 1 :]][row[at]] = values[:, measure] * contest.scale
    groups: dict[Labels, dict[Labels, dict[str, Floats]]] = defaultdict(dict)
    for row in outcome.rows:
        where = row[:at] + row[at + 1 :]
        groups[tuple(row[i] for i in told)][where] = settings[where]
    return {group: _standings(members, contest) for group, members in groups.items()}


def _standings(settings: dict[Labels, dict[str, Floats]], contest: Contest) -> list[Standing]:
    best = {
        where: min((values[name] for name in contest.references), key=_mean)
        for where, values in settings.items()
    }
    options = dict.fromkeys(name for values in settings.values() for name in values)
    return [
        Standing(
            option,
            float(np.mean([_mean(values[option]) for values in settings.values()])),
            {where: estimate(values[option] - best[where]) for where, values in settings.items()},
        )
        for option in options
    ]


def _mean(values: Floats) -> float:
    return estimate(values).mean


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
        "In each setting, an option is compared within repeats with the best of "
        f"{'; '.join(map(plain, contest.references))}: the one with the least mean there, which "
        "nobody knows beforehand. Mean: over all settings. Excess: mean difference from the best. "
        "Worse: settings in which the difference is more than one (more than two) standard errors "
        "above zero; better: below. By chance alone, an option as good as a reference is worse "
        "than it by more than one standard error in 16 % of settings, and by more than two in "
        "2 %. Here it is worse more often: the best is picked by the same repeats in which it is "
        "compared, so among references that are about as good, chance picks the luckiest. "
        "Settings of the same data share their random repeats, so they err together. Largest: the "
        "largest difference, its standard error, and where it occurs."
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
