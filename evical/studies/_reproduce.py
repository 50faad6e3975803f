"""One runner for all studies: only the rounds that are not on disk, in parallel, in any order.

A round depends on its part, the data, its number and the seed only, so the number of jobs, the
backend and the order of computation change nothing. Each round is kept as soon as it is
finished.
"""

import itertools
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from evical.datasets import Dataset, load
from evical.studies._store import RoundStore, data_fingerprint
from evical.studies._study import Part, Record, Study

__all__ = ["Outcome", "Plan", "chosen_parts", "plan_study", "reproduce", "run_plan"]

Floats = NDArray[np.float64]
_Task = tuple[Part, int]
_Rounds = Generator[tuple[Part, int, list[Record]], None, None]


@dataclass(frozen=True, eq=False)
class Outcome:
    """All rounds of a study.

    Parameters
    ----------
    study : Study
    parts : tuple of Part
        Those that were run.
    rounds : int
    seed : int
    rows : dict
        Values of the study's labels to a (rounds, n_measures) array; NaN where a round did not
        measure.
    """

    study: Study
    parts: tuple[Part, ...]
    rounds: int
    seed: int
    rows: Mapping[tuple[str, ...], Floats]

    @property
    def is_full(self) -> bool:
        """Whether this is the whole study with seed 0, of which its comment speaks."""
        enough = self.rounds >= self.study.rounds and self.seed == 0
        return enough and len(self.parts) == len(self.study.parts)


@dataclass(frozen=True, eq=False)
class Plan:
    """A study whose data are loaded and whose finished rounds are found.

    Parameters
    ----------
    study : Study
    parts : tuple of Part
        Those to be run.
    rounds : int
    seed : int
    sets : mapping
        Name to data set.
    store : RoundStore
    kept : dict
        (key of the part, number) to the rows of each finished round.
    """

    study: Study
    parts: tuple[Part, ...]
    rounds: int
    seed: int
    sets: Mapping[str, Dataset]
    store: RoundStore
    kept: dict[tuple[str, int], list[Record]]

    @property
    def tasks(self) -> list[_Task]:
        """All rounds, by number first: a run that is stopped has about as many of each part."""
        return [(part, number) for number in range(self.rounds) for part in self.parts]


