"""One runner for all studies: it computes the repeats that are not on disk, in parallel.

A repeat depends on its condition, the data, its number and the seed only, so the number of jobs,
the backend and the order of computation change nothing. Each repeat is kept as soon as it is
finished.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from dstheory.checks.arguments import check_choice
from evical._jobs import results
from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies._store import RepeatStore, data_fingerprint
from examples.studies._study import Condition, Record, Study

__all__ = ["Outcome", "Plan", "plan_study", "reproduce", "run_plan"]

Data = str | Path | Mapping[str, Dataset] | None
_Task = tuple[Condition, int]


@dataclass(frozen=True, eq=False)
class Outcome:
    """All repeats of a study.

    Parameters
    ----------
    study : Study
    conditions : tuple of Condition
        Those that were run.
    repeats : int
    seed : int
    rows : dict
        Values of the study's labels to a (repeats, n_measures) array; NaN where a repeat did not
        measure.
    """

    study: Study
    conditions: tuple[Condition, ...]
    repeats: int
    seed: int
    rows: Mapping[tuple[str, ...], Floats]

    @property
    def is_full(self) -> bool:
        """Whether this is the whole study with seed 0."""
        return self._has(self.study.repeats, len(self.study.conditions))

    @property
    def is_commented(self) -> bool:
        """Whether the comment of the study is about these repeats."""
        study = self.study
        about = study.quick if study.comment_quick else study.conditions
        return self._has(study.comment_repeats or study.repeats, len(about))

    def _has(self, repeats: int, conditions: int) -> bool:
        enough = self.repeats >= repeats and self.seed == 0
        return enough and len(self.conditions) == conditions

    def values(self, row: tuple[str, ...], measure: str) -> Floats:
        """A measure of a row in each repeat.

        Parameters
        ----------
        row : tuple of str
            Values of the study's labels.
        measure : str

        Returns
        -------
        (repeats,) array

        Raises
        ------
        ValueError
            If there is no such row or measure.
        """
        check_choice("measure", measure, self.study.measures)
        if row not in self.rows:
            raise ValueError(
                f"there is no row {', '.join(row)}; rows are named by "
                f"{', '.join(self.study.labels)}, such as {', '.join(next(iter(self.rows)))}"
            )
        return self.rows[row][:, self.study.measures.index(measure)]


@dataclass(frozen=True, eq=False)
class Plan:
    """A study whose data are loaded and whose finished repeats are found.

    Parameters
    ----------
    study : Study
    conditions : tuple of Condition
        Those to be run.
    repeats : int
    seed : int
    sets : mapping
        Name to data set.
    store : RepeatStore
    kept : dict
        (key of the condition, number) to the rows of each finished repeat.
    """

    study: Study
    conditions: tuple[Condition, ...]
    repeats: int
    seed: int
    sets: Mapping[str, Dataset]
    store: RepeatStore
    kept: dict[tuple[str, int], list[Record]]

    @property
    def tasks(self) -> list[_Task]:
        """All repeats, by number first: a stopped run has about as many of each condition."""
        return [
            (condition, number) for number in range(self.repeats) for condition in self.conditions
        ]


def reproduce(
    study: Study,
    output: str | Path | None = None,
    *,
    repeats: int | None = None,
    jobs: int = 1,
    seed: int = 0,
    data: Data = None,
    quick: bool = False,
    on_repeat: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Carry out the repeats of a study that are not kept yet, and gather all.

    Parameters
    ----------
    study : Study
    output : str or Path, optional
        Folder that keeps finished repeats, in ``repeats/``; by default they are not kept.
    repeats : int, optional
        Of each condition; those of the full study by default.
    jobs : int
        Repeats at once, by joblib; its backend may be chosen by ``joblib.parallel_config``.
    seed : int
    data : str, Path or mapping, optional
        Folder of data sets, for the study's `load`; or the data sets themselves by name.
    quick : bool
        Only the conditions of the quick variant.
    on_repeat : callable, optional
        Called with the numbers of finished and of all repeats: once at the start, then after
        each repeat.

    Returns
    -------
    Outcome
        Independent of `jobs`.

    Raises
    ------
    OSError
        If a file of data is missing, or a repeat cannot be written.
    ValueError
        If `repeats`, `jobs` or `seed` is out of range, or a kept repeat is damaged or of other
        data.
    """
    planned = plan_study(study, output, repeats, seed, data, quick)
    return run_plan(planned, jobs, on_repeat)


