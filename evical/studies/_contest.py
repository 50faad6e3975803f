"""How close each option comes to the best of some others, in each setting.

The best of the others is another one in each setting, so an option that is nowhere much worse
than it can be taken without knowing the setting. Differences are paired within repeats.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical.evaluation.estimate import Estimate
from evical.studies._reproduce import Outcome
from evical.studies._study import Contest
from evical.studies._tables import estimate

__all__ = ["Standing", "standings"]

Floats = NDArray[np.float64]
Labels = tuple[str, ...]


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
