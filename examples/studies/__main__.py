"""Run a study of a paper, or its remaining repeats, and write its page."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dstheory.checks.arguments import did_you_mean
from evical._files import write_whole
from examples.studies import STUDIES, Outcome, Plan, Study, plan_study, run_plan, study_files

__all__ = ["main"]

_PROGRAM = "python -m examples.studies"
_ABOUT = """Reproduce a study of a paper, and compare its numbers with ours.

Every finished repeat is kept in the output folder; after an interruption, the same command
continues. The page is NAME.md, the table NAME.csv."""


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{_PROGRAM}: {' '.join(message.split())}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a study, by the options of the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if not given.

    Returns
    -------
    int
        Exit code: 0, or 130 after an interrupt. A wrong input ends with 2, and one line on
        standard error says what to do.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.show_list:
        for study in STUDIES.values():
            sys.stdout.write(f"{study.name}: {study.title} ({study.source})\n")
        return 0
    if given.jobs == 0:
        parser.error("--jobs is 0, expected a number from 1, or -1 for all processors")
    output: Path = given.output
    try:
        study = _study(given.name)
        planned = plan_study(study, output, given.repeats, given.seed, given.data, given.quick)
    except (OSError, ValueError) as error:
        parser.error(_reason(error))
    try:
        # Not before, so that a wrong call leaves no empty folder behind.
        (output / "repeats").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"cannot write into {_reason(error)}; choose another folder by --output")
    try:
        outcome = _carry_out(planned, given.jobs)
        for file, content in study_files(outcome, _command(outcome, given.quick)).items():
            write_whole(output / file, content)
    except OSError as error:  # such as a disk that is full
        parser.error(
            f"{_reason(error)}; finished repeats are kept, and the same command continues from "
            "there"
        )
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(f"Page: {output / f'{study.name}.md'}\n")
    return 0


def _parser() -> _Parser:
    parser = _Parser(_PROGRAM, description=_ABOUT, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", metavar="NAME", nargs="?", help="name of the study")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of the data sets; default: that of the environment variable EVICAL_DATA",
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="random repeats of each condition; default: those of the full study",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="repeats at once; -1 for all processors"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all repeats")
    parser.add_argument("--quick", action="store_true", help="only the conditions that are quick")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("evical-reproduce"),
        metavar="DIR",
        help="folder for the page, and for finished repeats; default: evical-reproduce",
    )
    parser.add_argument(
        "--list", dest="show_list", action="store_true", help="show all studies and exit"
    )
    return parser


def _study(name: str | None) -> Study:
    if name is None:
        raise ValueError(f"which study? One of {', '.join(STUDIES)}; --list shows them")
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES) or f"; expected one of {', '.join(STUDIES)}"
        raise ValueError(f"there is no study {name!r}{hint}")
    return STUDIES[name]


def _carry_out(planned: Plan, jobs: int) -> Outcome:
    """All repeats, with a progress bar on a terminal."""
    console = Console(stderr=True)
    console.quiet = not console.is_terminal
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(planned.study.name, total=len(planned.tasks))
        return run_plan(planned, jobs, lambda done, _: bar.update(task, completed=done))


def _command(outcome: Outcome, quick: bool) -> str:
    """What the results depend on: neither the folders nor the number of jobs."""
    options = [outcome.study.name, "--repeats", str(outcome.repeats), "--seed", str(outcome.seed)]
    return f"{_PROGRAM} {shlex.join(options + ['--quick'] * quick)}"


def _reason(error: OSError | ValueError) -> str:
    """An error in one line, with the file that it is about."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    where = f"{str(error.filename)!r}: " if error.filename else ""
    return f"{where}{error.strerror[0].lower()}{error.strerror[1:]}"


if __name__ == "__main__":
    sys.exit(main())