def reproduce(
    study: Study,
    output: str | Path,
    *,
    rounds: int | None = None,
    jobs: int = 1,
    seed: int = 0,
    data: str | Path | None = None,
    quick: bool = False,
    on_round: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Carry out the rounds of a study that are not kept yet, and gather all.

    Parameters
    ----------
    study : Study
    output : str or Path
        Folder that keeps finished rounds, in ``rounds/``.
    rounds : int, optional
        Of each part; those of the full study by default.
    jobs : int
        Rounds at once, by joblib; its backend may be chosen by ``joblib.parallel_config``.
    seed : int
    data : str or Path, optional
        Folder of data sets, as `evical.datasets.load`.
    quick : bool
        Only the parts of the quick variant.
    on_round : callable, optional
        Called with the numbers of finished and of all rounds: once at the start, then after
        each round.

    Returns
    -------
    Outcome
        Independent of `jobs`.

    Raises
    ------
    OSError
        If a file of data is missing, or a round cannot be written.
    ValueError
        If `rounds`, `jobs` or `seed` is none, or a kept round is damaged or of other data.
    """
    planned = plan_study(study, output, rounds, seed, data, quick)
    return run_plan(planned, jobs, on_round)


def plan_study(
    study: Study,
    output: str | Path,
    rounds: int | None = None,
    seed: int = 0,
    data: str | Path | None = None,
    quick: bool = False,
) -> Plan:
    """Load what a study needs, and find its finished rounds; nothing is computed.

    Parameters
    ----------
    study, output, rounds, seed, data, quick
        As `reproduce`.

    Returns
    -------
    Plan

    Raises
    ------
    OSError, ValueError
        As `reproduce`.
    """
    rounds = study.rounds if rounds is None else rounds
    for name, value, least in (("rounds", rounds, 1), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{name} is {value}, expected a number from {least}")
    parts = chosen_parts(study, quick)
    names = dict.fromkeys(name for part in parts for name in part.datasets)
    sets = {name: load(name, data) for name in names}
    prints = {name: data_fingerprint(dataset) for name, dataset in sets.items()}
    made = Plan(study, parts, rounds, seed, sets, RoundStore(Path(output), study, seed, prints), {})
    for part, number in made.tasks:
        records = made.store.load(part, number)
        if records is not None:
            made.kept[part.key, number] = records
            _check_rows(made, made.kept, part, number)
    return made


def _check_rows(
    plan: Plan, done: Mapping[tuple[str, int], list[Record]], part: Part, n: int
) -> None:
    """Refuse a round whose rows are not those of the first of its part that is done."""
    first = next(number for number in range(plan.rounds) if (part.key, number) in done)
    known, found = ({labels for labels, _ in done[part.key, i]} for i in (first, n))
    if known != found:
        raise ValueError(
            f"rounds {first} and {n} of part {part.key!r} of {plan.study.name} differ in the row "
            f"{', '.join(min(known ^ found))}, as if made by different versions; delete the folder "
            f"{str(plan.store.path(part, n).parent)!r} to compute anew"
        )


def run_plan(
    plan: Plan, jobs: int = 1, on_round: Callable[[int, int], object] | None = None
) -> Outcome:
    """Compute and keep the rounds that are not kept yet, and gather all.

    Parameters
    ----------
    plan : Plan
    jobs : int
    on_round : callable, optional
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
    todo = [(part, number) for part, number in plan.tasks if (part.key, number) not in done]
    report = on_round or (lambda *_: None)
    report(len(done), len(plan.tasks))
    tasks = _Tasks(todo)
    with _finished(_computed(tasks, plan.sets, plan.seed, jobs), tasks) as rounds:
        for part, number, records in rounds:
            plan.store.save(part, number, records)
            done[part.key, number] = records
            _check_rows(plan, done, part, number)
            report(len(done), len(plan.tasks))
    gathered = {part.key: [done[part.key, r] for r in range(plan.rounds)] for part in plan.parts}
    return Outcome(plan.study, plan.parts, plan.rounds, plan.seed, _rows(plan.study, gathered))


def chosen_parts(study: Study, quick: bool) -> tuple[Part, ...]:
    """The parts of the study, or of its quick variant.

    Parameters
    ----------
    study : Study
    quick : bool

    Returns
    -------
    tuple of Part
    """
    if not quick or not study.quick:
        return study.parts
    return tuple(part for part in study.parts if part.key in study.quick)


class _Tasks:
    """Tasks one by one, as long as they are wanted."""

    def __init__(self, tasks: Sequence[_Task]) -> None:
        self._tasks = iter(tasks)
        self.wanted = True

    def __iter__(self) -> Iterator[_Task]:
        return self

    def __next__(self) -> _Task:
        if not self.wanted:
            raise StopIteration
        return next(self._tasks)


def _computed(tasks: _Tasks, sets: Mapping[str, Dataset], seed: int, jobs: int) -> _Rounds:
    """Each round as soon as it is finished, or after a few of them."""
    # One task a batch, because a batch that is killed loses all its rounds.
    parallel = joblib.Parallel(n_jobs=jobs, batch_size=1, **_as_they_come())
    calls = (
        joblib.delayed(_one)(part, {name: sets[name] for name in part.datasets}, number, seed)
        for part, number in tasks
    )
    if parallel.return_generator:
        yield from parallel(calls)
        return
    # A backend that gives all at the end gets a few rounds at a time.
    while batch := list(itertools.islice(calls, 4 * joblib.effective_n_jobs(jobs))):
        yield from parallel(batch)


@contextmanager
def _finished(rounds: _Rounds, tasks: _Tasks) -> Iterator[_Rounds]:
    """Leave no rounds to go on in the background, if one of them cannot be kept."""
    try:
        yield rounds
    except (OSError, ValueError):
        # The few under way are waited for: to cancel them is a race in joblib's own threads.
        tasks.wanted = False
        for _ in rounds:
            pass
        raise
    finally:
        with warnings.catch_warnings():
            # That they are canceled is what is wanted of an interrupt.
            warnings.filterwarnings("ignore", r"\d+ tasks (which were|have been) ", UserWarning)
            rounds.close()


def _as_they_come() -> dict[str, str]:
    """Ask for each result as soon as it is there, of backends that can."""
    backend, _ = joblib.parallel.get_active_backend()
    if backend.supports_return_generator:
        return {"return_as": "generator_unordered"}
    return {}


def _one(
    part: Part, data: Mapping[str, Dataset], number: int, seed: int
) -> tuple[Part, int, list[Record]]:
    # One thread, because sums of several are rounded differently, and jobs share the processors.
    with threadpool_limits(1):
        return part, number, part.run_round(data, number, seed)


def _rows(
    study: Study, gathered: Mapping[str, list[list[Record]]]
) -> dict[tuple[str, ...], Floats]:
    """Values of each label combination, round by round."""
    rows: dict[tuple[str, ...], Floats] = {}
    origin: dict[tuple[str, ...], str] = {}
    for key, rounds in gathered.items():
        for number, records in enumerate(rounds):
            for labels, values in records:
                if origin.setdefault(labels, key) != key:
                    raise ValueError(
                        f"parts {origin[labels]!r} and {key!r} of {study.name} both give the row "
                        f"{', '.join(labels)}"
                    )
                empty = np.full((len(rounds), len(study.measures)), np.nan)
                rows.setdefault(labels, empty)[number] = values
    return rows