def plan_study(
    study: Study,
    output: str | Path | None = None,
    repeats: int | None = None,
    seed: int = 0,
    data: Data = None,
    quick: bool = False,
) -> Plan:
    """Load what a study needs, and find its finished repeats; nothing is computed.

    Parameters
    ----------
    study, output, repeats, seed, data, quick
        As `reproduce`.

    Returns
    -------
    Plan

    Raises
    ------
    OSError, ValueError
        As `reproduce`.
    """
    repeats = study.repeats if repeats is None else repeats
    for name, value, least in (("repeats", repeats, 1), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{name} is {value}, expected a number from {least}")
    every = not quick or not study.quick
    conditions = tuple(one for one in study.conditions if every or one.key in study.quick)
    names = dict.fromkeys(name for condition in conditions for name in condition.datasets)
    sets = {
        name: data[name] if isinstance(data, Mapping) else study.load(name, data) for name in names
    }
    prints = {name: data_fingerprint(dataset) for name, dataset in sets.items()}
    folder = None if output is None else Path(output)
    made = Plan(
        study, conditions, repeats, seed, sets, RepeatStore(folder, study, seed, prints), {}
    )
    for condition, number in made.tasks:
        records = made.store.load(condition, number)
        if records is not None:
            made.kept[condition.key, number] = records
            _check_rows(made, made.kept, condition, number)
    return made


def _check_rows(
    plan: Plan, done: Mapping[tuple[str, int], list[Record]], condition: Condition, n: int
) -> None:
    """Refuse a repeat whose rows are not those of the first of its condition that is done."""
    first = next(number for number in range(plan.repeats) if (condition.key, number) in done)
    known, found = ({labels for labels, _ in done[condition.key, i]} for i in (first, n))
    if known != found:
        kept = plan.store.folder is not None
        advice = (
            f"; delete the folder {str(plan.store.path(condition, n).parent)!r} to compute anew"
        )
        raise ValueError(
            f"repeats {first} and {n} of condition {condition.key!r} of {plan.study.name} differ "
            f"in the row {', '.join(min(known ^ found))}, as if made by different versions"
            + (advice if kept else "")
        )


def run_plan(
    plan: Plan, jobs: int = 1, on_repeat: Callable[[int, int], object] | None = None
) -> Outcome:
    """Compute and keep the repeats that are not kept yet, and gather all.

    Parameters
    ----------
    plan : Plan
    jobs : int
    on_repeat : callable, optional
        As `reproduce`.

    Returns
    -------
    Outcome

    Raises
    ------
    OSError, ValueError
        As `reproduce`.
    """
    if jobs == 0:
        raise ValueError("jobs is 0, expected a number from 1, or -1 for all processors")
    done = dict(plan.kept)
    todo = [
        (condition, number)
        for condition, number in plan.tasks
        if (condition.key, number) not in done
    ]
    report = on_repeat or (lambda *_: None)
    report(len(done), len(plan.tasks))
    tasks = (
        (condition, {name: plan.sets[name] for name in condition.datasets}, number, plan.seed)
        for condition, number in todo
    )
    with results(_one, tasks, jobs) as repeats:
        for condition, number, records in repeats:
            plan.store.save(condition, number, records)
            done[condition.key, number] = records
            _check_rows(plan, done, condition, number)
            report(len(done), len(plan.tasks))
    gathered = {
        condition.key: [done[condition.key, r] for r in range(plan.repeats)]
        for condition in plan.conditions
    }
    return Outcome(
        plan.study, plan.conditions, plan.repeats, plan.seed, _rows(plan.study, gathered)
    )


def _one(
    condition: Condition, data: Mapping[str, Dataset], number: int, seed: int
) -> tuple[Condition, int, list[Record]]:
    # One thread, because sums of several are rounded differently, and jobs share the processors.
    with threadpool_limits(1):
        return condition, number, condition.run_repeat(data, number, seed)


def _rows(
    study: Study, gathered: Mapping[str, list[list[Record]]]
) -> dict[tuple[str, ...], Floats]:
    """Values of each label combination, repeat by repeat."""
    rows: dict[tuple[str, ...], Floats] = {}
    origin: dict[tuple[str, ...], str] = {}
    for key, repeats in gathered.items():
        for number, records in enumerate(repeats):
            for labels, values in records:
                if origin.setdefault(labels, key) != key:
                    raise ValueError(
                        f"conditions {origin[labels]!r} and {key!r} of {study.name} both give the "
                        f"row {', '.join(labels)}"
                    )
                empty = np.full((len(repeats), len(study.measures)), np.nan)
                rows.setdefault(labels, empty)[number] = values
    return rows
