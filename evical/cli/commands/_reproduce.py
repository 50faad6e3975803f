"""`evical reproduce`: run a study of a paper, or its remaining repeats, and write its page."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dstheory.checks.arguments import did_you_mean
from evical.cli._errors import WrongInput, user_input
from evical.cli._output import prepare_folder, write_atomically
from evical.cli._show import progress_bar
from evical.studies import STUDIES, Outcome, Plan, Study, plan_study, run_plan, study_files

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Of the study.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the data sets.",
            show_default="that of the environment variable EVICAL_DATA",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Random repeats of each condition.",
            show_default="the full study",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Repeats at once; -1 for all processors.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of all repeats.")] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the conditions that are quick.")
    ] = False,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the page, and for finished repeats.")
    ] = Path("evical-reproduce"),
    show_list: Annotated[bool, typer.Option("--list", help="Show all studies and exit.")] = False,
) -> None:
    """Reproduce a study of a paper, and compare its numbers with ours.

    Every finished repeat is kept in the output folder; after an interruption, the same command
    continues. The page is NAME.md, the table NAME.csv.
    """
    if show_list:
        _show_studies(Console(highlight=False, soft_wrap=True))
        return
    with user_input():
        study = _study(name)
        if jobs == 0:
            raise ValueError("--jobs is 0, expected a number from 1, or -1 for all processors")
        planned = plan_study(study, output, repeats, seed, data, quick)
        # Last, so that a wrong call leaves no empty folder behind.
        prepare_folder(output / "repeats")
    outcome = _carry_out(planned, jobs)
    files = study_files(outcome, _command(outcome, quick))
    with user_input():
        for file, content in files.items():
            write_atomically(output / file, content)
    page = output / f"{study.name}.md"
    Console(highlight=False, soft_wrap=True).print(f"Page: {page}", markup=False)


def _study(name: str | None) -> Study:
    if name is None:
        raise ValueError(f"which study? One of {', '.join(STUDIES)}; --list shows them")
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES) or f"; expected one of {', '.join(STUDIES)}"
        raise ValueError(f"there is no study {name!r}{hint}")
    return STUDIES[name]


def _carry_out(planned: Plan, jobs: int) -> Outcome:
    with progress_bar() as bar:
        task = bar.add_task(planned.study.name, total=len(planned.tasks))
        try:
            return run_plan(planned, jobs, lambda done, _: bar.update(task, completed=done))
        except OSError as error:  # such as a disk that is full
            what = f"cannot write {error.filename!r}: " if error.filename else ""
            raise WrongInput(
                f"{what}{(error.strerror or str(error)).lower()}; finished repeats are kept, and "
                "the same command continues from there"
            ) from error


def _command(outcome: Outcome, quick: bool) -> str:
    """What the results depend on: neither the folders nor the number of jobs."""
    words = ["evical", "reproduce", outcome.study.name, "--repeats", str(outcome.repeats)]
    words += ["--seed", str(outcome.seed)]
    return shlex.join(words + ["--quick"] * quick)


def _show_studies(console: Console) -> None:
    for study in STUDIES.values():
        console.print(f"{study.name}: {study.title} ({study.source})", markup=False)
